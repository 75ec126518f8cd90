"""Create, read, list and change sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepsaid.errors import Conflict, InvalidInput, NotFound, RevisionConflict
from keepsaid.ports import CHANGEABLE_FIELDS, ExpectedRevision
from keepsaid.storage.postgres import partitions, rows
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey, partition_key
from keepsaid.types import Microseconds, Scope, Session, SessionQuery, SessionStatus

Statement = tuple[str, Values]

ONE = (
    f"SELECT {rows.SESSION_COLUMNS} FROM sessions AS s {rows.WITH_DETAILS} WHERE s.unit = %s AND s.space = %s AND s.id = %s"
)
_ORIGIN = """
SELECT l.at_branch, l.at_seq, t.messages, t.tokens FROM keepsaid_there(%s, %s, %s) AS s
CROSS JOIN LATERAL keepsaid_locate(s.unit, s.space, s.no, %s) AS l
CROSS JOIN LATERAL keepsaid_totals(s.unit, s.space, l.at_branch, l.at_seq) AS t"""

_NEXT_NUMBERS = """
UPDATE spaces SET sessions = sessions + 1, branches = branches + 1 WHERE unit = %s AND space = %s
RETURNING sessions, branches"""
_UPDATE = """
UPDATE sessions SET status = %s, expired = %s, pinned = %s, title = %s, touched = greatest(touched, %s),
    revision = revision + 1
WHERE unit = %s AND space = %s AND no = %s"""


def create(
    db: PostgresConnection, space: PartitionKey, scope: Scope, session: Session, fork: tuple[str, str] | None
) -> Session:
    """Add a session, empty or continuing another session's path."""
    _, numbers, taken = db.together(
        partitions.add_partition(db.secret, space),
        (_NEXT_NUMBERS, space),
        ("SELECT 1 FROM sessions WHERE unit = %s AND space = %s AND id = %s", (*space, session.id)),
    )
    if taken.fetchone():
        raise Conflict(f"session {session.id!r} already exists")
    ((number, branch),) = numbers.fetchall()
    base, seq, messages, tokens = db.execute(_ORIGIN, (*space, *fork)).fetchall()[0] if fork else (None, 0, 0, 0)
    *_, made = db.together(
        (
            "INSERT INTO sessions VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                *space, number, session.id, rows.STATUS_NUMBER[session.status], session.created, session.updated,
                session.touched, session.pinned, session.revision, branch, seq, seq, messages, tokens, session.title,
                partitions.acting_member(scope), session.expired,
            ),
        ),
        ("INSERT INTO branches VALUES (%s, %s, %s, %s, %s, %s, 0, 0)", (*space, branch, number, base, seq)),
        *_write_tags(space, number, (), session.tags),
        *_write_details(space, number, session),
        partitions.record_change(space, "session", session.id),
        (ONE, (*space, session.id)),
        last=True,
    )  # fmt: skip
    return rows.session_from_row(made.fetchall()[0], scope)


def get(scope: Scope) -> PostgresReadOperation[Session]:
    """Read the scope's session."""

    def made(found: list[Row]) -> Session:
        if not found:
            raise NotFound("no such session, or no access to it")
        return rows.session_from_row(found[0], scope)

    return single_statement_read(ONE, (*partition_key(scope), scope.session), made)


def read_titles(scope: Scope, ids: Sequence[str]) -> PostgresReadOperation[dict[str, str | None]]:
    """Read the titles of those of these sessions that exist."""
    return single_statement_read(
        "SELECT s.id, s.title FROM sessions AS s WHERE s.unit = %s AND s.space = %s AND s.id = ANY(%s) AND s.status < 3",
        (*partition_key(scope), list(ids)),
        lambda found: {row[0]: row[1] for row in found},
    )


def list_sessions(scope: Scope, query: SessionQuery) -> PostgresReadOperation[list[Session]]:
    """Read a page of sessions, newest activity first. Each status is a range of the index; two ranges are merged."""
    space = partition_key(scope)
    statuses = (query.status,) if query.status else (SessionStatus.ACTIVE, SessionStatus.ARCHIVED)
    where, values = _conditions(query)
    order = "ORDER BY s.updated DESC, s.id LIMIT %s"
    return single_statement_read(
        f"SELECT {rows.SESSION_COLUMNS} FROM unnest(%s::bigint[]) AS w (status)"
        " CROSS JOIN LATERAL (SELECT * FROM sessions AS s"
        f" WHERE s.unit = %s AND s.space = %s AND s.status = w.status{where} {order}) AS s"
        f" LEFT JOIN details AS d ON d.unit = %s AND d.space = %s AND d.session = s.no {order}",
        (_numbers(statuses), *space, *values, query.limit, *space, query.limit),
        lambda found: [rows.session_from_row(row, scope) for row in found],
    )


def _numbers(statuses: tuple[SessionStatus, ...]) -> list[int]:
    return [rows.STATUS_NUMBER[status] for status in statuses]


_TAGGED = "EXISTS (SELECT 1 FROM tags AS t WHERE t.unit = s.unit AND t.space = s.space AND t.tag = %s AND t.session = s.no)"


def _conditions(query: SessionQuery) -> tuple[str, list[Any]]:
    where, values = "", list[Any]()
    conditions = (
        ("s.updated >= %s", query.since),
        ("s.updated < %s", query.until),
        (_TAGGED, query.tag),
        ("s.pinned = %s", query.pinned),
    )
    for condition, value in conditions:
        if value is not None:
            where += f" AND {condition}"
            values.append(value)
    if query.after:
        where += " AND s.updated <= %s AND (s.updated < %s OR s.id > %s)"
        values += [query.after[0], query.after[0], query.after[1]]
    return where, values


def update(
    db: PostgresConnection,
    space: PartitionKey,
    scope: Scope,
    changes: Mapping[str, Any],
    now: Microseconds,
    expected: ExpectedRevision,
) -> Session:
    """Change fields of a session."""
    if unknown := changes.keys() - set(CHANGEABLE_FIELDS):
        raise InvalidInput(f"a session's {', '.join(sorted(unknown))} cannot be changed")
    row = db.execute(ONE, (*space, scope.session)).fetchone()
    if row is None:
        raise NotFound("no such session, or no access to it")
    number, before = row[rows.NUMBER], rows.session_from_row(row, scope)
    check_expected(before.revision, before.head, expected)
    moved = {"expired": False} if "status" in changes else {}
    session = before._replace(**{**moved, **changes})
    *_, made = db.together(
        (
            _UPDATE,
            (
                rows.STATUS_NUMBER[session.status], bool(session.expired), bool(session.pinned), session.title,
                now if "status" in changes else 0, *space, number,
            ),
        ),
        *_write_tags(space, number, before.tags, session.tags),
        *_write_details(space, number, session),
        partitions.record_change(space, "session", session.id),
        (ONE, (*space, scope.session)),
        last=True,
    )  # fmt: skip
    return rows.session_from_row(made.fetchall()[0], scope)


def check_expected(revision: int, head: int, expected: ExpectedRevision) -> None:
    """Raise `RevisionConflict` if the caller has not seen the session's latest state."""
    if expected.revision is not None and expected.revision != revision:
        raise RevisionConflict(f"the session is at revision {revision}, not {expected.revision}")
    if expected.head is not None and expected.head != head:
        raise RevisionConflict(f"the session's last message is number {head}, not {expected.head}")


def _write_tags(space: PartitionKey, number: int, old: tuple[str, ...], new: tuple[str, ...]) -> list[Statement]:
    removed, added = list(set(old) - set(new)), list(set(new) - set(old))
    statements: list[Statement] = []
    if removed:
        gone = "DELETE FROM tags WHERE unit = %s AND space = %s AND tag = ANY (%s) AND session = %s"
        statements.append((gone, (*space, removed, number)))
    if added:
        statements.append(("INSERT INTO tags SELECT %s, %s, unnest(%s::text[]), %s", (*space, added, number)))
    return statements


def _write_details(space: PartitionKey, number: int, session: Session) -> list[Statement]:
    values = (
        session.system_prompt, session.summary,
        session.summarized,
        rows.pack_json(session.tags) if session.tags else None,
        rows.pack_json(session.metadata) if session.metadata else None,
    )  # fmt: skip
    statements: list[Statement] = [("DELETE FROM details WHERE unit = %s AND space = %s AND session = %s", (*space, number))]
    if any(value is not None for value in values):
        statements.append(("INSERT INTO details VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", (*space, number, *values)))
    return statements
