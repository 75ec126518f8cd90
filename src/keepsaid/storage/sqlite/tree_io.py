"""Sessions with all their branches: read for an export, written by an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice

from keepsaid.errors import MessageConflict
from keepsaid.ports import KnownMessageId, PlacedMessage, SessionTree
from keepsaid.storage.sqlite import branches, messages, partitions, rows, sessions
from keepsaid.storage.sqlite.branches import MAX_SEQ, SessionState
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.erase import erasure
from keepsaid.types import Message, Microseconds, PoolAccess, Scope


def tree(db: SqliteConnection, scope: Scope, after: int, limit: int) -> SessionTree:
    """Return messages of the session after a seq, on all branches. Reads at most `limit` messages of each branch."""
    session = sessions.get(db, scope)
    state = branches.load_session(db, scope)
    own = "SELECT no FROM branches WHERE session = ?"
    segments = [(branch, MAX_SEQ) for (branch,) in db.execute(own, (state.no,)).fetchall()]
    segments += branches.inherited_segments(db, state.no)
    select = (
        f"SELECT {rows.MESSAGE_COLUMNS}, iif(s.status < 3, s.id, '')"
        " FROM messages AS m CROSS JOIN branches AS b ON b.no = m.branch CROSS JOIN sessions AS s ON s.no = b.session"
        " WHERE m.branch = ? AND m.seq > ? AND m.seq <= ? ORDER BY m.seq LIMIT ?"
    )
    found = (_linked(db, db.execute(select, (branch, after, upto, limit)).fetchall(), branch) for branch, upto in segments)
    first = islice(merge(*found, key=lambda message: message.seq), limit)
    leaf = branches.find_last_position(db, state.branch)
    end = None if leaf is None else db.execute("SELECT id FROM messages WHERE branch = ? AND seq = ?", leaf).fetchone()
    return SessionTree(session, list(first), end[0] if end else None)


def _linked(db: SqliteConnection, found: Sequence[Row], branch: int) -> list[Message]:
    """Build the messages of one branch, each with the previous one on the path as its parent: the original parent may be
    erased."""
    messages = [rows.message_from_row(row[:-1], row[-1]) for row in found]
    before = branches.find_last_position(db, branch, messages[0].seq - 1) if messages else None
    parents = [before.seq if before else 0, *(message.seq for message in messages)]
    return [message._replace(parent=parent) for message, parent in zip(messages, parents, strict=False)]


def known(db: SqliteConnection, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
    """Return those of the message ids that cannot be used for new messages of the session, and why."""
    state = None if scope.session is None else branches.load_session(db, scope)
    owner = partitions.find_partition(db, scope) if state is None else state.owner
    inherited = [] if state is None else branches.inherited_segments(db, state.no)
    home = (
        "SELECT m.rid & 4294967295, m.branch, m.seq, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " WHERE m.rid >> 32 = ? AND m.id = ?"
    )
    erasures = db.execute("SELECT 1 FROM erased LIMIT 1").fetchone() is not None
    found: dict[str, KnownMessageId] = {}
    for id in ids:
        row = db.execute(home, (owner, id)).fetchone()
        if row:
            number, branch, seq, session = row
            own = state is not None and session == state.no
            shown = own or any(branch == one and seq <= upto for one, upto in inherited)
            found[id] = KnownMessageId("same_session" if shown else "other_session", number)
        elif erasures and erasure.was_erased(db, scope, id):
            found[id] = KnownMessageId("erased")
    return found


def plant(
    db: SqliteConnection,
    scope: Scope,
    planted: Sequence[PlacedMessage],
    leaf: str | None,
    now: Microseconds,
    updated: Microseconds,
) -> None:
    """Add messages, each after its parent, and make the active path end at `leaf`."""
    state = branches.load_session(db, scope, PoolAccess.WRITE)
    ((active,),) = db.execute("SELECT updated FROM sessions WHERE no = ?", (state.no,)).fetchall()
    ids = [one.message.id for one in planted]
    taken = [*known(db, scope, ids), *(id for id, number in Counter(ids).items() if number > 1)]
    if taken:
        raise MessageConflict(f"message id {taken[0]!r} is already used")
    for parent, run in _runs(planted, state.head):
        state = _move_leaf(db, state, parent)
        state = _append_run(db, scope, state._replace(head=max(state.head, run[0].seq - 1)), run, now)
    _move_leaf(db, state, leaf)
    # A message may be older or newer than the session's own times: clocks differ and can be wrong.
    db.execute(
        "UPDATE sessions SET revision = revision + 1, updated = ?, touched = max(touched, ?) WHERE no = ?",
        (max(active, updated), now, state.no),
    )
    partitions.record_change(db, state.owner, "session", scope.session)


def _runs(planted: Sequence[PlacedMessage], head: int) -> Iterator[tuple[str | None, list[Message]]]:
    """Yield runs of messages that follow one another by parent and by seq, so that each run takes one insert."""
    run: list[Message] = []
    first_parent: str | None = None
    for message, parent in planted:
        if run and not (parent == run[-1].id and message.seq <= head + 1):
            yield first_parent, run
            run = []
        if not run:
            first_parent = parent
        run.append(message)
        head = max(head + 1, message.seq)
    if run:
        yield first_parent, run


def _move_leaf(db: SqliteConnection, state: SessionState, leaf: str | None) -> SessionState:
    """Make the active path end at a message, or empty if there is none."""
    place = None if leaf is None else branches.locate_message(db, state, leaf)
    if place == branches.find_last_position(db, state.branch):
        return state
    return branches.move_active_path(db, state, place)


def _append_run(
    db: SqliteConnection, scope: Scope, state: SessionState, run: list[Message], now: Microseconds
) -> SessionState:
    added = messages.insert(db, scope, state, run, False, now)
    tokens = state.tokens + sum(message.tokens for message in run)
    end = added[-1].seq
    return state._replace(head=end, leaf=end, messages=state.messages + len(run), tokens=tokens, last=state.last + len(run))
