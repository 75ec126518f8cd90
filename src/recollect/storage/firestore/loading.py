"""Reading a unit: all of it, or what changed since a point, as it was at one moment.

Rows are read while others commit. What was changed meanwhile is read again, until nothing was: then everything is of the
point that the header tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.storage.firestore.atlas import Atlas, Place
from recollect.storage.firestore.commits import header_of, point_of
from recollect.storage.firestore.documents import KEY, OURS, UNIT, placed_row, plain_row
from recollect.storage.firestore.gateway import Found, Gateway
from recollect.storage.firestore.places import Names
from recollect.storage.firestore.placing import place_of
from recollect.storage.mirror import units
from recollect.storage.mirror.ledger import BEGINNING, Delta, Header, Point, Row

AT_ONCE = 8
"""Sessions whose messages are read at the same time."""

Name = tuple[str, str]
"""A row's table and key."""


class Loading:
    """Reads one unit once."""

    def __init__(self, gateway: Gateway, names: Names, unit: str, known: Atlas) -> None:
        self._gateway, self._names, self._unit, self._known = gateway, names, unit, known
        self._rows: dict[Name, Row] = {}
        self._places: dict[int, Place | None] = {}
        self._reached = BEGINNING
        self._passed: set[Point] = set()
        self._whole = False
        self.atlas = Atlas()
        """What is known of the unit when it is read."""

    def since(self, point: Point) -> Delta:
        """What changed behind a point; all, if the log does not know it."""
        self._reached = point
        goes_on = self._follow()
        while True:
            if not goes_on:
                self._begin_anew()
            header, time = self.header()
            if header.point == self._reached:
                return self._done(header, time)
            before = self._reached
            goes_on = self._follow() and self._reached != before

    def header(self) -> tuple[Header, object]:
        """The unit's header, and when it was written."""
        path = self._names.unit(self._unit)
        found = self._gateway.get([path]).get(path)
        return (header_of(found.fields), found.time) if found else (Header(), None)

    def _done(self, header: Header, time: object) -> Delta:
        known = self._known
        if self._whole or known.point not in self._passed:
            known = Atlas(complete=self._whole)
        self.atlas = known.copy(header.point, time)
        self.atlas.sessions.update(self._places)
        self.atlas.learn(self._rows.values())
        rows = [row for row in self._rows.values() if row.columns is not None or not self._whole]
        return Delta(header, rows, self._whole)

    # -- what changed

    def _follow(self) -> bool:
        """Reads what changed behind the point that was reached, up to the last that the log tells of; False if the log does
        not know that point, or does not tell what came."""
        if self._reached == BEGINNING:
            return False
        pages = self._gateway.pages(self._names.log(self._unit), "revision", after=self._reached.revision - 1)
        log = (one for page in pages for one in page)
        first = next(log, None)
        if first is None or point_of(first.fields) != self._reached:
            return False
        self._passed.add(self._reached)
        found: dict[Name, str] = {}
        for one in log:
            if one.fields["revision"] != self._reached.revision + 1 or one.fields[OURS] is None:
                return False
            self._reached = point_of(one.fields)
            self._passed.add(self._reached)
            for name, path in map(self._told, json.loads(one.fields[OURS])):
                # A row that went from one document and came in another is told of twice, the newer one last.
                found.pop(name, None)
                found[name] = path
        self._read(found)
        return True

    def _told(self, changed: list[str]) -> tuple[Name, str]:
        table, key, *path = changed
        return (table, key), path[0] if path else self._names.row(self._unit, Row(table, key, None))

    def _read(self, changed: dict[Name, str]) -> None:
        there = self._gateway.get(changed.values())
        for (table, key), path in changed.items():
            self._rows[table, key] = Row(table, key, None)
            if table == "sessions" and key.isdecimal():
                self._places[int(key)] = None
            if found := there.get(path):
                self._take(table, key, found)

    def _take(self, table: str, key: str, found: Found) -> None:
        if path_of_rows(found.path, self._names):
            self._rows[table, key] = plain_row(found)
        elif found.fields.get(KEY) == key and found.fields.get(UNIT) == self._unit:
            self._rows[table, key] = placed_row(table, found)
            if table == "sessions":
                self._places[int(key)] = place_of(found)

    # -- all there is

    def _begin_anew(self) -> None:
        """Reads everything, at least as it was at the point that is reached by that."""
        header, _ = self.header()
        self._whole, self._rows, self._places, self._reached = True, {}, {}, header.point
        if header.point == BEGINNING:
            return
        for page in self._gateway.pages(self._names.rows(self._unit), "place"):
            for found in page:
                row = plain_row(found)
                self._rows[row.table, row.key] = row
        if units.is_somebodys(self._unit):
            sessions = self._gateway.select(self._names.sessions, [(UNIT, "==", self._unit)])
            for found in [*sessions, *self._messages([one.path.rpartition("/")[2] for one in sessions])]:
                self._take("messages" if found.path.count("/") > 1 else "sessions", found.fields[KEY], found)

    def _messages(self, documents: Sequence[str]) -> Iterable[Found]:
        def read(document: str) -> list[Found]:
            return [found for page in self._gateway.pages(self._names.messages(document), KEY) for found in page]

        with ThreadPoolExecutor(AT_ONCE) as pool:
            for some in pool.map(read, documents):
                yield from some


def path_of_rows(path: str, names: Names) -> bool:
    """Whether a document is that of a row without a place of its own.

    >>> names = Names("chat_sessions", "messages", "recollect_units", "user_id")
    >>> path_of_rows("recollect_units/o:ann/rows/tags:1", names), path_of_rows("chat_sessions/s1", names)
    (True, False)
    """
    return path.startswith(f"{names.units}/")
