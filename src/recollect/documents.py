"""Documents: files in chunks, which a search finds and a citation names.

A document needs no tables of its own. Every owner and every pool has a second space, the shelf (`Scope.shelf`): there each
version of a document is a session, and each of its chunks a message. So chunks have the keyword index, the vectors, the
grants, the erase and the encryption of messages.

A version counts once it is marked as placed, which is the last step; the newest that is placed is the document. Older ones
are deleted sessions: no search sees them, receipts still can, and retention purges them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.engine import cursor as cursors
from recollect.engine.chunks import Chunk, chunks
from recollect.engine.hygiene import clean_name, clean_text
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.kit import Kit
from recollect.ports import ALL, NO_FILTERS, Progress, Storage, moment, session_tag, soon
from recollect.reports import EraseReceipt
from recollect.types import (
    Document,
    Draft,
    Filters,
    Hits,
    Message,
    Microseconds,
    Page,
    Role,
    Scope,
    Session,
    SessionQuery,
    Status,
    Window,
)

if TYPE_CHECKING:
    from recollect.recall import Recall, Request

OWNERS = "owner"
"""The tag of documents that belong to all of an owner's (or pool's) conversations."""

EVERYTHING = SessionQuery(limit=ALL)
REMOVED = SessionQuery(Status.DELETED, limit=1)

AT_ONCE = 500
"""Chunks stored in one transaction: others who save meanwhile do not wait for a whole book."""

LEFT_BEHIND = 3_600_000_000
"""Microseconds after which a version that was never placed is taken to be of a program that died over it."""


class Given(NamedTuple):
    """A document as somebody gives it. `named` says whether he chose its name, or it is just the file's."""

    name: str
    source: str
    content: bytes | str
    media_type: str | None
    named: bool


def given(source: str | os.PathLike[str], name: str | None, content: bytes | str | None, media_type: str | None) -> Given:
    """The document that a file holds or, with `content`, that was read elsewhere.

    >>> given("notes.md", None, "Buy milk.", None)
    Given(name='notes.md', source='notes.md', content='Buy milk.', media_type=None, named=True)
    """
    path = Path(source)
    if content is None:
        try:
            content = path.read_bytes()
        except (OSError, ValueError) as error:
            raise InvalidInput(f"cannot read the document {os.fspath(source)!r}: {error}") from None
        origin, own, named = os.path.abspath(path), path.name, name is not None
    elif not isinstance(content, str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise InvalidInput(f"a document must be bytes or a string, not {type(content).__name__}")
    else:
        origin, own, named = os.fspath(source), os.fspath(source), True
    name = clean_name(own if name is None else name, "name")
    return Given(name, clean_text(origin, "source"), content, media_type, named)


class Documents:
    """The documents of one storage. Scopes are those of conversations: with a session, what belongs to it is meant."""

    def __init__(self, kit: Kit, storage: Storage, recall: Callable[[], Recall]) -> None:
        self._kit = kit
        self._storage = storage
        self._recall = recall

    def ingest(self, scope: Scope, new: Given, size: int, overlap: int, progress: Progress | None = None) -> Document:
        """Reads a document, cuts it into chunks, and makes it the newest version of its name.

        The very same bytes again change nothing.
        """
        self._check_session(scope)
        hash = _hash(new, size, overlap)
        current = newest(self._versions(scope, new.name))
        if current:
            if current[0].metadata["hash"] == hash:
                return _document(current[0])
            _refuse_namesake(current[0], new)
        reading_title, notices, pieces = _read(new, self._kit, size, overlap)
        now = self._kit.now()
        made = Session(
            self._kit.new_id(now), scope.owner, new.name, now, now, now, Status.ACTIVE, 0, 0, False, 1, 0, None, None, None,
            (OWNERS if scope.session is None else session_tag(scope.session), _name_tag(new.name)),
            {
                "source": new.source, "media_type": new.media_type, "version": self._next_version(scope, new.name),
                "hash": hash, "session": scope.session, "chunks": len(pieces), "title": reading_title,
                "notices": list(notices), "placed": False,
            },
            scope.pool,
        )  # fmt: skip
        messages, _ = self._kit.intake(self._storage, made.id, map(_draft, pieces))
        placed = self._place(_shelf(scope), made, messages, progress)
        self._keep_only_newest(scope, new.name, now)
        self._check_session_again(scope, made.id)
        return _document(placed)

    def listed(self, scope: Scope) -> list[Document]:
        """The owner's or pool's own documents and, with a session, those of that one; by name."""
        everything = self._storage.list_sessions(_shelf(scope), EVERYTHING)
        return sorted(map(_document, _wanted(everything, scope)), key=lambda one: (one.name, one.session or ""))

    def foresee(self, scope: Scope) -> None:
        """Tells the storage that documents will be searched."""
        for query in (EVERYTHING, REMOVED):
            soon(self._storage, "list_sessions", _shelf(scope), query)

    def search(self, request: Request) -> Hits:
        """The chunks that answer a question best, of the same documents that `listed` names."""
        shelf = _shelf(request.scope)
        everything = self._storage.list_sessions(shelf, EVERYTHING)
        wanted = {one.id: one.title for one in _wanted(everything, request.scope)}
        if not wanted:
            return Hits()
        old = self._storage.list_sessions(shelf, REMOVED)
        # To name the sessions is slower, so it is done only where the shelf has anything else.
        filters = Filters(sessions=tuple(wanted)) if old or len(wanted) < len(everything) else NO_FILTERS
        with moment(self._storage, shelf):
            hits = self._recall().untitled(request._replace(scope=shelf, filters=filters))
        # Somebody may have placed another session's document in between.
        named = (replace(hit, title=wanted[hit.session]) for hit in hits if hit.session in wanted)
        return Hits(named, hits.fallbacks)

    def chunks(self, scope: Scope, document: str, limit: int, cursor: str | None) -> Page[Message]:
        """Some chunks of a document's newest version, in order. It goes by its name, or by the id of any version."""
        _, versions = self._named(scope, document)
        current = newest(versions)
        if not current:
            raise _no_such(document)
        here = _shelf(scope).of(current[0].id)
        # Tied to the version: where another has taken its place, one begins anew.
        query = ("chunks", here)
        at = None if cursor is None else cursors.unseal(query, cursor)[0]
        found = self._storage.read(here, Window(after=at, first=limit + 1))
        more = cursors.seal(query, found[limit - 1].seq) if len(found) > limit else None
        return Page(tuple(found[:limit]), more)

    def remove(self, scope: Scope, document: str) -> EraseReceipt:
        """Erases all versions of a document for good. It goes by its name, or by the id of any of them."""
        scope, versions = self._named(scope, document)
        versions += self._versions(scope, versions[0].title or "" if versions else document, Status.DELETED)
        if not versions:
            raise _no_such(document)
        now = self._kit.now()
        return _together([self._storage.erase(_shelf(scope).of(one.id), None, now) for one in versions])

    # -- inner

    def _named(self, scope: Scope, document: str) -> tuple[Scope, list[Session]]:
        """The versions of a document that are not deleted, and whose it is: with an id, that may also be a conversation
        which the scope does not name."""
        versions = self._versions(scope, document)
        if versions:
            return scope, versions
        try:
            meant = self._storage.get_session(_shelf(scope).of(document))
        except NotFound:
            return scope, []
        of = meant.metadata.get("session")
        if meant.title is None or scope.session not in (None, of):
            return scope, []
        scope = scope._replace(session=of)
        self._check_session(scope)
        return scope, self._versions(scope, meant.title)

    def _check_session(self, scope: Scope) -> None:
        if scope.session is not None and self._storage.get_session(scope).status == Status.DELETED:
            raise NotFound("the session is deleted: restore it first")

    def _check_session_again(self, scope: Scope, document: str) -> None:
        """A session that went while its document came in takes it along."""
        try:
            self._check_session(scope)
        except NotFound:
            here, now = _shelf(scope).of(document), self._kit.now()
            # It may be gone with its session already; and in a pool not everybody who writes may erase.
            with suppress(NotFound):
                self._storage.update_session(here, {"status": Status.DELETED, "pinned": False}, now)
                self._storage.erase(here, None, now)
            raise

    def _versions(self, scope: Scope, name: str, status: Status | None = None) -> list[Session]:
        """The versions of a document: those not deleted, or of one status."""
        found = self._storage.list_sessions(_shelf(scope), SessionQuery(status, _name_tag(name), limit=ALL))
        return [one for one in found if one.metadata.get("session") == scope.session]

    def _next_version(self, scope: Scope, name: str) -> int:
        known = self._versions(scope, name) + self._versions(scope, name, Status.DELETED)
        return 1 + max((one.metadata["version"] for one in known), default=0)

    def _place(self, shelf: Scope, made: Session, messages: Sequence[Message], progress: Progress | None) -> Session:
        """Stores a version, chunk by chunk; it counts when all of them are there."""
        here = shelf.of(made.id)
        self._storage.create_session(here, made)
        for start in range(0, len(messages), AT_ONCE):
            if progress:
                progress(start, len(messages))
            self._storage.append(here, messages[start : start + AT_ONCE], made.created)
        changes = {"metadata": {**made.metadata, "placed": True}, "pinned": True}
        placed = self._storage.update_session(here, changes, made.created)
        if progress:
            progress(len(messages), len(messages))
        return placed

    def _keep_only_newest(self, scope: Scope, name: str, now: Microseconds) -> None:
        versions = self._versions(scope, name)
        kept = newest(versions)
        for one in versions:
            dead = not _is_placed(one) and one.created < now - LEFT_BEHIND
            if dead or (_is_placed(one) and one not in kept):
                self._storage.update_session(_shelf(scope).of(one.id), {"status": Status.DELETED, "pinned": False}, now)


def _no_such(document: str) -> NotFound:
    return NotFound(f"there is no document {document!r}, or no access to it")


def _read(new: Given, kit: Kit, size: int, overlap: int) -> tuple[str, tuple[str, ...], list[Chunk]]:
    # Parsers are for those who ingest: nobody else loads them.
    from recollect.reading import read

    reading = read(new.name, new.content, new.media_type)
    pieces = chunks(reading.blocks, kit.counter.count, size, overlap)
    if not pieces:
        why = "; ".join(reading.notices) or "it is empty"
        raise InvalidInput(f"there is no text in the document {new.name!r}: {why}")
    return reading.title, reading.notices, pieces


def _draft(chunk: Chunk) -> Draft:
    return Draft(Role.TOOL, chunk.text, metadata={"place": chunk.place, "chunk": chunk.number}, private=False)


def _hash(new: Given, size: int, overlap: int) -> str:
    """Tells two versions apart: by what was given, and how it was to be read and cut."""
    content = new.content.encode(errors="surrogatepass") if isinstance(new.content, str) else new.content
    return hashlib.sha256(f"{new.media_type}\0{size}\0{overlap}\0".encode() + content).hexdigest()


def _refuse_namesake(current: Session, new: Given) -> None:
    """Two files of one name in different folders are hardly versions of one document."""
    if not new.named and current.metadata["source"] != new.source:
        raise Conflict(
            f"there is a document {new.name!r} already, from {current.metadata['source']}: give `name`, the same to replace"
            " it, or another"
        )


def _shelf(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool, shelf=True)


def _name_tag(name: str) -> str:
    return f"name:{name}"


def _is_placed(version: Session) -> bool:
    return version.metadata.get("placed") is True


def newest(versions: Iterable[Session]) -> list[Session]:
    """Of every document the newest version that is placed. Two may have one number, if they came at the same time."""
    found: dict[tuple[str | None, str | None], Session] = {}
    for one in sorted(filter(_is_placed, versions), key=lambda one: (one.metadata["version"], one.id)):
        found[one.title, one.metadata["session"]] = one
    return list(found.values())


def _wanted(versions: Iterable[Session], scope: Scope) -> list[Session]:
    return [one for one in newest(versions) if one.metadata["session"] in (None, scope.session)]


ABOUT: dict[str, tuple[type, ...]] = {
    "source": (str,), "media_type": (str, type(None)), "version": (int,), "hash": (str,), "session": (str, type(None)),
    "chunks": (int,), "title": (str,), "notices": (list,), "placed": (bool,),
}  # fmt: skip
"""What is kept about a version of a document."""


def is_document(metadata: Mapping[str, Any]) -> bool:
    """Whether a session on the shelf is a version of a document, by what it says of itself.

    >>> is_document({"placed": True})
    False
    """
    return all(isinstance(metadata.get(name, ...), kinds) for name, kinds in ABOUT.items())


def _document(version: Session) -> Document:
    about: Any = version.metadata
    return Document(
        version.id, version.title or "", about["version"], about["chunks"], version.token_count, about["media_type"],
        version.created_at, about["session"], about["source"], about["title"], tuple(about["notices"]),
    )  # fmt: skip


def _together(receipts: Sequence[EraseReceipt]) -> EraseReceipt:
    verified = [name for name in receipts[0].verified if all(name in one.verified for one in receipts)]
    return EraseReceipt(
        sum(one.sessions for one in receipts),
        sum(one.messages for one in receipts),
        sum(one.derived for one in receipts),
        tuple(verified),
        next((one.pending for one in receipts if one.pending), ""),
    )
