"""The shape of a session: branches that continue one another, one of them active.

A branch holds the messages said on it; `base` and `fork` say which path it continues, and up to where. A place is a branch
and a seq: the path up to it is the branch's rows up to that seq, behind the base's rows up to `fork`, and so on to the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from recollect.errors import NotFound
from recollect.ports import Anchor
from recollect.storage.sqlite import spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Access, Branch, Scope

END = 1 << 62
"""A seq behind every message."""


class Place(NamedTuple):
    """A message's place: the branch it is on, and its seq."""

    branch: int
    seq: int


class State(NamedTuple):
    """The row of a session that an append needs."""

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


STATE = "s.no, s.owner, s.status, s.revision, s.branch, s.head, s.leaf, s.messages, s.tokens"
_TO_ADD = """
    max((SELECT floor FROM owners WHERE no = s.owner), coalesce((SELECT rid & 4294967295 FROM messages
        WHERE rid BETWEEN s.owner << 32 AND (s.owner << 32) + 4294967295 ORDER BY rid DESC LIMIT 1), 0)),
    EXISTS (SELECT 1 FROM erased)"""

# One small statement after the other, and sub-selects: in APSW a join costs 5 µs more than the same look-ups one by one.
_WHERE = "FROM sessions AS s WHERE s.owner = (SELECT no FROM owners WHERE kind = ? AND id = ?) AND s.id = ?"
_LIVE = f"SELECT {STATE} {_WHERE}"
_LIVE_TO_ADD = f"SELECT {STATE}, {_TO_ADD} {_WHERE}"


def live(db: Database, scope: Scope, need: Access = Access.READ, select: str = _LIVE) -> State:
    """The state of the scope's session, if it is there and not deleted, and the scope may."""
    if scope.pool is not None:
        spaces.space(db, scope, need)
    row = db.execute(select, (*spaces.whose(scope), scope.session)).fetchone()
    return check_live(State(*row) if row else None)


def there(db: Database, scope: Scope, need: Access = Access.READ) -> State:
    """The state of the scope's session, deleted or not, with what adding messages to it takes."""
    if scope.pool is not None:
        spaces.space(db, scope, need)
    row = db.execute(_LIVE_TO_ADD, (*spaces.whose(scope), scope.session)).fetchone()
    if row is None or row[2] > 2:
        raise NotFound("no such session, or no access to it")
    return State(*row)


def live_to_add(db: Database, scope: Scope) -> State:
    """The same, with what adding messages to it takes."""
    return live(db, scope, Access.WRITE, _LIVE_TO_ADD)


def check_live(state: State | None) -> State:
    """The state itself, unless the session is gone or deleted."""
    if state is None or state.status > 2:
        raise NotFound("no such session, or no access to it")
    if state.status == 2:
        raise NotFound("the session is deleted: restore it first")
    return state


def add(db: Database, session: int, base: int | None, fork: int) -> int:
    """A new, empty branch, which becomes the session's active one."""
    db.execute("INSERT INTO branches (session, base, fork, messages, tokens) VALUES (?, ?, ?, 0, 0)", (session, base, fork))
    number = db.last_insert_rowid()
    db.execute("UPDATE sessions SET branch = ? WHERE no = ?", (number, session))
    return number


def segments(db: Database, branch: int | None, upto: int = END) -> list[tuple[int, int]]:
    """The path of a branch as ranges (branch, up to which seq), from its end to the root."""
    return list(backwards(db, branch, upto))


def backwards(db: Database, branch: int | None, upto: int = END) -> Iterator[tuple[int, int]]:
    """The same, each looked up only when the reader gets there."""
    while branch is not None:
        yield branch, upto
        branch, upto = db.execute("SELECT base, fork FROM branches WHERE no = ?", (branch,)).fetchone() or (None, 0)


def last_place(db: Database, branch: int | None, upto: int = END) -> Place | None:
    """The last message of a path at or before a seq; None if there is none (any more)."""
    for number, limit in backwards(db, branch, upto):
        (seq,) = db.execute("SELECT max(seq) FROM messages WHERE branch = ? AND seq <= ?", (number, limit)).fetchall()[0]
        if seq is not None:
            return Place(number, seq)
    return None


def locate(db: Database, state: State, message: str) -> Place:
    """Where a message of the session is: on one of its own branches, or on the path it was forked from."""
    row = db.execute(
        "SELECT m.branch, m.seq, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " WHERE m.rid >> 32 = ? AND m.id = ?",
        (state.owner, message),
    ).fetchone()
    if row:
        branch, seq, session = row
        if session == state.no or any(b == branch and seq <= upto for b, upto in inherited(db, state.no)):
            return Place(branch, seq)
    raise NotFound("no such message in this session")


def node(db: Database, session: int, seq: int) -> Place | None:
    """Where the message of a seq is in a session's tree; None if it is gone."""
    row = db.execute(
        "SELECT m.branch FROM branches AS b CROSS JOIN messages AS m ON m.branch = b.no AND m.seq = ? WHERE b.session = ?",
        (seq, session),
    ).fetchone()
    if row:
        return Place(row[0], seq)
    said = "SELECT 1 FROM messages WHERE branch = ? AND seq = ?"
    shown = (branch for branch, upto in inherited(db, session) if seq <= upto)
    return next((Place(branch, seq) for branch in shown if db.execute(said, (branch, seq)).fetchone()), None)


def resolve(db: Database, state: State, anchor: Anchor) -> Place | None:
    """The place that new messages follow; None for the root."""
    if anchor.kind == "root":
        return None
    place = locate(db, state, anchor.message)
    return place if anchor.kind == "after" else last_place(db, place.branch, place.seq - 1)


def origin(db: Database, scope: Scope, message: str) -> tuple[int, int, int, int]:
    """For a fork at a message: base branch, seq, and what the path up to it counts."""
    place = locate(db, there(db, scope), message)
    return (place.branch, place.seq, *totals(db, place))


def totals(db: Database, place: Place) -> tuple[int, int]:
    """Messages and tokens of the path up to a place: what its branch counts, less what comes behind."""
    messages, tokens = _end_totals(db, place.branch)
    row = db.execute(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM messages WHERE branch = ? AND seq > ?", place
    ).fetchone()
    assert row
    return messages - row[0], tokens - row[1]


def _end_totals(db: Database, branch: int) -> tuple[int, int]:
    """What the whole path of a branch counts: in the session's row while active, else in its own."""
    row = db.execute(
        "SELECT iif(s.branch = b.no, s.messages, b.messages), iif(s.branch = b.no, s.tokens, b.tokens)"
        " FROM branches AS b JOIN sessions AS s ON s.no = b.session WHERE b.no = ?",
        (branch,),
    ).fetchone()
    assert row
    return row


def path_totals(db: Database, branch: int) -> tuple[int, int]:
    """The same, counted from the messages."""
    messages = tokens = 0
    for number, upto in segments(db, branch):
        row = db.execute(
            "SELECT count(*), coalesce(sum(tokens), 0) FROM messages WHERE branch = ? AND seq <= ?", (number, upto)
        ).fetchall()[0]
        messages, tokens = messages + row[0], tokens + row[1]
    return messages, tokens


def move(db: Database, state: State, place: Place | None) -> State:
    """Makes the active path end at a place. Nothing is removed: what is left stays on its branch."""
    messages, tokens = totals(db, place) if place else (0, 0)
    db.execute("UPDATE branches SET messages = ?, tokens = ? WHERE no = ?", (state.messages, state.tokens, state.branch))
    branch = _branch_ending_at(db, state, place)
    if branch is None:
        branch = add(db, state.no, place.branch if place else None, place.seq if place else 0)
    db.execute(
        "UPDATE sessions SET branch = ?, leaf = ?, messages = ?, tokens = ? WHERE no = ?",
        (branch, place.seq if place else 0, messages, tokens, state.no),
    )
    if branch != state.branch:
        _drop_if_useless(db, state.no, state.branch)
    return state._replace(branch=branch, leaf=place.seq if place else 0, messages=messages, tokens=tokens)


def _branch_ending_at(db: Database, state: State, place: Place | None) -> int | None:
    """A branch of the session whose path ends there, so that no new one is needed."""
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


def _drop_if_useless(db: Database, session: int, branch: int) -> None:
    """An empty branch that was left says nothing; only the first one is kept, for it tells what the session continues."""
    db.execute(
        "DELETE FROM branches WHERE no = ? AND no > (SELECT min(no) FROM branches WHERE session = ?)"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE branch = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM branches WHERE base = ?1)",
        (branch, session),
    )


def inherited(db: Database, session: int) -> list[tuple[int, int]]:
    """The part of a session's path that it was forked from, as segments."""
    row = db.execute("SELECT base, fork FROM branches WHERE session = ? ORDER BY no LIMIT 1", (session,)).fetchone()
    return segments(db, *row) if row else []


def listed(db: Database, state: State) -> list[Branch]:
    """Every leaf of the session's tree by seq, and the active position if it is none."""
    own = db.execute(
        "SELECT b.no, b.base, b.fork, (SELECT max(seq) FROM messages WHERE branch = b.no)"
        " FROM branches AS b WHERE b.session = ? ORDER BY b.no",
        (state.no,),
    ).fetchall()
    children: dict[int | None, list[tuple[int, int]]] = {}
    for number, base, fork, _ in own:
        children.setdefault(base, []).append((number, fork))
    ends = {number: seq for number, _, _, seq in own if seq is not None}

    def speaks(branch: int) -> bool:
        return branch in ends or any(speaks(child) for child, _ in children.get(branch, ()))

    leaves = [
        Place(branch, seq)
        for branch, seq in ends.items()
        if not any(fork >= seq and speaks(child) for child, fork in children.get(branch, ()))
    ]
    start = last_place(db, own[0][1], own[0][2])
    numbers = {number for number, *_ in own}
    foreign = [(number, base, fork) for number, base, fork, _ in own if base is not None and base not in numbers]
    if start and not any(speaks(number) and last_place(db, base, fork) == start for number, base, fork in foreign):
        leaves.append(start)
    leaves.sort(key=lambda place: place.seq)
    active = last_place(db, state.branch)
    places: list[Place | None] = [*leaves]
    if active not in leaves:
        places.append(active)
    return [_described(db, place, place == active) for place in places]


def _described(db: Database, place: Place | None, active: bool) -> Branch:
    if place is None:
        return Branch(None, 0, 0, active)
    row = db.execute("SELECT id FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    return Branch(row[0], *totals(db, place), active)


def descendants(db: Database, place: Place) -> list[int]:
    """Every branch whose path runs through a place: its own, and those that continue it behind the place."""
    rows = db.execute(
        "WITH RECURSIVE through (no) AS (SELECT ? UNION SELECT no FROM branches WHERE base = ? AND fork >= ?"
        " UNION SELECT b.no FROM through JOIN branches AS b ON b.base = through.no"
        "   WHERE through.no <> ?) SELECT no FROM through",
        (place.branch, place.branch, place.seq, place.branch),
    )
    return [number for (number,) in rows]
