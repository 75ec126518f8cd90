"""Whose rows are whose: owners, pools, the grants between them, and the shelf that each has for documents."""

from __future__ import annotations

from recollect.errors import Conflict, NotFound
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.rows import LEVEL_NUMBER, LEVELS
from recollect.storage.sqlite.schema import NUMBERS, OWNER_BITS
from recollect.types import Access, ChangeKind, Grant, Mark, Scope

NOBODY = 0
"""The number of an owner who has nothing yet; no row has it."""


SHELF = 2
"""What is added to the kind of an owner (0) or pool (1) for its shelf."""


def whose(scope: Scope) -> tuple[int, str]:
    """The kind and id of the space that the scope acts on."""
    kind, id = (0, scope.owner) if scope.pool is None else (1, scope.pool)
    return (kind + SHELF if scope.shelf else kind), id


def space(db: Database, scope: Scope, need: Access = Access.READ) -> int:
    """The number of the owner, pool or shelf that the scope acts on, if it may."""
    if scope.pool is None:
        return _number(db, scope)
    row = db.execute(
        "SELECT o.no, g.access FROM owners AS o JOIN grants AS g ON g.pool = o.no"
        " WHERE o.kind = 1 AND o.id = ? AND g.owner = ?",
        (scope.pool, scope.owner),
    ).fetchone()
    if row is None:
        raise NotFound("no such pool, or no access to it")
    if row[1] < LEVEL_NUMBER[need]:
        raise NotFound(f"this needs {need} access to the pool; you have {LEVELS[row[1]]}")
    return _number(db, scope) if scope.shelf else row[0]


def _number(db: Database, scope: Scope) -> int:
    row = db.execute("SELECT no FROM owners WHERE kind = ? AND id = ?", whose(scope)).fetchone()
    return row[0] if row else NOBODY


def space_to_write(db: Database, scope: Scope) -> int:
    """The same for a change; an owner or shelf that has nothing yet is added."""
    number = space(db, scope, Access.WRITE)
    if number == NOBODY:
        db.execute("INSERT INTO owners (kind, id) VALUES (?, ?)", whose(scope))
        number = db.last_insert_rowid()
    return number


def acting(db: Database, number: int) -> Scope:
    """A scope that may do everything in a space: its owner's, or that of an admin of its pool."""
    row = db.execute(
        "SELECT o.kind, o.id, g.owner FROM owners AS o LEFT JOIN owners AS p ON o.kind & 1 AND p.kind = 1 AND p.id = o.id"
        " LEFT JOIN grants AS g ON g.pool = p.no AND g.access = 2 WHERE o.no = ? ORDER BY g.owner LIMIT 1",
        (number,),
    ).fetchone()
    assert row
    kind, id, admin = row
    shelf = kind >= SHELF
    return Scope(admin or "", None, id, shelf) if kind & 1 else Scope(id, shelf=shelf)


def shelf_of(db: Database, number: int) -> int:
    """The number of the shelf that an owner or pool has, if there is one."""
    row = db.execute(
        "SELECT s.no FROM owners AS o JOIN owners AS s ON s.kind = o.kind + ? AND s.id = o.id WHERE o.no = ?",
        (SHELF, number),
    ).fetchone()
    return row[0] if row else NOBODY


def rid_range(owner: int) -> tuple[int, int]:
    """The first and last message rows that an owner can have."""
    return owner << OWNER_BITS, owner << OWNER_BITS | NUMBERS


def last_number(db: Database, owner: int) -> int:
    """The highest message number that the owner has ever used."""
    low, high = rid_range(owner)
    row = db.execute(
        "SELECT max(floor, coalesce((SELECT rid FROM messages WHERE rid BETWEEN ? AND ? ORDER BY rid DESC LIMIT 1), ?) - ?)"
        " FROM owners WHERE no = ?",
        (low, high, low, low, owner),
    ).fetchone()
    return row[0] if row else 0


def last_mark(db: Database, owner: int) -> Mark:
    """How far the owner's changes have come."""
    row = db.execute("SELECT changes, life FROM owners WHERE no = ?", (owner,)).fetchone()
    return Mark(last_number(db, owner), *row) if row else Mark()


def note(db: Database, owner: int, kind: ChangeKind, session: str | None = None, message: str | None = None) -> None:
    """Records a change that is not a new message."""
    db.execute("UPDATE owners SET changes = changes + 1 WHERE no = ?", (owner,))
    db.execute(
        "INSERT INTO changes SELECT no, changes, ?, ?, ?, ? FROM owners WHERE no = ?",
        (last_number(db, owner), kind, session, message, owner),
    )


def create_pool(db: Database, pool: str, name: str, owner: str) -> None:
    """Adds a pool with its first admin."""
    db.execute("INSERT INTO owners (kind, id, name) VALUES (1, ?, ?)", (pool, name))
    db.execute("INSERT INTO grants VALUES (?, ?, ?)", (db.last_insert_rowid(), owner, LEVEL_NUMBER[Access.ADMIN]))


def grant(db: Database, pool: str, by: str, owner: str, access: Access | None) -> None:
    """Gives, changes or takes away access."""
    leaving = by == owner and access is None
    number = space(db, Scope(by, None, pool), Access.READ if leaving else Access.ADMIN)
    admins = db.execute("SELECT owner FROM grants WHERE pool = ? AND access = 2", (number,)).fetchall()
    if access != Access.ADMIN and admins == [(owner,)]:
        raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
    if access is None:
        db.execute("DELETE FROM grants WHERE pool = ? AND owner = ?", (number, owner))
    else:
        db.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (number, owner, LEVEL_NUMBER[access]))


def keep_an_admin(db: Database, pool: int) -> bool:
    """Makes whoever may do most in a pool its admin, if it has none; False if it has no members."""
    row = db.execute("SELECT owner FROM grants WHERE pool = ? ORDER BY access DESC, owner LIMIT 1", (pool,)).fetchone()
    if row:
        db.execute("UPDATE grants SET access = 2 WHERE pool = ? AND owner = ?", (pool, row[0]))
    return row is not None


def grants(db: Database, owner: str, pool: str | None) -> list[Grant]:
    """The owner's grants, or all of a pool's that the owner may see."""
    if pool is None:
        where, value = "g.owner = ?", owner
    else:
        where, value = "g.pool = ?", space(db, Scope(owner, None, pool))
    rows = db.execute(
        "SELECT o.id, g.owner, g.access, o.name FROM grants AS g JOIN owners AS o ON o.no = g.pool"
        f" WHERE {where} ORDER BY o.id, g.owner",
        (value,),
    )
    return [Grant(of, holder, LEVELS[int(access)], name) for of, holder, access, name in rows]
