"""The change feed: new messages by row number, and all other changes from the change log, in one order."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keepsaid.errors import NotFound
from keepsaid.storage.change_feed import ChangeFeedEntry, is_reset_needed, merge_changes
from keepsaid.storage.sqlite import partitions, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import ChangePosition, MemoryChange, Scope

_LAST_OF_OWNERS = """
SELECT j.key, max(o.floor, coalesce((SELECT rid & 4294967295 FROM messages
    WHERE rid BETWEEN o.no << 32 AND (o.no << 32) + 4294967295 ORDER BY rid DESC LIMIT 1), 0)), o.changes, o.life
FROM json_each(?) AS j CROSS JOIN owners AS o ON o.kind = 0 AND o.id = j.value"""


def changes(
    db: SqliteConnection, scope: Scope, since: ChangePosition, limit: int
) -> tuple[list[MemoryChange], ChangePosition]:
    """Return the next changes after a position, each with its own position, and the position after them."""
    owner = partitions.find_partition(db, scope)
    last = partitions.last_position(db, owner)
    if is_reset_needed(since, last):
        return [MemoryChange("reset", position=last)], last
    low, high = partitions.rid_range(owner)
    feed: list[ChangeFeedEntry] = []
    for number, session, *row in db.execute(
        f"SELECT m.rid & 4294967295, s.id, {rows.MESSAGE_COLUMNS} FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " JOIN sessions AS s ON s.no = b.session WHERE m.rid > ? AND m.rid <= ? AND s.status < 2 ORDER BY m.rid LIMIT ?",
        (low + since.messages, high, limit + 1),
    ):
        message = rows.message_from_row(tuple(row), session)
        feed.append(ChangeFeedEntry(number, 0, MemoryChange("message", session, message.id, message)))
    for messages, number, kind, session, message in db.execute(
        "SELECT messages, number, kind, session, message FROM changes WHERE owner = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        (owner, since.changes, limit + 1),
    ):
        feed.append(ChangeFeedEntry(messages, number, MemoryChange(kind, session, message)))
    return merge_changes(feed, since, last, limit)


def last_positions(db: SqliteConnection, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
    """Return the newest position of each scope. Owners are looked up together: a thousand of them may be watched."""
    owners = {place: scope.owner for place, scope in enumerate(scopes) if scope.pool is None and not scope.documents}
    places = list(owners)
    found: dict[int, ChangePosition | None] = dict.fromkeys(places, ChangePosition())
    for key, *mark in db.execute(_LAST_OF_OWNERS, (json.dumps(list(owners.values())),)):
        found[places[key]] = ChangePosition(*mark)
    return [found[place] if place in found else _last_position(db, scope) for place, scope in enumerate(scopes)]


def _last_position(db: SqliteConnection, scope: Scope) -> ChangePosition | None:
    try:
        return partitions.last_position(db, partitions.find_partition(db, scope))
    except NotFound:
        return None
