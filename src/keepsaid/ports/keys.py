"""The keys of the servers in front of a store."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from keepsaid.types import Microseconds


class ServerKey(NamedTuple):
    """A server key: the hash of its secret, and the owner, or service of a tenant, that it belongs to."""

    id: str
    digest: str
    name: str
    owner: str | None
    tenant: str | None
    scopes: tuple[str, ...]
    created: Microseconds
    expires: Microseconds | None = None


class KeyStorage(Protocol):
    """Stores the keys of the servers in front of the store."""

    def keep_key(self, key: ServerKey) -> None:
        """Store a new key."""
        ...

    def key(self, id: str) -> ServerKey | None:
        """Return the key with this id, or None."""
        ...

    def keys(self) -> list[ServerKey]:
        """List all keys, newest first."""
        ...

    def drop_key(self, id: str) -> bool:
        """Remove a key; False if there is none with this id."""
        ...
