"""Units: an owner with all that is his, a pool with all that is in it, and the store itself."""

from __future__ import annotations

from recollect.types import Scope

STORE = "store"
"""The unit of what belongs to nobody: settings, generations of vectors, keys."""

_OWNER, _POOL = "o:", "p:"


def of_owner(owner: str) -> str:
    """An owner's unit."""
    return _OWNER + owner


def of_pool(pool: str) -> str:
    """A pool's unit."""
    return _POOL + pool


def of(scope: Scope) -> str:
    """The unit that a scope acts on; a shelf is in the unit of its owner or pool.

    >>> of(Scope("ann")), of(Scope("ann", pool="team")), of(Scope("ann", shelf=True))
    ('o:ann', 'p:team', 'o:ann')
    """
    return of_owner(scope.owner) if scope.pool is None else of_pool(scope.pool)


def name(unit: str) -> str:
    """The id of the owner or pool that a unit is of.

    >>> name("o:ann")
    'ann'
    """
    return unit.removeprefix(_POOL if is_pool(unit) else _OWNER)


def is_pool(unit: str) -> bool:
    """Whether a unit is a pool's."""
    return unit.startswith(_POOL)


def is_somebodys(unit: str) -> bool:
    """Whether a unit belongs to an owner or a pool."""
    return unit.startswith((_OWNER, _POOL))
