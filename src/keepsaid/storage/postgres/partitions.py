"""Partitions: owners, pools, the grants between them, and the documents space of each."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from keepsaid.errors import Conflict
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.sql.rows import ACCESS_LEVELS, ACCESS_NUMBER
from keepsaid.types import ChangeKind, ChangePosition, PoolAccess, PoolGrant, Scope

ADMIN = ACCESS_NUMBER[PoolAccess.ADMIN]
SET_UNIT = "SELECT set_config('keepsaid.unit', %s, true)"


class PartitionKey(NamedTuple):
    """The first columns of every key: an owner or pool (`owner_unit`), and its conversations (0) or documents (1)."""

    unit: str
    space: int

    @property
    def documents(self) -> PartitionKey:
        """The documents space of the same owner or pool."""
        return PartitionKey(self.unit, 1)


def owner_unit(owner: str) -> str:
    """The column `owner_unit` of an owner.

    >>> owner_unit("u1")
    'o:u1'
    """
    return f"o:{owner}"


def pool_unit(pool: str) -> str:
    """The column `owner_unit` of a pool.

    >>> pool_unit("team")
    'p:team'
    """
    return f"p:{pool}"


def partition_key(scope: Scope) -> PartitionKey:
    """The partition of a scope; this does not check access.

    >>> partition_key(Scope("u1", pool="team", documents=True))
    PartitionKey(unit='p:team', space=1)
    """
    return PartitionKey(owner_unit(scope.owner) if scope.pool is None else pool_unit(scope.pool), int(scope.documents))


def acting_member(scope: Scope) -> str | None:
    """The owner that acts in a pool; None for owners in their own memory, who may do everything."""
    return None if scope.pool is None else scope.owner


def admin_scope(space: PartitionKey, admin: str | None) -> Scope:
    """A scope with full access to a partition: its owner's, or that of an admin of its pool.

    >>> admin_scope(PartitionKey("p:team", 0), "u1")
    Scope(owner='u1', session=None, pool='team', documents=False)
    """
    kind, _, id = space.unit.partition(":")
    return Scope(admin or "", None, id, space.space == 1) if kind == "p" else Scope(id, documents=space.space == 1)


def add_partition(secret: bytes, space: PartitionKey) -> tuple[str, Values]:
    """The statement that adds the row of a partition if it has none yet."""
    reborn = "EXISTS (SELECT 1 FROM graves WHERE mark = %s)"
    statement = f"INSERT INTO spaces (unit, space, reborn) VALUES (%s, %s, {reborn}) ON CONFLICT DO NOTHING"
    return statement, (*space, hash_erased_ids(secret, space, [""])[0])


def hash_erased_ids(secret: bytes, space: PartitionKey, ids: list[str]) -> list[bytes]:
    """Keyed hashes of ids, stored for erased ones. They reveal nothing to a reader who does not know the id already. The
    hash of the empty id marks a partition that was erased as a whole."""
    return [hmac.digest(secret, f"{space.space}\0{space.unit}\0{id}".encode(), hashlib.sha256)[:16] for id in ids]


def record_change(
    space: PartitionKey, kind: ChangeKind, session: str | None = None, message: str | None = None
) -> tuple[str, Values]:
    """The statement that records a change that is not a new message."""
    return "SELECT keepsaid_note(%s, %s, %s, %s, %s)", (*space, kind, session, message)


def last_position(scope: Scope) -> PostgresReadOperation[ChangePosition]:
    """Read the latest position in the partition's changes."""
    asked = "SELECT last, changes, life FROM spaces WHERE unit = %s AND space = %s"
    return single_statement_read(
        asked, partition_key(scope), lambda found: ChangePosition(*found[0]) if found else ChangePosition()
    )


# -- pools


def create_pool(db: PostgresConnection, pool: str, name: str, owner: str) -> None:
    """Add a pool with its first admin."""
    db.together(
        ("INSERT INTO spaces (unit, space, name) VALUES (%s, 0, %s)", (pool_unit(pool), name)),
        *_grant_statements(pool, name, owner, ADMIN),
        last=True,
    )


def _grant_statements(pool: str, name: str, owner: str, access: int) -> list[tuple[str, Values]]:
    """The statements that store a grant in the pool's and in the member's partition."""
    both = "INSERT INTO {} VALUES (%s, %s, %s{}) ON CONFLICT (unit, {}) DO UPDATE SET access = excluded.access"
    return [
        (both.format("grants", "", "owner"), (pool_unit(pool), owner, access)),
        (SET_UNIT, (owner_unit(owner),)),
        (both.format("memberships", ", %s", "pool"), (owner_unit(owner), pool, access, name)),
        (SET_UNIT, (pool_unit(pool),)),
    ]


def revoke_grant(pool: str, owner: str) -> list[tuple[str, Values]]:
    """The statements that delete a grant from the pool's and from the member's partition."""
    return [
        ("DELETE FROM grants WHERE unit = %s AND owner = %s", (pool_unit(pool), owner)),
        (SET_UNIT, (owner_unit(owner),)),
        ("DELETE FROM memberships WHERE unit = %s AND pool = %s", (owner_unit(owner), pool)),
        (SET_UNIT, (pool_unit(pool),)),
    ]


def grant(db: PostgresConnection, pool: str, owner: str, access: PoolAccess | None) -> None:
    """Grant, change or revoke access."""
    space = pool_unit(pool)
    admins, names = db.together(
        ("SELECT owner FROM grants WHERE unit = %s AND access = %s", (space, ADMIN)),
        ("SELECT name FROM spaces WHERE unit = %s AND space = 0", (space,)),
    )
    if access != PoolAccess.ADMIN and admins.fetchall() == [(owner,)]:
        raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
    ((name,),) = names.fetchall()
    changes = revoke_grant(pool, owner) if access is None else _grant_statements(pool, name, owner, ACCESS_NUMBER[access])
    db.together(*changes, last=True)


def ensure_admin(db: PostgresConnection, pool: str) -> bool:
    """Make the member with the highest access an admin of the pool; return False if the pool has no members."""
    most = "SELECT owner FROM grants WHERE unit = %s ORDER BY access DESC, owner LIMIT 1"
    row = db.execute(most, (pool_unit(pool),)).fetchone()
    if row is None:
        return False
    db.together(
        ("UPDATE grants SET access = %s WHERE unit = %s AND owner = %s", (ADMIN, pool_unit(pool), row[0])),
        ("UPDATE memberships SET access = %s WHERE unit = %s AND pool = %s", (ADMIN, owner_unit(row[0]), pool)),
    )
    return True


def grants(db: PostgresConnection, owner: str, pool: str | None) -> list[PoolGrant]:
    """Read the owner's grants, or all grants of a pool."""
    if pool is None:
        own = "SELECT pool, %s, access, name FROM memberships WHERE unit = %s ORDER BY pool"
        return [_grant(row) for row in db.last(own, (owner, owner_unit(owner)))]
    found = db.last(
        "SELECT %s, g.owner, g.access, p.name FROM grants AS g JOIN spaces AS p ON p.unit = g.unit AND p.space = 0"
        " WHERE g.unit = %s ORDER BY g.owner",
        (pool, pool_unit(pool)),
    )
    return [_grant(row) for row in found]


def _grant(row: Row) -> PoolGrant:
    pool, owner, access, name = row
    return PoolGrant(pool, owner, ACCESS_LEVELS[int(access)], name)
