"""The reference's directory: everything there is, for a copy of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from recollect.ports import StoredReceipt
from recollect.storage.memory_artifacts import MemoryArtifacts
from recollect.types import Access, Scope


class MemoryDirectory(MemoryArtifacts):
    """The part of the reference that tells of everything."""

    def __init__(self) -> None:
        super().__init__()
        self._settings: dict[str, str] = {}

    def everyone(self) -> Iterator[Scope]:
        with self._lock:
            scopes = {self._acting(space)._replace(shelf=False) for space in self._spaces.values()}
        return iter(sorted(scopes, key=lambda scope: (scope.pool or "", scope.owner)))

    def setting(self, key: str) -> str | None:
        return self._settings.get(key)

    def makers(self, scope: Scope) -> dict[str, str]:
        with self._lock:
            talks = self._space(scope, Access.ADMIN).talks.values()
            return {one.session.id: one.session.owner for one in talks if not one.purged and one.session.owner}

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        with self._lock:
            kept = self._space(scope, Access.ADMIN).receipts.values()
            found = [replace(one, data=deepcopy(one.data)) for one in kept if one.session == scope.session]
            return sorted(found, key=lambda receipt: receipt.created)

    def done(self, scope: Scope, line: str) -> int:
        with self._lock:
            shelf = self._space(scope, Access.ADMIN).shelves.get(line)
            return shelf.upto if shelf else 0
