"""The reference implementation: a storage in plain Python objects, as simple as the rules allow.

It stores nothing on disk and serves `memory://` and temporary sessions. Every session is a tree of linked nodes without
counters or indexes, so the other backends are tested against it.
"""

from __future__ import annotations

from keepsaid.ports import StorageCapabilities, StorageFigures
from keepsaid.storage.inmemory import statistics
from keepsaid.storage.inmemory.blobs import MemoryBlobs
from keepsaid.storage.inmemory.changes import MemoryChangeFeed
from keepsaid.storage.inmemory.directory import MemoryDirectory
from keepsaid.storage.inmemory.erasure import MemoryErasure
from keepsaid.storage.inmemory.keyring import MemoryKeyring
from keepsaid.storage.inmemory.messages import MemoryMessages
from keepsaid.storage.inmemory.pools import MemoryPools
from keepsaid.storage.inmemory.search import MemorySearch
from keepsaid.storage.inmemory.sessions import MemorySessions
from keepsaid.storage.inmemory.state import partition_key
from keepsaid.storage.time_steps import TimeStepRange
from keepsaid.types import Microseconds, Scope
from keepsaid.types.reports import StorageUsage, StoreDiagnosis


class MemoryStorage(
    MemorySessions,
    MemoryMessages,
    MemorySearch,
    MemoryErasure,
    MemoryPools,
    MemoryChangeFeed,
    MemoryKeyring,
    MemoryBlobs,
    MemoryDirectory,
):
    """Stores conversations in the memory of this process only."""

    largest_message = 16 * 1024 * 1024
    capabilities = StorageCapabilities()

    def settle(self, key: str, value: str) -> str:
        with self._lock:
            self._check_open()
            return self._settings.setdefault(key, value)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        with self._lock:
            if scope is not None:
                self._space(scope)
                keys = [partition_key(scope)]
            else:
                keys = [key for key in self._spaces if not key[0].endswith("documents")]
            with_documents = [(self._known(key), self._known((f"{key[0]} documents", key[1]))) for key in keys]
            return statistics.count_figures(with_documents, TimeStepRange(since, until, step))

    def usage(self, scope: Scope) -> StorageUsage:
        with self._lock:
            space, (kind, id) = self._space(scope), partition_key(scope)
            return statistics.measure_usage(space, self._known((f"{kind} documents", id)))

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        sessions, messages = self._count()
        return StoreDiagnosis({"sessions": sessions, "messages": messages})

    def maintain(self) -> None:
        """Does nothing: no work is ever left for maintenance."""

    def close(self) -> None:
        """Delete all data."""
        with self._lock:
            self._closed = True
            self._spaces.clear()
            self._grants.clear()
