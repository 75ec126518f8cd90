"""Everything there is, for a copy of all of it: whose it is, who made it, and how far each work has come."""

from __future__ import annotations

from recollect.ports import StoredReceipt
from recollect.storage.sqlite import receipts, spaces
from recollect.storage.sqlite.database import Database
from recollect.types import Access, Scope


def everyone(db: Database) -> list[Scope]:
    """Every owner and pool once; of a pool an admin."""
    firsts = db.execute("SELECT min(no) FROM owners GROUP BY kind & 1, id ORDER BY kind & 1, id").fetchall()
    return [spaces.acting(db, number)._replace(shelf=False) for (number,) in firsts]


def setting(db: Database, key: str) -> str | None:
    """A setting of the store, if it is kept."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def makers(db: Database, scope: Scope) -> dict[str, str]:
    """Who made each session of a pool."""
    owner = spaces.space(db, scope, Access.ADMIN)
    made = "SELECT id, author FROM sessions WHERE owner = ? AND status < 3 AND author IS NOT NULL"
    return dict(db.execute(made, (owner,)).fetchall())


def all_receipts(db: Database, scope: Scope) -> list[StoredReceipt]:
    """Every receipt of a session."""
    owner = spaces.space(db, scope, Access.ADMIN)
    found = db.execute(
        "SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM sessions AS s"
        " JOIN receipts AS r ON r.session = s.no LEFT JOIN systems AS y ON y.no = r.system"
        " WHERE s.owner = ? AND s.id = ? AND s.status < 3 ORDER BY r.created, r.rid",
        (owner, scope.session),
    )
    return [receipts.receipt(row, scope) for row in found]


def done(db: Database, scope: Scope, line: str) -> int:
    """Up to which number messages are done in a line of work."""
    owner = spaces.space(db, scope, Access.ADMIN)
    row = db.execute(
        "SELECT w.upto FROM generations AS g JOIN work AS w ON w.generation = g.no WHERE g.name = ? AND w.owner = ?",
        (line, owner),
    ).fetchone()
    return row[0] if row else 0
