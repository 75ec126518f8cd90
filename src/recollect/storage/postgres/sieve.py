"""Which messages of a space pass a search's filters."""

from __future__ import annotations

import struct
from typing import Any

from recollect.storage.postgres import rows
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Filters

_NAMED = """
SELECT no FROM sessions WHERE unit = %(unit)s AND space = %(space)s AND id = ANY (%(sessions)s) AND status < 3"""
_TAGGED = "SELECT session FROM tags WHERE unit = %(unit)s AND space = %(space)s AND tag = ANY (%(tags)s)"

_OF_ALL = """
SELECT m.number FROM messages AS m WHERE m.unit = %(unit)s AND m.space = %(space)s{conditions}"""

# What belongs to a session: all its own branches, and what its first one continues, up to where it does.
_OF_SOME = f"""
SELECT DISTINCT m.number FROM (
    SELECT b.no AS branch, {1 << 62} AS upto FROM among
        JOIN branches AS b ON b.unit = %(unit)s AND b.space = %(space)s AND b.session = among.no
    UNION ALL
    (WITH RECURSIVE inherited (branch, upto) AS (
        SELECT b.base, b.fork FROM among CROSS JOIN LATERAL (
            SELECT b.base, b.fork FROM branches AS b
            WHERE b.unit = %(unit)s AND b.space = %(space)s AND b.session = among.no ORDER BY b.no LIMIT 1) AS b
        UNION
        SELECT b.base, b.fork FROM inherited AS i
            JOIN branches AS b ON b.unit = %(unit)s AND b.space = %(space)s AND b.no = i.branch)
    SELECT branch, upto FROM inherited WHERE branch IS NOT NULL)) AS r
JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = r.branch AND m.seq <= r.upto{{conditions}}"""


_OF_OTHERS = """m.branch NOT IN (
    SELECT b.no FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
    WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.id = ANY (%(besides)s))"""


def names_sessions(filters: Filters) -> bool:
    """Whether only some sessions are to be looked at."""
    return bool(filters.sessions or filters.tags)


def among(filters: Filters) -> str:
    """The sessions that the filters allow, as a part of a statement's WITH; empty for all."""
    wanted = [sql for sql, named in ((_NAMED, filters.sessions), (_TAGGED, filters.tags)) if named]
    return f"among (no) AS MATERIALIZED ({' INTERSECT '.join(wanted)})" if wanted else ""


def passing(filters: Filters) -> str:
    """The numbers of all messages that pass, as SQL. A message belongs to every session that continues it."""
    return (_OF_SOME if names_sessions(filters) else _OF_ALL).format(conditions=conditions(filters))


def conditions(filters: Filters) -> str:
    """What the filters ask of a message (`m`) itself, as SQL."""
    asked = (
        (filters.roles, "m.role = ANY (%(roles)s)"),
        (filters.since is not None, "m.created >= %(since)s"),
        (filters.until is not None, "m.created < %(until)s"),
        (filters.importance > 0, "m.importance >= %(importance)s"),
        (filters.besides, _OF_OTHERS),
    )
    return "".join(f" AND {condition}" for wanted, condition in asked if wanted)


def values(space: Space, filters: Filters) -> dict[str, Any]:
    """What the parts of statements that are made here need."""
    return {
        "unit": space.unit,
        "space": space.space,
        "sessions": list(filters.sessions),
        "tags": list(filters.tags),
        "roles": [rows.ROLE_NUMBER[role] for role in filters.roles],
        "since": filters.since,
        "until": filters.until,
        "importance": filters.importance,
        "besides": list(filters.besides),
    }


def numbers(space: Space, filters: Filters) -> Reading[list[int]]:
    """The numbers of all messages that pass, growing."""
    named = among(filters)
    # In one piece: to read 100,000 rows takes longer than to find them.
    statement = f"""
{f"WITH {named} " if named else ""}SELECT string_agg(int8send(number), ''::bytea ORDER BY number)
FROM ({passing(filters)}) AS passing"""
    return reading(statement, values(space, filters), _numbers)


def _numbers(found: list[Row]) -> list[int]:
    packed: bytes = found[0][0] or b""
    return list(struct.unpack(f">{len(packed) // 8}q", packed))
