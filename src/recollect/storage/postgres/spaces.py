"""Whose rows are whose: owners, pools, the grants between them, and the shelf that each has for documents."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from recollect.errors import Conflict
from recollect.storage.postgres.database import Database, Row, Values
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.rows import LEVEL_NUMBER, LEVELS
from recollect.types import Access, ChangeKind, Grant, Mark, Scope

ADMIN = LEVEL_NUMBER[Access.ADMIN]
SEE = "SELECT set_config('recollect.unit', %s, true)"


class Space(NamedTuple):
    """The rows of an owner or pool (`unit`): its conversations (0) or its shelf (1). They come first in every key."""

    unit: str
    space: int

    @property
    def shelf(self) -> Space:
        """The shelf of the same owner or pool."""
        return Space(self.unit, 1)


def unit(owner: str) -> str:
    """The unit of an owner.

    >>> unit("u1")
    'o:u1'
    """
    return f"o:{owner}"


def pool_unit(pool: str) -> str:
    """The unit of a pool.

    >>> pool_unit("team")
    'p:team'
    """
    return f"p:{pool}"


def whose(scope: Scope) -> Space:
    """The space that a scope acts on, whether it may or not.

    >>> whose(Scope("u1", pool="team", shelf=True))
    Space(unit='p:team', space=1)
    """
    return Space(unit(scope.owner) if scope.pool is None else pool_unit(scope.pool), int(scope.shelf))


def member(scope: Scope) -> str | None:
    """Who acts in a pool; None for an owner in his own memory, who may do everything."""
    return None if scope.pool is None else scope.owner


def acting(space: Space, admin: str | None) -> Scope:
    """A scope that may do everything in a space: its owner's, or that of an admin of its pool.

    >>> acting(Space("p:team", 0), "u1")
    Scope(owner='u1', session=None, pool='team', shelf=False)
    """
    kind, _, id = space.unit.partition(":")
    return Scope(admin or "", None, id, space.space == 1) if kind == "p" else Scope(id, shelf=space.space == 1)


def ensure(secret: bytes, space: Space) -> tuple[str, Values]:
    """The statement that adds an owner or shelf that has nothing yet."""
    reborn = "EXISTS (SELECT 1 FROM graves WHERE mark = %s)"
    statement = f"INSERT INTO spaces (unit, space, reborn) VALUES (%s, %s, {reborn}) ON CONFLICT DO NOTHING"
    return statement, (*space, marks(secret, space, [""])[0])


def marks(secret: bytes, space: Space, ids: list[str]) -> list[bytes]:
    """What is kept of erased ids: a keyed hash, which tells nothing to those who do not know the id already. The mark of no
    id says that all of the space was erased."""
    return [hmac.digest(secret, f"{space.space}\0{space.unit}\0{id}".encode(), hashlib.sha256)[:16] for id in ids]


def note(space: Space, kind: ChangeKind, session: str | None = None, message: str | None = None) -> tuple[str, Values]:
    """The statement that records a change that is not a new message."""
    return "SELECT recollect_note(%s, %s, %s, %s, %s)", (*space, kind, session, message)


def last_mark(scope: Scope) -> Reading[Mark]:
    """How far the owner's changes have come."""
    asked = "SELECT last, changes, life FROM spaces WHERE unit = %s AND space = %s"
    return reading(asked, whose(scope), lambda found: Mark(*found[0]) if found else Mark())


# -- pools


def create_pool(db: Database, pool: str, name: str, owner: str) -> None:
    """Adds a pool with its first admin."""
    db.together(
        ("INSERT INTO spaces (unit, space, name) VALUES (%s, 0, %s)", (pool_unit(pool), name)),
        *_give(pool, name, owner, ADMIN),
        last=True,
    )


def _give(pool: str, name: str, owner: str, access: int) -> list[tuple[str, Values]]:
    """A grant, on the pool's side and on the member's."""
    both = "INSERT INTO {} VALUES (%s, %s, %s{}) ON CONFLICT (unit, {}) DO UPDATE SET access = excluded.access"
    return [
        (both.format("grants", "", "owner"), (pool_unit(pool), owner, access)),
        (SEE, (unit(owner),)),
        (both.format("memberships", ", %s", "pool"), (unit(owner), pool, access, name)),
        (SEE, (pool_unit(pool),)),
    ]


def take_away(pool: str, owner: str) -> list[tuple[str, Values]]:
    """The statements that end a grant, on both sides."""
    return [
        ("DELETE FROM grants WHERE unit = %s AND owner = %s", (pool_unit(pool), owner)),
        (SEE, (unit(owner),)),
        ("DELETE FROM memberships WHERE unit = %s AND pool = %s", (unit(owner), pool)),
        (SEE, (pool_unit(pool),)),
    ]


def grant(db: Database, pool: str, owner: str, access: Access | None) -> None:
    """Gives, changes or takes away access."""
    space = pool_unit(pool)
    admins, names = db.together(
        ("SELECT owner FROM grants WHERE unit = %s AND access = %s", (space, ADMIN)),
        ("SELECT name FROM spaces WHERE unit = %s AND space = 0", (space,)),
    )
    if access != Access.ADMIN and admins.fetchall() == [(owner,)]:
        raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
    ((name,),) = names.fetchall()
    changes = take_away(pool, owner) if access is None else _give(pool, name, owner, LEVEL_NUMBER[access])
    db.together(*changes, last=True)


def keep_an_admin(db: Database, pool: str) -> bool:
    """Makes whoever may do most in a pool its admin, if it has none; False if it has no members."""
    most = "SELECT owner FROM grants WHERE unit = %s ORDER BY access DESC, owner LIMIT 1"
    row = db.execute(most, (pool_unit(pool),)).fetchone()
    if row is None:
        return False
    db.together(
        ("UPDATE grants SET access = %s WHERE unit = %s AND owner = %s", (ADMIN, pool_unit(pool), row[0])),
        ("UPDATE memberships SET access = %s WHERE unit = %s AND pool = %s", (ADMIN, unit(row[0]), pool)),
    )
    return True


def grants(db: Database, owner: str, pool: str | None) -> list[Grant]:
    """The owner's grants, or all of a pool's."""
    if pool is None:
        own = "SELECT pool, %s, access, name FROM memberships WHERE unit = %s ORDER BY pool"
        return [_grant(row) for row in db.last(own, (owner, unit(owner)))]
    found = db.last(
        "SELECT %s, g.owner, g.access, p.name FROM grants AS g JOIN spaces AS p ON p.unit = g.unit AND p.space = 0"
        " WHERE g.unit = %s ORDER BY g.owner",
        (pool, pool_unit(pool)),
    )
    return [_grant(row) for row in found]


def _grant(row: Row) -> Grant:
    pool, owner, access, name = row
    return Grant(pool, owner, LEVELS[int(access)], name)
