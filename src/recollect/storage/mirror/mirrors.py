"""The mirrors that a process has open: those of the units it has worked with last."""

from __future__ import annotations

import hashlib
import secrets
import tempfile
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import StoreClosed
from recollect.storage.mirror.ledger import Ledger
from recollect.storage.mirror.mirror import Mirror
from recollect.storage.sqlite import Source

KEPT = 256
"""Mirrors that stay open while nobody uses them."""


class Mirrors:
    """Opens mirrors, lends them out, and closes those that nobody has used for longest.

    Without a folder they live in a temporary one, encrypted with a key that nobody knows and that ends with the process.
    """

    def __init__(self, ledger: Ledger, folder: Path | None = None, key: str | bytes | None = None, kept: int = KEPT) -> None:
        self._ledger, self._kept = ledger, kept
        self._temporary = tempfile.TemporaryDirectory(prefix="recollect-") if folder is None else None
        self._folder = Path(self._temporary.name) if self._temporary else folder or Path()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._key = secrets.token_bytes(32) if self._temporary else key
        self._open: OrderedDict[str, Mirror] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}
        self._lent: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._closed = False

    @contextmanager
    def lend(self, unit: str) -> Generator[Mirror]:
        """A unit's mirror, which stays open meanwhile."""
        with self._lock:
            if self._closed:
                raise StoreClosed("the store is closed")
            self._lent[unit] += 1
            opening = self._opening.setdefault(unit, threading.Lock())
        try:
            with opening:
                mirror = self._open.get(unit) or self._make(unit)
            yield mirror
        finally:
            with self._lock:
                if unit in self._open:
                    self._open.move_to_end(unit)
                self._lent[unit] -= 1
                if not self._lent[unit]:
                    del self._lent[unit]
                    self._opening.pop(unit, None)
                superfluous = self._take_superfluous()
            for one in superfluous:
                one.close()

    def _make(self, unit: str) -> Mirror:
        path = self._folder / f"{hashlib.sha256(unit.encode()).hexdigest()[:40]}.db"
        mirror = Mirror(Source(path, self._key, durable=False), unit, self._ledger, lasting=self._temporary is None)
        with self._lock:
            for call in self._listeners:
                mirror.on_commit(call)
            self._open[unit] = mirror
        return mirror

    def _take_superfluous(self) -> list[Mirror]:
        if self._closed:
            idle = [unit for unit in self._open if unit not in self._lent]
        else:
            too_many = len(self._open) - self._kept
            idle = [unit for unit in self._open if unit not in self._lent][: max(0, too_many)]
        return [self._open.pop(unit) for unit in idle]

    def listen(self, call: Callable[[], None]) -> None:
        """Asks to be called after every commit of any of them."""
        with self._lock:
            self._listeners.append(call)
            for mirror in self._open.values():
                mirror.on_commit(call)

    def maintain(self) -> None:
        """Lets each that is open finish what had to wait."""
        for unit in list(self._open):
            with self.lend(unit) as mirror:
                mirror.maintain()

    def close(self) -> None:
        """Closes all that are not in use now, and the others when they come back."""
        with self._lock:
            self._closed = True
            idle = self._take_superfluous()
        for mirror in idle:
            mirror.close()
        if self._temporary is not None:
            self._temporary.cleanup()
