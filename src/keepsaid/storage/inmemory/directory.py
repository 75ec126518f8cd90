"""Listing of everything in the in-memory storage, for a copy of it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from keepsaid.ports import StoredReceipt
from keepsaid.storage.inmemory.artifacts import MemoryArtifacts
from keepsaid.types import PoolAccess, Scope


class MemoryDirectory(MemoryArtifacts):
    """The part of the in-memory storage that lists partitions, authors, receipts and progress."""

    def __init__(self) -> None:
        super().__init__()
        self._settings: dict[str, str] = {}

    def everyone(self) -> Iterator[Scope]:
        with self._lock:
            scopes = {self._admin_scope(space)._replace(documents=False) for space in self._spaces.values()}
        return iter(sorted(scopes, key=lambda scope: (scope.pool or "", scope.owner)))

    def setting(self, key: str) -> str | None:
        return self._settings.get(key)

    def makers(self, scope: Scope) -> dict[str, str]:
        with self._lock:
            records = self._space(scope, PoolAccess.ADMIN).sessions.values()
            return {one.session.id: one.session.owner for one in records if not one.purged and one.session.owner}

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        with self._lock:
            kept = self._space(scope, PoolAccess.ADMIN).receipts.values()
            found = [replace(one, data=deepcopy(one.data)) for one in kept if one.session == scope.session]
            return sorted(found, key=lambda receipt: receipt.created)

    def done(self, scope: Scope, line: str) -> int:
        with self._lock:
            state = self._space(scope, PoolAccess.ADMIN).generations.get(line)
            return state.upto if state else 0
