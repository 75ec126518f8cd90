"""Visibility: a message is visible on the active path of a session that is not deleted. Also reads neighboring messages.

Nearly all messages are on the active branch of their own session, which decides it. Otherwise the branches that continue
their branch are followed, and the oldest session whose active path runs through the message counts: a fork is always younger
than what it continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepsaid.ports import VisibleMessage
from keepsaid.storage.postgres import rows
from keepsaid.storage.postgres.connection import binary_values
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.search import search_filters
from keepsaid.types import SearchFilters

MAX_SEQ = 1 << 62
"""A seq after every message."""

MAX_NUMBER = (1 << 63) - 1

IS_PRIVATE = """coalesce(right(m.extra, 15) = '"private":true}', false)"""
"""SQL for whether a message (`m`) is private: that is always the last entry of its column `extra`."""

_SHOWN = f"""
coalesce(
    (SELECT s.{{column}} FROM branches AS b
        JOIN sessions AS s ON s.unit = b.unit AND s.space = b.space AND s.no = b.session AND s.branch = b.no
        WHERE b.unit = m.unit AND b.space = m.space AND b.no = m.branch AND {{seen}}{{among}}),
    (WITH RECURSIVE through (no, session, upto) AS (
        SELECT b.no, b.session, {MAX_SEQ} FROM branches AS b WHERE b.unit = m.unit AND b.space = m.space AND b.no = m.branch
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

# Each branch of a path has the messages after its own fork, up to where the next branch begins. A neighbor is nearly always
# on the same branch, so the search starts there and visits other branches only while there are too few.
_WITH_NEIGHBOURS = f"""
WITH RECURSIVE {{among}}asked AS MATERIALIZED (
    SELECT m.number, m.branch, m.seq, {{shown_by}} AS session FROM messages AS m
    WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number = ANY (%(numbers)s::bigint[]) AND NOT {{private}}),
path (session, depth, branch, base, after, upto) AS (
    SELECT s.no, 0, b.no, b.base, b.fork, {MAX_SEQ} FROM sessions AS s
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


def visible_session_sql(column: str, filters: SearchFilters) -> str:
    """SQL for a column of the session that shows a message (`m`); NULL if none does. Only sessions in `filters` count."""
    among = " AND s.no IN (SELECT no FROM among)" if search_filters.has_session_filter(filters) else ""
    return _SHOWN.format(column=column, among=among, seen=_WITH_EXPIRED if filters.expired else "s.status < 2")


def look(
    space: PartitionKey, numbers: Sequence[int], around: int, filters: SearchFilters
) -> PostgresReadOperation[list[VisibleMessage]]:
    """Read the visible ones of the messages, with their neighbors; each message once, and no private ones."""
    values: dict[str, Any] = {
        **search_filters.filter_values(space, filters),
        "numbers": binary_values.format_bigint_array(number for number in set(numbers) if 0 < number <= MAX_NUMBER),
        "around": around,
    }
    among = search_filters.allowed_sessions_sql(filters)
    if around > 0:
        statement = _WITH_NEIGHBOURS.format(
            among=f"{among}, " if among else "", shown_by=visible_session_sql("no", filters),
            shown=visible_session_sql("id", filters),
            columns=rows.MESSAGE_COLUMNS, private=IS_PRIVATE, before=_BEFORE, behind=_BEHIND,
        )  # fmt: skip
    else:
        with_among = f"WITH {among} " if among else ""
        statement = _ALONE.format(
            among=with_among, shown=visible_session_sql("id", filters), columns=rows.MESSAGE_COLUMNS, private=IS_PRIVATE
        )
    return single_statement_read(statement, values, _seen)


def _seen(found: list[Row]) -> list[VisibleMessage]:
    return [VisibleMessage(row[0], rows.message_from_row(row[2:], row[1])) for row in found if row[1] is not None]
