"""Selection of the messages that pass a search's filters."""

from __future__ import annotations

import json
from typing import Any

from keepsaid.storage.sqlite import branches, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.search import time_ranges
from keepsaid.types import SearchFilters


def find_allowed_sessions(db: SqliteConnection, owner: int, filters: SearchFilters) -> set[int] | None:
    """Return the sessions that the filters allow, or None for all."""
    found: set[int] | None = None
    for wanted, sql in (
        (
            filters.sessions,
            "SELECT no FROM sessions WHERE owner = ? AND id IN (SELECT value FROM json_each(?)) AND status < 3",
        ),
        (filters.tags, "SELECT session FROM tags WHERE owner = ? AND tag IN (SELECT value FROM json_each(?))"),
    ):
        if wanted:
            numbers = {number for (number,) in db.execute(sql, (owner, rows.pack_json(wanted)))}
            found = numbers if found is None else found & numbers
    return found


def find_passing_messages(db: SqliteConnection, owner: int, filters: SearchFilters) -> list[int]:
    """Return the rows of all messages that pass, in order. A message belongs to every session that continues it."""
    where, values = _conditions(owner, filters)
    among = find_allowed_sessions(db, owner, filters)
    if among is None:
        sql = f"SELECT m.rid FROM messages AS m WHERE m.rid BETWEEN ? AND ?{where} ORDER BY m.rid"
        ranges = time_ranges.find_row_ranges(db, owner, filters.since, filters.until)
        return [rid for start, end in ranges for (rid,) in db.execute(sql, (start, end, *values))]
    sql = (
        "SELECT m.rid FROM json_each(?) AS j CROSS JOIN messages AS m"
        f" WHERE m.branch = j.value ->> 0 AND m.seq <= j.value ->> 1{where}"
    )
    segments = json.dumps(list(_ranges(db, among).items()))
    return sorted(rid for (rid,) in db.execute(sql, (segments, *values)))


_OF_OTHERS = """
 AND m.branch NOT IN (
    SELECT b.no FROM sessions AS s JOIN branches AS b ON b.session = s.no
    WHERE s.owner = ? AND s.id IN (SELECT value FROM json_each(?)))"""


def _conditions(owner: int, filters: SearchFilters) -> tuple[str, list[Any]]:
    where, values = "", list[Any]()
    if filters.excluded_sessions:
        where += _OF_OTHERS
        values += [owner, rows.pack_json(filters.excluded_sessions)]
    if filters.roles:
        where += f" AND m.role IN ({', '.join('?' * len(filters.roles))})"
        values += [rows.ROLE_NUMBER[role] for role in filters.roles]
    for condition, value in (("m.created >= ?", filters.since), ("m.created < ?", filters.until)):
        if value is not None:
            where += f" AND {condition}"
            values.append(value)
    if filters.importance > 0:
        where += " AND m.importance >= ?"
        values.append(filters.importance)
    return where, values


def _ranges(db: SqliteConnection, among: set[int]) -> dict[int, int]:
    """Return the branches of these sessions as {branch: highest seq}, including those they were forked from."""
    own = db.execute(
        "SELECT b.no, b.session, b.base, b.fork FROM branches AS b"
        " WHERE b.session IN (SELECT value FROM json_each(?)) ORDER BY b.session, b.no",
        (json.dumps(list(among)),),
    ).fetchall()
    ranges = {branch: branches.MAX_SEQ for branch, *_ in own}
    first = {session: (base, fork) for _, session, base, fork in reversed(own)}
    for base, fork in first.values():
        for branch, upto in branches.iterate_segments(db, base, fork):
            ranges[branch] = max(upto, ranges.get(branch, 0))
    return ranges
