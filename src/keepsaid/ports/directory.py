"""Listing everything a store has, so that all of it can be copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from keepsaid.ports.artifacts import StoredReceipt
from keepsaid.types import Scope


class DirectoryStorage(Protocol):
    """Lists everything a store has. Works across owners, like `sweep`; of a pool only to an admin. None of these verbs
    writes."""

    def everyone(self) -> Iterator[Scope]:
        """Yield a scope for every owner and pool that has anything; for a pool it is that of an admin."""
        ...

    def setting(self, key: str) -> str | None:
        """Return a setting of the store, or None."""
        ...

    def makers(self, scope: Scope) -> dict[str, str]:
        """Return the creator of each session of a pool, of any status. Sessions whose creator was erased are left out."""
        ...

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        """Return every receipt of a session of any status, oldest first, of all owners."""
        ...

    def done(self, scope: Scope, line: str) -> int:
        """Return the number up to which the owner's messages are completed in a work line (vectors or extraction); 0 if
        none."""
        ...
