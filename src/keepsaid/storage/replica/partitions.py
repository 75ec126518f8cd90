"""Partition names: one for each owner, one for each pool, and one for the store itself."""

from __future__ import annotations

from keepsaid.types import Scope

STORE_PARTITION = "store"
"""The partition of what belongs to no owner: settings, vector generations, keys."""

_OWNER, _POOL = "o:", "p:"


def owner_partition(owner: str) -> str:
    """The partition of an owner."""
    return _OWNER + owner


def pool_partition(pool: str) -> str:
    """The partition of a pool."""
    return _POOL + pool


def partition_of(scope: Scope) -> str:
    """The partition that a scope belongs to. Documents are in the partition of their owner or pool.

    >>> partition_of(Scope("ann")), partition_of(Scope("ann", pool="team")), partition_of(Scope("ann", documents=True))
    ('o:ann', 'p:team', 'o:ann')
    """
    return owner_partition(scope.owner) if scope.pool is None else pool_partition(scope.pool)


def owner_or_pool_id(partition: str) -> str:
    """The id of a partition's owner or pool.

    >>> owner_or_pool_id("o:ann")
    'ann'
    """
    return partition.removeprefix(_POOL if is_pool(partition) else _OWNER)


def is_pool(partition: str) -> bool:
    """Whether a partition is a pool's."""
    return partition.startswith(_POOL)


def is_owned(partition: str) -> bool:
    """Whether a partition belongs to an owner or a pool."""
    return partition.startswith((_OWNER, _POOL))
