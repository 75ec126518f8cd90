"""The shape of a session: branches that continue one another, one of them active.

A branch holds the messages said on it; `base` and `fork` say which path it continues, and up to where. A place is a branch
and a seq: the path up to it is the branch's rows up to that seq, behind the base's rows up to `fork`, and so on to the root.
How a path is walked, and how the active one is moved, is in `functions.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.storage.postgres.database import Database, Row
from recollect.storage.postgres.spaces import Space
from recollect.types import Branch

END = 1 << 62
"""A seq behind every message."""


class Place(NamedTuple):
    """A message's place: the branch it is on, and its seq."""

    branch: int
    seq: int


class _Leaf(NamedTuple):
    """Where a path ends, and what it counts."""

    place: Place | None
    id: str | None
    messages: int
    tokens: int


_ACTIVE = f"""
SELECT l.at_branch, l.at_seq, m.id, s.messages, s.tokens FROM recollect_live(%(unit)s, %(space)s, %(session)s) AS s
CROSS JOIN LATERAL recollect_last_place(s.unit, s.space, s.branch, {END}) AS l
LEFT JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
_OWN = """
SELECT b.no, b.base, b.fork, m.seq, m.id, CASE WHEN s.branch = b.no THEN s.messages ELSE b.messages END,
    CASE WHEN s.branch = b.no THEN s.tokens ELSE b.tokens END, l.at_branch, l.at_seq, o.id, t.messages, t.tokens
FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
LEFT JOIN LATERAL (SELECT seq, id FROM messages AS m WHERE m.unit = b.unit AND m.space = b.space AND m.branch = b.no
    ORDER BY seq DESC LIMIT 1) AS m ON true
LEFT JOIN branches AS f ON f.unit = b.unit AND f.space = b.space AND f.no = b.base AND f.session <> s.no
LEFT JOIN LATERAL recollect_last_place(f.unit, f.space, f.no, b.fork) AS l ON f.no IS NOT NULL
LEFT JOIN messages AS o ON o.unit = b.unit AND o.space = b.space AND o.branch = l.at_branch AND o.seq = l.at_seq
LEFT JOIN LATERAL recollect_totals(b.unit, b.space, l.at_branch, l.at_seq) AS t ON l.at_seq IS NOT NULL
WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.id = %(session)s ORDER BY b.no"""


def listed(db: Database, space: Space, session: str | None) -> list[Branch]:
    """Every leaf of the session's tree by seq, and the active position if it is none."""
    values = {"unit": space.unit, "space": space.space, "session": session}
    active_row, own_rows = db.together((_ACTIVE, values), (_OWN, values), last=True)
    active = _leaf(active_row.fetchall()[0])
    own = own_rows.fetchall()
    leaves = _leaves(own)
    places: list[_Leaf] = sorted(leaves, key=lambda leaf: leaf.place.seq if leaf.place else 0)
    if active.place not in [leaf.place for leaf in leaves]:
        places.append(active)
    return [Branch(leaf.id, leaf.messages, leaf.tokens, leaf.place == active.place) for leaf in places]


def _leaves(own: list[Row]) -> list[_Leaf]:
    children: dict[int | None, list[tuple[int, int]]] = {}
    for number, base, fork, *_ in own:
        children.setdefault(base, []).append((number, fork))
    ends = {row[0]: row[3] for row in own if row[3] is not None}

    def speaks(branch: int) -> bool:
        return branch in ends or any(speaks(child) for child, _ in children.get(branch, ()))

    leaves = [
        _leaf((number, seq, *rest[:3]))
        for number, _, _, seq, *rest in own
        if seq is not None and not any(fork >= seq and speaks(child) for child, fork in children.get(number, ()))
    ]
    # What the session was forked from is a leaf of its own, unless something was said behind it.
    start, foreign = _leaf(own[0][7:12]), [row for row in own if row[7] is not None]
    if start.place and not any(speaks(row[0]) and _leaf(row[7:12]).place == start.place for row in foreign):
        leaves.append(start)
    return leaves


def _leaf(row: Row) -> _Leaf:
    branch, seq, id, messages, tokens = row
    return _Leaf(None if seq is None else Place(branch, seq), id, messages or 0, tokens or 0)


def descendants(db: Database, space: Space, place: Place) -> list[int]:
    """Every branch whose path runs through a place: its own, and those that continue it behind the place."""
    found = db.execute(
        "WITH RECURSIVE through (no) AS (SELECT %(branch)s::bigint UNION SELECT b.no FROM through JOIN branches AS b"
        " ON b.unit = %(unit)s AND b.space = %(space)s AND b.base = through.no"
        " AND (through.no <> %(branch)s OR b.fork >= %(seq)s)) SELECT no FROM through",
        {"unit": space.unit, "space": space.space, "branch": place.branch, "seq": place.seq},
    )
    return [number for (number,) in found]
