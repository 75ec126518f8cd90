"""A stream that announces commits, so that other processes need not poll. It is only a hint: an announcement may be lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from keepsaid.errors import KeepsaidError
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.redis.retrying_calls import RetryingRedisClient

LISTEN_MILLISECONDS = 250
"""Milliseconds that a listener blocks in one call. Closing may take as long."""

POLL_INTERVAL = 30.0
"""Seconds after which listeners check without an announcement, where announcements may be lost."""

QUIET = 1.0
"""Seconds without announcements after one has failed."""

KEPT = 10_000


class RedisCommitNotifier:
    """Announces commits to other processes, and listens for theirs.

    On a single server the commit script writes the announcement. In a cluster the stream is on another server, so that
    announcing is a second step, which may fail.
    """

    def __init__(self, calls: RetryingRedisClient, key: str, who: str, *, apart: bool) -> None:
        self._calls, self._key, self._writer_id = calls, key, who.encode()
        self._is_separate = apart
        self._quiet_until = 0.0
        self._listeners = ListenerGroup()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def announce(self) -> None:
        """Announce a commit, unless the commit script has announced it."""
        if not self._is_separate or time.monotonic() < self._quiet_until:
            return
        if self._calls.try_once(self._key, "XADD", "MAXLEN", "~", KEPT, "*", "by", self._writer_id) is None:
            self._quiet_until = time.monotonic() + QUIET

    def stamp(self) -> object:
        """A value that changes after an announcement."""
        return self._last(), int(time.monotonic() / POLL_INTERVAL) if self._is_separate else 0

    def listen(self, call: Callable[[], None]) -> None:
        """Register a callback for commits of other processes. It runs in a background thread."""
        with self._lock:
            self._listeners.add(call)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._listen, args=(self._last(),), name="keepsaid-redis-commits", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Wait for the listener thread, which ends when the client is stopped."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _last(self) -> bytes:
        newest = self._calls.read(self._key, "XREVRANGE", "+", "-", "COUNT", 1)
        return newest[0][0] if newest else b"0-0"

    def _listen(self, last: bytes) -> None:
        looked = time.monotonic()
        while not self._calls.is_closed:
            try:
                last, by_others = self._wait(last)
            except KeepsaidError:
                self._calls.pause(QUIET)
                by_others = True
            if by_others or (self._is_separate and time.monotonic() > looked + POLL_INTERVAL):
                looked = time.monotonic()
                self._notify_listeners()

    def _wait(self, last: bytes) -> tuple[bytes, bool]:
        if not self._calls.listen(self._key, last, LISTEN_MILLISECONDS):
            return last, False
        entries: list[tuple[bytes, dict[bytes, Any]]] = self._calls.read(self._key, "XRANGE", b"(" + last, "+")
        if not entries:
            return last, False
        return entries[-1][0], any(fields.get(b"by") != self._writer_id for _, fields in entries)

    def _notify_listeners(self) -> None:
        if not self._calls.is_closed:
            self._listeners.notify()
