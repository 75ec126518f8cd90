"""Create, read, list and update sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keepsaid.errors import Conflict, InvalidInput, NotFound, RevisionConflict
from keepsaid.ports import CHANGEABLE_FIELDS, ExpectedRevision
from keepsaid.storage.sqlite import branches, partitions, rows
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.types import Microseconds, PoolAccess, Scope, Session, SessionQuery, SessionStatus

_COLUMNS = f"SELECT {rows.SESSION_COLUMNS} FROM sessions AS s"
_DETAILED, _NUMBER = -2, -1
DETAILS_BATCH_SIZE = 1000
"""Details fetched by one statement; SQLite allows at most 32,766 values."""


def create(db: SqliteConnection, scope: Scope, session: Session, fork: tuple[str, str] | None) -> Session:
    """Add a session, either empty or continuing the path of another one."""
    owner = partitions.find_or_add_partition(db, scope)
    if _number(db, owner, session.id):
        raise Conflict(f"session {session.id!r} already exists")
    base, seq, messages, tokens = branches.find_fork_origin(db, scope.of(fork[0]), fork[1]) if fork else (None, 0, 0, 0)
    db.execute(
        "INSERT INTO sessions (owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf,"
        " messages, tokens, title, author, expired) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)",
        (
            owner, session.id, rows.STATUS_NUMBER[session.status], session.created,
            session.updated, session.touched, int(session.pinned),
            session.revision, seq, seq, messages, tokens, session.title,
            scope.owner if scope.pool else None, int(session.expired),
        ),
    )  # fmt: skip
    number = db.last_insert_rowid()
    branches.add_branch(db, number, base, seq)
    _write_tags(db, owner, number, (), session.tags)
    _write_details(db, number, session)
    partitions.record_change(db, owner, "session", session.id)
    return get(db, scope.of(session.id))


def get(db: SqliteConnection, scope: Scope, need: PoolAccess = PoolAccess.READ) -> Session:
    """Return one session of the scope."""
    owner = partitions.find_partition(db, scope, need)
    row = db.execute(f"{_COLUMNS} WHERE s.owner = ? AND s.id = ? AND s.status < 3", (owner, scope.session)).fetchone()
    if row is None:
        raise NotFound("no such session, or no access to it")
    return _with_details(db, scope, [row])[0]


def read_titles(db: SqliteConnection, owner: int, ids: Sequence[str]) -> dict[str, str | None]:
    """Return the titles of those of these sessions that exist."""
    return dict(
        db.execute(
            "SELECT s.id, s.title FROM json_each(?) AS j CROSS JOIN sessions AS s ON s.owner = ? AND s.id = j.value"
            " WHERE s.status < 3",
            (json.dumps(list(ids)), owner),
        ).fetchall()
    )


def _with_details(db: SqliteConnection, scope: Scope, found: list[Row]) -> list[Session]:
    """Build sessions with their details. Few sessions have any, so they are read separately instead of with a join."""
    detailed = [row[_NUMBER] for row in found if row[_DETAILED]]
    if not detailed:
        return [rows.session_from_row(row, scope, None) for row in found]
    details: dict[int, Row] = {}
    for start in range(0, len(detailed), DETAILS_BATCH_SIZE):
        some = detailed[start : start + DETAILS_BATCH_SIZE]
        sql = f"SELECT {rows.DETAIL_COLUMNS} FROM details AS d WHERE d.session IN ({', '.join('?' * len(some))})"
        details |= {row[0]: row for row in db.execute(sql, some)}
    return [rows.session_from_row(row, scope, details.get(row[_NUMBER])) for row in found]


def list_sessions(db: SqliteConnection, scope: Scope, query: SessionQuery) -> list[Session]:
    """Return a page of sessions, newest activity first. Each status is one range of the index; two are merged."""
    if scope.pool is not None:
        partitions.find_partition(db, scope)
    key = partitions.partition_key(scope)
    statuses = (query.status,) if query.status else (SessionStatus.ACTIVE, SessionStatus.ARCHIVED)
    found: list[Row] = []
    sql, values = _query(query)
    for status in statuses:
        found += db.execute(sql, (*key, rows.STATUS_NUMBER[status], *values, query.limit)).fetchall()
    sessions = _with_details(db, scope, found)
    if len(statuses) > 1:
        sessions.sort(key=lambda session: session.id)
        sessions.sort(key=lambda session: session.updated, reverse=True)
    return sessions[: query.limit]


_TAGGED = "EXISTS (SELECT 1 FROM tags AS t WHERE t.owner = s.owner AND t.tag = ? AND t.session = s.no)"
_PLAIN = (
    f"{_COLUMNS} WHERE s.owner = (SELECT no FROM owners WHERE kind = ? AND id = ?) AND s.status = ?"
    " ORDER BY s.updated DESC, s.id LIMIT ?"
)


def _query(query: SessionQuery) -> tuple[str, list[Any]]:
    """Return the statement that lists one owner's sessions of one status, and the values of its additional conditions."""
    where, values = "", list[Any]()
    conditions = (
        ("s.updated >= ?", query.since),
        ("s.updated < ?", query.until),
        (_TAGGED, query.tag),
        ("s.pinned = ?", query.pinned),
    )
    for condition, value in conditions:
        if value is not None:
            where += f" AND {condition}"
            values.append(value)
    if query.after:
        where += " AND s.updated <= ? AND (s.updated < ? OR s.id > ?)"
        values += [query.after[0], query.after[0], query.after[1]]
    return _PLAIN.replace(" ORDER", f"{where} ORDER") if where else _PLAIN, values


def update(
    db: SqliteConnection, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision
) -> Session:
    """Change fields of a session."""
    if unknown := changes.keys() - set(CHANGEABLE_FIELDS):
        raise InvalidInput(f"a session's {', '.join(sorted(unknown))} cannot be changed")
    session = get(db, scope, PoolAccess.WRITE)
    check_expected(session.revision, session.head, expected)
    moved = {"expired": False} if "status" in changes else {}
    tags, session = session.tags, session._replace(**{**moved, **changes})
    owner = partitions.find_partition(db, scope)
    number = _number(db, owner, session.id)
    db.execute(
        "UPDATE sessions SET status = ?, expired = ?, pinned = ?, title = ?, touched = max(touched, ?),"
        " revision = revision + 1 WHERE no = ?",
        (
            rows.STATUS_NUMBER[session.status], int(session.expired), int(session.pinned), session.title,
            now if "status" in changes else 0, number,
        ),
    )  # fmt: skip
    _write_tags(db, owner, number, tags, session.tags)
    _write_details(db, number, session)
    partitions.record_change(db, owner, "session", session.id)
    return get(db, scope)


def check_expected(revision: int, head: int, expected: ExpectedRevision) -> None:
    """Raise `RevisionConflict` if the session is not in the state that the caller expects."""
    if expected.revision is not None and expected.revision != revision:
        raise RevisionConflict(f"the session is at revision {revision}, not {expected.revision}")
    if expected.head is not None and expected.head != head:
        raise RevisionConflict(f"the session's last message is number {head}, not {expected.head}")


def _number(db: SqliteConnection, owner: int, session: str) -> int:
    row = db.execute("SELECT no FROM sessions WHERE owner = ? AND id = ?", (owner, session)).fetchone()
    return row[0] if row else 0


def _write_tags(db: SqliteConnection, owner: int, number: int, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    for tag in set(old) - set(new):
        db.execute("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", (owner, tag, number))
    for tag in set(new) - set(old):
        db.execute("INSERT INTO tags VALUES (?, ?, ?)", (owner, tag, number))


def _write_details(db: SqliteConnection, number: int, session: Session) -> None:
    values = (
        session.system_prompt, session.summary,
        session.summarized,
        rows.pack_json(session.tags) if session.tags else None,
        rows.pack_json(session.metadata) if session.metadata else None,
    )  # fmt: skip
    db.execute("DELETE FROM details WHERE session = ?", (number,))
    detailed = any(value is not None for value in values)
    if detailed:
        db.execute("INSERT INTO details VALUES (?, ?, ?, ?, ?, ?)", (number, *values))
    db.execute("UPDATE sessions SET detailed = ? WHERE no = ?", (detailed, number))
