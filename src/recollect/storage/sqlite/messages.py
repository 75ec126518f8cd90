"""Messages: added, read and marked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from recollect.engine.intake import same_content
from recollect.errors import Erased, IllegalMove, MessageConflict
from recollect.ports import Anchor, Expected, Seen
from recollect.storage.sqlite import branches, erasure, keywords, privacy, rows, sessions, spaces
from recollect.storage.sqlite.branches import State
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.schema import NUMBERS, OWNER_BITS
from recollect.types import Access, Message, Microseconds, Scope, Window

_INSERT = "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_ADVANCE = """
UPDATE sessions SET head = ?, leaf = ?, messages = messages + ?, tokens = tokens + ?,
    updated = max(updated, ?), touched = max(touched, ?), revision = revision + ? WHERE no = ?"""


class SeenBefore(Exception):
    """A message id is in the store already: the append must be done again, carefully."""


def append(
    db: Database,
    scope: Scope,
    messages: Sequence[Message],
    now: Microseconds,
    anchor: Anchor,
    expected: Expected,
    careful: bool,
) -> list[Message]:
    """Adds messages. Ids are nearly always new, so the first try does not look; if one is not, `SeenBefore` is raised,
    everything rolled back, and the second, careful try compares."""
    state = branches.live_to_add(db, scope)
    if state.status:
        raise IllegalMove("the session is archived: unarchive it before adding to it")
    if expected.revision is not None or expected.head is not None:
        sessions.check(state.revision, state.head, expected)
    if state.erasures:
        _refuse_erased(db, scope, messages)
    new = _only_new(db, state, messages) if careful else messages
    moves = anchor.kind != "leaf"
    place = branches.resolve(db, state, anchor) if moves else None
    if not new and messages:
        return _stored(db, scope, state, messages)
    if moves:
        state = branches.move(db, state, place)
    added = insert(db, scope, state, new, moves, now)
    if moves:
        spaces.note(db, state.owner, "session", scope.session)
    return added if len(added) == len(messages) else _stored(db, scope, state, messages)


def insert(
    db: Database, scope: Scope, state: State, new: Sequence[Message], moves: bool, now: Microseconds
) -> list[Message]:
    """Adds messages behind the leaf of a session whose state is this."""
    author = scope.owner if scope.pool else None
    rid, seq, parent = (state.owner << OWNER_BITS) + state.last, state.head, state.leaf
    added: list[Message] = []
    values: list[Row] = []
    tokens = 0
    latest = now if not new else new[0].created
    for message in new:
        rid += 1
        seq += 1
        values.append(rows.message_values(rid, state.branch, seq, parent, message, author))
        (id, _, _, _, role, text, cost, said, importance, pinned, metadata, parts, calls, call, name, _, private) = message
        added.append(
            Message(id, scope.session or "", seq, parent, role, text, cost, said, importance, pinned, metadata,
                    parts, calls, call, name, author, private)
        )  # fmt: skip
        parent = seq
        tokens += cost
        latest = max(latest, said)
    if len(values) == 1:
        db.execute(_INSERT, values[0])
        if not db.changes():
            raise SeenBefore
    elif values:
        before = db.total_changes()
        db.executemany(_INSERT, values)
        if db.total_changes() - before != len(values):
            raise SeenBefore
    db.execute(
        _ADVANCE,
        (seq, parent, len(new), tokens, latest, now, moves, state.no),
    )
    keywords.follow(db, state.owner, state.last, state.last + len(new))
    return added


def _only_new(db: Database, state: State, messages: Sequence[Message]) -> list[Message]:
    """The messages whose ids are not stored yet; an id with other content is a conflict."""
    new: dict[str, Message] = {}
    for message in messages:
        row = db.execute(
            f"SELECT {rows.MESSAGE}, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
            " WHERE m.rid >> 32 = ? AND m.id = ?",
            (state.owner, message.id),
        ).fetchone()
        if row and row[-1] != state.no:
            raise MessageConflict(f"message id {message.id!r} is taken by a message of another session")
        twin = rows.message(row[:-1], "") if row else new.get(message.id)
        if twin and not same_content(twin, message):
            raise MessageConflict(f"message id {message.id!r} is taken by a message with other content")
        if not twin:
            new[message.id] = message
    return list(new.values())


def _stored(db: Database, scope: Scope, state: State, messages: Sequence[Message]) -> list[Message]:
    return [_one(db, state, message.id, scope) for message in messages]


def _refuse_erased(db: Database, scope: Scope, messages: Sequence[Message]) -> None:
    for message in messages:
        if erasure.was_erased(db, scope, message.id):
            raise Erased(f"message {message.id!r} was erased")


def get(db: Database, scope: Scope, message: str) -> Message:
    """One message of the session, on whatever branch."""
    state = branches.live(db, scope)
    return _one(db, state, message, scope)


def _one(db: Database, state: State, message: str, scope: Scope) -> Message:
    place = branches.locate(db, state, message)
    row = db.execute(f"SELECT {rows.MESSAGE} FROM messages AS m WHERE m.branch = ? AND m.seq = ?", place).fetchone()
    assert row
    return rows.message(row, scope.session or "")


def fetch(db: Database, owner: int, numbers: Sequence[int]) -> list[Seen]:
    """The owner's messages of these numbers, as far as they are there."""
    low, _ = spaces.rid_range(owner)
    wanted = sorted({low + number for number in numbers if 0 < number <= NUMBERS})
    found = db.execute(
        f"SELECT m.rid, iif(s.status < 3, s.id, ''), {rows.MESSAGE} FROM json_each(?) AS j"
        " CROSS JOIN messages AS m ON m.rid = j.value LEFT JOIN branches AS b ON b.no = m.branch"
        " LEFT JOIN sessions AS s ON s.no = b.session",
        (json.dumps(wanted),),
    )
    return [Seen(rid - low, rows.message(tuple(row), session)) for rid, session, *row in found]


def mark(
    db: Database, scope: Scope, message: str, importance: float | None, pinned: bool | None, private: bool | None
) -> Message:
    """Sets a message's importance or pin, or whether it may be remembered."""
    state = branches.live(db, scope, Access.WRITE)
    place = branches.locate(db, state, message)
    db.execute(
        "UPDATE messages SET importance = coalesce(?, importance), pinned = coalesce(?, pinned)"
        " WHERE branch = ? AND seq = ?",
        (importance, None if pinned is None else int(pinned), *place),
    )
    if private is not None:
        privacy.set_private(db, state.owner, place, private)
    spaces.note(db, state.owner, "marked", scope.session, message)
    return _one(db, state, message, scope)


def read(db: Database, scope: Scope, window: Window) -> list[Message]:
    """Messages of the active path, in order. Touches the rows it returns, however long the session is."""
    state = branches.live(db, scope)
    session = scope.session or ""
    return [rows.message(row, session) for row in windowed(db, state, window, rows.MESSAGE)]


def windowed(db: Database, state: State, window: Window, columns: str) -> list[Row]:
    """The rows of the active path that a window lets in, in order; `columns` begins as `rows.MESSAGE` does."""
    if window.first is not None:
        return _oldest(db, state, window, columns)
    if window.max_tokens is not None:
        return _fitting(db, state, window, columns)
    found = _newest(db, state, window, columns)
    found.reverse()
    return found


def _newest(db: Database, state: State, window: Window, columns: str) -> list[Row]:
    """Rows from the leaf backwards, as many as the window asks for."""
    left = branches.END if window.last is None else window.last
    found: list[Row] = []
    for branch, upto in _backwards(db, state, window):
        part = db.execute(_BACKWARDS % columns, (branch, upto, window.after or 0, left)).fetchall()
        found += part
        left -= len(part)
        if not left:
            break
    return found


def _fitting(db: Database, state: State, window: Window, columns: str) -> list[Row]:
    """The newest rows that fit the window's tokens, oldest first. Stops at the first that does not."""
    found: list[Row] = []
    left = window.max_tokens or 0
    for branch, upto in _backwards(db, state, window):
        for row in db.execute(_BACKWARDS % columns, (branch, upto, window.after or 0, branches.END)):
            left -= row[_TOKENS]
            if left < 0 or len(found) == window.last:
                return found[::-1]
            found.append(row)
    return found[::-1]


_TOKENS = 5
_BACKWARDS = "SELECT %s FROM messages AS m WHERE m.branch = ? AND m.seq <= ? AND m.seq > ? ORDER BY m.seq DESC LIMIT ?"


def _backwards(db: Database, state: State, window: Window) -> Iterator[tuple[int, int]]:
    """The segments of the active path from the leaf on, as far as the window reaches."""
    before = branches.END if window.before is None else window.before - 1
    for branch, upto in branches.backwards(db, state.branch):
        if min(upto, before) <= (window.after or 0):
            return
        yield branch, min(upto, before)


def _oldest(db: Database, state: State, window: Window, columns: str) -> list[Row]:
    """Rows forwards from a seq, as many as the window asks for."""
    before = branches.END if window.before is None else window.before - 1
    found: list[Row] = []
    for branch, upto in reversed(branches.segments(db, state.branch)):
        left = (window.first or 0) - len(found)
        if not left:
            break
        if upto <= (window.after or 0):
            continue
        found += db.execute(
            f"SELECT {columns} FROM messages AS m WHERE m.branch = ? AND m.seq <= ? AND m.seq > ? ORDER BY m.seq LIMIT ?",
            (branch, min(upto, before), window.after or 0, left),
        ).fetchall()
    return found
