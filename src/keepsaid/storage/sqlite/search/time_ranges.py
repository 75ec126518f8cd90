"""The time range of each stretch of an owner's messages, so that a search by time reads only the stretches that overlap.

An index by time would cost every append a page write. A stretch is a group of consecutive messages that entered the keyword
index together. Messages mostly arrive in chronological order, so a week is a few stretches of a long history.
"""

from __future__ import annotations

from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import Microseconds

RANGE_LENGTH = 128

_FILL = (
    "INSERT INTO stretches SELECT max(rid), min(rid), min(created), max(created) FROM messages"
    f" WHERE rid > ? AND rid <= ? GROUP BY rid / {RANGE_LENGTH}"
)


def add_ranges(db: SqliteConnection, after: int, upto: int) -> None:
    """Record the time ranges of the messages after one row up to another."""
    db.execute(_FILL, (after, upto))


def rebuild_ranges(db: SqliteConnection, owner: int) -> None:
    """Rebuild an owner's time ranges, so that they contain no trace of deleted messages."""
    low, high = partitions.rid_range(owner)
    db.execute("DELETE FROM stretches WHERE upto BETWEEN ? AND ?", (low, high))
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    if row and row[0] > low:
        db.execute(_FILL, (low, row[0]))


def find_uncovered_owners(db: SqliteConnection) -> list[int]:
    """Return owners with an indexed message that no time range covers, which is damage."""
    found = db.execute(
        "SELECT DISTINCT o.no FROM owners AS o JOIN messages AS m ON m.rid BETWEEN o.no << 32 AND o.indexed"
        " WHERE NOT EXISTS (SELECT 1 FROM stretches WHERE upto = (SELECT min(upto) FROM stretches WHERE upto >= m.rid)"
        "   AND start <= m.rid AND m.created BETWEEN first AND last)"
    )
    return [owner for (owner,) in found]


def find_row_ranges(
    db: SqliteConnection, owner: int, since: Microseconds | None, until: Microseconds | None
) -> list[tuple[int, int]]:
    """Return the ranges of rows (first, last) that can have messages of that time. The last one is the unindexed tail."""
    low, high = partitions.rid_range(owner)
    found = db.execute(
        "SELECT start, upto FROM stretches WHERE upto BETWEEN ? AND ? AND last >= ? AND first < ? ORDER BY upto",
        (low, high, -(1 << 62) if since is None else since, 1 << 62 if until is None else until),
    ).fetchall()
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    return [*found, (max(low, row[0] if row else 0) + 1, high)]
