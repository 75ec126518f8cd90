"""Worker that runs a background job until nothing is pending, in the foreground or in its own thread."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Protocol

from keepsaid.errors import KeepsaidError
from keepsaid.ports import Progress

IDLE_FACTOR = 20
"""After a check that found no work, the worker rests for this many times the duration of the check: with many owners a check
is not free."""

POLL_SECONDS = 0.5
"""Seconds between checks whether another worker has settled the messages it holds, or died."""

RETRY_SECONDS = 30.0
"""Seconds until a worker that failed tries again, or a background worker checks for work unprompted: another process may
have saved messages, or died while it held some."""

STOP_TIMEOUT = 10.0
"""Seconds to wait for a job when the store is closed. A job that hangs for longer is abandoned."""

PAUSE_TIMEOUT = 2.0
"""Seconds that `held` waits for the worker to finish its current batch."""

NAME = "keepsaid-worker"

QUIET, PATIENT = 0.2, 3.0
"""Seconds without a commit after which an unhurried job begins, and the longest that it waits for such a pause. Work that no
caller waits for should not slow down a caller who is saving."""


LEASE_MICROSECONDS = 120_000_000
"""Microseconds that a worker leases messages for: much longer than a batch takes, but short enough that messages of a
crashed worker do not wait long."""


class BackgroundJob(Protocol):
    """Something to do once for every message."""

    def begin(self) -> None:
        """Prepare; called before every round of work."""
        ...

    def process_batch(self, stopping: threading.Event) -> int | None:
        """Process some messages. Return how many were settled, or None if none could be leased."""
        ...

    def progress(self) -> tuple[int, int]:
        """Return how many messages are done, and how many there are."""
        ...

    def finish(self) -> None:
        """Called when nothing is pending."""
        ...


class BackgroundWorker:
    """Runs one job. An unhurried one waits for a pause between commits."""

    def __init__(self, craft: Callable[[], BackgroundJob], *, unhurried: bool = False) -> None:
        self._create_job = craft
        self._unhurried = unhurried
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._busy = threading.Lock()
        self._pause_requested = threading.Lock()
        self._at_exit = partial(_stop, weakref.ref(self))
        self._woken = 0.0
        self.failure = ""
        """Error of the last batch; empty if it succeeded."""

    @cached_property
    def _job(self) -> BackgroundJob:
        """The job, created on first use by the thread that works: its imports are slow, and a caller who saves should not
        wait for them."""
        return self._create_job()

    # -- in the foreground

    def drain(self, progress: Progress | None = None) -> int:
        """Work until nothing is pending. Return how many messages were processed.

        Messages held by another worker are waited for until they are settled or its lease expires. If the job fails, its
        error is raised and the messages stay pending.
        """
        self._job.begin()
        done = 0
        before, total = self._job.progress()
        while not self._stopping.is_set():
            settled = self._run_batch()
            if settled is not None:
                done += settled
                so_far = min(before + done, total)
            else:
                so_far, total = self._job.progress()
                if so_far == total:
                    break
                self._stopping.wait(POLL_SECONDS)
            if progress:
                progress(so_far, total)
        self._job.finish()
        return done

    # -- in the background

    def start(self) -> None:
        """Start the background thread, unless it runs."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=NAME, daemon=True)
                self._thread.start()
                # A thread inside the model when the interpreter exits would crash the process.
                atexit.register(self._at_exit)

    def wake(self) -> None:
        """Signal that there is new work."""
        if threading.current_thread().name != NAME:
            self._woken = time.monotonic()  # commits of a worker are not a caller's saves
        self.start()
        self._wake.set()

    def stop(self) -> None:
        """Stop the thread after its current batch. Pending messages stay pending."""
        self._stopping.set()
        self._wake.set()
        atexit.unregister(self._at_exit)
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(STOP_TIMEOUT)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                self._job.begin()
                self._wait_for_quiet()
                # Not `drain`: its progress count reads the whole store, and this runs after every commit.
                start = time.monotonic()
                while not self._stopping.is_set() and self._run_batch() is not None:
                    self._yield_to_callers(time.monotonic() - start)
                    self._wait_for_quiet()
                    start = time.monotonic()
                self._stopping.wait(IDLE_FACTOR * (time.monotonic() - start))
                self._job.finish()
                self.failure = ""
                if not self._wake.wait(RETRY_SECONDS) and self._unhurried and self._end_thread():
                    return
            except KeepsaidError as error:
                # No caller waits here. A search reports the failure, and messages are found by words meanwhile.
                self.failure = str(error)
                self._stopping.wait(RETRY_SECONDS)

    def _run_batch(self) -> int | None:
        # `held` keeps this lock while it waits: with `_busy` alone, the next batch would get the lock first.
        with self._pause_requested:
            pass
        # One batch at a time: for the storage, two threads of this worker are the same lease holder.
        with self._busy:
            return self._job.process_batch(self._stopping)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Pause the worker for the duration of the context. If its batch does not end within `PAUSE_TIMEOUT` seconds,
        continue without waiting."""
        end = time.monotonic() + PAUSE_TIMEOUT
        got = False
        if self._pause_requested.acquire(timeout=PAUSE_TIMEOUT):
            try:
                got = self._busy.acquire(timeout=max(0.0, end - time.monotonic()))
            finally:
                self._pause_requested.release()
        try:
            yield
        finally:
            if got:
                self._busy.release()

    def _yield_to_callers(self, worked: float) -> None:
        """Rest as long as the last batch took, if a caller has saved something since: callers who save also search, and
        need the processor for their answers."""
        if time.monotonic() - self._woken < max(worked, QUIET):
            self._stopping.wait(min(worked, PATIENT))

    def _wait_for_quiet(self) -> None:
        start = time.monotonic()
        while self._unhurried and not self._stopping.is_set():
            now = time.monotonic()
            rest = min(self._woken + QUIET - now, start + PATIENT - now)
            if rest <= 0:
                break
            self._stopping.wait(rest)

    def _end_thread(self) -> bool:
        """End an unhurried thread that has nothing to do, so that a store which was never closed can be
        garbage-collected."""
        with self._lock:
            if self._wake.is_set():
                return False
            self._thread = None
            atexit.unregister(self._at_exit)
            return True


def _stop(worker: weakref.ref[BackgroundWorker]) -> None:
    if (there := worker()) is not None:
        there.stop()
