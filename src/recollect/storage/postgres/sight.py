"""What can be seen: messages on the active path of a session that is not deleted, and who stands beside them.

Nearly all messages are on the active branch of their own session, and then all is said. Otherwise the branches that continue
theirs are followed upwards, and the oldest session counts whose active path runs through the message: a fork is always
younger than what it continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.ports import Seen
from recollect.storage.postgres import rows, sieve, wire
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Filters

END = 1 << 62
"""A seq behind every message."""

LARGEST = (1 << 63) - 1

PRIVATE = """coalesce(right(m.extra, 15) = '"private":true}', false)"""
"""Whether a message (`m`) is never to be remembered: that is always the last thing that its extra column says."""

_SHOWN = f"""
coalesce(
    (SELECT s.{{column}} FROM branches AS b
        JOIN sessions AS s ON s.unit = b.unit AND s.space = b.space AND s.no = b.session AND s.branch = b.no
        WHERE b.unit = m.unit AND b.space = m.space AND b.no = m.branch AND {{seen}}{{among}}),
    (WITH RECURSIVE through (no, session, upto) AS (
        SELECT b.no, b.session, {END} FROM branches AS b WHERE b.unit = m.unit AND b.space = m.space AND b.no = m.branch
        UNION ALL
        SELECT b.no, b.session, CASE WHEN t.no = m.branch THEN b.fork ELSE t.upto END
        FROM through AS t JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.base = t.no)
    SELECT s.{{column}} FROM through AS t
        JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = t.session AND s.branch = t.no
        WHERE m.seq <= t.upto AND {{seen}}{{among}} ORDER BY s.no LIMIT 1))"""

_WITH_EXPIRED = "(s.status < 2 OR s.status = 2 AND s.expired)"

_ALONE = """
{among}SELECT m.number, {shown}, {columns} FROM messages AS m
WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number = ANY (%(numbers)s::bigint[]) AND NOT {private}"""

# Each branch of a path has the messages behind its own fork, up to where the next one begins. A neighbour is nearly always
# on the same branch, so the branches are looked at from there on, and only as far as there are too few.
_WITH_NEIGHBOURS = f"""
WITH RECURSIVE {{among}}asked AS MATERIALIZED (
    SELECT m.number, m.branch, m.seq, {{shown_by}} AS session FROM messages AS m
    WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number = ANY (%(numbers)s::bigint[]) AND NOT {{private}}),
path (session, depth, branch, base, after, upto) AS (
    SELECT s.no, 0, b.no, b.base, b.fork, {END} FROM sessions AS s
        JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.no = s.branch
        WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.no IN (SELECT session FROM asked)
    UNION ALL
    SELECT p.session, p.depth + 1, b.no, b.base, b.fork, p.after
        FROM path AS p JOIN branches AS b ON b.unit = %(unit)s AND b.space = %(space)s AND b.no = p.base),
beside AS (
    SELECT n.number FROM asked AS a JOIN path AS p ON p.session = a.session AND p.branch = a.branch
    CROSS JOIN LATERAL (({{before}}) UNION ALL ({{behind}})) AS n)
SELECT m.number, {{shown}}, {{columns}} FROM messages AS m
WHERE m.unit = %(unit)s AND m.space = %(space)s AND NOT {{private}}
    AND m.number IN (SELECT number FROM asked WHERE session IS NOT NULL UNION SELECT number FROM beside)"""
_BESIDE = """
SELECT m.number
FROM (SELECT q.* FROM path AS q WHERE q.session = a.session AND q.depth {from_there} p.depth ORDER BY q.depth {up}) AS q
CROSS JOIN LATERAL (
    SELECT m.number, m.seq FROM messages AS m
    WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.branch = q.branch
        AND m.seq > q.after AND m.seq <= q.upto AND m.seq {side} a.seq
    ORDER BY m.seq {down} LIMIT %(around)s) AS m
ORDER BY q.depth {up}, m.seq {down} LIMIT %(around)s"""
_BEFORE = _BESIDE.format(from_there=">=", up="", side="<", down="DESC")
_BEHIND = _BESIDE.format(from_there="<=", up="DESC", side=">", down="")


def shown(column: str, filters: Filters) -> str:
    """The column of the session that shows a message (`m`), as SQL; NULL if none does. Only `filters`' sessions count."""
    among = " AND s.no IN (SELECT no FROM among)" if sieve.names_sessions(filters) else ""
    return _SHOWN.format(column=column, among=among, seen=_WITH_EXPIRED if filters.expired else "s.status < 2")


def look(space: Space, numbers: Sequence[int], around: int, filters: Filters) -> Reading[list[Seen]]:
    """Those of the messages that can be seen, with their neighbours; every message once, and no private one."""
    values: dict[str, Any] = {
        **sieve.values(space, filters),
        "numbers": wire.array(number for number in set(numbers) if 0 < number <= LARGEST),
        "around": around,
    }
    among = sieve.among(filters)
    if around > 0:
        statement = _WITH_NEIGHBOURS.format(
            among=f"{among}, " if among else "", shown_by=shown("no", filters), shown=shown("id", filters),
            columns=rows.MESSAGE, private=PRIVATE, before=_BEFORE, behind=_BEHIND,
        )  # fmt: skip
    else:
        with_among = f"WITH {among} " if among else ""
        statement = _ALONE.format(among=with_among, shown=shown("id", filters), columns=rows.MESSAGE, private=PRIVATE)
    return reading(statement, values, _seen)


def _seen(found: list[Row]) -> list[Seen]:
    return [Seen(row[0], rows.message(row[2:], row[1])) for row in found if row[1] is not None]
