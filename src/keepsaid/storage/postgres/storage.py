"""The PostgreSQL storage: every verb is a function of a transaction, or a read operation of one round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from keepsaid.engine.text import terms
from keepsaid.errors import InvalidInput, KeepsaidError, StoreCorrupt
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
    ReadCall,
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
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.postgres import (
    artifacts,
    blobs,
    branches,
    directory,
    doctor,
    keyring,
    partitions,
    sessions,
    statistics,
    store_settings,
    tree_io,
    work_queue,
)
from keepsaid.storage.postgres import messages as message_queries
from keepsaid.storage.postgres import receipts as receipt_queries
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.connection.errors import PostgresDuplicateMessage, UncertainCommitError, translated_errors
from keepsaid.storage.postgres.connection.prefetch import ReadPrefetcher, ReadRequest
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.connection.read_verbs import find_read_request, normalize_call
from keepsaid.storage.postgres.connection.source import PostgresSource, connect
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool
from keepsaid.storage.postgres.erase import erasure, retention
from keepsaid.storage.postgres.notify import change_feed
from keepsaid.storage.postgres.notify.listener import PostgresListener
from keepsaid.storage.postgres.notify.notifier import CommitNotifier
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.rows import ACCESS_NUMBER
from keepsaid.storage.postgres.schema.migrations import open_store
from keepsaid.storage.postgres.search import vector_graphs, vectors
from keepsaid.storage.postgres.search.vector_index import PgvectorIndex
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


class PostgresStorage:
    """Keeps conversations in a schema of a PostgreSQL database."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: PostgresSource) -> None:
        self._source = source
        self.capabilities = StorageCapabilities(
            append_each=self.append_each, index=self.index, read_session=self.read_session, prefetch=self.prefetch
        )
        db = connect(source)
        try:
            with translated_errors():
                opened = open_store(db, source)
        finally:
            db.close()
        self.store = PostgresConnectionPool(source, opened.extensions, opened.secret, opened.role)
        self._audience = ListenerGroup()
        self._commits = 0
        self.store.on_commit(self._count_commit)
        self._prefetcher = ReadPrefetcher(self.store)
        self.store.on_commit(self._prefetcher.discard_answers)
        self._index = PgvectorIndex(self.store, self._prefetcher)
        self._listener = PostgresListener(source, self._audience.notify)
        self._notifier = CommitNotifier(source)
        self.store.on_commit(self._notifier.notify)
        self._work_queue = work_queue.PostgresWorkQueue(self.store)
        self._graph_manager = vector_graphs.HnswGraphManager(self.store)
        self._usage_cache = statistics.PostgresUsageCache()
        try:
            if self.settle("terms", terms.VERSION) != terms.VERSION:
                self.store.change_all_partitions(lambda db: store_settings.renew_keywords(db, terms.VERSION))
        except BaseException:
            self.close()
            raise

    def _run_read(self, scope: Scope, reading: PostgresReadOperation[Result]) -> Result:
        return self.store.read(partitions.partition_key(scope), partitions.acting_member(scope), reading.run)

    def _read_verb(self, verb: str, *arguments: Any) -> Any:
        """Run a read that prefetched reads may share a round trip with."""
        call = normalize_call(ReadCall(verb, arguments))
        asked = find_read_request(call)
        assert asked is not None
        return self._prefetcher.ask(call, asked, lambda: self._run_alone(asked))

    def _run_alone(self, asked: ReadRequest) -> Any:
        return self.store.ask(asked.reading.run) if asked.scope is None else self._run_read(asked.scope, asked.reading)

    def read_session(self, scope: Scope) -> AbstractContextManager[None]:
        """Let this thread use prefetched answers while the context is open."""
        return self._prefetcher.read_session()

    def prefetch(self, call: ReadCall) -> None:
        """Register a read that will be needed in this read session."""
        call = normalize_call(call)
        if call.verb == "search":
            self._index.prefetch(*call.arguments)
        elif (asked := find_read_request(call)) is not None:
            self._prefetcher.prefetch(call, asked)

    def _read(self, scope: Scope, job: Callable[[PostgresConnection, PartitionKey], Result]) -> Result:
        space = partitions.partition_key(scope)
        return self.store.read(space, partitions.acting_member(scope), lambda db: job(db, space))

    def _change(self, scope: Scope, need: PoolAccess, job: Callable[[PostgresConnection, PartitionKey], Result]) -> Result:
        space = partitions.partition_key(scope)
        return self.store.change(space, partitions.acting_member(scope), ACCESS_NUMBER[need], lambda db: job(db, space))

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._change(scope, PoolAccess.WRITE, lambda db, space: sessions.create(db, space, scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._read_verb("get_session", scope)

    def titles(self, scope: Scope, sessions: Sequence[str]) -> dict[str, str | None]:
        return self._read_verb("titles", scope, sessions)

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._read_verb("list_sessions", scope, query)

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision = ANY_REVISION
    ) -> Session:
        return self._change(
            scope, PoolAccess.WRITE, lambda db, space: sessions.update(db, space, scope, changes, now, expected)
        )

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        values = message_queries.append_values(self.store.secret, scope, messages, now, anchor, expected)
        try:
            ((answer,),) = self.store.call((message_queries.APPEND, values), changes=True)
        except PostgresDuplicateMessage:
            return self._append_carefully(scope, messages, now, anchor, expected, again=False)
        except UncertainCommitError:
            return self._append_carefully(scope, messages, now, anchor, expected, again=True)
        return message_queries.assign_positions(scope, messages, answer)

    def _append_carefully(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition,
        expected: ExpectedRevision,
        *,
        again: bool,
    ) -> list[Message]:
        try:
            return self._change(
                scope,
                PoolAccess.WRITE,
                lambda db, space: message_queries.append_missing(db, scope, messages, now, anchor, expected, again),
            )
        except PostgresDuplicateMessage:
            raise StoreCorrupt("the session's counters are wrong; `keepsaid doctor --repair` repairs them") from None

    def append_each(self, appends: Sequence[AppendRequest]) -> list[list[Message] | KeepsaidError]:
        """Append all in one transaction. If that fails, or its outcome is unknown, retry each append alone."""
        again = False
        if len(appends) > 1:
            try:
                return self._append_together(appends)
            except UncertainCommitError:
                again = True
            except KeepsaidError:
                pass
        return [self._append_alone(append, again) for append in appends]

    def _append_together(self, appends: Sequence[AppendRequest]) -> list[list[Message] | KeepsaidError]:
        # In one order for all writers, so that two batches do not deadlock.
        order = sorted(range(len(appends)), key=lambda place: partitions.partition_key(appends[place].scope))
        calls = [
            (
                message_queries.APPEND,
                message_queries.append_values(self.store.secret, *appends[place], AT_LEAF, ANY_REVISION),
            )
            for place in order
        ]
        answers = dict(zip(order, self.store.call(*calls, changes=True), strict=True))
        return [
            message_queries.assign_positions(scope, messages, answers[place][0])
            for place, (scope, messages, _) in enumerate(appends)
        ]

    def _append_alone(self, append: AppendRequest, again: bool) -> list[Message] | KeepsaidError:
        try:
            return self._append_carefully(*append, AT_LEAF, ANY_REVISION, again=True) if again else self.append(*append)
        except KeepsaidError as error:
            return error

    def read(self, scope: Scope, window: ReadWindow) -> list[Message]:
        call = ReadCall("read", (scope, window))
        asked = message_queries.read(scope, window)
        # The SQL function sets the partition by itself, so alone it needs no other statement.
        return self._prefetcher.ask(
            call, ReadRequest(scope, asked), lambda: asked.parse_rows(self.store.call(*asked.statements, changes=False))
        )  # fmt: skip

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._read(scope, lambda db, space: message_queries.get(db, space, scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[VisibleMessage]:
        return self._read(scope, lambda db, space: message_queries.fetch(db, space, numbers))

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
        return self._change(
            scope,
            PoolAccess.WRITE,
            lambda db, space: message_queries.mark(db, space, scope, message, importance, pinned, private),
        )

    def branches(self, scope: Scope) -> list[Branch]:
        return self._read(scope, lambda db, space: branches.list_branches(db, space, scope.session))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionTree:
        return self._read(scope, lambda db, space: tree_io.tree(db, space, scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
        return self._read(scope, lambda db, space: tree_io.known(db, space, scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[PlacedMessage], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._change(
            scope, PoolAccess.WRITE, lambda db, space: tree_io.plant(db, space, scope, messages, leaf, now, updated)
        )

    def find(self, scope: Scope, terms: Sequence[str], filters: SearchFilters, limit: int) -> KeywordMatches:
        return self._read_verb("find", scope, terms, filters, limit)

    def look(
        self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: SearchFilters = NO_FILTERS
    ) -> list[VisibleMessage]:
        return self._read_verb("look", scope, numbers, around, filters)

    def numbers(self, scope: Scope, filters: SearchFilters) -> list[int]:
        return self._read_verb("numbers", scope, filters)

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        known = {generation.name: generation for generation in self.generations()}.get(name)
        if known is not None and known.dimensions == dimensions:
            return known
        return self.store.change_all_partitions(lambda db: vectors.begin_generation(db, name, dimensions))

    def generations(self) -> list[VectorGeneration]:
        return self._read_verb("generations")

    def drop_generation(self, name: str) -> int:
        return self.store.change_all_partitions(lambda db: vectors.drop_generation(db, name))

    def coverage(self, name: str) -> VectorCoverage:
        return self.store.read_all_partitions(vectors.coverage(name).run)

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> WorkLease | None:
        return self._work_queue.claim(generation, holder, now, until, limit, scope)

    def settle_task(self, task: WorkLease, passages: Sequence[EmbeddedPassage], now: Microseconds) -> bool:
        return self._work_queue.settle(task, passages)

    def release(self, task: WorkLease) -> None:
        self._work_queue.release(task)

    def waiting(self, scope: Scope, generation: str) -> int:
        return self._read_verb("waiting", scope, generation)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        return self._run_read(scope, vectors.load_since(partitions.partition_key(scope), generation, since))

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
        return self._read_verb("passages", scope, generation, numbers)

    def index(self) -> PgvectorIndex:
        """Return an index that searches inside the database and holds nothing in this process."""
        return self._index

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._change(scope, PoolAccess.WRITE, lambda db, space: erasure.keep_blobs(db, space, scope, contents, expected))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._run_read(scope, blobs.read(scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._run_read(scope, blobs.list_blobs(scope, prefix, after, limit, backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._change(scope, PoolAccess.WRITE, lambda db, space: erasure.drop_blobs(db, space, scope, prefix))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._run_read(scope, blobs.list_blob_sessions(scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        self._work_queue.begin_notes(line)

    def unnoted(self, line: str) -> int:
        return self.store.read_all_partitions(work_queue.count_unnoted(line).run)

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges, now: Microseconds) -> bool:
        return self._work_queue.settle_notes(task, settled)

    def snapshot(self, scope: Scope, window: ReadWindow) -> SessionSnapshot:
        return self._read_verb("snapshot", scope, window)

    def keep_artifacts(self, scope: Scope, settled: ArtifactChanges, now: Microseconds) -> None:
        self._change(scope, PoolAccess.WRITE, lambda db, space: artifacts.keep(db, space, settled))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._read_verb("artifacts", scope, query)

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._change(scope, PoolAccess.WRITE, lambda db, space: erasure.discard_artifacts(db, space, ids)).derived

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._change(scope, PoolAccess.READ, lambda db, space: receipt_queries.keep(db, space, scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._run_read(scope, receipt_queries.get_receipt(scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._run_read(scope, receipt_queries.list_receipts(scope, before, limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        if not self.store.read_all_partitions(receipt_queries.has_older(before).run):
            return 0
        return self.store.change_all_partitions(lambda db: receipt_queries.drop_older(db, before, limit))

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Erase a message, a session or everything. For what PostgreSQL itself still holds, see `erasure.py`."""
        if scope.session is None:
            tally = self._change(scope, PoolAccess.ADMIN, lambda db, space: erasure.erase_all(db, scope))
            self._graph_manager.check_next_time()
            verified = self.store.read_all_partitions(lambda db: erasure.verify_erased(db, tally))
        else:
            need = PoolAccess.WRITE if message else PoolAccess.ADMIN
            tally = self._change(scope, need, lambda db, space: erasure.erase(db, space, scope, message))
            verified = self._read(scope, lambda db, space: erasure.verify_erased(db, tally))
        return EraseReceipt(tally.sessions, tally.messages, tally.derived, verified, "")

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
        if dry_run:
            return self.store.read_all_partitions(
                lambda db: retention.sweep(db, before, now, after, limit, True, keep_facts)
            )
        return self.store.change_all_partitions(lambda db: retention.sweep(db, before, now, after, limit, False, keep_facts))

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        space = PartitionKey(partitions.pool_unit(pool), 0)
        self.store.change(space, None, 0, lambda db: partitions.create_pool(db, pool, name, owner))

    def grant(self, pool: str, by: str, owner: str, access: PoolAccess | None, now: Microseconds) -> None:
        leaving = by == owner and access is None
        need = PoolAccess.READ if leaving else PoolAccess.ADMIN
        self._change(Scope(by, None, pool), need, lambda db, space: partitions.grant(db, pool, owner, access))

    def grants(self, owner: str, pool: str | None = None) -> list[PoolGrant]:
        return self._read(Scope(owner, None, pool), lambda db, space: partitions.grants(db, owner, pool))

    # -- changes

    def last_position(self, scope: Scope) -> ChangePosition:
        return self._read_verb("last_position", scope)

    def changes(self, scope: Scope, since: ChangePosition, limit: int) -> tuple[list[MemoryChange], ChangePosition]:
        return self._read(scope, lambda db, space: change_feed.changes(db, space, since, limit))

    def last_positions(self, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
        return self.store.read_all_partitions(lambda db: change_feed.last_positions(db, scopes))

    def stamp(self) -> object:
        """Return a value that changes after every commit: from local counters, or from the server if not listening."""
        heard = self._listener.commit_counter()
        return (
            (self._commits, heard)
            if heard is not None
            else (self._commits, self.store.ask(store_settings.read_commit_stamp().run))
        )

    def on_commit(self, call: Callable[[], None]) -> None:
        """Call after every commit, also of other processes once this one listens to them."""
        self._audience.add(call)

    def _count_commit(self) -> None:
        self._commits += 1
        self._audience.notify()

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        kept = self.store.ask(store_settings.get_setting(key).run)
        return self.store.keep(lambda db: store_settings.settle_setting(db, key, value)) if kept is None else kept

    def maintain(self) -> None:
        """Vacuum tables after an erase and build the graphs of large partitions, if this user has the right."""
        if self.store.ask(store_settings.get_setting(erasure.VACUUM_DUE_KEY).run) is not None:
            self.store.run_outside_transaction(f"VACUUM {', '.join(erasure.PARTITION_TABLES)}")
            self.store.keep(lambda db: store_settings.delete_setting(db, erasure.VACUUM_DUE_KEY))
        self._graph_manager.maintain()

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        if repair:
            return self.store.change_all_partitions(lambda db: doctor.check(db, True))
        return self.store.read_all_partitions(lambda db: doctor.check(db, False))

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        if scope is None:
            return self.store.read_all_partitions(statistics.count_figures(None, since, until, step).run)
        return self._run_read(scope, statistics.count_figures(partitions.partition_key(scope), since, until, step))

    def usage(self, scope: Scope) -> StorageUsage:
        return self._run_read(scope, self._usage_cache.get_usage(partitions.partition_key(scope)))

    def keep_key(self, key: ServerKey) -> None:
        self.store.keep(lambda db: keyring.keep_key(db, key))

    def key(self, id: str) -> ServerKey | None:
        return self.store.ask(keyring.find_key(id).run)

    def keys(self) -> list[ServerKey]:
        return self.store.ask(keyring.list_keys().run)

    def drop_key(self, id: str) -> bool:
        return self.store.keep(lambda db: keyring.drop_key(db, id))

    # -- everything, for a copy

    def everyone(self) -> Iterator[Scope]:
        return iter(self.store.read_all_partitions(directory.everyone().run))

    def setting(self, key: str) -> str | None:
        return self.store.ask(store_settings.get_setting(key).run)

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._run_read_as_admin(scope, directory.makers(scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._run_read_as_admin(scope, directory.all_receipts(scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._run_read_as_admin(scope, directory.done(scope, line))

    def _run_read_as_admin(self, scope: Scope, reading: PostgresReadOperation[Result]) -> Result:
        return self.store.read(
            partitions.partition_key(scope), partitions.acting_member(scope), reading.run, partitions.ADMIN
        )

    def close(self) -> None:
        self._notifier.close()
        self._listener.close()
        self.store.close()
