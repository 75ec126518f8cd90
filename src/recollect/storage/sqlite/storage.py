"""The storage itself: every verb is a function of a connection, run by the writer or on a lent reader."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from recollect.engine import terms
from recollect.errors import InvalidInput, RecollectError, StorageError, StoreCorrupt
from recollect.ports import (
    ANYTHING,
    LEAF,
    NO_FILTERS,
    Anchor,
    Append,
    ArtifactQuery,
    Counted,
    Coverage,
    Expected,
    Found,
    Generation,
    Key,
    Known,
    Passage,
    Planted,
    Progress,
    Seen,
    Settled,
    Snapshot,
    StoredReceipt,
    Sweep,
    Task,
    Tree,
    VectorDelta,
    VectorMark,
)
from recollect.reports import Diagnosis, EraseReceipt, Usage
from recollect.storage.sqlite import (
    artifacts,
    blobs,
    branches,
    directory,
    doctor,
    erasure,
    feed,
    figures,
    keyring,
    residue,
    retention,
    schema,
    search,
    sessions,
    sieve,
    sight,
    snapshot,
    spaces,
    transplant,
    vectors,
    work,
)
from recollect.storage.sqlite import messages as said
from recollect.storage.sqlite import receipts as given
from recollect.storage.sqlite.backup import copy_to
from recollect.storage.sqlite.connection import Source, connect, patience
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly
from recollect.storage.sqlite.readers import Readers
from recollect.storage.sqlite.tally import Tally
from recollect.storage.sqlite.writer import Writer
from recollect.types import (
    Access,
    Artifact,
    Blob,
    Branch,
    Change,
    Filters,
    Grant,
    Mark,
    Message,
    Microseconds,
    Scope,
    Session,
    SessionQuery,
    Status,
    Window,
)

READER_PATIENCE = 0.5
"""Seconds an erase waits for readers before its receipt says "pending"."""


class SqliteStorage:
    """Keeps conversations in one SQLite file."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, source: Source) -> None:
        self._source = source
        db = connect(source)
        try:
            with speaking_plainly():
                schema.migrate(db)
        except BaseException:
            db.close()
            raise
        self._writer = self._make_writer(db)
        self._readers = Readers(lambda: connect(source))
        self._tails = search.Tails()
        self._usages = figures.Usages()
        self._watcher: Database | None = None
        self._watching = threading.Lock()
        self._commits = 0
        self._last_claimed: dict[str, int] = {}
        self._writer.listen(self._count_commit)
        if self.settle("terms", terms.VERSION) != terms.VERSION:
            self._writer.run(doctor.rebuild_keywords)
        with suppress(StorageError):
            self.maintain()

    def _make_writer(self, db: Database) -> Writer:
        return Writer(db)

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        return self._writer.run(lambda db: sessions.create(db, scope, session, fork))

    def get_session(self, scope: Scope) -> Session:
        return self._readers.run(lambda db: sessions.get(db, scope))

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        return self._readers.run(lambda db: sessions.listed(db, scope, query))

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        return self._writer.run(lambda db: sessions.update(db, scope, changes, now, expected))

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        try:
            return self._writer.run(lambda db: said.append(db, scope, messages, now, anchor, expected, False))
        except said.SeenBefore:
            return self._append_carefully(scope, messages, now, anchor, expected)

    def append_each(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        if len(appends) > 1:
            with suppress(Exception):  # whose it is shows when each is tried alone
                return self._writer.run(
                    lambda db: [said.append(db, *append, LEAF, ANYTHING, False) for append in appends]
                )  # fmt: skip
        return [self._append_alone(append) for append in appends]

    def _append_alone(self, append: Append) -> list[Message] | RecollectError:
        try:
            return self.append(*append)
        except RecollectError as error:
            return error

    def _append_carefully(
        self, scope: Scope, messages: Sequence[Message], now: Microseconds, anchor: Anchor, expected: Expected
    ) -> list[Message]:
        try:
            return self._writer.run(lambda db: said.append(db, scope, messages, now, anchor, expected, True))
        except said.SeenBefore:
            raise StoreCorrupt("the session's counters are wrong; `recollect doctor --repair` mends them") from None

    def read(self, scope: Scope, window: Window) -> list[Message]:
        return self._readers.run(lambda db: said.read(db, scope, window))

    def get_message(self, scope: Scope, message: str) -> Message:
        return self._readers.run(lambda db: said.get(db, scope, message))

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        return self._readers.run(lambda db: said.fetch(db, spaces.space(db, scope), numbers))

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
        return self._writer.run(lambda db: said.mark(db, scope, message, importance, pinned, private))

    def branches(self, scope: Scope) -> list[Branch]:
        return self._readers.run(lambda db: branches.listed(db, branches.live(db, scope)))

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        return self._readers.run(lambda db: transplant.tree(db, scope, after, limit))

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        return self._readers.run(lambda db: transplant.known(db, scope, ids))

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        self._writer.run(lambda db: transplant.plant(db, scope, messages, leaf, now, updated))

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        tails = self._tails
        return self._readers.run(lambda db: search.find(db, spaces.space(db, scope), terms, filters, limit, tails))

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        def seen(db: Database) -> list[Seen]:
            owner = spaces.space(db, scope)
            among = sieve.sessions(db, owner, filters)
            return sight.look(db, owner, numbers, around, among, expired=filters.expired)

        return self._readers.run(seen)

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        passing = self._readers.run(lambda db: sieve.passing(db, spaces.space(db, scope), filters))
        return [rid & schema.NUMBERS for rid in passing]

    # -- vectors

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        if dimensions < 1:
            raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
        known = {g.name: g for g in self.generations()}.get(name)
        if known is not None and known.dimensions == dimensions:
            return known
        return self._writer.run(lambda db: vectors.begin(db, name, dimensions))

    def generations(self) -> list[Generation]:
        return self._readers.run(vectors.listed)

    def drop_generation(self, name: str) -> int:
        number = self._writer.run(lambda db: vectors.retire(db, name))
        dropped = 0
        while number:
            some = self._writer.run(lambda db: vectors.drop_some(db, number))
            dropped += some
            if some < vectors.DROPPED_AT_ONCE:
                # No erase: the messages are still there. Their old vectors are overwritten, and the log is cut.
                self._writer.run(lambda db: erasure.ask_to_finish(db, "log"))
                self._finish_erasing(lambda: False)
                break
        return dropped

    def coverage(self, name: str) -> Coverage:
        return self._readers.run(lambda db: vectors.coverage(db, name))

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> Task | None:
        """Looks without a lock, so that asking in vain writes nothing; the owner found is then taken, or the next one."""

        def look(db: Database) -> int | None:
            return work.candidate(db, generation, holder, now, self._last_claimed.get(generation, 0), scope)

        while (owner := self._readers.run(look)) is not None:
            self._last_claimed[generation] = owner
            take = partial(work.take, generation=generation, owner=owner, holder=holder, now=now, until=until, limit=limit)
            task = self._writer.run(take)
            if task is not None:
                return task
        unfinished = scope is None and not self._is_complete(generation)
        # Looked at without a lock, too: a commit that changes nothing would wake the worker who asks, again and again.
        if unfinished and self._readers.run(lambda db: work.nobody_waits(db, generation)):
            self._writer.run(lambda db: work.complete_if_done(db, generation))
        return None

    def _is_complete(self, generation: str) -> bool:
        return self._readers.run(lambda db: work.is_complete(db, generation))

    def settle_task(self, task: Task, passages: Sequence[Passage], now: Microseconds) -> bool:
        return self._writer.run(lambda db: work.settle(db, task, passages))

    def release(self, task: Task) -> None:
        self._writer.run(lambda db: work.release(db, task))

    def waiting(self, scope: Scope, generation: str) -> int:
        return self._readers.run(lambda db: work.waiting(db, spaces.space(db, scope), generation))

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        return self._readers.run(lambda db: vectors.since(db, spaces.space(db, scope), generation, since))

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[Passage]:
        return self._readers.run(lambda db: vectors.passages(db, spaces.space(db, scope), generation, numbers))

    # -- blobs

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        self._wipe(self._writer.run(lambda db: erasure.keep_blobs(db, scope, contents, expected)))

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        return self._readers.run(lambda db: blobs.read(db, scope, names))

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        return self._readers.run(lambda db: blobs.listed(db, scope, prefix, after, limit, backwards))

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        return self._wipe(self._writer.run(lambda db: erasure.drop_blobs(db, scope, prefix)))

    def blob_sessions(self, scope: Scope) -> list[str]:
        return self._readers.run(lambda db: blobs.sessions(db, scope))

    # -- artifacts and receipts

    def begin_notes(self, line: str) -> None:
        if not self._readers.run(lambda db: work.has_notes(db, line)):
            self._writer.run(lambda db: work.begin_notes(db, line))

    def unnoted(self, line: str) -> int:
        return self._readers.run(lambda db: work.unnoted(db, line))

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        return self._writer.run(lambda db: work.settle_notes(db, task, settled))

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        return self._readers.run(lambda db: snapshot.snapshot(db, scope, window))

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        self._writer.run(lambda db: artifacts.keep(db, spaces.space_to_write(db, scope), settled))

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        return self._readers.run(lambda db: artifacts.read(db, spaces.space(db, scope), query))

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        return self._wipe(self._writer.run(lambda db: erasure.discard(db, scope, ids)))

    def _wipe(self, tally: Tally) -> int:
        """Sees to it that no byte is left of what was removed; says how much that was."""
        if tally.derived:
            # Pages of an encrypted file cannot be looked into, and rebuilding it for every fact would take too long.
            self._finish_erasing(lambda: self._source.key is None and self._has_residue(tally.pieces))
        return tally.derived

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        self._writer.run(lambda db: given.keep(db, scope, receipts))

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        return self._readers.run(lambda db: given.one(db, scope, id))

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        return self._readers.run(lambda db: given.listed(db, scope, before, limit))

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        if not self._readers.run(lambda db: given.older(db, before, 1)):
            return 0
        return self._writer.run(lambda db: retention.drop_receipts(db, before, limit))

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        tally = self._writer.run(lambda db: erasure.erase(db, scope, message))
        pending = self._finish_erasing(lambda: self._has_residue(tally.pieces))
        verified = self._readers.run(lambda db: erasure.verify(db, tally))
        if not pending:
            verified += ("log", "pages")
        return EraseReceipt(tally.sessions, tally.messages, tally.derived, verified, pending)

    def _has_residue(self, pieces: set[bytes]) -> bool:
        if self._source.key is not None or len(pieces) > residue.TOO_MANY:
            return True
        return residue.is_left(self._source.path, pieces)

    def _finish_erasing(self, rebuild: Callable[[], bool]) -> str:
        with speaking_plainly():
            db = connect(self._source)
            try:
                db.set_busy_handler(patience(READER_PATIENCE))
                return erasure.finish(db, rebuild)
            except apsw.BusyError:
                return "another process is writing; it is finished at the next maintenance"
            finally:
                db.close()

    def sweep(
        self,
        before: Mapping[Status, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> Sweep:
        return self._writer.run(lambda db: retention.sweep(db, before, now, after, limit, dry_run, keep_facts))

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        self._writer.run(lambda db: spaces.create_pool(db, pool, name, owner))

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        self._writer.run(lambda db: spaces.grant(db, pool, by, owner, access))

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        return self._readers.run(lambda db: spaces.grants(db, owner, pool))

    # -- changes

    def last_mark(self, scope: Scope) -> Mark:
        return self._readers.run(lambda db: spaces.last_mark(db, spaces.space(db, scope)))

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        return self._readers.run(lambda db: feed.changes(db, scope, since, limit))

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        return self._readers.run(lambda db: feed.last_marks(db, scopes))

    def stamp(self) -> object:
        """This process counts its own commits; SQLite tells of other processes' by the file's data version."""
        with self._watching, speaking_plainly():
            if self._watcher is None:
                self._watcher = connect(self._source)
            return self._commits, self._watcher.pragma("data_version")

    def on_commit(self, call: Callable[[], None]) -> None:
        self._writer.listen(call)

    def _count_commit(self) -> None:
        self._commits += 1

    # -- upkeep

    def settle(self, key: str, value: str) -> str:
        row = self._readers.run(lambda db: db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone())
        return row[0] if row else self._writer.run(lambda db: _settle(db, key, value))

    def maintain(self) -> None:
        what = self._readers.run(erasure.unfinished)
        if what is not None:
            self._finish_erasing(lambda: what == "pages")

    def check(self, *, repair: bool = False) -> Diagnosis:
        try:
            return self._writer.run(lambda db: doctor.check(db, repair))
        except StoreCorrupt as error:
            raise StoreCorrupt(f"{error}; `recollect doctor --salvage` copies what can still be read") from error

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        copy_to(self._source, target, progress)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        return self._readers.run(lambda db: figures.counted(db, scope, since, until, step))

    def usage(self, scope: Scope) -> Usage:
        return self._readers.run(lambda db: self._usages.of(db, scope))

    def keep_key(self, key: Key) -> None:
        self._writer.run(lambda db: keyring.keep(db, key))

    def key(self, id: str) -> Key | None:
        return self._readers.run(lambda db: keyring.find(db, id))

    def keys(self) -> list[Key]:
        return self._readers.run(keyring.listed)

    def drop_key(self, id: str) -> bool:
        return self._writer.run(lambda db: keyring.drop(db, id))

    # -- everything, for a copy

    def everyone(self) -> Iterator[Scope]:
        return iter(self._readers.run(directory.everyone))

    def setting(self, key: str) -> str | None:
        return self._readers.run(lambda db: directory.setting(db, key))

    def makers(self, scope: Scope) -> dict[str, str]:
        return self._readers.run(lambda db: directory.makers(db, scope))

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        return self._readers.run(lambda db: directory.all_receipts(db, scope))

    def done(self, scope: Scope, line: str) -> int:
        return self._readers.run(lambda db: directory.done(db, scope, line))

    def close(self) -> None:
        self._writer.close()
        self._readers.close()
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()


def _settle(db: Database, key: str, value: str) -> str:
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, value))
    return db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchall()[0][0]
