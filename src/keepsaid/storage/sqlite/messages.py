"""Append, read and mark messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from keepsaid.engine.messages.intake import has_same_content
from keepsaid.errors import Erased, InvalidTransition, MessageConflict
from keepsaid.ports import AppendPosition, ExpectedRevision, VisibleMessage
from keepsaid.storage.sqlite import branches, partitions, rows, sessions
from keepsaid.storage.sqlite.branches import SessionState
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.erase import erasure, privacy
from keepsaid.storage.sqlite.schema import NUMBER_MASK, OWNER_BITS
from keepsaid.storage.sqlite.search import keyword_index
from keepsaid.types import Message, Microseconds, PoolAccess, ReadWindow, Scope

_INSERT = "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_ADVANCE = """
UPDATE sessions SET head = ?, leaf = ?, messages = messages + ?, tokens = tokens + ?,
    updated = max(updated, ?), touched = max(touched, ?), revision = revision + ? WHERE no = ?"""


class SqliteDuplicateMessage(Exception):
    """A message id already exists in the store: the append must be repeated in careful mode."""


def append(
    db: SqliteConnection,
    scope: Scope,
    messages: Sequence[Message],
    now: Microseconds,
    anchor: AppendPosition,
    expected: ExpectedRevision,
    careful: bool,
) -> list[Message]:
    """Append messages. Ids are nearly always new, so the first attempt does not check them. If one already exists, this
    raises, everything is rolled back, and the second attempt, with `careful`, compares the messages."""
    state = branches.load_session_to_append(db, scope)
    if state.status:
        raise InvalidTransition("the session is archived: unarchive it before adding to it")
    if expected.revision is not None or expected.head is not None:
        sessions.check_expected(state.revision, state.head, expected)
    if state.erasures:
        _refuse_erased(db, scope, messages)
    new = _only_new(db, state, messages) if careful else messages
    moves = anchor.kind != "leaf"
    place = branches.resolve_anchor(db, state, anchor) if moves else None
    if not new and messages:
        return _stored(db, scope, state, messages)
    if moves:
        state = branches.move_active_path(db, state, place)
    added = insert(db, scope, state, new, moves, now)
    if moves:
        partitions.record_change(db, state.owner, "session", scope.session)
    return added if len(added) == len(messages) else _stored(db, scope, state, messages)


def insert(
    db: SqliteConnection, scope: Scope, state: SessionState, new: Sequence[Message], moves: bool, now: Microseconds
) -> list[Message]:
    """Insert messages after the leaf of a session."""
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
        (id, _, _, _, role, text, cost, sent, importance, pinned, metadata, parts, calls, call, name, _, private) = message
        added.append(
            Message(id, scope.session or "", seq, parent, role, text, cost, sent, importance, pinned, metadata,
                    parts, calls, call, name, author, private)
        )  # fmt: skip
        parent = seq
        tokens += cost
        latest = max(latest, sent)
    if len(values) == 1:
        db.execute(_INSERT, values[0])
        if not db.changes():
            raise SqliteDuplicateMessage
    elif values:
        before = db.total_changes()
        db.executemany(_INSERT, values)
        if db.total_changes() - before != len(values):
            raise SqliteDuplicateMessage
    db.execute(
        _ADVANCE,
        (seq, parent, len(new), tokens, latest, now, moves, state.no),
    )
    keyword_index.index_full_tail(db, state.owner, state.last, state.last + len(new))
    return added


def _only_new(db: SqliteConnection, state: SessionState, messages: Sequence[Message]) -> list[Message]:
    """Return the messages whose ids are not stored yet. An id that is stored with other content is a conflict."""
    new: dict[str, Message] = {}
    for message in messages:
        row = db.execute(
            f"SELECT {rows.MESSAGE_COLUMNS}, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
            " WHERE m.rid >> 32 = ? AND m.id = ?",
            (state.owner, message.id),
        ).fetchone()
        if row and row[-1] != state.no:
            raise MessageConflict(f"message id {message.id!r} is already used in another session")
        twin = rows.message_from_row(row[:-1], "") if row else new.get(message.id)
        if twin and not has_same_content(twin, message):
            raise MessageConflict(f"message id {message.id!r} is already used for a message with other content")
        if not twin:
            new[message.id] = message
    return list(new.values())


def _stored(db: SqliteConnection, scope: Scope, state: SessionState, messages: Sequence[Message]) -> list[Message]:
    return [_one(db, state, message.id, scope) for message in messages]


def _refuse_erased(db: SqliteConnection, scope: Scope, messages: Sequence[Message]) -> None:
    for message in messages:
        if erasure.was_erased(db, scope, message.id):
            raise Erased(f"message {message.id!r} was erased")


def get(db: SqliteConnection, scope: Scope, message: str) -> Message:
    """Return one message of the session, on any branch."""
    state = branches.load_live_session(db, scope)
    return _one(db, state, message, scope)


def _one(db: SqliteConnection, state: SessionState, message: str, scope: Scope) -> Message:
    place = branches.locate_message(db, state, message)
    row = db.execute(f"SELECT {rows.MESSAGE_COLUMNS} FROM messages AS m WHERE m.branch = ? AND m.seq = ?", place).fetchone()
    assert row
    return rows.message_from_row(row, scope.session or "")


def fetch(db: SqliteConnection, owner: int, numbers: Sequence[int]) -> list[VisibleMessage]:
    """Return the owner's messages with these numbers, as far as they exist."""
    low, _ = partitions.rid_range(owner)
    wanted = sorted({low + number for number in numbers if 0 < number <= NUMBER_MASK})
    found = db.execute(
        f"SELECT m.rid, iif(s.status < 3, s.id, ''), {rows.MESSAGE_COLUMNS} FROM json_each(?) AS j"
        " CROSS JOIN messages AS m ON m.rid = j.value LEFT JOIN branches AS b ON b.no = m.branch"
        " LEFT JOIN sessions AS s ON s.no = b.session",
        (json.dumps(wanted),),
    )
    return [VisibleMessage(rid - low, rows.message_from_row(tuple(row), session)) for rid, session, *row in found]


def mark(
    db: SqliteConnection, scope: Scope, message: str, importance: float | None, pinned: bool | None, private: bool | None
) -> Message:
    """Set a message's importance, pin or privacy."""
    state = branches.load_live_session(db, scope, PoolAccess.WRITE)
    place = branches.locate_message(db, state, message)
    db.execute(
        "UPDATE messages SET importance = coalesce(?, importance), pinned = coalesce(?, pinned)"
        " WHERE branch = ? AND seq = ?",
        (importance, None if pinned is None else int(pinned), *place),
    )
    if private is not None:
        privacy.set_private(db, state.owner, place, private)
    partitions.record_change(db, state.owner, "marked", scope.session, message)
    return _one(db, state, message, scope)


def read(db: SqliteConnection, scope: Scope, window: ReadWindow) -> list[Message]:
    """Return messages of the active path, in order. Reads only the rows it returns, however long the session is."""
    state = branches.load_live_session(db, scope)
    session = scope.session or ""
    return [rows.message_from_row(row, session) for row in read_window(db, state, window, rows.MESSAGE_COLUMNS)]


def read_window(db: SqliteConnection, state: SessionState, window: ReadWindow, columns: str) -> list[Row]:
    """Return the rows of the active path that are in a window, in order. `columns` starts with the message columns."""
    if window.first is not None:
        return _oldest(db, state, window, columns)
    if window.max_tokens is not None:
        return _fitting(db, state, window, columns)
    found = _newest(db, state, window, columns)
    found.reverse()
    return found


def _newest(db: SqliteConnection, state: SessionState, window: ReadWindow, columns: str) -> list[Row]:
    """Return as many rows as the window asks for, from the leaf backwards."""
    left = branches.MAX_SEQ if window.last is None else window.last
    found: list[Row] = []
    for branch, upto in _backwards(db, state, window):
        part = db.execute(_BACKWARDS % columns, (branch, upto, window.after or 0, left)).fetchall()
        found += part
        left -= len(part)
        if not left:
            break
    return found


def _fitting(db: SqliteConnection, state: SessionState, window: ReadWindow, columns: str) -> list[Row]:
    """Return the newest rows that fit the window's tokens, oldest first. Stops at the first that does not fit."""
    found: list[Row] = []
    left = window.max_tokens or 0
    for branch, upto in _backwards(db, state, window):
        for row in db.execute(_BACKWARDS % columns, (branch, upto, window.after or 0, branches.MAX_SEQ)):
            left -= row[_TOKENS]
            if left < 0 or len(found) == window.last:
                return found[::-1]
            found.append(row)
    return found[::-1]


_TOKENS = 5
_BACKWARDS = "SELECT %s FROM messages AS m WHERE m.branch = ? AND m.seq <= ? AND m.seq > ? ORDER BY m.seq DESC LIMIT ?"


def _backwards(db: SqliteConnection, state: SessionState, window: ReadWindow) -> Iterator[tuple[int, int]]:
    """Yield the segments of the active path that are in the window, starting at the leaf."""
    before = branches.MAX_SEQ if window.before is None else window.before - 1
    for branch, upto in branches.iterate_segments(db, state.branch):
        if min(upto, before) <= (window.after or 0):
            return
        yield branch, min(upto, before)


def _oldest(db: SqliteConnection, state: SessionState, window: ReadWindow, columns: str) -> list[Row]:
    """Return as many rows as the window asks for, forwards from its start."""
    before = branches.MAX_SEQ if window.before is None else window.before - 1
    found: list[Row] = []
    for branch, upto in reversed(branches.list_segments(db, state.branch)):
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
