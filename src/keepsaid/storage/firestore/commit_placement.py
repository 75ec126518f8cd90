"""Decides which documents the rows of one commit go to. What is not cached is looked up in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from keepsaid.storage.firestore.document_cache import DocumentCache, SessionLocation, integer_column, text_column
from keepsaid.storage.firestore.document_names import DocumentPaths, alternative_document_id, document_id
from keepsaid.storage.firestore.documents import (
    INTERNAL,
    KEY,
    PARTITION,
    WritableFields,
    find_writable_fields,
    message_fields,
    row_from_document,
    session_fields,
    unpack_columns,
)
from keepsaid.storage.firestore.gateway import FirestoreDocument, FirestoreGateway
from keepsaid.storage.replica import partitions
from keepsaid.storage.replica.ledger import LedgerPoint, LedgerRow
from keepsaid.storage.sqlite.partitions import DOCUMENTS_OFFSET

IN_ONE_QUERY = 30
"""The most values in one `in` filter."""

NAMELESS = "\0"
"""Prefix of the id of a session that was purged while a fork still shows its messages."""


class CommitPlacement:
    """Finds the documents of sessions and messages. Other rows, and those of document spaces, have no readable document."""

    def __init__(
        self,
        gateway: FirestoreGateway,
        names: DocumentPaths,
        partition: str,
        cache: DocumentCache,
        reached: LedgerPoint,
        rows: Sequence[LedgerRow],
    ) -> None:
        self._gateway, self._names, self._partition, self._rows = gateway, names, partition, rows
        self._previous = dict(cache.sessions)
        self.cache = cache.copy(reached, None)
        """The cache as it is after the commit."""
        self.cache.learn(rows)
        self.new_documents: dict[int, FirestoreDocument | None] = {}
        """Sessions that get a document now, with the app's document if they are adopted from one."""
        self.former_locations: dict[int, SessionLocation] = {}
        """Former locations of sessions that were removed, or whose number another session has now."""
        self._removed_paths: dict[str, str] = {}
        self._writable: dict[str, WritableFields] = {}
        if partitions.is_owned(partition):
            self._find()

    def session(self, row: LedgerRow) -> SessionLocation | None:
        """The location of a session; None if it has no readable document."""
        return self.cache.sessions.get(int(row.key)) if _is_session(row) else None

    def previous_location(self, row: LedgerRow) -> SessionLocation | None:
        """The location of a session before the commit."""
        return self._previous.get(int(row.key))

    def message(self, row: LedgerRow) -> str | None:
        """The document of a message."""
        number = self.cache.branches.get(integer_column(row.columns, "branch") or 0)
        place = None if number is None else self.cache.sessions.get(number)
        id = text_column(row.columns, "id")
        return None if place is None or id is None else self._names.message(place.document, id)

    def writable_fields(self, path: str) -> WritableFields:
        """The readable fields of a message's document that we may write."""
        return self._writable.get(path)

    def removed_document(self, row: LedgerRow) -> str | None:
        """The readable document of a removed row, if it had one."""
        if row.table == "sessions" and row.key.isdecimal():
            place = self.former_locations.get(int(row.key))
            return None if place is None else self._names.session(place.document)
        return self._removed_paths.get(row.key) if row.table == "messages" else None

    def session_of_branch(self, branch: int) -> tuple[int, SessionLocation | None]:
        """The session that a branch belongs to (0 for none), and its location."""
        self._fetch_rows("branches", {branch} - self.cache.branches.keys())
        number = self.cache.branches.get(branch, 0)
        self._look_up({number} - self.cache.sessions.keys() - {0})
        return number, self.cache.sessions.get(number)

    # -- looking up

    def _find(self) -> None:
        kept = [row for row in self._rows if row.columns is not None]
        sessions = {int(row.key): row for row in kept if _is_session(row)}
        messages = [row for row in kept if row.table == "messages" and integer_column(row.columns, "branch") is not None]
        lost = {
            int(row.key) for row in self._rows if row.table == "sessions" and row.columns is None and row.key.isdecimal()
        }
        self._fetch_rows(
            "owners", {integer_column(row.columns, "owner") or 0 for row in sessions.values()} - self.cache.kinds.keys()
        )
        self._fetch_rows(
            "branches", {integer_column(row.columns, "branch") or 0 for row in messages} - self.cache.branches.keys()
        )
        message_sessions = {self.cache.branches.get(integer_column(row.columns, "branch") or 0, 0) for row in messages}
        self._look_up({*sessions, *message_sessions, *lost} - self.cache.sessions.keys() - {0})
        for number in lost:
            self._remove_location(number)
        self._place(sessions)
        self._find_removed([row for row in self._rows if row.table == "messages" and row.columns is None])
        self._find_writable(messages)

    def _fetch_rows(self, table: str, numbers: Iterable[int]) -> None:
        paths = [self._names.row(self._partition, LedgerRow(table, str(number), None)) for number in numbers]
        self.cache.learn(row_from_document(found) for found in self._gateway.get(paths).values())

    def _look_up(self, numbers: set[int]) -> None:
        """Find the documents of sessions. A session without one is stored as a plain row, or is new."""
        self.cache.sessions.update(dict.fromkeys(numbers))
        for some in () if self.cache.complete else _batches(sorted(numbers)):
            keys = [str(number) for number in some]
            for found in self._gateway.select(self._names.sessions, [(PARTITION, "==", self._partition), (KEY, "in", keys)]):
                self.cache.sessions[int(found.fields[KEY])] = location_of(found)
        self._previous.update({number: self.cache.sessions[number] for number in numbers})

    def _remove_location(self, number: int) -> None:
        place = self.cache.sessions.pop(number, None)
        if place is not None:
            self.former_locations[number] = place

    def _place(self, sessions: dict[int, LedgerRow]) -> None:
        begun: dict[int, LedgerRow] = {}
        for number, row in sessions.items():
            place, id = self.cache.sessions.get(number), text_column(row.columns, "id") or ""
            if self.cache.kinds.get(integer_column(row.columns, "owner") or 0, DOCUMENTS_OFFSET) >= DOCUMENTS_OFFSET:
                self.cache.sessions[number] = None
            elif place is not None and (place.id == id or id.startswith(NAMELESS)):
                self.cache.sessions[number] = place._replace(id=id, status=integer_column(row.columns, "status") or 0)
            else:
                self._remove_location(number)
                begun[number] = row
        documents = {number: document_id(text_column(row.columns, "id") or "") for number, row in begun.items()}
        there = self._gateway.get(map(self._names.session, documents.values()))
        for number, row in begun.items():
            self._begin(number, row, documents[number], there.get(self._names.session(documents[number])))

    def _begin(self, number: int, row: LedgerRow, document: str, found: FirestoreDocument | None) -> None:
        id, status = text_column(row.columns, "id") or "", integer_column(row.columns, "status") or 0
        if found is not None and not self._can_adopt(found):
            document, found = alternative_document_id(self._partition, id, row.key), None
        own = find_writable_fields(found, session_fields(self._names, self._partition, row.columns or {}))
        self.cache.sessions[number] = SessionLocation(document, id, status, own)
        self.new_documents[number] = found

    def _can_adopt(self, found: FirestoreDocument) -> bool:
        """Whether a document is an app's session of the same owner, or ours and freed by this commit."""
        if PARTITION in found.fields:
            return any(self._names.session(place.document) == found.path for place in self.former_locations.values())
        owner = found.fields.get(self._names.owner_field)
        return isinstance(owner, str) and partitions.owner_partition(owner) == self._partition

    def _find_writable(self, messages: list[LedgerRow]) -> None:
        """Find which fields of messages we may write, for sessions that an app created: the messages may be the app's,
        too."""
        adopted = {place.document for place in self.cache.sessions.values() if place is not None and place.own is not None}
        rows = {path: row for row in messages if (path := self.message(row)) and path.split("/")[1] in adopted}
        there = self._gateway.get(rows)
        self._writable = {
            path: find_writable_fields(there.get(path), message_fields(row.columns or {})) for path, row in rows.items()
        }

    # -- removed messages: their rows do not say any more where they were

    def _find_removed(self, rows: list[LedgerRow]) -> None:
        paths = {self._names.row(self._partition, row): row.key for row in rows}
        missing = set(paths.values()) - {paths[path] for path in self._gateway.get(paths)}
        for document in self._candidate_sessions() if missing else ():
            if not missing:
                return
            for found in self._search(document, missing):
                key = found.fields[KEY]
                if key in missing:
                    self._removed_paths[key] = found.path
                    missing.discard(key)

    def _candidate_sessions(self) -> Iterator[str]:
        """Yield the documents of sessions, first of those that also change: a message is rarely removed alone."""
        numbers = {int(row.key) for row in self._rows if row.table == "sessions" and row.key.isdecimal()}
        numbers |= {number for row in self._rows if (number := integer_column(row.columns, "session")) is not None}
        changing = [self.former_locations.get(number) or self.cache.sessions.get(number) for number in sorted(numbers)]
        seen = {place.document for place in changing if place is not None}
        yield from sorted(seen)
        for found in self._gateway.select(self._names.sessions, [(PARTITION, "==", self._partition)], only=[KEY]):
            document = found.path.rpartition("/")[2]
            if document not in seen:
                yield document

    def _search(self, document: str, keys: set[str]) -> Iterator[FirestoreDocument]:
        collection = self._names.messages(document)
        if len(keys) > IN_ONE_QUERY:
            for page in self._gateway.pages(collection, KEY, only=[KEY]):
                yield from page
        else:
            yield from self._gateway.select(collection, [(KEY, "in", sorted(keys))], only=[KEY])


def location_of(found: FirestoreDocument) -> SessionLocation:
    """The location of a session, from its document."""
    columns = unpack_columns(found.fields[INTERNAL]["columns"])
    document = found.path.rpartition("/")[2]
    return SessionLocation(
        document, text_column(columns, "id") or "", integer_column(columns, "status") or 0, find_writable_fields(found, {})
    )


def _is_session(row: LedgerRow) -> bool:
    has_fields = integer_column(row.columns, "owner") is not None and text_column(row.columns, "id") is not None
    return row.table == "sessions" and has_fields and row.key.isdecimal()


def _batches(numbers: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(numbers), IN_ONE_QUERY):
        yield numbers[start : start + IN_ONE_QUERY]
