"""A ledger in memory: the reference implementation, and the fastest one for tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keepsaid.errors import StoreClosed
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.replica.ledger import BEGINNING, Columns, LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader

MEBIBYTE = 1 << 20


class _StoredPartition:
    def __init__(self) -> None:
        self.point = BEGINNING
        self.note = "{}"
        self.rows: dict[tuple[str, str], Columns] = {}
        self.log: dict[LedgerPoint, list[tuple[str, str]]] = {}

    @property
    def header(self) -> PartitionHeader:
        return PartitionHeader(self.point, json.loads(self.note))

    def changes_since(self, since: LedgerPoint) -> list[list[tuple[str, str]]] | None:
        """What each commit after a point changed; None if the point is not known."""
        if since not in self.log:
            return None
        return [names for point, names in self.log.items() if point.revision > since.revision]


class MemoryLedgerServer:
    """The state that several ledgers share, as several processes share a server."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.partitions: dict[str, _StoredPartition] = {}
        self.commits = 0
        self.listeners: list[tuple[MemoryLedger, Callable[[], None]]] = []


class MemoryLedger:
    """Keeps partitions in a dict. `log` is how many revisions of a partition it remembers.

    >>> ledger = MemoryLedger()
    >>> ledger.commit("ann", BEGINNING, [LedgerRow("message", "m1", {"text": "Hello"})], {}, "token")
    True
    >>> ledger.load("ann", BEGINNING).rows
    [LedgerRow(table='message', key='m1', columns={'text': 'Hello'})]
    """

    largest_message = 16 * MEBIBYTE

    def __init__(self, place: MemoryLedgerServer | None = None, log: int = 1000) -> None:
        self._place = place or MemoryLedgerServer()
        self._log = log
        self._closed = False

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        """The header of each partition."""
        with self._open().lock:
            return [self._partition(partition).header for partition in partitions]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        """Load the rows that changed after a point, or all rows."""
        with self._open().lock:
            stored = self._partition(partition)
            logged = stored.changes_since(since)
            names = list(stored.rows) if logged is None else dict.fromkeys(name for names in logged for name in names)
            return PartitionDelta(stored.header, [LedgerRow(*name, stored.rows.get(name)) for name in names], logged is None)

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit the rows as the point after `after`, if the partition is at `after`."""
        reached = LedgerPoint(after.revision + 1, token)
        with self._open().lock:
            stored = self._place.partitions.setdefault(partition, _StoredPartition())
            if stored.point != after:
                return reached in stored.log
            for table, key, columns in rows:
                if columns is None:
                    stored.rows.pop((table, key), None)
                else:
                    stored.rows[table, key] = dict(columns)
            stored.point = reached
            stored.note = json.dumps(dict(note))
            stored.log[reached] = [(row.table, row.key) for row in rows]
            if len(stored.log) > self._log:
                del stored.log[next(iter(stored.log))]
            self._place.commits += 1
            others = [call for ledger, call in self._place.listeners if ledger is not self]
        ListenerGroup(*others).notify()
        return True

    def list_partitions(self) -> list[tuple[str, PartitionHeader]]:
        """Every partition with its header."""
        with self._open().lock:
            return [(name, stored.header) for name, stored in self._place.partitions.items() if stored.point.revision]

    def stamp(self) -> object:
        """The number of commits so far."""
        return self._open().commits

    def warnings(self) -> Sequence[str]:
        """Return no warnings: that nothing is persisted is the purpose of this ledger."""
        return ()

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Register a callback for commits of the other ledgers. It runs in the thread of the committer."""
        with self._open().lock:
            self._place.listeners.append((self, call))

    def close(self) -> None:
        """Stop notifications. The shared state stays for the other ledgers."""
        self._closed = True
        with self._place.lock:
            self._place.listeners = [one for one in self._place.listeners if one[0] is not self]

    def _open(self) -> MemoryLedgerServer:
        if self._closed:
            raise StoreClosed("this ledger was closed")
        return self._place

    def _partition(self, partition: str) -> _StoredPartition:
        return self._place.partitions.get(partition) or _StoredPartition()
