"""Sessions with all their branches: read for an export, planted by an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice

from recollect.errors import MessageConflict
from recollect.ports import Known, Planted, Tree
from recollect.storage.sqlite import branches, erasure, messages, rows, sessions, spaces
from recollect.storage.sqlite.branches import END, State
from recollect.storage.sqlite.database import Database, Row
from recollect.types import Access, Message, Microseconds, Scope


def tree(db: Database, scope: Scope, after: int, limit: int) -> Tree:
    """Messages of the session behind a seq, on whatever branch. Of each branch no more are read than are wanted in all."""
    session = sessions.get(db, scope)
    state = branches.there(db, scope)
    own = "SELECT no FROM branches WHERE session = ?"
    segments = [(branch, END) for (branch,) in db.execute(own, (state.no,)).fetchall()]
    segments += branches.inherited(db, state.no)
    said = (
        f"SELECT {rows.MESSAGE}, iif(s.status < 3, s.id, '') FROM messages AS m CROSS JOIN branches AS b ON b.no = m.branch"
        " CROSS JOIN sessions AS s ON s.no = b.session"
        " WHERE m.branch = ? AND m.seq > ? AND m.seq <= ? ORDER BY m.seq LIMIT ?"
    )
    found = (_linked(db, db.execute(said, (branch, after, upto, limit)).fetchall(), branch) for branch, upto in segments)
    first = islice(merge(*found, key=lambda message: message.seq), limit)
    leaf = branches.last_place(db, state.branch)
    end = None if leaf is None else db.execute("SELECT id FROM messages WHERE branch = ? AND seq = ?", leaf).fetchone()
    return Tree(session, list(first), end[0] if end else None)


def _linked(db: Database, found: Sequence[Row], branch: int) -> list[Message]:
    """Messages of one branch, each with the one before it on the path as its parent: the one it was said behind may be
    erased."""
    messages = [rows.message(row[:-1], row[-1]) for row in found]
    before = branches.last_place(db, branch, messages[0].seq - 1) if messages else None
    parents = [before.seq if before else 0, *(message.seq for message in messages)]
    return [message._replace(parent=parent) for message, parent in zip(messages, parents, strict=False)]


def known(db: Database, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
    """Which of the message ids cannot be given to new messages of the session."""
    state = None if scope.session is None else branches.there(db, scope)
    owner = spaces.space(db, scope) if state is None else state.owner
    inherited = [] if state is None else branches.inherited(db, state.no)
    home = (
        "SELECT m.rid & 4294967295, m.branch, m.seq, b.session FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " WHERE m.rid >> 32 = ? AND m.id = ?"
    )
    erasures = db.execute("SELECT 1 FROM erased LIMIT 1").fetchone() is not None
    found: dict[str, Known] = {}
    for id in ids:
        row = db.execute(home, (owner, id)).fetchone()
        if row:
            number, branch, seq, session = row
            own = state is not None and session == state.no
            shown = own or any(branch == one and seq <= upto for one, upto in inherited)
            found[id] = Known("here" if shown else "elsewhere", number)
        elif erasures and erasure.was_erased(db, scope, id):
            found[id] = Known("erased")
    return found


def plant(
    db: Database, scope: Scope, planted: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds
) -> None:
    """Adds messages, each behind its parent, and ends the active path where it is told."""
    state = branches.there(db, scope, Access.WRITE)
    ((active,),) = db.execute("SELECT updated FROM sessions WHERE no = ?", (state.no,)).fetchall()
    ids = [one.message.id for one in planted]
    taken = [*known(db, scope, ids), *(id for id, number in Counter(ids).items() if number > 1)]
    if taken:
        raise MessageConflict(f"message id {taken[0]!r} is taken")
    for parent, run in _runs(planted, state.head):
        state = _moved(db, state, parent)
        state = _grown(db, scope, state._replace(head=max(state.head, run[0].seq - 1)), run, now)
    _moved(db, state, leaf)
    # A message may be older or newer than what the session tells of itself: clocks differ, and go wrong.
    db.execute(
        "UPDATE sessions SET revision = revision + 1, updated = ?, touched = max(touched, ?) WHERE no = ?",
        (max(active, updated), now, state.no),
    )
    spaces.note(db, state.owner, "session", scope.session)


def _runs(planted: Sequence[Planted], head: int) -> Iterator[tuple[str | None, list[Message]]]:
    """Messages that follow one another, in place and in number, together: one insert serves them all."""
    run: list[Message] = []
    behind: str | None = None
    for message, parent in planted:
        if run and not (parent == run[-1].id and message.seq <= head + 1):
            yield behind, run
            run = []
        if not run:
            behind = parent
        run.append(message)
        head = max(head + 1, message.seq)
    if run:
        yield behind, run


def _moved(db: Database, state: State, leaf: str | None) -> State:
    """With the active path ending at a message, or at its beginning."""
    place = None if leaf is None else branches.locate(db, state, leaf)
    if place == branches.last_place(db, state.branch):
        return state
    return branches.move(db, state, place)


def _grown(db: Database, scope: Scope, state: State, run: list[Message], now: Microseconds) -> State:
    added = messages.insert(db, scope, state, run, False, now)
    tokens = state.tokens + sum(message.tokens for message in run)
    end = added[-1].seq
    return state._replace(head=end, leaf=end, messages=state.messages + len(run), tokens=tokens, last=state.last + len(run))
