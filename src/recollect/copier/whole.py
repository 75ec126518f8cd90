"""What a storage must be able to do to be copied wholly, or to take a whole copy in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from recollect.errors import ConfigError
from recollect.ports import Artifacts, Directory, Storage, Vectors
from recollect.types import Scope

AT_ONCE = 500
"""Messages that are looked up or written together."""


class Whole(Storage, Vectors, Artifacts, Directory, Protocol):
    """A storage that keeps everything, and can tell of everything."""


def whole(storage: Storage, what: str) -> Whole:
    """The same storage, if it can be copied from and to."""
    if isinstance(storage, Vectors) and isinstance(storage, Artifacts) and isinstance(storage, Directory):
        return storage  # pyright: ignore[reportReturnType]  # all four of them, as was just seen
    raise ConfigError(f"the {what} cannot be copied: its backend does not tell of everything it has (ports.Directory)")


class Pair(NamedTuple):
    """The two sides of a copy. The same scope means the same memory in both."""

    source: Whole
    target: Whole
    admins: Mapping[str, str]
    """An admin of each pool that is copied."""

    def acting(self, owner: str, pool: str | None, shelf: bool = False) -> Scope:
        """A scope that may do everything in an owner's memory or in a pool."""
        return Scope(owner, None, None, shelf) if pool is None else Scope(self.admins.get(pool, ""), None, pool, shelf)


def place(scope: Scope) -> str:
    """Whose memory it is, in words.

    >>> place(Scope("ann", "s1")), place(Scope("ann", pool="team", shelf=True))
    ("session 's1' of 'ann'", "the documents of pool 'team'")
    """
    whose = f"{scope.owner!r}" if scope.pool is None else f"pool {scope.pool!r}"
    if scope.session is not None:
        return f"{'document' if scope.shelf else 'session'} {scope.session!r} of {whose}"
    return f"the {'documents' if scope.shelf else 'memory'} of {whose}"
