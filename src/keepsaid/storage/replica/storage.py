"""A storage over any ledger: every verb is delegated to the replica of the partition that the scope belongs to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from keepsaid.errors import InvalidInput, KeepsaidError, NotFound
from keepsaid.ports import (
    ANY_REVISION,
    AT_LEAF,
    NO_FILTERS,
    AppendPosition,
    AppendRequest,
    ArtifactChanges,
    ArtifactQuery,
    EmbeddedPassage,
    ExpectedRevision,
    KeywordMatches,
    KnownMessageId,
    PlacedMessage,
    ServerKey,
    SessionSnapshot,
    SessionTree,
    StorageCapabilities,
    StorageFigures,
    StoredReceipt,
    SweepBatch,
    VectorCoverage,
    VectorDelta,
    VectorGeneration,
    VectorMark,
    VisibleMessage,
    WorkLease,
)
from keepsaid.storage.replica import partition_header, partitions
from keepsaid.storage.replica.cross_owner import CrossOwnerOperations
from keepsaid.storage.replica.ledger import Ledger, PartitionHeader
from keepsaid.storage.replica.replica import Replica
from keepsaid.storage.replica.replicas import MAX_IDLE_REPLICAS, ReplicaPool
from keepsaid.types import (
    Artifact,
    Blob,
    Branch,
    ChangePosition,
    MemoryChange,
    Message,
    Microseconds,
    PoolAccess,
    PoolGrant,
    ReadWindow,
    Scope,
    SearchFilters,
    Session,
    SessionQuery,
    SessionStatus,
)
from keepsaid.types.reports import EraseReceipt, StorageUsage, StoreDiagnosis

Result = TypeVar("Result")


class ReplicaStorage:
    """Keeps conversations in a ledger, and searches them in local replicas.

    A read asks the ledger for the partition's revision and brings the replica up to date first. A write is computed on the
    replica and committed to the ledger. If another process committed first, it is computed again. Operations across owners
    are in `CrossOwnerOperations`.
    """

    def __init__(
        self, ledger: Ledger, folder: Path | None = None, key: str | bytes | None = None, kept: int = MAX_IDLE_REPLICAS
    ) -> None:
        self._ledger = ledger
        self.capabilities = StorageCapabilities(
            append_each=self.append_each, warnings=self.warnings, read_session=self.moment
        )
        self._replicas = ReplicaPool(ledger, folder, key, kept)
        self._cross_owner = CrossOwnerOperations(ledger, self._replicas)
        self._commits = 0
        self._read_session = threading.local()
        self._replicas.on_commit(self._count_commit)

    def _count_commit(self) -> None:
        self._commits += 1

    @property
    def largest_message(self) -> int:
        return self._ledger.largest_message

    def warnings(self) -> Sequence[str]:
        """Return warnings for the operator of the backend."""
        return self._ledger.warnings()

    def _read(self, scope: Scope, verb: Callable[[Replica], Result]) -> Result:
        return self._read_partition(partitions.partition_of(scope), verb)

    def _read_partition(self, partition: str, verb: Callable[[Replica], Result]) -> Result:
        with self._replicas.acquire(partition) as replica:
            replica.catch_up(self._session_header(partition))
            return verb(replica)

    def _session_header(self, partition: str) -> PartitionHeader | None:
        headers: dict[str, PartitionHeader | None] = getattr(self._read_session, "headers", {})
        if partition in headers and headers[partition] is None:
            wanted = [one for one, header in headers.items() if header is None]
            headers.update(zip(wanted, self._ledger.headers(wanted), strict=True))
        return headers.get(partition)

    @contextmanager
    def moment(self, scope: Scope) -> Generator[None]:
        """Fetch the headers of the scope's partition and of the store's once, at this thread's first read in the block.
        They are not fetched earlier, so a backend that does not answer fails a read, which the caller may tolerate."""
        outer: dict[str, PartitionHeader | None] = getattr(self._read_session, "headers", {})
        self._read_session.headers = {partitions.partition_of(scope): None, partitions.STORE_PARTITION: None} | outer
        try:
            yield
        finally:
            self._read_session.headers = outer

    def _write(self, scope: Scope, verb: Callable[[Replica], Result]) -> Result:
        return self._write_partition(partitions.partition_of(scope), verb)

    def _write_partition(self, partition: str, verb: Callable[[Replica], Result]) -> Result:
        with self._replicas.acquire(partition) as replica:
            return verb(replica)

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._write(scope, lambda replica: replica.create_session(scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._read(scope, lambda replica: replica.get_session(scope))

    def titles(self, scope: Scope, sessions: Sequence[str]) -> dict[str, str | None]:
        return self._read(scope, lambda replica: replica.titles(scope, sessions))

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._read(scope, lambda replica: replica.list_sessions(scope, query))

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision = ANY_REVISION
    ) -> Session:
        return self._write(scope, lambda replica: replica.update_session(scope, changes, now, expected))

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        return self._write(scope, lambda replica: replica.append(scope, messages, now, anchor, expected))

    def append_each(self, appends: Sequence[AppendRequest]) -> list[list[Message] | KeepsaidError]:
        results: dict[int, list[Message] | KeepsaidError] = {}
        by_partition: dict[str, list[int]] = {}
        for place, append in enumerate(appends):
            by_partition.setdefault(partitions.partition_of(append.scope), []).append(place)
        for partition, places in by_partition.items():
            some = [appends[place] for place in places]
            results.update(zip(places, self._append_some(partition, some), strict=True))
        return [results[place] for place in range(len(appends))]

    def _append_some(self, partition: str, appends: list[AppendRequest]) -> list[list[Message] | KeepsaidError]:
        try:
            return self._write_partition(partition, lambda replica: replica.append_each(appends))
        except KeepsaidError as error:
            return [error for _ in appends]

    def read(self, scope: Scope, window: ReadWindow) -> list[Message]:
        return self._read(scope, lambda replica: replica.read(scope, window))

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._read(scope, lambda replica: replica.get_message(scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[VisibleMessage]:
        return self._read(scope, lambda replica: replica.fetch(scope, numbers))

    def mark(
        self,
        scope: Scope,
        message: str,
        now: Microseconds,
        *,
        importance: float | None = None,
        pinned: bool | None = None,
        private: bool | None = None,
    ) -> Message:
        return self._write(
            scope,
            lambda replica: replica.mark(scope, message, now, importance=importance, pinned=pinned, private=private),
        )

    def branches(self, scope: Scope) -> list[Branch]:
        return self._read(scope, lambda replica: replica.branches(scope))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionTree:
        return self._read(scope, lambda replica: replica.tree(scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
        return self._read(scope, lambda replica: replica.known(scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[PlacedMessage], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._write(scope, lambda replica: replica.plant(scope, messages, leaf, now, updated))

    def find(self, scope: Scope, terms: Sequence[str], filters: SearchFilters, limit: int) -> KeywordMatches:
        return self._read(scope, lambda replica: replica.find(scope, terms, filters, limit))

    def look(
        self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: SearchFilters = NO_FILTERS
    ) -> list[VisibleMessage]:
        return self._read(scope, lambda replica: replica.look(scope, numbers, around, filters))

    def numbers(self, scope: Scope, filters: SearchFilters) -> list[int]:
        return self._read(scope, lambda replica: replica.numbers(scope, filters))

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        return self._cross_owner.begin_generation(name, dimensions)

    def generations(self) -> list[VectorGeneration]:
        return self._read_partition(partitions.STORE_PARTITION, lambda store: store.generations())

    def drop_generation(self, name: str) -> int:
        return self._cross_owner.drop_generation(name)

    def coverage(self, name: str) -> VectorCoverage:
        return self._cross_owner.coverage(name)

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> WorkLease | None:
        return self._cross_owner.claim(generation, holder, now, until, limit, scope)

    def settle_task(self, task: WorkLease, passages: Sequence[EmbeddedPassage], now: Microseconds) -> bool:
        settled = self._write(task.scope, lambda replica: replica.settle_task(task, passages, now))
        if settled:
            self._cross_owner.complete_if_done(task.generation)
        return settled

    def release(self, task: WorkLease) -> None:
        self._write(task.scope, lambda replica: replica.release(task))

    def waiting(self, scope: Scope, generation: str) -> int:
        def count(replica: Replica) -> int:
            self._cross_owner.begin_here(replica, generation)
            return replica.waiting(scope, generation)

        return self._read(scope, count)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        return self._read(scope, lambda replica: replica.vectors(scope, generation, since))

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
        return self._read(scope, lambda replica: replica.passages(scope, generation, numbers))

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._write(scope, lambda replica: replica.keep_blobs(scope, contents, expected))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._read(scope, lambda replica: replica.blobs(scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._read(scope, lambda replica: replica.list_blobs(scope, prefix, after, limit, backwards=backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._write(scope, lambda replica: replica.drop_blobs(scope, prefix))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._read(scope, lambda replica: replica.blob_sessions(scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        self._read_partition(partitions.STORE_PARTITION, lambda store: store.begin_notes(line))

    def unnoted(self, line: str) -> int:
        return self._cross_owner.unnoted(line)

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges, now: Microseconds) -> bool:
        return self._write(task.scope, lambda replica: replica.settle_notes(task, settled, now))

    def snapshot(self, scope: Scope, window: ReadWindow) -> SessionSnapshot:
        return self._read(scope, lambda replica: replica.snapshot(scope, window))

    def keep_artifacts(self, scope: Scope, settled: ArtifactChanges, now: Microseconds) -> None:
        self._write(scope, lambda replica: replica.keep_artifacts(scope, settled, now))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._read(scope, lambda replica: replica.artifacts(scope, query))

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._write(scope, lambda replica: replica.discard_artifacts(scope, ids))

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._write(scope, lambda replica: replica.keep_receipts(scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._read(scope, lambda replica: replica.receipt(scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._read(scope, lambda replica: replica.receipts(scope, before=before, limit=limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        return self._cross_owner.drop_receipts(before, limit)

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        if scope.session is None and scope.pool is None and not scope.documents:
            return self._cross_owner.erase_owner(scope, now)
        return self._read(scope, lambda replica: replica.erase(scope, message, now))

    def sweep(
        self,
        before: Mapping[SessionStatus, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> SweepBatch:
        return self._cross_owner.sweep(before, now, after=after, limit=limit, dry_run=dry_run, keep_facts=keep_facts)

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        self._write_partition(partitions.pool_partition(pool), lambda replica: replica.create_pool(pool, name, owner, now))
        self._write_partition(partitions.owner_partition(owner), lambda replica: replica.add_pool(pool))

    def grant(self, pool: str, by: str, owner: str, access: PoolAccess | None, now: Microseconds) -> None:
        self._write_partition(partitions.pool_partition(pool), lambda replica: replica.grant(pool, by, owner, access, now))
        if access is None:
            self._write_partition(partitions.owner_partition(owner), lambda replica: replica.remove_pool(pool))
        else:
            self._write_partition(partitions.owner_partition(owner), lambda replica: replica.add_pool(pool))

    def grants(self, owner: str, pool: str | None = None) -> list[PoolGrant]:
        if pool is not None:
            return self._read_partition(partitions.pool_partition(pool), lambda replica: replica.grants(owner, pool))
        known = self._read_partition(partitions.owner_partition(owner), lambda replica: replica.list_pools())
        return [grant for one in known for grant in self._owner_grants(owner, one)]

    def _owner_grants(self, owner: str, pool: str) -> list[PoolGrant]:
        try:
            return [grant for grant in self.grants(owner, pool) if grant.owner == owner]
        except NotFound:
            return []  # the pool is gone, or the process that revoked the grant stopped before it updated the membership

    # -- changes

    def last_position(self, scope: Scope) -> ChangePosition:
        return self._read(scope, lambda replica: replica.last_position(scope))

    def changes(self, scope: Scope, since: ChangePosition, limit: int) -> tuple[list[MemoryChange], ChangePosition]:
        return self._read(scope, lambda replica: replica.changes(scope, since, limit))

    def last_positions(self, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
        headers = self._ledger.headers([partitions.partition_of(scope) for scope in scopes])
        return [
            partition_header.read_position(header.note, scope) if scope.pool is None else self._position_in_pool(scope)
            for scope, header in zip(scopes, headers, strict=True)
        ]

    def _position_in_pool(self, scope: Scope) -> ChangePosition | None:
        try:
            return self.last_position(scope)
        except NotFound:
            return None

    def stamp(self) -> object:
        return self._commits, self._ledger.stamp()

    def on_commit(self, call: Callable[[], None]) -> None:
        self._replicas.on_commit(call)
        self._ledger.on_remote_commit(call)

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        return self._read_partition(partitions.STORE_PARTITION, lambda store: store.settle(key, value))

    def maintain(self) -> None:
        self._replicas.maintain()

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        return self._cross_owner.check(repair=repair)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        if scope is None:
            return self._cross_owner.figures(since, until, step)
        return self._read(scope, lambda replica: replica.figures(scope, since, until, step))

    def usage(self, scope: Scope) -> StorageUsage:
        return self._read(scope, lambda replica: replica.usage(scope))

    def keep_key(self, key: ServerKey) -> None:
        self._write_partition(partitions.STORE_PARTITION, lambda store: store.keep_key(key))

    def key(self, id: str) -> ServerKey | None:
        return self._read_partition(partitions.STORE_PARTITION, lambda store: store.key(id))

    def keys(self) -> list[ServerKey]:
        return self._read_partition(partitions.STORE_PARTITION, lambda store: store.keys())

    def drop_key(self, id: str) -> bool:
        return self._write_partition(partitions.STORE_PARTITION, lambda store: store.drop_key(id))

    # -- whole store, for copying

    def everyone(self) -> Iterator[Scope]:
        return self._cross_owner.everyone()

    def setting(self, key: str) -> str | None:
        return self._read_partition(partitions.STORE_PARTITION, lambda store: store.setting(key))

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._read(scope, lambda replica: replica.makers(scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._read(scope, lambda replica: replica.all_receipts(scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._read(scope, lambda replica: replica.done(scope, line))

    def close(self) -> None:
        self._replicas.close()
        self._ledger.close()
