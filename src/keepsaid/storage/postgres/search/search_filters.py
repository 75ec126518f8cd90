"""SQL for search filters: which messages of a partition pass them."""

from __future__ import annotations

import struct
from typing import Any

from keepsaid.storage.postgres import rows
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import SearchFilters

_WITH_IDS = """
SELECT no FROM sessions WHERE unit = %(unit)s AND space = %(space)s AND id = ANY (%(sessions)s) AND status < 3"""
_WITH_TAGS = "SELECT session FROM tags WHERE unit = %(unit)s AND space = %(space)s AND tag = ANY (%(tags)s)"

_IN_ALL_SESSIONS = """
SELECT m.number FROM messages AS m WHERE m.unit = %(unit)s AND m.space = %(space)s{conditions}"""

# The messages of a session: those on its own branches, and those of the path that its first branch continues.
_IN_ALLOWED_SESSIONS = f"""
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


_NOT_IN_SESSIONS = """m.branch NOT IN (
    SELECT b.no FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space AND b.session = s.no
    WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.id = ANY (%(besides)s))"""


def has_session_filter(filters: SearchFilters) -> bool:
    """Whether the filters restrict the search to some sessions."""
    return bool(filters.sessions or filters.tags)


def allowed_sessions_sql(filters: SearchFilters) -> str:
    """The sessions that the filters allow, as a WITH clause; empty for all."""
    wanted = [sql for sql, named in ((_WITH_IDS, filters.sessions), (_WITH_TAGS, filters.tags)) if named]
    return f"among (no) AS MATERIALIZED ({' INTERSECT '.join(wanted)})" if wanted else ""


def passing_messages_sql(filters: SearchFilters) -> str:
    """SQL for the numbers of all messages that pass. A message belongs to every session that continues it."""
    return (_IN_ALLOWED_SESSIONS if has_session_filter(filters) else _IN_ALL_SESSIONS).format(
        conditions=message_conditions_sql(filters)
    )


def message_conditions_sql(filters: SearchFilters) -> str:
    """SQL conditions of the filters on a message (`m`)."""
    asked = (
        (filters.roles, "m.role = ANY (%(roles)s)"),
        (filters.since is not None, "m.created >= %(since)s"),
        (filters.until is not None, "m.created < %(until)s"),
        (filters.importance > 0, "m.importance >= %(importance)s"),
        (filters.excluded_sessions, _NOT_IN_SESSIONS),
    )
    return "".join(f" AND {condition}" for wanted, condition in asked if wanted)


def filter_values(space: PartitionKey, filters: SearchFilters) -> dict[str, Any]:
    """The values for the SQL parts of this module."""
    return {
        "unit": space.unit,
        "space": space.space,
        "sessions": list(filters.sessions),
        "tags": list(filters.tags),
        "roles": [rows.ROLE_NUMBER[role] for role in filters.roles],
        "since": filters.since,
        "until": filters.until,
        "importance": filters.importance,
        "besides": list(filters.excluded_sessions),
    }


def numbers(space: PartitionKey, filters: SearchFilters) -> PostgresReadOperation[list[int]]:
    """Read the numbers of all messages that pass, in ascending order."""
    named = allowed_sessions_sql(filters)
    # One packed value: reading 100,000 rows takes longer than finding them.
    statement = f"""
{f"WITH {named} " if named else ""}SELECT string_agg(int8send(number), ''::bytea ORDER BY number)
FROM ({passing_messages_sql(filters)}) AS passing"""
    return single_statement_read(statement, filter_values(space, filters), _numbers)


def _numbers(found: list[Row]) -> list[int]:
    packed: bytes = found[0][0] or b""
    return list(struct.unpack(f">{len(packed) // 8}q", packed))
