"""When each stretch of an owner's messages was said, so that a search for some time reads only the stretches it may be in.

An index by time would cost every append a page. A stretch is up to `LENGTH` messages that entered the keyword index
together; messages come mostly in the order they were said, so a week is a few stretches out of a long history.
"""

from __future__ import annotations

from recollect.storage.sqlite import spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Microseconds

LENGTH = 128

_FILL = (
    "INSERT INTO stretches SELECT max(rid), min(rid), min(created), max(created) FROM messages"
    f" WHERE rid > ? AND rid <= ? GROUP BY rid / {LENGTH}"
)


def add(db: Database, after: int, upto: int) -> None:
    """Notes the messages behind one row up to another."""
    db.execute(_FILL, (after, upto))


def renew(db: Database, owner: int) -> None:
    """Notes an owner's stretches anew, so that nothing tells of messages that are gone."""
    low, high = spaces.rid_range(owner)
    db.execute("DELETE FROM stretches WHERE upto BETWEEN ? AND ?", (low, high))
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    if row and row[0] > low:
        db.execute(_FILL, (low, row[0]))


def missing(db: Database) -> list[int]:
    """Owners with a message in the keyword index that no stretch covers: damage."""
    found = db.execute(
        "SELECT DISTINCT o.no FROM owners AS o JOIN messages AS m ON m.rid BETWEEN o.no << 32 AND o.indexed"
        " WHERE NOT EXISTS (SELECT 1 FROM stretches WHERE upto = (SELECT min(upto) FROM stretches WHERE upto >= m.rid)"
        "   AND start <= m.rid AND m.created BETWEEN first AND last)"
    )
    return [owner for (owner,) in found]


def during(db: Database, owner: int, since: Microseconds | None, until: Microseconds | None) -> list[tuple[int, int]]:
    """Ranges of rows, first and last, outside which nothing was said at that time; the last one is what is not noted yet."""
    low, high = spaces.rid_range(owner)
    found = db.execute(
        "SELECT start, upto FROM stretches WHERE upto BETWEEN ? AND ? AND last >= ? AND first < ? ORDER BY upto",
        (low, high, -(1 << 62) if since is None else since, 1 << 62 if until is None else until),
    ).fetchall()
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    return [*found, (max(low, row[0] if row else 0) + 1, high)]
