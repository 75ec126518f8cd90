"""The worker: does a craft's work until nothing waits, in the foreground or in a thread of its own."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Protocol

from recollect.errors import RecollectError
from recollect.ports import Progress

IDLE = 20
"""After looking in vain, the worker rests for so many times as long as it took: with many owners a look costs something."""

LOOK_AGAIN = 0.5
"""Seconds between looks at whether another worker has settled what it holds, or died over it."""

PAUSE = 30.0
"""Seconds until a worker that failed tries again, or one in the background looks for work by itself: another process may
have saved something, or died over it."""

FAREWELL = 10.0
"""Seconds that a craft is waited for when the store is closed. One that hangs for longer is left behind."""

HELD = 2.0
"""Seconds that somebody who wants the worker to rest waits for it to finish what it is at."""

NAME = "recollect-worker"

QUIET, PATIENT = 0.2, 3.0
"""Seconds without a commit after which an unhurried craft begins, and the longest that it waits for them: work that nobody
waits for should not slow down someone who is saving."""


class Craft(Protocol):
    """Something to be done for every message."""

    def begin(self) -> None:
        """Gets ready; called before every round of work."""
        ...

    def one_batch(self, stopping: threading.Event) -> int | None:
        """Does some messages; returns how many were settled, or None if none could be had."""
        ...

    def progress(self) -> tuple[int, int]:
        """How many messages are done, of how many."""
        ...

    def finish(self) -> None:
        """Called when nothing waits any more."""
        ...


class Worker:
    """Does one craft's work. An unhurried one waits for a quiet moment."""

    def __init__(self, craft: Callable[[], Craft], *, unhurried: bool = False) -> None:
        self._make = craft
        self._unhurried = unhurried
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._busy = threading.Lock()
        self._at_exit = partial(_stop, weakref.ref(self))
        self._woken = 0.0
        self.failure = ""
        """Why the last batch failed; empty while all goes well."""

    @cached_property
    def _craft(self) -> Craft:
        """Made by whoever works first: what a craft knows takes a while to import, and nobody who saves should wait."""
        return self._make()

    # -- in the foreground

    def drain(self, progress: Progress | None = None) -> int:
        """Works until nothing waits; returns how many messages it did.

        What another worker holds is waited for, until it is settled or its lease runs out. A craft that fails raises
        its error, and what waits goes on waiting.
        """
        self._craft.begin()
        done = 0
        before, total = self._craft.progress()
        while not self._stopping.is_set():
            settled = self._one_batch()
            if settled is not None:
                done += settled
                so_far = min(before + done, total)
            else:
                so_far, total = self._craft.progress()
                if so_far == total:
                    break
                self._stopping.wait(LOOK_AGAIN)
            if progress:
                progress(so_far, total)
        self._craft.finish()
        return done

    # -- in the background

    def start(self) -> None:
        """Begins to work in a thread of its own, unless it has begun."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=NAME, daemon=True)
                self._thread.start()
                # A thread inside the model when the interpreter ends would take the whole process down.
                atexit.register(self._at_exit)

    def wake(self) -> None:
        """Tells of new work."""
        if threading.current_thread().name != NAME:
            self._woken = time.monotonic()  # what a worker settles is nobody saving something
        self.start()
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread after what it is at; what waits goes on waiting."""
        self._stopping.set()
        self._wake.set()
        atexit.unregister(self._at_exit)
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(FAREWELL)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                self._craft.begin()
                self._wait_for_quiet()
                # Not `drain`: that counts, which reads the whole store, and this runs after every commit.
                start = time.monotonic()
                while not self._stopping.is_set() and self._one_batch() is not None:
                    self._wait_for_quiet()
                    start = time.monotonic()
                self._stopping.wait(IDLE * (time.monotonic() - start))
                self._craft.finish()
                self.failure = ""
                if not self._wake.wait(PAUSE) and self._unhurried and self._end_thread():
                    return
            except RecollectError as error:
                # Nobody waits for an answer here. A search tells of it, and messages are found by words meanwhile.
                self.failure = str(error)
                self._stopping.wait(PAUSE)

    def _one_batch(self) -> int | None:
        # One at a time: to the storage, two threads of this worker are the same holder of the same lease.
        with self._busy:
            return self._craft.one_batch(self._stopping)

    @contextmanager
    def held(self) -> Generator[None]:
        """Nothing is done meanwhile. One that does not come to an end soon is not waited for."""
        got = self._busy.acquire(timeout=HELD)
        try:
            yield
        finally:
            if got:
                self._busy.release()

    def _wait_for_quiet(self) -> None:
        start = time.monotonic()
        while self._unhurried and not self._stopping.is_set():
            now = time.monotonic()
            rest = min(self._woken + QUIET - now, start + PATIENT - now)
            if rest <= 0:
                break
            self._stopping.wait(rest)

    def _end_thread(self) -> bool:
        """An unhurried thread that has nothing to do ends: a store that nobody closed can then be let go of."""
        with self._lock:
            if self._wake.is_set():
                return False
            self._thread = None
            atexit.unregister(self._at_exit)
            return True


def _stop(worker: weakref.ref[Worker]) -> None:
    if (there := worker()) is not None:
        there.stop()
