"""Detects commits of other processes by the partition that was changed last."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from keepsaid.storage.firestore.gateway import FirestoreDocument, FirestoreGateway
from keepsaid.storage.listeners import ListenerGroup

UPDATED = "updated"
"""The field of a header that the service sets to the time of the commit."""

QUERY_INTERVAL = 1.0
"""Seconds between two queries while there is no listener."""

WATCH_CHECK_INTERVAL = 5.0
"""Seconds between two checks that Google's listener is still active."""

_log = logging.getLogger(__name__)


class FirestoreCommitListener:
    """Provides the stamp, and starts a listener when the first callback is registered."""

    def __init__(self, gateway: FirestoreGateway, collection: str) -> None:
        self._gateway, self._collection = gateway, collection
        self._lock = threading.Lock()
        self._listeners = ListenerGroup()
        self._seen: object = None
        self._last_query = 0.0
        self._watch: Any = None
        self._closed = threading.Event()

    def stamp(self) -> object:
        """The partition changed last, with its revision. It comes from the listener, or from a query at most every
        `QUERY_INTERVAL` seconds."""
        watch = self._watch
        if watch is not None and watch.is_active and self._seen is not None:
            return self._seen
        with self._lock:
            if not self._last_query or time.monotonic() - self._last_query >= QUERY_INTERVAL:
                self._last_query = time.monotonic()
                newest = self._gateway.select(self._collection, order=UPDATED, descending=True, limit=1)
                self._seen = _stamp(newest)
            return self._seen

    def listen(self, call: Callable[[], None]) -> None:
        """Register a callback for commits of any process."""
        with self._lock:
            self._listeners.add(call)
            if self._watch is not None:
                return
            self._watch = self._gateway.listen(self._collection, UPDATED, self._on_change)
            threading.Thread(target=self._keep_listening, name="keepsaid-firestore-commits", daemon=True).start()

    def _on_change(self, newest: list[FirestoreDocument]) -> None:
        self._seen = _stamp(newest)
        self._listeners.notify()

    def _keep_listening(self) -> None:
        """Restart the listener if it stopped, and notify in case something was missed."""
        while not self._closed.wait(WATCH_CHECK_INTERVAL):
            if self._watch.is_active:
                continue
            try:
                self._watch = self._gateway.listen(self._collection, UPDATED, self._on_change)
            except Exception:
                # Google's own errors included: whatever it is, it may be over at the next check.
                _log.info("cannot listen for commits now", exc_info=True)
                continue
            self._listeners.notify()

    def close(self) -> None:
        """Stop notifications."""
        self._closed.set()
        if self._watch is not None:
            self._watch.unsubscribe()


def _stamp(newest: list[FirestoreDocument]) -> object:
    return [(one.path, one.fields.get("revision"), str(one.time)) for one in newest]
