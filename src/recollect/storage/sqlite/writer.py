"""One writer, many callers: whoever comes while a commit is on its way to the disk shares the next one.

A lone caller runs his job at once. Whoever comes meanwhile queues; the head of the queue then leads: he runs his own job and
every other that is waiting, in one transaction with one fsync, and hands the lead on. If a job fails, the transaction is
rolled back and each job of the batch is run again alone, so that nobody suffers for another's mistake; jobs must therefore
be safe to run twice.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import apsw

from recollect.errors import StoreClosed, StoreUnavailable
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly, translate

Result = TypeVar("Result")
Job = Callable[[Database], Result]

LARGEST_BATCH = 256
"""More jobs than this in one transaction make the last caller wait without making the first one faster."""


class _Ticket:
    """A job in the queue, and the bell that wakes its caller when it is done or when it is his turn to lead."""

    __slots__ = ("bell", "done", "error", "job", "leads", "result")

    def __init__(self, job: Job[Any]) -> None:
        self.job = job
        self.bell = threading.Lock()
        self.bell.acquire()
        self.done = False
        self.leads = False
        self.result: Any = None
        self.error: Exception | None = None


class Writer:
    """Runs jobs on the one connection that writes."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._queue: deque[_Ticket] = deque()
        self._mutex = threading.Lock()
        self._led = False
        self._closed = False
        self._listeners: list[Callable[[], None]] = []

    def run(self, job: Job[Result]) -> Result:
        """Runs the job in a transaction; when this returns, what it wrote is on the disk."""
        ticket = None
        with self._mutex:
            if self._closed:
                raise StoreClosed("the store is closed")
            if self._led:
                ticket = _Ticket(job)
                self._queue.append(ticket)
            self._led = True
        if ticket is None:
            return self._run_alone(job)
        try:
            ticket.bell.acquire()
        except BaseException:
            self._abandon(ticket)
            raise
        if not ticket.done:
            try:
                self._lead()
            finally:
                self._hand_over()
        if ticket.error is not None:
            raise ticket.error
        return ticket.result

    def _run_alone(self, job: Job[Result]) -> Result:
        """The way of a caller who finds nobody else: no ticket, no bell."""
        try:
            (result,) = self._transact([job])
        except apsw.Error as error:
            raise translate(error) from error
        finally:
            self._hand_over()
        self._tell()
        return result

    def _tell(self) -> None:
        for call in self._listeners:
            call()

    def listen(self, call: Callable[[], None]) -> None:
        """Asks to be called after every commit."""
        self._listeners.append(call)

    def close(self) -> None:
        """Waits for commits that are on their way, then closes the connection."""
        with self._mutex:
            self._closed = True
        while self._led:
            time.sleep(0.001)
        self._db.close()

    def _lead(self) -> None:
        """Commits a batch. The leader's own ticket is the first in it: only the head of the queue is given the lead."""
        with self._mutex:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), LARGEST_BATCH))]
        try:
            self._commit(batch)
            self._tell()
        finally:
            # An interrupt is for this thread alone: what is not done of the others' goes back to the queue, unharmed.
            with self._mutex:
                self._queue.extendleft(reversed([other for other in batch[1:] if not other.done]))
            for other in batch[1:]:
                if other.done:
                    other.bell.release()

    def _abandon(self, ticket: _Ticket) -> None:
        """An interrupted caller leaves the queue; if the lead had just been given to him, it goes on to the next."""
        with self._mutex:
            waiting = ticket in self._queue
            if waiting:
                self._queue.remove(ticket)
        if waiting and ticket.leads:
            self._hand_over()

    def _hand_over(self) -> None:
        with self._mutex:
            if self._queue:
                self._queue[0].leads = True
                self._queue[0].bell.release()
            else:
                self._led = False

    def _commit(self, batch: list[_Ticket]) -> None:
        if len(batch) == 1:
            self._alone(batch[0])
            return
        try:
            results = self._transact([ticket.job for ticket in batch])
        except StoreUnavailable as error:
            for ticket in batch:  # what became of them is not known, so none is tried again
                ticket.error, ticket.done = error, True
            return
        except Exception:
            for ticket in batch:
                self._alone(ticket)
            return
        for ticket, result in zip(batch, results, strict=True):
            ticket.result, ticket.done = result, True

    def _alone(self, ticket: _Ticket) -> None:
        try:
            (ticket.result,) = self._transact([ticket.job])
        except apsw.Error as error:
            ticket.error = translate(error)
            ticket.error.__cause__ = error
        except Exception as error:
            ticket.error = error
        ticket.done = True

    def _transact(self, jobs: list[Job[Any]]) -> list[Any]:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            results = [job(db) for job in jobs]
            db.execute("COMMIT")
        except BaseException:
            # A failed commit (a full disk) may have rolled back by itself.
            if db.in_transaction:
                with speaking_plainly():
                    db.execute("ROLLBACK")
            raise
        return results
