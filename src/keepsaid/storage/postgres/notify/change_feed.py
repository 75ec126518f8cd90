"""The change feed: new messages by number, other changes from the table `changes`, merged in one order."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.storage.change_feed import ChangeFeedEntry, is_reset_needed, merge_changes
from keepsaid.storage.postgres import partitions, rows
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.types import ChangePosition, MemoryChange, Scope

_LAST = "SELECT last, changes, life FROM spaces WHERE unit = %s AND space = %s"
_NEW_MESSAGES = f"""
SELECT m.number, s.id, {rows.MESSAGE_COLUMNS} FROM messages AS m
JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
JOIN sessions AS s ON s.unit = m.unit AND s.space = m.space AND s.no = b.session
WHERE m.unit = %s AND m.space = %s AND m.number > %s AND s.status < 2 ORDER BY m.number LIMIT %s"""
_OTHER_CHANGES = """
SELECT messages, number, kind, session, message FROM changes
WHERE unit = %s AND space = %s AND number > %s ORDER BY number LIMIT %s"""
_LAST_OF_MANY = """
SELECT w.place, coalesce(p.last, 0), coalesce(p.changes, 0), coalesce(p.life, 0)
FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[]) AS w (place, unit, space, member)
LEFT JOIN spaces AS p ON p.unit = w.unit AND p.space = w.space
WHERE w.member IS NULL OR EXISTS (SELECT 1 FROM grants AS g WHERE g.unit = w.unit AND g.owner = w.member)"""


def changes(
    db: PostgresConnection, space: PartitionKey, since: ChangePosition, limit: int
) -> tuple[list[MemoryChange], ChangePosition]:
    """Read the next changes after a position, each with its own position, and the position after them."""
    found, messages_found, others_found = db.together(
        (_LAST, space),
        (_NEW_MESSAGES, (*space, since.messages, limit + 1)),
        (_OTHER_CHANGES, (*space, since.changes, limit + 1)),
        last=True,
    )
    row = found.fetchone()
    last = ChangePosition(*row) if row else ChangePosition()
    if is_reset_needed(since, last):
        return [MemoryChange("reset", position=last)], last
    entries: list[ChangeFeedEntry] = []
    for number, session, *row in messages_found:
        message = rows.message_from_row(tuple(row), session)
        entries.append(ChangeFeedEntry(number, 0, MemoryChange("message", session, message.id, message)))
    for messages, number, kind, session, message in others_found:
        entries.append(ChangeFeedEntry(messages, number, MemoryChange(kind, session, message)))
    return merge_changes(entries, since, last, limit)


def last_positions(db: PostgresConnection, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
    """Read the latest position of each scope in one statement: there may be a thousand watched scopes."""
    where = [partitions.partition_key(scope) for scope in scopes]
    values = (
        list(range(len(scopes))), [space.unit for space in where], [space.space for space in where],
        [partitions.acting_member(scope) for scope in scopes],
    )  # fmt: skip
    found = {place: ChangePosition(*mark) for place, *mark in db.last(_LAST_OF_MANY, values)}
    return [found.get(place) for place in range(len(scopes))]
