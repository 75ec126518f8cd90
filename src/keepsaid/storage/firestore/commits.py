"""A commit as document writes. The writes that may fail come first, because there is no real transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keepsaid.storage.firestore import documents
from keepsaid.storage.firestore.commit_placement import CommitPlacement
from keepsaid.storage.firestore.document_cache import DocumentCache
from keepsaid.storage.firestore.document_names import DocumentPaths, document_id
from keepsaid.storage.firestore.gateway import SERVER_TIME, DocumentWrite, Fields
from keepsaid.storage.firestore.purge import PurgeScheduler
from keepsaid.storage.replica.ledger import LedgerPoint, LedgerRow, PartitionHeader

MAX_LOG_BYTES = 800_000
"""The most bytes in a log document. A larger commit is logged as one that changed everything."""

TRIMMED_AT_ONCE = 50
"""A commit trims the log once in this many revisions, and removes at most this many log documents."""


class CommitBuilder:
    """Builds the writes that turn one point into the next."""

    def __init__(
        self, names: DocumentPaths, partition: str, before: DocumentCache, placing: CommitPlacement, purge: PurgeScheduler
    ) -> None:
        self._names, self._partition, self._before = names, partition, before
        self._placing, self._purge, self._reached = placing, purge, placing.cache.point
        self._kept: dict[str, DocumentWrite] = {}
        self._changed_rows: list[list[str]] = []
        """The table and key of each changed row, and its document if it has a readable one."""

    def build_writes(self, rows: Sequence[LedgerRow], note: Mapping[str, Any], log: int) -> list[DocumentWrite]:
        """Build all writes. The first creates the log document, which must not exist yet; the second updates the header."""
        for row in rows:
            if row.columns is not None:
                self._keep(row)
        gone = {path: None for row in rows if row.columns is None for path in self._paths_of_gone(row)}
        gone |= {self._names.session(place.document): None for place in self._placing.former_locations.values()}
        deletes = [DocumentWrite("delete", path, {}) for path in gone if path not in self._kept]
        kept = sorted(self._kept.values(), key=lambda write: write.how == "merge" or write.how == "put")
        return [self._log(), self._header(note), *kept, *deletes, *self._clear_purge_times(), *self._trim_log(log)]

    def _keep(self, row: LedgerRow) -> None:
        if (place := self._placing.session(row)) is not None:
            path = self._names.session(place.document)
            purge_at = self._purge.purge_times.get(int(row.key))
            fields = documents.session_document(self._names, self._partition, row, place.own, purge_at)
            self._put(row, self._session(int(row.key), path, fields))
        elif row.table == "messages" and (path := self._placing.message(row)) is not None:
            fields = documents.message_document(self._partition, row, self._placing.writable_fields(path))
            self._put(row, DocumentWrite("merge", path, fields))
        else:
            path = self._names.row(self._partition, row)
            self._kept[path] = DocumentWrite("put", path, documents.row_document(row))
            self._changed_rows.append([row.table, row.key])

    def _session(self, number: int, path: str, fields: Fields) -> DocumentWrite:
        if number not in self._placing.new_documents:
            return DocumentWrite("merge", path, fields)
        found = self._placing.new_documents[number]
        return DocumentWrite("create", path, fields) if found is None else DocumentWrite("change", path, fields, found.time)

    def _put(self, row: LedgerRow, write: DocumentWrite) -> None:
        self._kept[write.path] = write
        self._changed_rows.append([row.table, row.key, write.path])

    def _paths_of_gone(self, row: LedgerRow) -> list[str]:
        placed = self._placing.removed_document(row)
        self._changed_rows.append([row.table, row.key] if placed is None else [row.table, row.key, placed])
        return [self._names.row(self._partition, row)] if placed is None else [placed]

    def _log(self) -> DocumentWrite:
        # As one text: Firestore would index every item of a list.
        changed = json.dumps(self._changed_rows, ensure_ascii=False)
        changes = changed if documents.size_of(changed) <= MAX_LOG_BYTES else None
        fields: Fields = {**self._reached._asdict(), documents.INTERNAL: changes, "at": SERVER_TIME}
        return DocumentWrite("create", self._names.change(self._partition, self._reached.revision), fields)

    def _header(self, note: Mapping[str, Any]) -> DocumentWrite:
        """The write of the header, which must not have changed since the cache was filled."""
        path, fields = self._names.partition(self._partition), header_fields(self._partition, self._reached, note)
        if self._before.time is None:
            return DocumentWrite("create", path, fields)
        return DocumentWrite("change", path, fields, self._before.time)

    def _clear_purge_times(self) -> list[DocumentWrite]:
        """Clear the purge time of deleted sessions that a fork now continues."""
        paths = [self._names.session(place.document) for place in self._purge.continued]
        return [DocumentWrite("merge", path, {documents.PURGE_AT: None}) for path in paths if path not in self._kept]

    def _trim_log(self, log: int) -> list[DocumentWrite]:
        """Delete log documents of old revisions. Their names follow from the revisions."""
        newest, at_once = self._reached.revision, min(TRIMMED_AT_ONCE, log)
        if newest % at_once:
            return []
        last = newest - log
        revisions = range(max(1, last - at_once + 1), last + 1)
        return [DocumentWrite("delete", self._names.change(self._partition, revision), {}) for revision in revisions]


def header_fields(partition: str, point: LedgerPoint, note: Mapping[str, Any]) -> Fields:
    """The document of a partition's header."""
    changes = json.dumps(dict(note))
    return {"place": document_id(partition), "unit": partition, **point._asdict(), "note": changes, "updated": SERVER_TIME}


def parse_point(fields: Fields) -> LedgerPoint:
    """The point in the document of a header or of a commit.

    >>> parse_point({"revision": 3, "token": "a1", "note": "{}"})
    LedgerPoint(revision=3, token='a1')
    """
    return LedgerPoint(fields["revision"], fields["token"])


def parse_header(fields: Fields | None) -> PartitionHeader:
    """The header in a document.

    >>> parse_header({"revision": 3, "token": "a1", "note": '{"newest": 7}'})
    PartitionHeader(point=LedgerPoint(revision=3, token='a1'), note={'newest': 7})
    """
    return PartitionHeader(parse_point(fields), json.loads(fields["note"])) if fields else PartitionHeader()
