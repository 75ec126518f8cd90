"""What tells that somebody has committed something: the unit that was changed last."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from recollect.storage.audience import Audience
from recollect.storage.firestore.gateway import Found, Gateway

UPDATED = "updated"
"""The field of a header that the service sets to the moment of the commit."""

SELDOM = 1.0
"""Seconds between two questions, where nobody listens."""

CARE = 5.0
"""Seconds between two looks whether Google's listener still listens."""

_log = logging.getLogger(__name__)


class News:
    """The stamp, and a listener that is started when somebody wants to hear."""

    def __init__(self, gateway: Gateway, units: str) -> None:
        self._gateway, self._units = gateway, units
        self._lock = threading.Lock()
        self._audience = Audience()
        self._seen: object = None
        self._asked = 0.0
        self._watch: Any = None
        self._closed = threading.Event()

    def stamp(self) -> object:
        """The unit changed last, with its revision: asked for at most once in a while, or as the listener heard it."""
        watch = self._watch
        if watch is not None and watch.is_active and self._seen is not None:
            return self._seen
        with self._lock:
            if not self._asked or time.monotonic() - self._asked >= SELDOM:
                self._asked = time.monotonic()
                newest = self._gateway.select(self._units, order=UPDATED, descending=True, limit=1)
                self._seen = _stamp(newest)
            return self._seen

    def listen(self, call: Callable[[], None]) -> None:
        """Calls whenever anything was committed, by whatever process."""
        with self._lock:
            self._audience.add(call)
            if self._watch is not None:
                return
            self._watch = self._gateway.listen(self._units, UPDATED, self._hear)
            threading.Thread(target=self._care, name="recollect-firestore-news", daemon=True).start()

    def _hear(self, newest: list[Found]) -> None:
        self._seen = _stamp(newest)
        self._audience.tell()

    def _care(self) -> None:
        """Listens anew if the listener has given up, and tells what may have been missed."""
        while not self._closed.wait(CARE):
            if self._watch.is_active:
                continue
            try:
                self._watch = self._gateway.listen(self._units, UPDATED, self._hear)
            except Exception:
                # Google's own, too: whatever it is, the next look may find it gone.
                _log.info("nobody can listen to news now", exc_info=True)
                continue
            self._audience.tell()

    def close(self) -> None:
        """Hears of nothing any more."""
        self._closed.set()
        if self._watch is not None:
            self._watch.unsubscribe()


def _stamp(newest: list[Found]) -> object:
    return [(one.path, one.fields.get("revision"), str(one.time)) for one in newest]
