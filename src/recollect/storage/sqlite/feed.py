"""What happened since: new messages by their row number, everything else by the list of changes, in one order."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.storage.feed import Entry, cannot_go_on, merged
from recollect.storage.sqlite import rows, spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Change, Mark, Scope

_LAST_OF_OWNERS = """
SELECT j.key, max(o.floor, coalesce((SELECT rid & 4294967295 FROM messages
    WHERE rid BETWEEN o.no << 32 AND (o.no << 32) + 4294967295 ORDER BY rid DESC LIMIT 1), 0)), o.changes, o.life
FROM json_each(?) AS j CROSS JOIN owners AS o ON o.kind = 0 AND o.id = j.value"""


def changes(db: Database, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
    """The next changes behind a mark, each with its own, and the mark behind them."""
    owner = spaces.space(db, scope)
    last = spaces.last_mark(db, owner)
    if cannot_go_on(since, last):
        return [Change("reset", mark=last)], last
    low, high = spaces.rid_range(owner)
    feed: list[Entry] = []
    for number, session, *row in db.execute(
        f"SELECT m.rid & 4294967295, s.id, {rows.MESSAGE} FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " JOIN sessions AS s ON s.no = b.session WHERE m.rid > ? AND m.rid <= ? AND s.status < 2 ORDER BY m.rid LIMIT ?",
        (low + since.messages, high, limit + 1),
    ):
        message = rows.message(tuple(row), session)
        feed.append(Entry(number, 0, Change("message", session, message.id, message)))
    for messages, number, kind, session, message in db.execute(
        "SELECT messages, number, kind, session, message FROM changes WHERE owner = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        (owner, since.changes, limit + 1),
    ):
        feed.append(Entry(messages, number, Change(kind, session, message)))
    return merged(feed, since, last, limit)


def last_marks(db: Database, scopes: Sequence[Scope]) -> list[Mark | None]:
    """How far each has come. Owners are looked up together: a thousand of them may be watched."""
    owners = {place: scope.owner for place, scope in enumerate(scopes) if scope.pool is None and not scope.shelf}
    places = list(owners)
    found: dict[int, Mark | None] = dict.fromkeys(places, Mark())
    for key, *mark in db.execute(_LAST_OF_OWNERS, (json.dumps(list(owners.values())),)):
        found[places[key]] = Mark(*mark)
    return [found[place] if place in found else _last_mark(db, scope) for place, scope in enumerate(scopes)]


def _last_mark(db: Database, scope: Scope) -> Mark | None:
    try:
        return spaces.last_mark(db, spaces.space(db, scope))
    except NotFound:
        return None
