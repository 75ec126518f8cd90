"""A commit as writes of documents, in the order that a place without real transactions needs: what may fail comes first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.storage.firestore import documents
from recollect.storage.firestore.atlas import Atlas
from recollect.storage.firestore.gateway import NOW, Fields, Write
from recollect.storage.firestore.places import Names, document_id
from recollect.storage.firestore.placing import Placing
from recollect.storage.firestore.purge import Purge
from recollect.storage.mirror.ledger import Header, Point, Row

LARGEST_LOG = 800_000
"""Bytes of what a log document tells. A commit that changes more is told as one that changed all."""

TRIMMED_AT_ONCE = 50
"""Log documents that one commit in so many removes, at most."""


class Commit:
    """The writes that make one point of another."""

    def __init__(self, names: Names, unit: str, before: Atlas, placing: Placing, purge: Purge) -> None:
        self._names, self._unit, self._before = names, unit, before
        self._placing, self._purge, self._reached = placing, purge, placing.atlas.point
        self._kept: dict[str, Write] = {}
        self._named: list[list[str]] = []
        """The table and key of each row, and its document if it has a place of its own."""

    def writes(self, rows: Sequence[Row], note: Mapping[str, Any], log: int) -> list[Write]:
        """All of them. The first is the log's, which must not be there yet; the second is the header."""
        for row in rows:
            if row.columns is not None:
                self._keep(row)
        gone = {path: None for row in rows if row.columns is None for path in self._paths_of_gone(row)}
        gone |= {self._names.session(place.document): None for place in self._placing.left.values()}
        deletes = [Write("delete", path, {}) for path in gone if path not in self._kept]
        kept = sorted(self._kept.values(), key=lambda write: write.how == "merge" or write.how == "put")
        return [self._log(), self._header(note), *kept, *deletes, *self._lifted(), *self._trimming(log)]

    def _keep(self, row: Row) -> None:
        if (place := self._placing.session(row)) is not None:
            path = self._names.session(place.document)
            purge_at = self._purge.moments.get(int(row.key))
            fields = documents.session(self._names, self._unit, row, place.own, purge_at)
            self._put(row, self._session(int(row.key), path, fields))
        elif row.table == "messages" and (path := self._placing.message(row)) is not None:
            fields = documents.message(self._unit, row, self._placing.own(path))
            self._put(row, Write("merge", path, fields))
        else:
            path = self._names.row(self._unit, row)
            self._kept[path] = Write("put", path, documents.plain(row))
            self._named.append([row.table, row.key])

    def _session(self, number: int, path: str, fields: Fields) -> Write:
        if number not in self._placing.begun:
            return Write("merge", path, fields)
        found = self._placing.begun[number]
        return Write("create", path, fields) if found is None else Write("change", path, fields, found.time)

    def _put(self, row: Row, write: Write) -> None:
        self._kept[write.path] = write
        self._named.append([row.table, row.key, write.path])

    def _paths_of_gone(self, row: Row) -> list[str]:
        placed = self._placing.gone(row)
        self._named.append([row.table, row.key] if placed is None else [row.table, row.key, placed])
        return [self._names.row(self._unit, row)] if placed is None else [placed]

    def _log(self) -> Write:
        # As one text: of a list, Firestore would index every item.
        changed = json.dumps(self._named, ensure_ascii=False)
        told = changed if documents.size_of(changed) <= LARGEST_LOG else None
        fields: Fields = {**self._reached._asdict(), documents.OURS: told, "at": NOW}
        return Write("create", self._names.change(self._unit, self._reached.revision), fields)

    def _header(self, note: Mapping[str, Any]) -> Write:
        """Which must still be as it was when the atlas was drawn."""
        path, fields = self._names.unit(self._unit), header_fields(self._unit, self._reached, note)
        if self._before.time is None:
            return Write("create", path, fields)
        return Write("change", path, fields, self._before.time)

    def _lifted(self) -> list[Write]:
        """Deleted sessions that somebody continues from now on."""
        paths = [self._names.session(place.document) for place in self._purge.continued]
        return [Write("merge", path, {documents.PURGE: None}) for path in paths if path not in self._kept]

    def _trimming(self, log: int) -> list[Write]:
        """Log documents of revisions that are too old; their names are known without looking."""
        newest, at_once = self._reached.revision, min(TRIMMED_AT_ONCE, log)
        if newest % at_once:
            return []
        last = newest - log
        revisions = range(max(1, last - at_once + 1), last + 1)
        return [Write("delete", self._names.change(self._unit, revision), {}) for revision in revisions]


def header_fields(unit: str, point: Point, note: Mapping[str, Any]) -> Fields:
    """The document of a unit's header."""
    told = json.dumps(dict(note))
    return {"place": document_id(unit), "unit": unit, **point._asdict(), "note": told, "updated": NOW}


def point_of(fields: Fields) -> Point:
    """The point that the document of a header or of a commit tells.

    >>> point_of({"revision": 3, "token": "a1", "note": "{}"})
    Point(revision=3, token='a1')
    """
    return Point(fields["revision"], fields["token"])


def header_of(fields: Fields | None) -> Header:
    """The header that a document tells.

    >>> header_of({"revision": 3, "token": "a1", "note": '{"newest": 7}'})
    Header(point=Point(revision=3, token='a1'), note={'newest': 7})
    """
    return Header(point_of(fields), json.loads(fields["note"])) if fields else Header()
