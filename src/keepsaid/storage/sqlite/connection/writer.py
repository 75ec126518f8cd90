"""Group commit: jobs that arrive while a commit is being written share the next transaction.

A single caller runs its job at once. Jobs that arrive in the meantime are queued. The first caller in the queue becomes the
leader: its thread runs all waiting jobs in one transaction with one fsync, then passes the lead on. If a job fails, the
transaction is rolled back and each job of the batch is run again alone, so that one failing job does not affect the others.
Jobs must therefore be safe to run twice.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

import apsw

from keepsaid.errors import StoreClosed, StoreUnavailable
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translate_error, translated_errors

Result = TypeVar("Result")
Job = Callable[[SqliteConnection], Result]

MAX_BATCH_SIZE = 256
"""A larger transaction would make the last caller wait longer without making the first one faster."""


class _QueuedJob:
    """A job in the queue, and the lock that wakes its caller when the job is done or when the caller has to lead."""

    __slots__ = ("done", "error", "is_leader", "is_synced", "job", "result", "wake")

    def __init__(self, job: Job[Any], is_synced: bool) -> None:
        self.job = job
        self.is_synced = is_synced
        self.wake = threading.Lock()
        self.wake.acquire()
        self.done = False
        self.is_leader = False
        self.result: Any = None
        self.error: Exception | None = None


class BatchWriter:
    """Runs jobs on the only connection that writes. `sync` writes the log to disk; None if commits need not be durable."""

    def __init__(self, db: SqliteConnection, sync: Callable[[], None] | None = None) -> None:
        self._db = db
        self._sync = sync
        self._is_synced = sync is not None
        self._thread = threading.local()
        self._queue: deque[_QueuedJob] = deque()
        self._mutex = threading.Lock()
        self._has_leader = False
        self._closed = False
        self._listeners = ListenerGroup()

    def run(self, job: Job[Result]) -> Result:
        """Run the job in a transaction. When this returns, what it wrote is on disk."""
        queued = None
        with self._mutex:
            if self._closed:
                raise StoreClosed("the store is closed")
            if self._has_leader:
                queued = _QueuedJob(job, self._wants_sync)
                self._queue.append(queued)
            self._has_leader = True
        if queued is None:
            return self._run_alone(job)
        try:
            queued.wake.acquire()
        except BaseException:
            self._abandon(queued)
            raise
        if not queued.done:
            try:
                self._lead()
            finally:
                self._hand_over()
        if queued.error is not None:
            raise queued.error
        return queued.result

    def _run_alone(self, job: Job[Result]) -> Result:
        """Run the job of a caller that found no other at work, without the queue."""
        try:
            (result,) = self._transact([job], self._wants_sync)
        except apsw.Error as error:
            raise translate_error(error) from error
        finally:
            self._hand_over()
        self._listeners.notify()
        return result

    @contextmanager
    def deferred_sync(self) -> Generator[None]:
        """Sync this thread's commits in the block together, at its end. If the machine fails before, the last of them may be
        lost; those of other threads are not."""
        if self._sync is None or not self._wants_sync:
            yield
            return
        self._thread.defers_sync = True
        try:
            yield
        finally:
            self._thread.defers_sync = False
            self._sync()

    @property
    def _wants_sync(self) -> bool:
        return not getattr(self._thread, "defers_sync", False)

    def on_commit(self, call: Callable[[], None]) -> None:
        """Register a function to call after every commit."""
        self._listeners.add(call)

    def close(self) -> None:
        """Wait for running commits, then close the connection."""
        with self._mutex:
            self._closed = True
        while self._has_leader:
            time.sleep(0.001)
        self._db.close()

    def _lead(self) -> None:
        """Commit a batch. The leader's own job is the first in it: only the head of the queue becomes the leader."""
        with self._mutex:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), MAX_BATCH_SIZE))]
        try:
            self._commit(batch)
            self._listeners.notify()
        finally:
            # An interrupt is meant for this thread only: unfinished jobs of other callers go back to the queue.
            with self._mutex:
                self._queue.extendleft(reversed([other for other in batch[1:] if not other.done]))
            for other in batch[1:]:
                if other.done:
                    other.wake.release()

    def _abandon(self, queued: _QueuedJob) -> None:
        """Remove the job of an interrupted caller. If that caller had just become the leader, pass the lead on."""
        with self._mutex:
            waiting = queued in self._queue
            if waiting:
                self._queue.remove(queued)
        if waiting and queued.is_leader:
            self._hand_over()

    def _hand_over(self) -> None:
        with self._mutex:
            if self._queue:
                self._queue[0].is_leader = True
                self._queue[0].wake.release()
            else:
                self._has_leader = False

    def _commit(self, batch: list[_QueuedJob]) -> None:
        if len(batch) == 1:
            self._commit_one(batch[0])
            return
        try:
            results = self._transact([queued.job for queued in batch], any(queued.is_synced for queued in batch))
        except StoreUnavailable as error:
            for queued in batch:  # the outcome is unknown, so no job is run again
                queued.error, queued.done = error, True
            return
        except Exception:
            for queued in batch:
                self._commit_one(queued)
            return
        for queued, result in zip(batch, results, strict=True):
            queued.result, queued.done = result, True

    def _commit_one(self, queued: _QueuedJob) -> None:
        try:
            (queued.result,) = self._transact([queued.job], queued.is_synced)
        except apsw.Error as error:
            queued.error = translate_error(error)
            queued.error.__cause__ = error
        except Exception as error:
            queued.error = error
        queued.done = True

    def _transact(self, jobs: list[Job[Any]], synced: bool) -> list[Any]:
        db = self._db
        if self._sync is not None and synced != self._is_synced:
            db.pragma("synchronous", "full" if synced else "normal")
            self._is_synced = synced
        db.execute("BEGIN IMMEDIATE")
        try:
            results = [job(db) for job in jobs]
            db.execute("COMMIT")
        except BaseException:
            # If a commit fails, for example because the disk is full, SQLite may have rolled back already.
            if db.in_transaction:
                with translated_errors():
                    db.execute("ROLLBACK")
            raise
        return results
