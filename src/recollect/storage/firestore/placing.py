"""Where the rows of one commit go. What the atlas does not know is looked up in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.storage.firestore.atlas import Atlas, Place, text, whole
from recollect.storage.firestore.documents import (
    KEY,
    OURS,
    UNIT,
    Own,
    message_fields,
    own_fields,
    plain_row,
    session_fields,
    unpacked,
)
from recollect.storage.firestore.gateway import Found, Gateway
from recollect.storage.firestore.places import Names, document_id, other_id
from recollect.storage.mirror import units
from recollect.storage.mirror.ledger import Point, Row
from recollect.storage.sqlite.spaces import SHELF

IN_ONE_QUERY = 30
"""Values that a field may be compared with at once."""

NAMELESS = "\0"
"""What the id of a session begins with that was purged while a fork still shows its messages."""


class Placing:
    """Finds the documents of sessions and messages. All other rows, and those of shelves, have no place of their own."""

    def __init__(self, gateway: Gateway, names: Names, unit: str, atlas: Atlas, reached: Point, rows: Sequence[Row]) -> None:
        self._gateway, self._names, self._unit, self._rows = gateway, names, unit, rows
        self._were = dict(atlas.sessions)
        self.atlas = atlas.copy(reached, None)
        """As it is right when the commit is done."""
        self.atlas.learn(rows)
        self.begun: dict[int, Found | None] = {}
        """Sessions that get a document now, and the app's document where they are adopted from one."""
        self.left: dict[int, Place] = {}
        """Where sessions were that are gone, or whose number another one has now."""
        self._gone: dict[str, str] = {}
        self._own: dict[str, Own] = {}
        if units.is_somebodys(unit):
            self._find()

    def session(self, row: Row) -> Place | None:
        """Where a session is; None for one without a place of its own."""
        return self.atlas.sessions.get(int(row.key)) if _is_session(row) else None

    def was(self, row: Row) -> Place | None:
        """Where a session was before."""
        return self._were.get(int(row.key))

    def message(self, row: Row) -> str | None:
        """The document of a message."""
        number = self.atlas.branches.get(whole(row.columns, "branch") or 0)
        place = None if number is None else self.atlas.sessions.get(number)
        id = text(row.columns, "id")
        return None if place is None or id is None else self._names.message(place.document, id)

    def own(self, path: str) -> Own:
        """Which readable fields of a message's document are ours."""
        return self._own.get(path)

    def gone(self, row: Row) -> str | None:
        """The document of a row that is gone, if it had a place of its own."""
        if row.table == "sessions" and row.key.isdecimal():
            place = self.left.get(int(row.key))
            return None if place is None else self._names.session(place.document)
        return self._gone.get(row.key) if row.table == "messages" else None

    def session_of_branch(self, branch: int) -> tuple[int, Place | None]:
        """The session that a branch belongs to, and where it is; 0 for none."""
        self._ask("branches", {branch} - self.atlas.branches.keys())
        number = self.atlas.branches.get(branch, 0)
        self._look_up({number} - self.atlas.sessions.keys() - {0})
        return number, self.atlas.sessions.get(number)

    # -- looking up

    def _find(self) -> None:
        kept = [row for row in self._rows if row.columns is not None]
        sessions = {int(row.key): row for row in kept if _is_session(row)}
        said = [row for row in kept if row.table == "messages" and whole(row.columns, "branch") is not None]
        lost = {
            int(row.key) for row in self._rows if row.table == "sessions" and row.columns is None and row.key.isdecimal()
        }
        self._ask("owners", {whole(row.columns, "owner") or 0 for row in sessions.values()} - self.atlas.kinds.keys())
        self._ask("branches", {whole(row.columns, "branch") or 0 for row in said} - self.atlas.branches.keys())
        talked = {self.atlas.branches.get(whole(row.columns, "branch") or 0, 0) for row in said}
        self._look_up({*sessions, *talked, *lost} - self.atlas.sessions.keys() - {0})
        for number in lost:
            self._leave(number)
        self._place(sessions)
        self._find_gone([row for row in self._rows if row.table == "messages" and row.columns is None])
        self._find_own(said)

    def _ask(self, table: str, numbers: Iterable[int]) -> None:
        paths = [self._names.row(self._unit, Row(table, str(number), None)) for number in numbers]
        self.atlas.learn(plain_row(found) for found in self._gateway.get(paths).values())

    def _look_up(self, numbers: set[int]) -> None:
        """Those without a document are rows like others, or new."""
        self.atlas.sessions.update(dict.fromkeys(numbers))
        for some in () if self.atlas.complete else _parts(sorted(numbers)):
            keys = [str(number) for number in some]
            for found in self._gateway.select(self._names.sessions, [(UNIT, "==", self._unit), (KEY, "in", keys)]):
                self.atlas.sessions[int(found.fields[KEY])] = place_of(found)
        self._were.update({number: self.atlas.sessions[number] for number in numbers})

    def _leave(self, number: int) -> None:
        place = self.atlas.sessions.pop(number, None)
        if place is not None:
            self.left[number] = place

    def _place(self, sessions: dict[int, Row]) -> None:
        begun: dict[int, Row] = {}
        for number, row in sessions.items():
            place, id = self.atlas.sessions.get(number), text(row.columns, "id") or ""
            if self.atlas.kinds.get(whole(row.columns, "owner") or 0, SHELF) >= SHELF:
                self.atlas.sessions[number] = None
            elif place is not None and (place.id == id or id.startswith(NAMELESS)):
                self.atlas.sessions[number] = place._replace(id=id, status=whole(row.columns, "status") or 0)
            else:
                self._leave(number)
                begun[number] = row
        documents = {number: document_id(text(row.columns, "id") or "") for number, row in begun.items()}
        there = self._gateway.get(map(self._names.session, documents.values()))
        for number, row in begun.items():
            self._begin(number, row, documents[number], there.get(self._names.session(documents[number])))

    def _begin(self, number: int, row: Row, document: str, found: Found | None) -> None:
        id, status = text(row.columns, "id") or "", whole(row.columns, "status") or 0
        if found is not None and not self._may_take(found):
            document, found = other_id(self._unit, id, row.key), None
        own = own_fields(found, session_fields(self._names, self._unit, row.columns or {}))
        self.atlas.sessions[number] = Place(document, id, status, own)
        self.begun[number] = found

    def _may_take(self, found: Found) -> bool:
        """Whether a document is an app's about the same owner's session, or ours and free from now on."""
        if UNIT in found.fields:
            return any(self._names.session(place.document) == found.path for place in self.left.values())
        whose = found.fields.get(self._names.owner_field)
        return isinstance(whose, str) and units.of_owner(whose) == self._unit

    def _find_own(self, said: list[Row]) -> None:
        """In a session that an app began, a message may have been the app's, too."""
        adopted = {place.document for place in self.atlas.sessions.values() if place is not None and place.own is not None}
        rows = {path: row for row in said if (path := self.message(row)) and path.split("/")[1] in adopted}
        there = self._gateway.get(rows)
        self._own = {path: own_fields(there.get(path), message_fields(row.columns or {})) for path, row in rows.items()}

    # -- messages that are gone: their rows do not tell any more where they were

    def _find_gone(self, rows: list[Row]) -> None:
        paths = {self._names.row(self._unit, row): row.key for row in rows}
        missing = set(paths.values()) - {paths[path] for path in self._gateway.get(paths)}
        for document in self._where_they_may_be() if missing else ():
            if not missing:
                return
            for found in self._search(document, missing):
                key = found.fields[KEY]
                if key in missing:
                    self._gone[key] = found.path
                    missing.discard(key)

    def _where_they_may_be(self) -> Iterator[str]:
        """The documents of sessions: first of those that change as well, for a message hardly goes alone."""
        numbers = {int(row.key) for row in self._rows if row.table == "sessions" and row.key.isdecimal()}
        numbers |= {number for row in self._rows if (number := whole(row.columns, "session")) is not None}
        changing = [self.left.get(number) or self.atlas.sessions.get(number) for number in sorted(numbers)]
        seen = {place.document for place in changing if place is not None}
        yield from sorted(seen)
        for found in self._gateway.select(self._names.sessions, [(UNIT, "==", self._unit)], only=[KEY]):
            document = found.path.rpartition("/")[2]
            if document not in seen:
                yield document

    def _search(self, document: str, keys: set[str]) -> Iterator[Found]:
        collection = self._names.messages(document)
        if len(keys) > IN_ONE_QUERY:
            for page in self._gateway.pages(collection, KEY, only=[KEY]):
                yield from page
        else:
            yield from self._gateway.select(collection, [(KEY, "in", sorted(keys))], only=[KEY])


def place_of(found: Found) -> Place:
    """Where a session is, by its document."""
    columns = unpacked(found.fields[OURS]["columns"])
    document = found.path.rpartition("/")[2]
    return Place(document, text(columns, "id") or "", whole(columns, "status") or 0, own_fields(found, {}))


def _is_session(row: Row) -> bool:
    is_told = whole(row.columns, "owner") is not None and text(row.columns, "id") is not None
    return row.table == "sessions" and is_told and row.key.isdecimal()


def _parts(numbers: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(numbers), IN_ONE_QUERY):
        yield numbers[start : start + IN_ONE_QUERY]
