"""Sessions with all their branches: read for an export, planted by an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice

from recollect.errors import MessageConflict, NotFound
from recollect.ports import Known, Planted, Tree
from recollect.storage.postgres import rows, sessions, spaces
from recollect.storage.postgres.branches import END
from recollect.storage.postgres.database import Database, Row, Values
from recollect.storage.postgres.spaces import Space
from recollect.types import Message, Microseconds, Scope

Statement = tuple[str, Values]

_SEGMENTS = f"""
WITH s AS MATERIALIZED (SELECT * FROM recollect_there(%(unit)s, %(space)s, %(session)s)),
segments AS MATERIALIZED (
    SELECT b.no AS branch, {END} AS upto FROM s
    JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
    UNION ALL
    SELECT p.branch, p.upto FROM s CROSS JOIN LATERAL recollect_inherited(s.unit, s.space, s.no) AS p)"""
_SAID = f"""{_SEGMENTS}
SELECT g.branch, h.id, before.at_seq, {rows.MESSAGE} FROM segments AS g
JOIN branches AS b ON b.unit = %(unit)s AND b.space = %(space)s AND b.no = g.branch
JOIN sessions AS h ON h.unit = %(unit)s AND h.space = %(space)s AND h.no = b.session
CROSS JOIN LATERAL (SELECT * FROM messages AS m WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.branch = g.branch
    AND m.seq > %(after)s AND m.seq <= g.upto ORDER BY m.seq LIMIT %(limit)s) AS m
CROSS JOIN LATERAL recollect_last_place(%(unit)s, %(space)s, g.branch, %(after)s) AS before
ORDER BY g.branch, m.seq"""
_LEAF = f"""
SELECT m.id FROM recollect_there(%(unit)s, %(space)s, %(session)s) AS s
CROSS JOIN LATERAL recollect_last_place(s.unit, s.space, s.branch, {END}) AS l
JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
_HOMES = """
SELECT m.id, m.number, m.branch, m.seq, s.id FROM messages AS m
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session
WHERE m.unit = %s AND m.space = %s AND m.id = ANY (%s)"""
_INHERITED = """
SELECT p.branch, p.upto FROM recollect_there(%s, %s, %s) AS s
CROSS JOIN LATERAL recollect_inherited(s.unit, s.space, s.no) AS p"""
_ERASED = "SELECT mark FROM erased WHERE unit = %s AND mark = ANY (%s) UNION SELECT mark FROM graves WHERE mark = ANY (%s)"

_PLANTED = """
UPDATE sessions SET revision = revision + 1, updated = %s, touched = greatest(touched, %s)
WHERE unit = %s AND space = %s AND no = %s"""


def tree(db: Database, space: Space, scope: Scope, after: int, limit: int) -> Tree:
    """Messages of the session behind a seq, on whatever branch. Of each branch no more are read than are wanted in all."""
    values = {"unit": space.unit, "space": space.space, "session": scope.session, "after": after, "limit": limit}
    session, said, leaf = db.together(
        (sessions.ONE, (*space, scope.session)), (_SAID, values), (_LEAF, values), last=True
    )  # fmt: skip
    found = session.fetchone()
    if found is None:
        raise NotFound("no such session, or no access to it")
    by_branch: dict[int, list[Row]] = {}
    for row in said:
        by_branch.setdefault(row[0], []).append(row)
    first = islice(merge(*map(_linked, by_branch.values()), key=lambda message: message.seq), limit)
    end = leaf.fetchone()
    return Tree(rows.session(found, scope), list(first), end[0] if end else None)


def _linked(found: Sequence[Row]) -> list[Message]:
    """Messages of one branch, each with the one before it on the path as its parent: the one it was said behind may be
    erased."""
    messages = [rows.message(row[3:], row[1] or "") for row in found]
    parents = [found[0][2] or 0, *(message.seq for message in messages)]
    return [message._replace(parent=parent) for message, parent in zip(messages, parents, strict=False)]


def known(db: Database, space: Space, scope: Scope, ids: Sequence[str], *, last: bool = True) -> dict[str, Known]:
    """Which of the message ids cannot be given to new messages of the session."""
    marks = dict(zip(spaces.marks(db.secret, space, list(ids)), ids, strict=True))
    statements: list[Statement] = [
        (_HOMES, (*space, list(ids))),
        (_ERASED, (space.unit, list(marks), list(marks))),
    ]
    if scope.session is not None:
        statements.append((_INHERITED, (*space, scope.session)))
    homes, erased, *inherited = db.together(*statements, last=last)
    segments = [row for some in inherited for row in some]
    gone = {marks[bytes(mark)] for (mark,) in erased}
    found: dict[str, Known] = {}
    for id, number, branch, seq, home in homes:
        own = scope.session is not None and home == scope.session
        shown = own or any(branch == one and seq <= upto for one, upto in segments)
        found[id] = Known("here" if shown else "elsewhere", number)
    return found | {id: Known("erased") for id in gone if id not in found}


def plant(
    db: Database,
    space: Space,
    scope: Scope,
    planted: Sequence[Planted],
    leaf: str | None,
    now: Microseconds,
    updated: Microseconds,
) -> None:
    """Adds messages, each behind its parent, and ends the active path where it is told."""
    ids = [one.message.id for one in planted]
    ((number, head, active),) = db.execute(
        "SELECT no, head, updated FROM recollect_there(%s, %s, %s)", (*space, scope.session)
    ).fetchall()
    taken = [*known(db, space, scope, ids, last=False), *(id for id, count in Counter(ids).items() if count > 1)]
    if taken:
        raise MessageConflict(f"message id {taken[0]!r} is taken")
    steps: list[Statement] = []
    move = "SELECT recollect_move_to(%s, %s, %s, %s)"
    for parent, run in _runs(planted, head):
        steps.append((move, (*space, number, parent)))
        steps.append(_grow(space, spaces.member(scope), number, run, now))
    # A message may be older or newer than what the session tells of itself: clocks differ, and go wrong.
    db.together(
        *steps,
        (move, (*space, number, leaf)),
        (_PLANTED, (max(active, updated), now, *space, number)),
        spaces.note(space, "session", scope.session),
        last=True,
    )


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


def _grow(space: Space, author: str | None, session: int, run: list[Message], now: Microseconds) -> Statement:
    return (
        "SELECT recollect_insert(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, false)",
        (
            *space, session, author, rows.messages_json(run), len(run), sum(message.tokens for message in run),
            max(message.created for message in run), now, run[0].seq - 1,
        ),
    )  # fmt: skip
