"""Reading a unit: all of it, or what changed since a revision, as it was at one moment.

Rows are read while others commit. What was changed meanwhile is read again, until nothing was: then everything is of the
revision that the header tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.storage.firestore.atlas import Atlas, Place
from recollect.storage.firestore.commits import header_of
from recollect.storage.firestore.documents import KEY, OURS, UNIT, placed_row, plain_row
from recollect.storage.firestore.gateway import Found, Gateway
from recollect.storage.firestore.places import Names
from recollect.storage.firestore.placing import place_of
from recollect.storage.mirror import units
from recollect.storage.mirror.ledger import Delta, Header, Row

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
        self._whole = False
        self.atlas = Atlas()
        """What is known of the unit when it is read."""

    def since(self, revision: int) -> Delta:
        """What changed behind a revision; 0 for all."""
        reached = revision or self._begin_anew()
        while True:
            changed = self._changed(reached) if reached else None
            if changed is not None:
                self._read(changed[1])
                reached = changed[0]
            header, time = self.header()
            if header.revision == reached:
                return self._done(header, time, revision)
            if not changed:
                reached = self._begin_anew()

    def header(self) -> tuple[Header, object]:
        """The unit's header, and when it was written."""
        path = self._names.unit(self._unit)
        found = self._gateway.get([path]).get(path)
        return (header_of(found.fields), found.time) if found else (Header(), None)

    def _done(self, header: Header, time: object, since: int) -> Delta:
        known = self._known
        if self._whole or not since <= known.revision <= header.revision:
            known = Atlas(complete=self._whole)
        self.atlas = known.copy(header.revision, time)
        self.atlas.sessions.update(self._places)
        self.atlas.learn(self._rows.values())
        rows = [row for row in self._rows.values() if row.columns is not None or not self._whole]
        return Delta(header, rows, self._whole)

    # -- what changed

    def _changed(self, since: int) -> tuple[int, dict[Name, str]] | None:
        """The last revision that the log tells of, and the documents of the rows that changed up to there; None if it does
        not tell what came behind `since`."""
        reached, found = since, dict[Name, str]()
        for page in self._gateway.pages(self._names.log(self._unit), "revision", after=since):
            for one in page:
                if one.fields["revision"] != reached + 1 or one.fields[OURS] is None:
                    return None
                reached += 1
                for name, path in map(self._told, json.loads(one.fields[OURS])):
                    # A row that went from one document and came in another is told of twice, the newer one last.
                    found.pop(name, None)
                    found[name] = path
        return (reached, found) if reached > since else None

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

    def _begin_anew(self) -> int:
        """Reads everything; returns the revision that it is at least of."""
        header, _ = self.header()
        self._whole, self._rows, self._places = True, {}, {}
        if not header.revision:
            return 0
        for page in self._gateway.pages(self._names.rows(self._unit), "place"):
            for found in page:
                row = plain_row(found)
                self._rows[row.table, row.key] = row
        if units.is_somebodys(self._unit):
            sessions = self._gateway.select(self._names.sessions, [(UNIT, "==", self._unit)])
            for found in [*sessions, *self._messages([one.path.rpartition("/")[2] for one in sessions])]:
                self._take("messages" if found.path.count("/") > 1 else "sessions", found.fields[KEY], found)
        return header.revision

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
