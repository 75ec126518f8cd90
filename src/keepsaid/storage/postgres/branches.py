"""The tree of a session: branches that continue one another, one of them active.

A branch holds its own messages; `base` and `fork` say which branch it continues, and up to which seq. A position is a branch
and a seq: its path is the branch's rows up to that seq, preceded by the base's rows up to `fork`, and so on to the root.
`schema/functions.py` walks paths and moves the active one.
"""

from __future__ import annotations

from typing import NamedTuple

from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import Branch

MAX_SEQ = 1 << 62
"""A seq after every message."""


class PostgresBranchPosition(NamedTuple):
    """The position of a message: its branch and its seq."""

    branch: int
    seq: int


class _PathEnd(NamedTuple):
    """The end of a path with the path's totals."""

    place: PostgresBranchPosition | None
    id: str | None
    messages: int
    tokens: int


_ACTIVE = f"""
SELECT l.at_branch, l.at_seq, m.id, s.messages, s.tokens FROM keepsaid_live(%(unit)s, %(space)s, %(session)s) AS s
CROSS JOIN LATERAL keepsaid_last_place(s.unit, s.space, s.branch, {MAX_SEQ}) AS l
LEFT JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = l.at_branch AND m.seq = l.at_seq"""
_OWN = """
SELECT b.no, b.base, b.fork, m.seq, m.id, CASE WHEN s.branch = b.no THEN s.messages ELSE b.messages END,
    CASE WHEN s.branch = b.no THEN s.tokens ELSE b.tokens END, l.at_branch, l.at_seq, o.id, t.messages, t.tokens
FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
LEFT JOIN LATERAL (SELECT seq, id FROM messages AS m WHERE m.unit = b.unit AND m.space = b.space AND m.branch = b.no
    ORDER BY seq DESC LIMIT 1) AS m ON true
LEFT JOIN branches AS f ON f.unit = b.unit AND f.space = b.space AND f.no = b.base AND f.session <> s.no
LEFT JOIN LATERAL keepsaid_last_place(f.unit, f.space, f.no, b.fork) AS l ON f.no IS NOT NULL
LEFT JOIN messages AS o ON o.unit = b.unit AND o.space = b.space AND o.branch = l.at_branch AND o.seq = l.at_seq
LEFT JOIN LATERAL keepsaid_totals(b.unit, b.space, l.at_branch, l.at_seq) AS t ON l.at_seq IS NOT NULL
WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.id = %(session)s ORDER BY b.no"""


def list_branches(db: PostgresConnection, space: PartitionKey, session: str | None) -> list[Branch]:
    """Read every leaf of the session's tree by seq, and the active position if it is not a leaf."""
    values = {"unit": space.unit, "space": space.space, "session": session}
    active_row, own_rows = db.together((_ACTIVE, values), (_OWN, values), last=True)
    active = _leaf(active_row.fetchall()[0])
    own = own_rows.fetchall()
    leaves = _leaves(own)
    places: list[_PathEnd] = sorted(leaves, key=lambda leaf: leaf.place.seq if leaf.place else 0)
    if active.place not in [leaf.place for leaf in leaves]:
        places.append(active)
    return [Branch(leaf.id, leaf.messages, leaf.tokens, leaf.place == active.place) for leaf in places]


def _leaves(own: list[Row]) -> list[_PathEnd]:
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
    # The fork point is a leaf itself, unless messages follow it.
    start, foreign = _leaf(own[0][7:12]), [row for row in own if row[7] is not None]
    if start.place and not any(speaks(row[0]) and _leaf(row[7:12]).place == start.place for row in foreign):
        leaves.append(start)
    return leaves


def _leaf(row: Row) -> _PathEnd:
    branch, seq, id, messages, tokens = row
    return _PathEnd(None if seq is None else PostgresBranchPosition(branch, seq), id, messages or 0, tokens or 0)


def find_descendants(db: PostgresConnection, space: PartitionKey, place: PostgresBranchPosition) -> list[int]:
    """Find every branch whose path runs through a position: its own, and those that continue it after the position."""
    found = db.execute(
        "WITH RECURSIVE through (no) AS (SELECT %(branch)s::bigint UNION SELECT b.no FROM through JOIN branches AS b"
        " ON b.unit = %(unit)s AND b.space = %(space)s AND b.base = through.no"
        " AND (through.no <> %(branch)s OR b.fork >= %(seq)s)) SELECT no FROM through",
        {"unit": space.unit, "space": space.space, "branch": place.branch, "seq": place.seq},
    )
    return [number for (number,) in found]
