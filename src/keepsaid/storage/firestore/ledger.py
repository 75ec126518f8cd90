"""The Firestore ledger: partitions as documents, each commit one atomic write of everything that it changes.

    chat_sessions/{session}                    a session, readable
    chat_sessions/{session}/messages/{message} a message, readable
    keepsaid_units/{partition}                     a partition's header
    keepsaid_units/{partition}/rows/{table:key}    every other row
    keepsaid_units/{partition}/log/{revision}      what a commit changed, and its token

A commit needs no transaction, because its writes have preconditions: the log document of the next revision must not exist,
and the header must not have been written since it was last read. So a commit is one round trip and takes no lock, and a
commit that is sent twice is stored once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from keepsaid.errors import StoreUnavailable
from keepsaid.storage.firestore.commit_placement import CommitPlacement
from keepsaid.storage.firestore.commits import CommitBuilder, parse_header, parse_point
from keepsaid.storage.firestore.document_cache import DocumentCache, DocumentCacheRegistry
from keepsaid.storage.firestore.document_names import document_paths_for
from keepsaid.storage.firestore.documents import MAX_DOCUMENT_BYTES, RESERVED_BYTES, check_sizes
from keepsaid.storage.firestore.errors import WriteConflict
from keepsaid.storage.firestore.gateway import FirestoreGateway
from keepsaid.storage.firestore.loading import PartitionLoader
from keepsaid.storage.firestore.notifications import FirestoreCommitListener
from keepsaid.storage.firestore.options import FirestoreOptions, parse_url
from keepsaid.storage.firestore.purge import PurgeScheduler
from keepsaid.storage.replica.ledger import LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader


class FirestoreLedger:
    """Keeps partitions in a Firestore database."""

    largest_message = MAX_DOCUMENT_BYTES - RESERVED_BYTES

    def __init__(self, address: FirestoreOptions) -> None:
        self._address = address
        self._names = document_paths_for(address)
        self._gateway = FirestoreGateway(address)
        self._caches = DocumentCacheRegistry()
        self._notifications = FirestoreCommitListener(self._gateway, self._names.partitions)
        self._commits = 0

    @classmethod
    def open(cls, url: str, environment: Mapping[str, str] = os.environ) -> FirestoreLedger:
        """Open the ledger at a URL."""
        return cls(parse_url(url, environment))

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        """The header of each partition."""
        paths = [self._names.partition(partition) for partition in partitions]
        found = self._gateway.get(paths)
        return [parse_header(found[path].fields if path in found else None) for path in paths]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        """Load the rows that changed after a point, or all rows."""
        known = self._caches.get(partition)
        loading = PartitionLoader(self._gateway, self._names, partition, known)
        delta = loading.load_since(since)
        self._caches.keep(partition, loading.cache, known)
        return delta

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit the rows as the point after `after`, if the partition is at `after`."""
        reached, end = LedgerPoint(after.revision + 1, token), time.monotonic() + self._address.patience
        cache = known = self._caches.get(partition)
        while True:
            if cache.point != after:
                cache = self._read_header(partition)
            if cache.point != after:
                return self._was_committed(partition, reached)
            try:
                self._caches.keep(partition, self._send(partition, cache, reached, rows, note), known)
                self._commits += 1
                return True
            except WriteConflict as clash:
                self._caches.forget(partition)
                if self._was_committed(partition, reached):
                    return True
                if time.monotonic() > end:
                    raise StoreUnavailable(
                        f"Firestore's documents kept changing while {partition} was written ({clash})"
                    ) from clash
                cache = self._read_header(partition)

    def _read_header(self, partition: str) -> DocumentCache:
        path = self._names.partition(partition)
        found = self._gateway.get([path]).get(path)
        return DocumentCache(parse_point(found.fields), found.time, complete=False) if found else DocumentCache()

    def _was_committed(self, partition: str, reached: LedgerPoint) -> bool:
        path = self._names.change(partition, reached.revision)
        found = self._gateway.get([path]).get(path)
        return found is not None and parse_point(found.fields) == reached

    def _send(
        self, partition: str, cache: DocumentCache, reached: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any]
    ) -> DocumentCache:
        placing = CommitPlacement(self._gateway, self._names, partition, cache, reached, rows)
        purge = PurgeScheduler(self._gateway, self._names, partition, self._address.ttl_days, rows, placing)
        writes = CommitBuilder(self._names, partition, cache, placing, purge).build_writes(rows, note, self._address.log)
        check_sizes(writes)
        purge.prepare()
        times = self._gateway.commit(writes)
        purge.finish({write.path: when for write, when in zip(writes, times, strict=True)})
        placing.cache.time = times[1]
        return placing.cache

    def list_partitions(self) -> Iterator[tuple[str, PartitionHeader]]:
        """Every partition with its header."""
        for page in self._gateway.pages(self._names.partitions, "place"):
            for found in page:
                yield found.fields["unit"], parse_header(found.fields)

    def stamp(self) -> object:
        """A value that changes after commits of this process and of others."""
        return self._commits, self._notifications.stamp()

    def warnings(self) -> Sequence[str]:
        """Warn that an emulator does not persist anything."""
        if self._address.emulator:
            return (f"the Firestore emulator at {self._address.emulator} keeps everything in memory only",)
        return ()

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Register a callback for commits, including those of other processes."""
        self._notifications.listen(call)

    def close(self) -> None:
        """Release connections. Safe to call twice."""
        self._notifications.close()
        self._gateway.close()
