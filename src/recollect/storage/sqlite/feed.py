"""What happened since: new messages by their row number, everything else by the list of changes, in one order."""

from __future__ import annotations

from recollect.storage.sqlite import rows, spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Change, Mark, Scope


def changes(db: Database, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
    """The next changes behind a mark, and the mark behind them."""
    owner = spaces.space(db, scope)
    last = spaces.last_mark(db, owner)
    if since.life not in (0, last.life):
        return [Change("reset")], last
    low, high = spaces.rid_range(owner)
    feed: list[tuple[int, int, Change]] = []
    for number, session, *row in db.execute(
        f"SELECT m.rid & 4294967295, s.id, {rows.MESSAGE} FROM messages AS m JOIN branches AS b ON b.no = m.branch"
        " JOIN sessions AS s ON s.no = b.session WHERE m.rid > ? AND m.rid <= ? AND s.status < 2 ORDER BY m.rid LIMIT ?",
        (low + since.messages, high, limit + 1),
    ):
        message = rows.message(tuple(row), session)
        feed.append((number, 0, Change("message", session, message.id, message)))
    for messages, number, kind, session, message in db.execute(
        "SELECT messages, number, kind, session, message FROM changes WHERE owner = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        (owner, since.changes, limit + 1),
    ):
        feed.append((messages, number, Change(kind, session, message)))
    feed.sort(key=lambda entry: entry[:2])
    if len(feed) <= limit:
        return [change for _, _, change in feed], last
    feed = feed[:limit]
    reached = max([since.changes, *(number for _, number, _ in feed)])
    return [change for _, _, change in feed], Mark(max(since.messages, feed[-1][0]), reached, last.life)
