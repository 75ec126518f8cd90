"""The source and the target of a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from keepsaid.ports import Storage
from keepsaid.types import Scope

BATCH_SIZE = 500
"""Messages looked up or written in one batch."""


class StoragePair(NamedTuple):
    """The two sides of a copy. The same scope means the same memory in both."""

    source: Storage
    target: Storage
    admins: Mapping[str, str]
    """An admin of each pool that is copied."""

    def admin_scope(self, owner: str, pool: str | None, documents: bool = False) -> Scope:
        """A scope with full access to an owner's memory or to a pool."""
        return (
            Scope(owner, None, None, documents) if pool is None else Scope(self.admins.get(pool, ""), None, pool, documents)
        )


def describe_scope(scope: Scope) -> str:
    """Describe a scope in words.

    >>> describe_scope(Scope("ann", "s1")), describe_scope(Scope("ann", pool="team", documents=True))
    ("session 's1' of 'ann'", "the documents of pool 'team'")
    """
    whose = f"{scope.owner!r}" if scope.pool is None else f"pool {scope.pool!r}"
    if scope.session is not None:
        return f"{'document' if scope.documents else 'session'} {scope.session!r} of {whose}"
    return f"the {'documents' if scope.documents else 'memory'} of {whose}"
