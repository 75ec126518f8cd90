"""The storage class: every method runs a function on a connection, either the writer's or one from the reader pool."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from keepsaid.engine.text import terms
from keepsaid.errors import InvalidInput, KeepsaidError, StorageError, StoreCorrupt
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
    Progress,
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
from keepsaid.storage.sqlite import (
    artifacts,
    blobs,
    branches,
    change_feed,
    directory,
    keyring,
    partitions,
    schema,
    session_cache,
    sessions,
    snapshot,
    statistics,
    tree_io,
    work_queue,
)
from keepsaid.storage.sqlite import messages as message_table
from keepsaid.storage.sqlite import receipts as receipt_table
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.connection.readers import ReaderPool
from keepsaid.storage.sqlite.connection.source import (
    SqliteSource,
    connect,
    connect_for_reading,
    make_busy_handler,
    sync_log,
)
from keepsaid.storage.sqlite.connection.writer import BatchWriter
from keepsaid.storage.sqlite.erase import completion, erasure, retention
from keepsaid.storage.sqlite.erase.background_finisher import EraseFinisher
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.health import doctor
from keepsaid.storage.sqlite.health.backup import copy_store
from keepsaid.storage.sqlite.search import search_filters, vectors, visibility, word_search
from keepsaid.storage.sqlite.sessions import read_titles
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

READER_TIMEOUT = 0.5
"""Seconds an erase waits for readers before its receipt says "pending"."""

RETRY_TIMEOUT = 0.05
"""The same for a background attempt, during which other connections cannot write."""

PENDING_CHECK_INTERVAL = 1.0
"""Seconds between two checks for an erase that another process could not finish."""


class SqliteStorage:
    """Stores conversations in one SQLite file."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: SqliteSource) -> None:
        self._source = source
        db = connect(source)
        try:
            with translated_errors():
                schema.migrate(db)
        except BaseException:
            db.close()
            raise
        self._writer = self._make_writer(db)
        self._finishing = threading.Lock()
        self._finisher = EraseFinisher(self._try_again)
        self._looked = time.monotonic()
        self._readers = ReaderPool(lambda: connect_for_reading(source), self._look_for_unfinished)
        self.capabilities = StorageCapabilities(
            backup=self.backup, append_each=self.append_each, warnings=self.warnings,
            read_session=lambda scope: self._readers.session(), pause_reads=self._readers.pause_session,
            deferred_sync=self._writer.deferred_sync,
        )  # fmt: skip
        self._tails = word_search.TailTermCache()
        self._usages = statistics.SqliteUsageCache()
        self._watcher: SqliteConnection | None = None
        self._watching = threading.Lock()
        self._commits = 0
        self._last_claimed: dict[str, int] = {}
        self._writer.on_commit(self._count_commit)
        if self.settle("terms", terms.VERSION) != terms.VERSION:
            self._writer.run(doctor.rebuild_keywords)
        with suppress(StorageError):
            self._finish_at_opening()

    def _make_writer(self, db: SqliteConnection) -> BatchWriter:
        return BatchWriter(db, partial(sync_log, self._source) if self._source.durable else None)

    def _find_partition(self, db: SqliteConnection, scope: Scope) -> int:
        return session_cache.find_partition(db, scope, self._readers.session_values)

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._writer.run(lambda db: sessions.create(db, scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._readers.run(lambda db: sessions.get(db, scope))

    def titles(self, scope: Scope, sessions: Sequence[str]) -> dict[str, str | None]:
        return self._readers.run(lambda db: read_titles(db, self._find_partition(db, scope), sessions))

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._readers.run(lambda db: sessions.list_sessions(db, scope, query))

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: ExpectedRevision = ANY_REVISION
    ) -> Session:
        return self._writer.run(lambda db: sessions.update(db, scope, changes, now, expected))

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        try:
            return self._writer.run(lambda db: message_table.append(db, scope, messages, now, anchor, expected, False))
        except message_table.SqliteDuplicateMessage:
            return self._append_carefully(scope, messages, now, anchor, expected)

    def append_each(self, appends: Sequence[AppendRequest]) -> list[list[Message] | KeepsaidError]:
        if len(appends) > 1:
            with suppress(Exception):  # running each alone shows which one failed
                return self._writer.run(
                    lambda db: [message_table.append(db, *append, AT_LEAF, ANY_REVISION, False) for append in appends]
                )  # fmt: skip
        return [self._append_alone(append) for append in appends]

    def _append_alone(self, append: AppendRequest) -> list[Message] | KeepsaidError:
        try:
            return self.append(*append)
        except KeepsaidError as error:
            return error

    def _append_carefully(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: AppendPosition,
        expected: ExpectedRevision,
    ) -> list[Message]:
        try:
            return self._writer.run(lambda db: message_table.append(db, scope, messages, now, anchor, expected, True))
        except message_table.SqliteDuplicateMessage:
            raise StoreCorrupt("the session's counters are wrong; `keepsaid doctor --repair` corrects them") from None

    def read(self, scope: Scope, window: ReadWindow) -> list[Message]:
        return self._readers.run(lambda db: message_table.read(db, scope, window))

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._readers.run(lambda db: message_table.get(db, scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[VisibleMessage]:
        return self._readers.run(lambda db: message_table.fetch(db, self._find_partition(db, scope), numbers))

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
        return self._writer.run(lambda db: message_table.mark(db, scope, message, importance, pinned, private))

    def branches(self, scope: Scope) -> list[Branch]:
        return self._readers.run(lambda db: branches.list_branches(db, branches.load_live_session(db, scope)))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> SessionTree:
        return self._readers.run(lambda db: tree_io.tree(db, scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, KnownMessageId]:
        return self._readers.run(lambda db: tree_io.known(db, scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[PlacedMessage], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._writer.run(lambda db: tree_io.plant(db, scope, messages, leaf, now, updated))

    def find(self, scope: Scope, terms: Sequence[str], filters: SearchFilters, limit: int) -> KeywordMatches:
        def find(db: SqliteConnection) -> KeywordMatches:
            owner = self._find_partition(db, scope)
            visible = session_cache.find_visibility(db, owner, filters, self._readers.session_values)
            return word_search.find(db, owner, terms, filters, limit, visible, self._tails)

        return self._readers.run(find)

    def look(
        self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: SearchFilters = NO_FILTERS
    ) -> list[VisibleMessage]:
        def look(db: SqliteConnection) -> list[VisibleMessage]:
            owner = self._find_partition(db, scope)
            known = self._readers.session_values
            visible = session_cache.find_visibility(db, owner, filters, known, expired=filters.expired)
            return visibility.look(db, owner, numbers, around, visible)

        return self._readers.run(look)

    def numbers(self, scope: Scope, filters: SearchFilters) -> list[int]:
        passing = self._readers.run(
            lambda db: search_filters.find_passing_messages(db, self._find_partition(db, scope), filters)
        )
        return [rid & schema.NUMBER_MASK for rid in passing]

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        known = {g.name: g for g in self.generations()}.get(name)
        if known is not None and known.dimensions == dimensions:
            return known
        return self._writer.run(lambda db: vectors.begin_generation(db, name, dimensions))

    def generations(self) -> list[VectorGeneration]:
        return self._readers.run(vectors.list_generations)

    def drop_generation(self, name: str) -> int:
        number = self._writer.run(lambda db: vectors.retire_generation(db, name))
        dropped = 0
        while number:
            some = self._writer.run(lambda db: vectors.drop_batch(db, number))
            dropped += some
            if some < vectors.DROP_BATCH_SIZE:
                # This is no erase: the messages stay. Their old vectors are already overwritten; only the log is truncated.
                self._writer.run(lambda db: completion.request_completion(db, "log"))
                self._finish_erasing(set(), rebuild=False)
                break
        return dropped

    def coverage(self, name: str) -> VectorCoverage:
        return self._readers.run(lambda db: vectors.coverage(db, name))

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> WorkLease | None:
        """Search without a lock, so that a search without a result writes nothing. Then lease the owner that was found; if
        another worker was faster, search again."""

        def look(db: SqliteConnection) -> int | None:
            return work_queue.find_candidate(db, generation, holder, now, self._last_claimed.get(generation, 0), scope)

        while (owner := self._readers.run(look)) is not None:
            self._last_claimed[generation] = owner
            take = partial(
                work_queue.take_lease, generation=generation, owner=owner, holder=holder, now=now, until=until, limit=limit
            )
            task = self._writer.run(take)
            if task is not None:
                return task
        unfinished = scope is None and not self._is_complete(generation)
        # Also checked without a lock: a commit that changes nothing would wake the asking worker again and again.
        if unfinished and self._readers.run(lambda db: work_queue.is_everything_done(db, generation)):
            self._writer.run(lambda db: work_queue.complete_if_done(db, generation))
        return None

    def _is_complete(self, generation: str) -> bool:
        return self._readers.run(lambda db: work_queue.is_complete(db, generation))

    def settle_task(self, task: WorkLease, passages: Sequence[EmbeddedPassage], now: Microseconds) -> bool:
        return self._writer.run(lambda db: work_queue.settle_task(db, task, passages))

    def release(self, task: WorkLease) -> None:
        self._writer.run(lambda db: work_queue.release(db, task))

    def waiting(self, scope: Scope, generation: str) -> int:
        return self._readers.run(lambda db: work_queue.count_waiting(db, self._find_partition(db, scope), generation))

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        # The index may have seen a newer state than the read session began with.
        return self._readers.run(
            lambda db: vectors.load_since(db, partitions.find_partition(db, scope), generation, since), newest=True
        )

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
        return self._readers.run(lambda db: vectors.load_passages(db, self._find_partition(db, scope), generation, numbers))

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._wipe(self._writer.run(lambda db: erasure.keep_blobs(db, scope, contents, expected)))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._readers.run(lambda db: blobs.read(db, scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._readers.run(lambda db: blobs.list_blobs(db, scope, prefix, after, limit, backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._wipe(self._writer.run(lambda db: erasure.drop_blobs(db, scope, prefix)))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._readers.run(lambda db: blobs.list_blob_sessions(db, scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        if not self._readers.run(lambda db: work_queue.has_notes(db, line)):
            self._writer.run(lambda db: work_queue.begin_notes(db, line))

    def unnoted(self, line: str) -> int:
        return self._readers.run(lambda db: work_queue.count_unnoted(db, line))

    def settle_notes(self, task: WorkLease, settled: ArtifactChanges, now: Microseconds) -> bool:
        return self._writer.run(lambda db: work_queue.settle_notes(db, task, settled))

    def snapshot(self, scope: Scope, window: ReadWindow) -> SessionSnapshot:
        return self._readers.run(lambda db: snapshot.snapshot(db, scope, window))

    def keep_artifacts(self, scope: Scope, settled: ArtifactChanges, now: Microseconds) -> None:
        self._writer.run(lambda db: artifacts.keep(db, partitions.find_or_add_partition(db, scope), settled))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._readers.run(lambda db: artifacts.read(db, self._find_partition(db, scope), query))

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._wipe(self._writer.run(lambda db: erasure.discard_artifacts(db, scope, ids)))

    def _wipe(self, record: SqliteEraseRecord) -> int:
        """Remove the remaining bytes of what was deleted. Return how many rows were deleted."""
        if record.derived:
            # Pages of an encrypted file cannot be cleaned in place, and rebuilding it for every fact would take too long:
            # that is left for the next maintenance.
            self._finish_erasing(record.pieces, rebuild=False)
        return record.derived

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._writer.run(lambda db: receipt_table.keep(db, scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._readers.run(lambda db: receipt_table.get_receipt(db, scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._readers.run(lambda db: receipt_table.list_receipts(db, scope, before, limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        if not self._readers.run(lambda db: receipt_table.find_older(db, before, 1)):
            return 0
        return self._writer.run(lambda db: retention.drop_receipts(db, before, limit))

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        record = self._writer.run(lambda db: erasure.erase(db, scope, message))
        pending = self._finish_erasing(record.pieces, rebuild=True)
        verified = self._readers.run(lambda db: erasure.verify_erased(db, record))
        if not pending:
            verified += ("log", "pages")
        return EraseReceipt(record.sessions, record.messages, record.derived, verified, pending)

    def _finish_erasing(self, pieces: set[bytes], *, rebuild: bool) -> str:
        """Truncate the log and clean the pages. If something blocks that, return what, and retry in the background."""
        with self._finishing:
            pending = self._try_to_finish(pieces, rebuild, READER_TIMEOUT)
        if pending:
            self._finisher.start()
        return pending

    def _try_to_finish(self, pieces: set[bytes], rebuild: bool, seconds: float) -> str:
        with translated_errors():
            db = connect(self._source)
            try:
                db.set_busy_handler(make_busy_handler(seconds))
                return completion.complete_erase(db, self._source, pieces, rebuild=rebuild)
            except apsw.BusyError:
                return completion.BLOCKED_BY_WRITER
            except apsw.FullError:
                return completion.BLOCKED_BY_FULL_DISK
            finally:
                db.close()

    def _try_again(self) -> bool:
        """Try to finish pending erases; return whether nothing is left. Does not wait long: the finisher calls again."""
        if not self._source.path.exists():
            return True
        if not self._finishing.acquire(blocking=False):
            return False
        try:
            with suppress(StorageError, OSError):
                return not self._try_to_finish(set(), True, RETRY_TIMEOUT)
            return False
        finally:
            self._finishing.release()

    def _look_for_unfinished(self) -> None:
        """Check from time to time, after reads and writes, whether another process left an erase unfinished."""
        now = time.monotonic()
        if now - self._looked < PENDING_CHECK_INTERVAL:
            return
        self._looked = now
        with suppress(StorageError):
            pending = self._readers.run(completion.load_pending_erase)
            if pending is not None and pending.step != "later":
                self._finisher.start()

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
        return self._writer.run(lambda db: retention.sweep(db, before, now, after, limit, dry_run, keep_facts))

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        self._writer.run(lambda db: partitions.create_pool(db, pool, name, owner))

    def grant(self, pool: str, by: str, owner: str, access: PoolAccess | None, now: Microseconds) -> None:
        self._writer.run(lambda db: partitions.grant(db, pool, by, owner, access))

    def grants(self, owner: str, pool: str | None = None) -> list[PoolGrant]:
        return self._readers.run(lambda db: partitions.grants(db, owner, pool))

    # -- changes

    def last_position(self, scope: Scope) -> ChangePosition:
        return self._readers.run(lambda db: partitions.last_position(db, self._find_partition(db, scope)))

    def changes(self, scope: Scope, since: ChangePosition, limit: int) -> tuple[list[MemoryChange], ChangePosition]:
        return self._readers.run(lambda db: change_feed.changes(db, scope, since, limit))

    def last_positions(self, scopes: Sequence[Scope]) -> list[ChangePosition | None]:
        return self._readers.run(lambda db: change_feed.last_positions(db, scopes))

    def stamp(self) -> object:
        """Combine this process's commit counter with SQLite's data version, which shows other processes' commits."""
        with self._watching, translated_errors():
            if self._watcher is None:
                self._watcher = connect(self._source)
            version = self._watcher.pragma("data_version")
        self._look_for_unfinished()
        return self._commits, version

    def on_commit(self, call: Callable[[], None]) -> None:
        self._writer.on_commit(call)

    def _count_commit(self) -> None:
        self._commits += 1
        self._look_for_unfinished()

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        row = self._readers.run(lambda db: db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone())
        return row[0] if row else self._writer.run(lambda db: _settle_setting(db, key, value))

    def maintain(self) -> None:
        if self._readers.run(completion.load_pending_erase) is not None:
            self._finish_erasing(set(), rebuild=True)

    def _finish_at_opening(self) -> None:
        """Finish pending erases. Work that was left for the next maintenance is done now only if the file is small."""
        pending = self._readers.run(completion.load_pending_erase)
        if pending is not None:
            is_small = self._source.path.stat().st_size < completion.MAX_SIZE_IN_MEMORY
            self._finish_erasing(set(), rebuild=is_small or pending.step != "later")

    def warnings(self) -> Sequence[str]:
        """Describe an erase that is not finished."""
        pending = self._readers.run(completion.load_pending_erase)
        return () if pending is None else (completion.describe_pending_erase(pending),)

    def check(self, *, repair: bool = False) -> StoreDiagnosis:
        with suppress(StorageError):
            self.maintain()
        try:
            return self._writer.run(lambda db: doctor.check(db, repair))
        except StoreCorrupt as error:
            raise StoreCorrupt(f"{error}; `keepsaid doctor --salvage` copies what is still readable") from error

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        copy_store(self._source, target, progress)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> StorageFigures:
        return self._readers.run(lambda db: statistics.count_figures(db, scope, since, until, step))

    def usage(self, scope: Scope) -> StorageUsage:
        return self._readers.run(lambda db: self._usages.get_usage(db, scope))

    def keep_key(self, key: ServerKey) -> None:
        self._writer.run(lambda db: keyring.keep_key(db, key))

    def key(self, id: str) -> ServerKey | None:
        return self._readers.run(lambda db: keyring.find_key(db, id))

    def keys(self) -> list[ServerKey]:
        return self._readers.run(keyring.list_keys)

    def drop_key(self, id: str) -> bool:
        return self._writer.run(lambda db: keyring.drop_key(db, id))

    # -- reading everything, for a copy of the store

    def everyone(self) -> Iterator[Scope]:
        return iter(self._readers.run(directory.everyone))

    def setting(self, key: str) -> str | None:
        return self._readers.run(lambda db: directory.get_setting(db, key))

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._readers.run(lambda db: directory.makers(db, scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._readers.run(lambda db: directory.all_receipts(db, scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._readers.run(lambda db: directory.done(db, scope, line))

    def close(self) -> None:
        self._finisher.close()
        self._writer.close()
        self._readers.close()
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()


def _settle_setting(db: SqliteConnection, key: str, value: str) -> str:
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, value))
    return db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchall()[0][0]
