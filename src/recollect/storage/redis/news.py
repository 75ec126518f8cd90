"""News: a stream that says that something was committed, so that others need not ask all the time. It is a hint only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from recollect.errors import RecollectError
from recollect.storage.audience import Audience
from recollect.storage.redis.calls import Calls

LISTENED = 250
"""Milliseconds that a listener waits for news in one call; as long may closing take."""

UNTOLD = 30.0
"""Seconds after which somebody looks without news, where a commit may be kept and its news be lost."""

QUIET = 1.0
"""Seconds in which nothing is told after telling has failed."""

KEPT = 10_000


class News:
    """Tells others of commits, and hears of theirs.

    On a single server a commit itself writes the news. In a cluster they are on another server, so that telling is a second
    step, which may fail.
    """

    def __init__(self, calls: Calls, key: str, who: str, *, apart: bool) -> None:
        self._calls, self._key, self._who = calls, key, who.encode()
        self._apart = apart
        self._quiet_until = 0.0
        self._audience = Audience()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def tell(self) -> None:
        """Says that something was committed, where the commit has not said so itself."""
        if not self._apart or time.monotonic() < self._quiet_until:
            return
        if self._calls.try_once(self._key, "XADD", "MAXLEN", "~", KEPT, "*", "by", self._who) is None:
            self._quiet_until = time.monotonic() + QUIET

    def stamp(self) -> object:
        """What differs after news."""
        return self._last(), int(time.monotonic() / UNTOLD) if self._apart else 0

    def listen(self, call: Callable[[], None]) -> None:
        """Calls after every commit of others, in a thread of its own."""
        with self._lock:
            self._audience.add(call)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._follow, args=(self._last(),), name="recollect-redis-news", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Waits for the listener, which ends when the calls are stopped."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _last(self) -> bytes:
        newest = self._calls.read(self._key, "XREVRANGE", "+", "-", "COUNT", 1)
        return newest[0][0] if newest else b"0-0"

    def _follow(self, last: bytes) -> None:
        looked = time.monotonic()
        while not self._calls.is_closed:
            try:
                last, by_others = self._wait(last)
            except RecollectError:
                self._calls.pause(QUIET)
                by_others = True
            if by_others or (self._apart and time.monotonic() > looked + UNTOLD):
                looked = time.monotonic()
                self._tell_all()

    def _wait(self, last: bytes) -> tuple[bytes, bool]:
        if not self._calls.listen(self._key, last, LISTENED):
            return last, False
        entries: list[tuple[bytes, dict[bytes, Any]]] = self._calls.read(self._key, "XRANGE", b"(" + last, "+")
        if not entries:
            return last, False
        return entries[-1][0], any(fields.get(b"by") != self._who for _, fields in entries)

    def _tell_all(self) -> None:
        if not self._calls.is_closed:
            self._audience.tell()
