"""Partitions of the store: owners, pools and the documents of each, with the grants to pools and the change log."""

from __future__ import annotations

from keepsaid.errors import Conflict, NotFound
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.rows import ACCESS_LEVELS, ACCESS_NUMBER
from keepsaid.storage.sqlite.schema import NUMBER_MASK, OWNER_BITS
from keepsaid.types import ChangeKind, ChangePosition, PoolAccess, PoolGrant, Scope

NO_PARTITION = 0
"""The number of a partition that has no rows yet."""


DOCUMENTS_OFFSET = 2
"""Added to the kind of an owner (0) or pool (1) for its documents."""


def partition_key(scope: Scope) -> tuple[int, str]:
    """Return the kind and id of the scope's partition."""
    kind, id = (0, scope.owner) if scope.pool is None else (1, scope.pool)
    return (kind + DOCUMENTS_OFFSET if scope.documents else kind), id


def find_partition(db: SqliteConnection, scope: Scope, need: PoolAccess = PoolAccess.READ) -> int:
    """Return the number of the scope's partition. Raise `NotFound` if the scope has no sufficient access to the pool."""
    if scope.pool is None:
        return _number(db, scope)
    row = db.execute(
        "SELECT o.no, g.access FROM owners AS o JOIN grants AS g ON g.pool = o.no"
        " WHERE o.kind = 1 AND o.id = ? AND g.owner = ?",
        (scope.pool, scope.owner),
    ).fetchone()
    if row is None:
        raise NotFound("no such pool, or no access to it")
    if row[1] < ACCESS_NUMBER[need]:
        raise NotFound(f"this needs {need} access to the pool; you have {ACCESS_LEVELS[row[1]]}")
    return _number(db, scope) if scope.documents else row[0]


def _number(db: SqliteConnection, scope: Scope) -> int:
    row = db.execute("SELECT no FROM owners WHERE kind = ? AND id = ?", partition_key(scope)).fetchone()
    return row[0] if row else NO_PARTITION


def find_or_add_partition(db: SqliteConnection, scope: Scope) -> int:
    """Return the number of the scope's partition for a write. Adds the partition if it has no rows yet."""
    number = find_partition(db, scope, PoolAccess.WRITE)
    if number == NO_PARTITION:
        db.execute("INSERT INTO owners (kind, id) VALUES (?, ?)", partition_key(scope))
        number = db.last_insert_rowid()
    return number


def admin_scope(db: SqliteConnection, number: int) -> Scope:
    """Return a scope with full access to a partition: that of its owner, or of an admin of its pool."""
    row = db.execute(
        "SELECT o.kind, o.id, g.owner FROM owners AS o LEFT JOIN owners AS p ON o.kind & 1 AND p.kind = 1 AND p.id = o.id"
        " LEFT JOIN grants AS g ON g.pool = p.no AND g.access = 2 WHERE o.no = ? ORDER BY g.owner LIMIT 1",
        (number,),
    ).fetchone()
    assert row
    kind, id, admin = row
    documents_space = kind >= DOCUMENTS_OFFSET
    return Scope(admin or "", None, id, documents_space) if kind & 1 else Scope(id, documents=documents_space)


def find_documents_space(db: SqliteConnection, number: int) -> int:
    """Return the number of the documents partition of an owner or pool, if there is one."""
    row = db.execute(
        "SELECT s.no FROM owners AS o JOIN owners AS s ON s.kind = o.kind + ? AND s.id = o.id WHERE o.no = ?",
        (DOCUMENTS_OFFSET, number),
    ).fetchone()
    return row[0] if row else NO_PARTITION


def rid_range(owner: int) -> tuple[int, int]:
    """Return the bounds of an owner's row numbers."""
    return owner << OWNER_BITS, owner << OWNER_BITS | NUMBER_MASK


_LAST_NUMBER = (
    "max(floor, coalesce((SELECT rid FROM messages WHERE rid BETWEEN ?1 AND ?2 ORDER BY rid DESC LIMIT 1), ?3) - ?3)"
)
"""The highest message number that an owner has ever used; `floor` is the highest that is gone."""


def last_message_number(db: SqliteConnection, owner: int) -> int:
    """Return the highest message number that the owner has ever used."""
    return last_position(db, owner).messages


def last_position(db: SqliteConnection, owner: int) -> ChangePosition:
    """Return the owner's newest position in the change feed."""
    low, high = rid_range(owner)
    row = db.execute(f"SELECT {_LAST_NUMBER}, changes, life FROM owners WHERE no = ?4", (low, high, low, owner)).fetchone()
    return ChangePosition(*row) if row else ChangePosition()


def record_change(
    db: SqliteConnection, owner: int, kind: ChangeKind, session: str | None = None, message: str | None = None
) -> None:
    """Record a change that is not a new message."""
    db.execute("UPDATE owners SET changes = changes + 1 WHERE no = ?", (owner,))
    db.execute(
        "INSERT INTO changes SELECT no, changes, ?, ?, ?, ? FROM owners WHERE no = ?",
        (last_message_number(db, owner), kind, session, message, owner),
    )


def create_pool(db: SqliteConnection, pool: str, name: str, owner: str) -> None:
    """Add a pool with its first admin."""
    db.execute("INSERT INTO owners (kind, id, name) VALUES (1, ?, ?)", (pool, name))
    db.execute("INSERT INTO grants VALUES (?, ?, ?)", (db.last_insert_rowid(), owner, ACCESS_NUMBER[PoolAccess.ADMIN]))


def grant(db: SqliteConnection, pool: str, by: str, owner: str, access: PoolAccess | None) -> None:
    """Grant, change or revoke access."""
    leaving = by == owner and access is None
    number = find_partition(db, Scope(by, None, pool), PoolAccess.READ if leaving else PoolAccess.ADMIN)
    admins = db.execute("SELECT owner FROM grants WHERE pool = ? AND access = 2", (number,)).fetchall()
    if access != PoolAccess.ADMIN and admins == [(owner,)]:
        raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
    if access is None:
        db.execute("DELETE FROM grants WHERE pool = ? AND owner = ?", (number, owner))
    else:
        db.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (number, owner, ACCESS_NUMBER[access]))


def ensure_admin(db: SqliteConnection, pool: int) -> bool:
    """Make the member with the highest access an admin of the pool. Return False if it has no members."""
    row = db.execute("SELECT owner FROM grants WHERE pool = ? ORDER BY access DESC, owner LIMIT 1", (pool,)).fetchone()
    if row:
        db.execute("UPDATE grants SET access = 2 WHERE pool = ? AND owner = ?", (pool, row[0]))
    return row is not None


def grants(db: SqliteConnection, owner: str, pool: str | None) -> list[PoolGrant]:
    """Return the owner's grants, or all grants of a pool that the owner can access."""
    if pool is None:
        where, value = "g.owner = ?", owner
    else:
        where, value = "g.pool = ?", find_partition(db, Scope(owner, None, pool))
    rows = db.execute(
        "SELECT o.id, g.owner, g.access, o.name FROM grants AS g JOIN owners AS o ON o.no = g.pool"
        f" WHERE {where} ORDER BY o.id, g.owner",
        (value,),
    )
    return [PoolGrant(of, holder, ACCESS_LEVELS[int(access)], name) for of, holder, access, name in rows]
