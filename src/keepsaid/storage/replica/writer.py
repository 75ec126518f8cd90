"""The writer of a replica: every change is committed to the ledger first, or not at all."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from typing import Any

from keepsaid.errors import KeepsaidError, StoreBusy, StoreUnavailable, WrongKey
from keepsaid.storage.replica import partition_header, sequences
from keepsaid.storage.replica.apply_changes import RemovedContent, apply_delta
from keepsaid.storage.replica.drift import find_drift
from keepsaid.storage.replica.ledger import BEGINNING, Ledger, LedgerPoint, LedgerRow, PartitionHeader
from keepsaid.storage.replica.rows import POINT_SETTING, ChangeRecorder, all_rows, ledger_tables
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.connection.writer import BatchWriter, Job
from keepsaid.storage.sqlite.schema import write_transaction

MAX_RETRY_SECONDS = 60.0
"""Seconds for which a change is retried because other processes committed first."""

MAX_PAUSE_SECONDS = 0.1


class _ReplicaBehind(Exception):
    """The ledger is at another point than the replica."""


def catch_up(db: SqliteConnection) -> None:
    """Placeholder job that asks the writer to bring the replica up to date."""


def refill(db: SqliteConnection) -> None:
    """Placeholder job that asks the writer to replace all rows with those of the ledger."""


class ReplicaWriter(BatchWriter):
    """Runs jobs on the replica, and commits their changes to the ledger before it commits them here.

    The jobs of a batch are also one commit to the ledger. If another process committed first, or a job fails and the replica
    turns out to be outdated, the replica catches up and the jobs run again. A commit whose answer was lost leaves the
    replica outdated, which the next commit detects.
    """

    def __init__(self, db: SqliteConnection, partition: str, ledger: Ledger) -> None:
        super().__init__(db)
        self._partition, self._ledger = partition, ledger
        self._tables = ledger_tables(db)
        self.header = PartitionHeader(_stored_point(db))
        self.refill_count = 0
        """How often the replica was refilled."""
        self.on_removal: Callable[[RemovedContent], object] = lambda loss: None

    def _transact(self, jobs: list[Job[Any]], synced: bool) -> list[Any]:
        if refill in jobs:
            self._catch_up(BEGINNING)
        elif catch_up in jobs:
            self._catch_up()
        if jobs == [catch_up]:
            return [None]
        end, pause = time.monotonic() + MAX_RETRY_SECONDS, 0.001
        while True:
            try:
                return self._run_jobs(jobs)
            except _ReplicaBehind:
                pass
            except StoreUnavailable:
                raise  # it may have been committed, which the next read finds out; repeating it could do it twice
            except KeepsaidError:
                if not self._is_behind():
                    raise
            if time.monotonic() > end:
                raise StoreBusy("other processes kept changing the same data at the same time: try again")
            time.sleep(random.uniform(0, pause))
            pause = min(pause * 2, MAX_PAUSE_SECONDS)
            self._catch_up()

    def _run_jobs(self, jobs: list[Job[Any]]) -> list[Any]:
        db = self._db
        with write_transaction(db), translated_errors():
            recording = ChangeRecorder(db, self._tables)
            try:
                results = [job(db) for job in jobs]
                changed = recording.changed_rows()
                if any(row.table in sequences.NUMBERED_TABLES for row in changed) and sequences.save_sequences(db):
                    changed = recording.changed_rows()
            finally:
                recording.close()
            if not changed and self._is_behind():
                raise _ReplicaBehind  # that nothing changed may be true only of the outdated replica
            header = self._publish(changed) if changed else self.header
        self.header = header
        return results

    def _publish(self, changed: list[LedgerRow]) -> PartitionHeader:
        db, after = self._db, self.header.point
        if after == BEGINNING:
            changed = [*(row for row in all_rows(db, self._tables["meta"])), *(r for r in changed if r.table != "meta")]
        note, reached = partition_header.build_note(db), LedgerPoint(after.revision + 1, secrets.token_hex(12))
        if not self._ledger.commit(self._partition, after, changed, note, reached.token):
            raise _ReplicaBehind
        _store_point(db, reached)
        return PartitionHeader(reached, note)

    def _is_behind(self) -> bool:
        return self._ledger.headers([self._partition])[0].point != self.header.point

    def drift(self, db: SqliteConnection) -> list[str]:
        """Job that lists how the replica differs from the ledger at the same point."""
        delta = self._ledger.load(self._partition, BEGINNING)
        if delta.header.point != self.header.point:
            raise _ReplicaBehind
        return find_drift(db, self._tables, delta.rows)

    def _catch_up(self, since: LedgerPoint | None = None) -> None:
        delta = self._ledger.load(self._partition, self.header.point if since is None else since)
        if since is None and delta.header.point == self.header.point:
            return
        if partition_header.WRAPPED_KEY in delta.header.note:
            raise WrongKey("this store is encrypted and needs its key")
        with write_transaction(self._db), translated_errors():
            loss = apply_delta(self._db, self._tables, delta)
            _store_point(self._db, delta.header.point)
        was_empty, self.header = self.header.point == BEGINNING, delta.header
        self.refill_count += delta.whole
        if loss is not None:
            self.on_removal(RemovedContent(False, set()) if was_empty else loss)


def _stored_point(db: SqliteConnection) -> LedgerPoint:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (POINT_SETTING,)).fetchone()
    if row is None:
        return BEGINNING
    revision, _, token = row[0].partition(":")
    return LedgerPoint(int(revision), token)


def _store_point(db: SqliteConnection, point: LedgerPoint) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (POINT_SETTING, f"{point.revision}:{point.token}"))
