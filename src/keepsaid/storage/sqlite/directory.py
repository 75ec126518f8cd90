"""Listing of the whole store, for a copy of it: partitions, authors, receipts and the progress of work queues."""

from __future__ import annotations

from keepsaid.ports import StoredReceipt
from keepsaid.storage.sqlite import partitions, receipts
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.types import PoolAccess, Scope


def everyone(db: SqliteConnection) -> list[Scope]:
    """Return a scope for every owner and pool. For a pool it is that of an admin."""
    firsts = db.execute("SELECT min(no) FROM owners GROUP BY kind & 1, id ORDER BY kind & 1, id").fetchall()
    return [partitions.admin_scope(db, number)._replace(documents=False) for (number,) in firsts]


def get_setting(db: SqliteConnection, key: str) -> str | None:
    """Return a setting of the store, or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def makers(db: SqliteConnection, scope: Scope) -> dict[str, str]:
    """Return the author of each session of a pool."""
    owner = partitions.find_partition(db, scope, PoolAccess.ADMIN)
    made = "SELECT id, author FROM sessions WHERE owner = ? AND status < 3 AND author IS NOT NULL"
    return dict(db.execute(made, (owner,)).fetchall())


def all_receipts(db: SqliteConnection, scope: Scope) -> list[StoredReceipt]:
    """Return every receipt of a session."""
    owner = partitions.find_partition(db, scope, PoolAccess.ADMIN)
    found = db.execute(
        "SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM sessions AS s"
        " JOIN receipts AS r ON r.session = s.no LEFT JOIN systems AS y ON y.no = r.system"
        " WHERE s.owner = ? AND s.id = ? AND s.status < 3 ORDER BY r.created, r.rid",
        (owner, scope.session),
    )
    return [receipts.receipt_from_row(row, scope) for row in found]


def done(db: SqliteConnection, scope: Scope, line: str) -> int:
    """Return the number of the last message that was processed in a work queue."""
    owner = partitions.find_partition(db, scope, PoolAccess.ADMIN)
    row = db.execute(
        "SELECT w.upto FROM generations AS g JOIN work AS w ON w.generation = g.no WHERE g.name = ? AND w.owner = ?",
        (line, owner),
    ).fetchone()
    return row[0] if row else 0
