"""Background thread that finishes erases that could not be finished at once. It retries until they are done."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
"""Seconds between two attempts: short at first, for readers that are about to end, then longer."""

JOIN_TIMEOUT = 5.0
"""Seconds to wait for a running attempt when the storage is closed."""


class EraseFinisher:
    """Runs a thread as long as there is something to finish. It does not keep the storage alive."""

    def __init__(self, try_to_finish: Callable[[], bool]) -> None:
        self._try = weakref.WeakMethod(try_to_finish)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wanted = False
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start the thread, unless it is running already."""
        with self._lock:
            self._wanted = True
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="keepsaid-erase", daemon=True)
                self._thread.start()
                atexit.register(self.close)  # no thread may be inside SQLite when the interpreter exits

    def close(self) -> None:
        """Stop the thread. What is not finished is left to the next process that opens the store."""
        self._stopping.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(JOIN_TIMEOUT)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.wait(pause):
            with self._lock:
                self._wanted = False
            try_to_finish = self._try()
            done = try_to_finish is None or try_to_finish()
            del try_to_finish
            if done and self._end_thread():
                return
            pause = FIRST_PAUSE if done else min(2 * pause, LONGEST_PAUSE)
        atexit.unregister(self.close)

    def _end_thread(self) -> bool:
        with self._lock:
            if self._wanted:
                return False
            self._thread = None
            atexit.unregister(self.close)
            return True
