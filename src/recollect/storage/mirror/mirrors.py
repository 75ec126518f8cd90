"""The mirrors that a process has open: those of the units it has worked with last."""

from __future__ import annotations

import hashlib
import logging
import secrets
import tempfile
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from recollect.errors import NotAStore, StorageError, StoreClosed, StoreCorrupt, WrongKey
from recollect.storage.mirror import files, units
from recollect.storage.mirror.ledger import Header, Ledger
from recollect.storage.mirror.mirror import Mirror
from recollect.storage.sqlite import Source
from recollect.storage.sqlite.connection import connect

_log = logging.getLogger("recollect")

KEPT = 48
"""Mirrors that stay open while nobody uses them: each has six open files and more, and a process may often have 1,024."""


class Mirrors:
    """Opens mirrors, lends them out, and closes those that nobody has used for longest.

    Without a folder they live in a temporary one, encrypted with a key that nobody knows and that ends with the process.
    """

    def __init__(self, ledger: Ledger, folder: Path | None = None, key: str | bytes | None = None, kept: int = KEPT) -> None:
        self._ledger, self._kept = ledger, kept
        self._lock_file = None if folder is None else claimed(folder)
        self._temporary = tempfile.TemporaryDirectory(prefix="recollect-") if self._lock_file is None else None
        self._folder = Path(self._temporary.name) if self._temporary else folder or Path()
        self._key = secrets.token_bytes(32) if self._temporary else key
        self._open: OrderedDict[str, Mirror] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}
        self._lent: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._closed = False
        with suppress(StorageError):  # if the place cannot be asked now, it is at the next maintenance
            self._follow_erasures(most=kept)

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
                self._let_go(one)

    def _path(self, unit: str) -> Path:
        return self._folder / f"{hashlib.sha256(unit.encode()).hexdigest()[:40]}.db"

    def _make(self, unit: str) -> Mirror:
        mirror = self._opened(self._path(unit), unit)
        with self._lock:
            for call in self._listeners:
                mirror.on_commit(call)
            self._open[unit] = mirror
        return mirror

    def _can_open(self, path: Path) -> bool:
        try:
            connect(Source(path, self._key)).close()
        except (NotAStore, StoreCorrupt, WrongKey):
            return False
        return True

    def _opened(self, path: Path, unit: str) -> Mirror:
        """The mirror in a file. One that is damaged, or of another key, is made anew: whether the key is right, the ledger
        says."""
        source, lasting = Source(path, self._key, durable=False), self._temporary is None
        files.wake(path)
        try:
            return Mirror(source, unit, self._ledger, lasting=lasting)
        except (NotAStore, StoreCorrupt, WrongKey):
            files.remove(path)
            return Mirror(source, unit, self._ledger, lasting=lasting)

    def _let_go(self, mirror: Mirror) -> None:
        """Closes a mirror; the file of a temporary one goes, too, since it can be had again from the ledger."""
        settled = mirror.is_settled()
        mirror.close()
        if self._temporary is not None:
            files.remove(mirror.path)
        elif settled:
            files.rest(mirror.path, mirror.header.point)

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
        """Follows what others erased, and lets each that is open finish what had to wait."""
        self._follow_erasures()
        for unit in list(self._open):
            with self.lend(unit) as mirror:
                mirror.maintain()

    def _follow_erasures(self, most: int | None = None) -> None:
        """Leaves nothing in a folder that lasts which others have erased, also of owners whom nobody works with here: a
        mirror of somebody who is gone is removed, and one that is not where the ledger is follows. If these are more than
        `most`, the others are removed, too: they can be had again, and nobody has to wait."""
        followed = 0
        left = set[str]() if self._temporary is not None else {path.name for path in self._folder.glob("*.db")}
        for unit, header in self._ledger.units() if left else ():
            path = self._path(unit)
            if path.name not in left:
                continue
            left.remove(path.name)
            is_gone = units.is_somebodys(unit) and not header.note
            if (is_gone and self._remove(path)) or files.rests_at(path, header.point):
                continue
            followed += 1
            if most is None or followed <= most or not self._remove(path):
                self._follow(unit, header)
        for name in left:
            self._remove(self._folder / name)

    def _remove(self, path: Path) -> bool:
        """Removes a file, unless it is in use."""
        with self._lock:
            if path in {self._path(unit) for unit in (*self._open, *self._lent)}:
                return False
            files.remove(path)
            return True

    def _follow(self, unit: str, header: Header) -> None:
        path = self._path(unit)
        if not self._can_open(path) and self._remove(path):
            return  # of another key, or damaged: it is made anew when it is needed
        try:
            with self.lend(unit) as mirror:
                mirror.catch_up(header)
        except StoreCorrupt as error:
            _log.warning("the mirror of %s cannot follow the place: %s", unit, error)

    def close(self) -> None:
        """Closes all that are not in use now, and the others when they come back."""
        with self._lock:
            self._closed = True
            idle = self._take_superfluous()
        for mirror in idle:
            self._let_go(mirror)
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock_file is not None:
            self._lock_file.close()


def claimed(folder: Path) -> TextIO | None:
    """The lock of a folder that now is this process's; None if it is another's. A mirror has one writer."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # Windows: there, nobody must share one
    except OSError:
        lock.close()
        _log.info("the mirrors in %s are another process's: this one makes its own", folder)
        return None
    return lock
