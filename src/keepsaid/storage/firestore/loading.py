"""Load a partition: all of it, or the changes since a point, as a consistent snapshot.

Rows are read while other processes commit. Rows that changed in the meantime are read again until none did: then everything
matches the point in the header.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from keepsaid.storage.firestore.commit_placement import location_of
from keepsaid.storage.firestore.commits import parse_header, parse_point
from keepsaid.storage.firestore.document_cache import DocumentCache, SessionLocation
from keepsaid.storage.firestore.document_names import DocumentPaths
from keepsaid.storage.firestore.documents import INTERNAL, KEY, PARTITION, row_from_document, row_from_readable_document
from keepsaid.storage.firestore.gateway import FirestoreDocument, FirestoreGateway
from keepsaid.storage.replica import partitions
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader

PARALLEL_SESSIONS = 8
"""Sessions whose messages are read at the same time."""

Name = tuple[str, str]
"""A row's table and key."""


class PartitionLoader:
    """Loads one partition once."""

    def __init__(self, gateway: FirestoreGateway, names: DocumentPaths, partition: str, known: DocumentCache) -> None:
        self._gateway, self._names, self._partition, self._known = gateway, names, partition, known
        self._rows: dict[Name, LedgerRow] = {}
        self._places: dict[int, SessionLocation | None] = {}
        self._reached = BEGINNING
        self._known_points: set[LedgerPoint] = set()
        self._whole = False
        self.cache = DocumentCache()
        """The cache of the partition after loading."""

    def load_since(self, point: LedgerPoint) -> PartitionDelta:
        """Load the changes after a point, or everything if the log does not know the point."""
        self._reached = point
        is_known = self._follow()
        while True:
            if not is_known:
                self._read_all()
            header, time = self.header()
            if header.point == self._reached:
                return self._finish(header, time)
            before = self._reached
            is_known = self._follow() and self._reached != before

    def header(self) -> tuple[PartitionHeader, object]:
        """The partition's header, and when it was written."""
        path = self._names.partition(self._partition)
        found = self._gateway.get([path]).get(path)
        return (parse_header(found.fields), found.time) if found else (PartitionHeader(), None)

    def _finish(self, header: PartitionHeader, time: object) -> PartitionDelta:
        known = self._known
        if self._whole or known.point not in self._known_points:
            known = DocumentCache(complete=self._whole)
        self.cache = known.copy(header.point, time)
        self.cache.sessions.update(self._places)
        self.cache.learn(self._rows.values())
        rows = [row for row in self._rows.values() if row.columns is not None or not self._whole]
        return PartitionDelta(header, rows, self._whole)

    # -- changes

    def _follow(self) -> bool:
        """Load the changes after the point reached so far, up to the end of the log. Return False if the log does not know
        that point, or does not list its changes."""
        if self._reached == BEGINNING:
            return False
        pages = self._gateway.pages(self._names.log(self._partition), "revision", after=self._reached.revision - 1)
        log = (one for page in pages for one in page)
        first = next(log, None)
        if first is None or parse_point(first.fields) != self._reached:
            return False
        self._known_points.add(self._reached)
        found: dict[Name, str] = {}
        for one in log:
            if one.fields["revision"] != self._reached.revision + 1 or one.fields[INTERNAL] is None:
                return False
            self._reached = parse_point(one.fields)
            self._known_points.add(self._reached)
            for name, path in map(self._parse_change, json.loads(one.fields[INTERNAL])):
                # A row that moved to another document is listed twice, the newer document last.
                found.pop(name, None)
                found[name] = path
        self._read(found)
        return True

    def _parse_change(self, changed: list[str]) -> tuple[Name, str]:
        table, key, *path = changed
        return (table, key), path[0] if path else self._names.row(self._partition, LedgerRow(table, key, None))

    def _read(self, changed: dict[Name, str]) -> None:
        there = self._gateway.get(changed.values())
        for (table, key), path in changed.items():
            self._rows[table, key] = LedgerRow(table, key, None)
            if table == "sessions" and key.isdecimal():
                self._places[int(key)] = None
            if found := there.get(path):
                self._take(table, key, found)

    def _take(self, table: str, key: str, found: FirestoreDocument) -> None:
        if is_row_path(found.path, self._names):
            self._rows[table, key] = row_from_document(found)
        elif found.fields.get(KEY) == key and found.fields.get(PARTITION) == self._partition:
            self._rows[table, key] = row_from_readable_document(table, found)
            if table == "sessions":
                self._places[int(key)] = location_of(found)

    # -- everything

    def _read_all(self) -> None:
        """Load everything. Each row is at least as new as the header's point."""
        header, _ = self.header()
        self._whole, self._rows, self._places, self._reached = True, {}, {}, header.point
        if header.point == BEGINNING:
            return
        for page in self._gateway.pages(self._names.rows(self._partition), "place"):
            for found in page:
                row = row_from_document(found)
                self._rows[row.table, row.key] = row
        if partitions.is_owned(self._partition):
            sessions = self._gateway.select(self._names.sessions, [(PARTITION, "==", self._partition)])
            for found in [*sessions, *self._messages([one.path.rpartition("/")[2] for one in sessions])]:
                self._take("messages" if found.path.count("/") > 1 else "sessions", found.fields[KEY], found)

    def _messages(self, documents: Sequence[str]) -> Iterable[FirestoreDocument]:
        def read(document: str) -> list[FirestoreDocument]:
            return [found for page in self._gateway.pages(self._names.messages(document), KEY) for found in page]

        with ThreadPoolExecutor(PARALLEL_SESSIONS) as pool:
            for some in pool.map(read, documents):
                yield from some


def is_row_path(path: str, names: DocumentPaths) -> bool:
    """Whether a document is that of a row without a readable document.

    >>> names = DocumentPaths("chat_sessions", "messages", "keepsaid_units", "user_id")
    >>> is_row_path("keepsaid_units/o:ann/rows/tags:1", names), is_row_path("chat_sessions/s1", names)
    (True, False)
    """
    return path.startswith(f"{names.partitions}/")
