"""A ledger in memory: the reference that says what a ledger does, and the quickest one to test with."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.errors import StoreClosed
from recollect.storage.audience import Audience
from recollect.storage.mirror.ledger import BEGINNING, Columns, Delta, Header, Point, Row

MEBIBYTE = 1 << 20


class _Unit:
    def __init__(self) -> None:
        self.point = BEGINNING
        self.note = "{}"
        self.rows: dict[tuple[str, str], Columns] = {}
        self.log: dict[Point, list[tuple[str, str]]] = {}

    @property
    def header(self) -> Header:
        return Header(self.point, json.loads(self.note))

    def behind(self, since: Point) -> list[list[tuple[str, str]]] | None:
        """What each commit behind a point changed; None if the point is not known."""
        if since not in self.log:
            return None
        return [names for point, names in self.log.items() if point.revision > since.revision]


class MemoryPlace:
    """What several ledgers share, as several processes share a server."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.units: dict[str, _Unit] = {}
        self.commits = 0
        self.listeners: list[tuple[MemoryLedger, Callable[[], None]]] = []


class MemoryLedger:
    """Keeps units in a dict; `log` is how many revisions of a unit it remembers.

    >>> ledger = MemoryLedger()
    >>> ledger.commit("ann", BEGINNING, [Row("message", "m1", {"text": "Hello"})], {}, "token")
    True
    >>> ledger.load("ann", BEGINNING).rows
    [Row(table='message', key='m1', columns={'text': 'Hello'})]
    """

    largest_message = 16 * MEBIBYTE

    def __init__(self, place: MemoryPlace | None = None, log: int = 1000) -> None:
        self._place = place or MemoryPlace()
        self._log = log
        self._closed = False

    def headers(self, units: Sequence[str]) -> list[Header]:
        """The header of each unit."""
        with self._open().lock:
            return [self._unit(unit).header for unit in units]

    def load(self, unit: str, since: Point) -> Delta:
        """The rows that changed behind a point, or all."""
        with self._open().lock:
            kept = self._unit(unit)
            logged = kept.behind(since)
            names = list(kept.rows) if logged is None else dict.fromkeys(name for names in logged for name in names)
            return Delta(kept.header, [Row(*name, kept.rows.get(name)) for name in names], logged is None)

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Makes the next point of `after`, if the unit is there."""
        reached = Point(after.revision + 1, token)
        with self._open().lock:
            kept = self._place.units.setdefault(unit, _Unit())
            if kept.point != after:
                return reached in kept.log
            for table, key, columns in rows:
                if columns is None:
                    kept.rows.pop((table, key), None)
                else:
                    kept.rows[table, key] = dict(columns)
            kept.point = reached
            kept.note = json.dumps(dict(note))
            kept.log[reached] = [(row.table, row.key) for row in rows]
            if len(kept.log) > self._log:
                del kept.log[next(iter(kept.log))]
            self._place.commits += 1
            others = [call for ledger, call in self._place.listeners if ledger is not self]
        Audience(*others).tell()
        return True

    def units(self) -> list[tuple[str, Header]]:
        """Every unit with its header."""
        with self._open().lock:
            return [(name, kept.header) for name, kept in self._place.units.items() if kept.point.revision]

    def stamp(self) -> object:
        """The number of commits so far."""
        return self._open().commits

    def warnings(self) -> Sequence[str]:
        """Nothing is on a disk, and whoever chose this one knows."""
        return ()

    def on_news(self, call: Callable[[], None]) -> None:
        """Calls, in the thread of whoever committed, after each commit of another ledger of this place."""
        with self._open().lock:
            self._place.listeners.append((self, call))

    def close(self) -> None:
        """Hears of nothing any more; the place keeps what it has for its other ledgers."""
        self._closed = True
        with self._place.lock:
            self._place.listeners = [one for one in self._place.listeners if one[0] is not self]

    def _open(self) -> MemoryPlace:
        if self._closed:
            raise StoreClosed("this ledger was closed")
        return self._place

    def _unit(self, unit: str) -> _Unit:
        return self._place.units.get(unit) or _Unit()
