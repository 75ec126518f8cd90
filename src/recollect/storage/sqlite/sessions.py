"""Sessions: made, found, listed and changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound, RevisionConflict
from recollect.ports import CHANGEABLE, Expected
from recollect.storage.sqlite import branches, rows, spaces
from recollect.storage.sqlite.database import Database, Row
from recollect.types import Access, Microseconds, Scope, Session, SessionQuery, Status

_COLUMNS = f"SELECT {rows.SESSION} FROM sessions AS s"
_DETAILED, _NUMBER = -2, -1
AT_ONCE = 1000
"""Details fetched by one statement; SQLite takes no more than 32,766 values."""


def create(db: Database, scope: Scope, session: Session, fork: tuple[str, str] | None) -> Session:
    """Adds a session, empty or continuing another one's path."""
    owner = spaces.space_to_write(db, scope)
    if _number(db, owner, session.id):
        raise Conflict(f"there is a session {session.id!r} already")
    base, seq, messages, tokens = branches.origin(db, scope.of(fork[0]), fork[1]) if fork else (None, 0, 0, 0)
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
    branches.add(db, number, base, seq)
    _write_tags(db, owner, number, (), session.tags)
    _write_details(db, number, session)
    spaces.note(db, owner, "session", session.id)
    return get(db, scope.of(session.id))


def get(db: Database, scope: Scope, need: Access = Access.READ) -> Session:
    """One session of the scope."""
    owner = spaces.space(db, scope, need)
    row = db.execute(f"{_COLUMNS} WHERE s.owner = ? AND s.id = ? AND s.status < 3", (owner, scope.session)).fetchone()
    if row is None:
        raise NotFound("no such session, or no access to it")
    return _whole(db, scope, [row])[0]


def _whole(db: Database, scope: Scope, found: list[Row]) -> list[Session]:
    """Sessions with their details, which only those have that were given some: a join would make all of them pay."""
    detailed = [row[_NUMBER] for row in found if row[_DETAILED]]
    if not detailed:
        return [rows.session(row, scope, None) for row in found]
    details: dict[int, Row] = {}
    for start in range(0, len(detailed), AT_ONCE):
        some = detailed[start : start + AT_ONCE]
        sql = f"SELECT {rows.DETAILS} FROM details AS d WHERE d.session IN ({', '.join('?' * len(some))})"
        details |= {row[0]: row for row in db.execute(sql, some)}
    return [rows.session(row, scope, details.get(row[_NUMBER])) for row in found]


def listed(db: Database, scope: Scope, query: SessionQuery) -> list[Session]:
    """A page of sessions, newest activity first. Each status is its own range of the index; two are merged."""
    if scope.pool is not None:
        spaces.space(db, scope)
    whose = spaces.whose(scope)
    statuses = (query.status,) if query.status else (Status.ACTIVE, Status.ARCHIVED)
    found: list[Row] = []
    sql, values = _query(query)
    for status in statuses:
        found += db.execute(sql, (*whose, rows.STATUS_NUMBER[status], *values, query.limit)).fetchall()
    sessions = _whole(db, scope, found)
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
    """The statement for a list of one owner and status, and the values for its further conditions."""
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


def update(db: Database, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected) -> Session:
    """Changes fields of a session."""
    if unknown := changes.keys() - set(CHANGEABLE):
        raise InvalidInput(f"a session's {', '.join(sorted(unknown))} cannot be changed")
    session = get(db, scope, Access.WRITE)
    check(session.revision, session.head, expected)
    moved = {"expired": False} if "status" in changes else {}
    tags, session = session.tags, session._replace(**{**moved, **changes})
    owner = spaces.space(db, scope)
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
    spaces.note(db, owner, "session", session.id)
    return get(db, scope)


def check(revision: int, head: int, expected: Expected) -> None:
    """Refuses a change by someone who has not seen the latest state."""
    if expected.revision is not None and expected.revision != revision:
        raise RevisionConflict(f"the session is at revision {revision}, not {expected.revision}")
    if expected.head is not None and expected.head != head:
        raise RevisionConflict(f"the session's last message is number {head}, not {expected.head}")


def _number(db: Database, owner: int, session: str) -> int:
    row = db.execute("SELECT no FROM sessions WHERE owner = ? AND id = ?", (owner, session)).fetchone()
    return row[0] if row else 0


def _write_tags(db: Database, owner: int, number: int, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    for tag in set(old) - set(new):
        db.execute("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", (owner, tag, number))
    for tag in set(new) - set(old):
        db.execute("INSERT INTO tags VALUES (?, ?, ?)", (owner, tag, number))


def _write_details(db: Database, number: int, session: Session) -> None:
    values = (
        session.system_prompt, session.summary,
        session.summarized,
        rows.pack(session.tags) if session.tags else None,
        rows.pack(session.metadata) if session.metadata else None,
    )  # fmt: skip
    db.execute("DELETE FROM details WHERE session = ?", (number,))
    detailed = any(value is not None for value in values)
    if detailed:
        db.execute("INSERT INTO details VALUES (?, ?, ?, ?, ?, ?)", (number, *values))
    db.execute("UPDATE sessions SET detailed = ? WHERE no = ?", (detailed, number))
