"""The tree of a session: branches that continue one another, one of them active.

A branch holds the messages added to it; `base` and `fork` say which branch it continues, and up to which seq. A position is
a branch and a seq. The path up to it is the branch's rows up to that seq, preceded by the base's rows up to `fork`, and so
on to the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from keepsaid.errors import NotFound
from keepsaid.ports import AppendPosition
from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import Branch, PoolAccess, Scope

MAX_SEQ = 1 << 62
"""A seq greater than that of any message."""


class SqliteBranchPosition(NamedTuple):
    """The position of a message: its branch and its seq."""

    branch: int
    seq: int


class SessionState(NamedTuple):
    """The columns of a session that an append needs."""

    no: int
    owner: int
    status: int
    revision: int
    branch: int
    head: int
    leaf: int
    messages: int
    tokens: int
    last: int = 0
    """The number of the owner's newest message."""
    erasures: int = 0
    """Whether anything was ever erased from this store."""


STATE_COLUMNS = "s.no, s.owner, s.status, s.revision, s.branch, s.head, s.leaf, s.messages, s.tokens"
_TO_ADD = """
    max((SELECT floor FROM owners WHERE no = s.owner), coalesce((SELECT rid & 4294967295 FROM messages
        WHERE rid BETWEEN s.owner << 32 AND (s.owner << 32) + 4294967295 ORDER BY rid DESC LIMIT 1), 0)),
    EXISTS (SELECT 1 FROM erased)"""

# Several small statements and sub-selects: in APSW a join costs 5 µs more than the same lookups one by one.
_WHERE = "FROM sessions AS s WHERE s.owner = (SELECT no FROM owners WHERE kind = ? AND id = ?) AND s.id = ?"
_LIVE = f"SELECT {STATE_COLUMNS} {_WHERE}"
_LIVE_TO_ADD = f"SELECT {STATE_COLUMNS}, {_TO_ADD} {_WHERE}"


def load_live_session(
    db: SqliteConnection, scope: Scope, need: PoolAccess = PoolAccess.READ, select: str = _LIVE
) -> SessionState:
    """Return the state of the scope's session. Raise `NotFound` if it is missing or deleted, or access is denied."""
    if scope.pool is not None:
        partitions.find_partition(db, scope, need)
    row = db.execute(select, (*partitions.partition_key(scope), scope.session)).fetchone()
    return check_live(SessionState(*row) if row else None)


def load_session(db: SqliteConnection, scope: Scope, need: PoolAccess = PoolAccess.READ) -> SessionState:
    """Return the state of the scope's session, deleted or not, with the columns for adding messages to it."""
    if scope.pool is not None:
        partitions.find_partition(db, scope, need)
    row = db.execute(_LIVE_TO_ADD, (*partitions.partition_key(scope), scope.session)).fetchone()
    if row is None or row[2] > 2:
        raise NotFound("no such session, or no access to it")
    return SessionState(*row)


def load_session_to_append(db: SqliteConnection, scope: Scope) -> SessionState:
    """Return the state of the scope's session, if it is not deleted, with the columns for adding messages to it."""
    return load_live_session(db, scope, PoolAccess.WRITE, _LIVE_TO_ADD)


def check_live(state: SessionState | None) -> SessionState:
    """Return the state. Raise `NotFound` if the session is missing or deleted."""
    if state is None or state.status > 2:
        raise NotFound("no such session, or no access to it")
    if state.status == 2:
        raise NotFound("the session is deleted: restore it first")
    return state


def add_branch(db: SqliteConnection, session: int, base: int | None, fork: int) -> int:
    """Add an empty branch and make it the session's active one."""
    db.execute("INSERT INTO branches (session, base, fork, messages, tokens) VALUES (?, ?, ?, 0, 0)", (session, base, fork))
    number = db.last_insert_rowid()
    db.execute("UPDATE sessions SET branch = ? WHERE no = ?", (number, session))
    return number


def list_segments(db: SqliteConnection, branch: int | None, upto: int = MAX_SEQ) -> list[tuple[int, int]]:
    """Return the path of a branch as segments (branch, highest seq), from its end to the root."""
    return list(iterate_segments(db, branch, upto))


def iterate_segments(db: SqliteConnection, branch: int | None, upto: int = MAX_SEQ) -> Iterator[tuple[int, int]]:
    """Yield the segments of a path. Each is looked up only when it is needed."""
    while branch is not None:
        yield branch, upto
        branch, upto = db.execute("SELECT base, fork FROM branches WHERE no = ?", (branch,)).fetchone() or (None, 0)


def find_last_position(db: SqliteConnection, branch: int | None, upto: int = MAX_SEQ) -> SqliteBranchPosition | None:
    """Return the position of the last message of a path at or before a seq, or None."""
    for number, limit in iterate_segments(db, branch, upto):
        (seq,) = db.execute("SELECT max(seq) FROM messages WHERE branch = ? AND seq <= ?", (number, limit)).fetchall()[0]
        if seq is not None:
            return SqliteBranchPosition(number, seq)
    return None


def locate_message(db: SqliteConnection, state: SessionState, message: str) -> SqliteBranchPosition:
    """Find a message of the session, on one of its own branches or on the path it was forked from."""
    row = db.execute(
        "SELECT m.branch, m.seq, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " WHERE m.rid >> 32 = ? AND m.id = ?",
        (state.owner, message),
    ).fetchone()
    if row:
        branch, seq, session = row
        if session == state.no or any(b == branch and seq <= upto for b, upto in inherited_segments(db, state.no)):
            return SqliteBranchPosition(branch, seq)
    raise NotFound("no such message in this session")


def find_by_seq(db: SqliteConnection, session: int, seq: int) -> SqliteBranchPosition | None:
    """Return the position of the message with a seq in a session's tree, or None if it does not exist."""
    row = db.execute(
        "SELECT m.branch FROM branches AS b CROSS JOIN messages AS m ON m.branch = b.no AND m.seq = ? WHERE b.session = ?",
        (seq, session),
    ).fetchone()
    if row:
        return SqliteBranchPosition(row[0], seq)
    exists = "SELECT 1 FROM messages WHERE branch = ? AND seq = ?"
    shown = (branch for branch, upto in inherited_segments(db, session) if seq <= upto)
    return next(
        (SqliteBranchPosition(branch, seq) for branch in shown if db.execute(exists, (branch, seq)).fetchone()), None
    )


def resolve_anchor(db: SqliteConnection, state: SessionState, anchor: AppendPosition) -> SqliteBranchPosition | None:
    """Return the position that new messages follow, or None for the root."""
    if anchor.kind == "root":
        return None
    place = locate_message(db, state, anchor.message)
    return place if anchor.kind == "after" else find_last_position(db, place.branch, place.seq - 1)


def find_fork_origin(db: SqliteConnection, scope: Scope, message: str) -> tuple[int, int, int, int]:
    """Return the base branch and seq for a fork at a message, and the message and token counts of the path up to it."""
    place = locate_message(db, load_session(db, scope), message)
    return (place.branch, place.seq, *path_totals_at(db, place))


def path_totals_at(db: SqliteConnection, place: SqliteBranchPosition) -> tuple[int, int]:
    """Return the message and token counts of the path up to a position: those of its branch, less what follows."""
    messages, tokens = _end_totals(db, place.branch)
    row = db.execute(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM messages WHERE branch = ? AND seq > ?", place
    ).fetchone()
    assert row
    return messages - row[0], tokens - row[1]


def _end_totals(db: SqliteConnection, branch: int) -> tuple[int, int]:
    """Return the stored counts of a branch's whole path. For the active branch they are in the session's row."""
    row = db.execute(
        "SELECT iif(s.branch = b.no, s.messages, b.messages), iif(s.branch = b.no, s.tokens, b.tokens)"
        " FROM branches AS b JOIN sessions AS s ON s.no = b.session WHERE b.no = ?",
        (branch,),
    ).fetchone()
    assert row
    return row


def count_path(db: SqliteConnection, branch: int) -> tuple[int, int]:
    """Count the messages and tokens of a branch's whole path from its rows."""
    messages = tokens = 0
    for number, upto in list_segments(db, branch):
        row = db.execute(
            "SELECT count(*), coalesce(sum(tokens), 0) FROM messages WHERE branch = ? AND seq <= ?", (number, upto)
        ).fetchall()[0]
        messages, tokens = messages + row[0], tokens + row[1]
    return messages, tokens


def move_active_path(db: SqliteConnection, state: SessionState, place: SqliteBranchPosition | None) -> SessionState:
    """Make the active path end at a position. Nothing is removed: later messages stay on their branch."""
    messages, tokens = path_totals_at(db, place) if place else (0, 0)
    db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (state.messages, state.tokens, state.branch))
    branch = _branch_ending_at(db, state, place)
    if branch is None:
        branch = add_branch(db, state.no, place.branch if place else None, place.seq if place else 0)
    db.execute(
        "UPDATE sessions SET branch = ?, leaf = ?, messages = ?, tokens = ? WHERE no = ?",
        (branch, place.seq if place else 0, messages, tokens, state.no),
    )
    if branch != state.branch:
        _drop_if_useless(db, state.no, state.branch)
    return state._replace(branch=branch, leaf=place.seq if place else 0, messages=messages, tokens=tokens)


def _branch_ending_at(db: SqliteConnection, state: SessionState, place: SqliteBranchPosition | None) -> int | None:
    """Return an existing branch of the session whose path ends at a position, or None."""
    if place:
        row = db.execute(
            "SELECT b.no FROM branches AS b WHERE b.no = ? AND b.session = ?"
            " AND NOT EXISTS (SELECT 1 FROM messages WHERE branch = b.no AND seq > ?)",
            (place.branch, state.no, place.seq),
        ).fetchone()
        if row:
            return row[0]
    row = db.execute(
        "SELECT b.no FROM branches AS b WHERE b.session = ? AND b.base IS ? AND b.fork = ?"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE branch = b.no)",
        (state.no, place.branch if place else None, place.seq if place else 0),
    ).fetchone()
    return row[0] if row else None


def _drop_if_useless(db: SqliteConnection, session: int, branch: int) -> None:
    """Delete an empty branch that nothing continues. The first one stays: it says what the session was forked from."""
    db.execute(
        "DELETE FROM branches WHERE no = ? AND no > (SELECT min(no) FROM branches WHERE session = ?)"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE branch = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM branches WHERE base = ?1)",
        (branch, session),
    )


def inherited_segments(db: SqliteConnection, session: int) -> list[tuple[int, int]]:
    """Return the path that a session was forked from, as segments."""
    row = db.execute("SELECT base, fork FROM branches WHERE session = ? ORDER BY no LIMIT 1", (session,)).fetchone()
    return list_segments(db, *row) if row else []


def list_branches(db: SqliteConnection, state: SessionState) -> list[Branch]:
    """Return every leaf of the session's tree by seq, and the active position if it is not a leaf."""
    own = db.execute(
        "SELECT b.no, b.base, b.fork, (SELECT max(seq) FROM messages WHERE branch = b.no)"
        " FROM branches AS b WHERE b.session = ? ORDER BY b.no",
        (state.no,),
    ).fetchall()
    children: dict[int | None, list[tuple[int, int]]] = {}
    for number, base, fork, _ in own:
        children.setdefault(base, []).append((number, fork))
    ends = {number: seq for number, _, _, seq in own if seq is not None}

    def has_messages(branch: int) -> bool:
        return branch in ends or any(has_messages(child) for child, _ in children.get(branch, ()))

    leaves = [
        SqliteBranchPosition(branch, seq)
        for branch, seq in ends.items()
        if not any(fork >= seq and has_messages(child) for child, fork in children.get(branch, ()))
    ]
    start = find_last_position(db, own[0][1], own[0][2])
    numbers = {number for number, *_ in own}
    foreign = [(number, base, fork) for number, base, fork, _ in own if base is not None and base not in numbers]
    if start and not any(
        has_messages(number) and find_last_position(db, base, fork) == start for number, base, fork in foreign
    ):
        leaves.append(start)
    leaves.sort(key=lambda place: place.seq)
    active = find_last_position(db, state.branch)
    places: list[SqliteBranchPosition | None] = [*leaves]
    if active not in leaves:
        places.append(active)
    return [_build_branch(db, place, place == active) for place in places]


def _build_branch(db: SqliteConnection, place: SqliteBranchPosition | None, active: bool) -> Branch:
    if place is None:
        return Branch(None, 0, 0, active)
    row = db.execute("SELECT id FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    return Branch(row[0], *path_totals_at(db, place), active)


def find_descendants(db: SqliteConnection, place: SqliteBranchPosition) -> list[int]:
    """Return every branch whose path contains a position: its own, and those that continue it from there or later."""
    rows = db.execute(
        "WITH RECURSIVE through (no) AS (SELECT ? UNION SELECT no FROM branches WHERE base = ? AND fork >= ?"
        " UNION SELECT b.no FROM through JOIN branches AS b ON b.base = through.no"
        "   WHERE through.no <> ?) SELECT no FROM through",
        (place.branch, place.branch, place.seq, place.branch),
    )
    return [number for (number,) in rows]
