"""Document store: files split into chunks, which searches find and citations name.

Documents need no tables of their own. Every owner and every pool has a second space for them (`Scope.documents`), in which
each version of a document is a session, and each of its chunks a message. So chunks get the keyword index, vectors, grants,
erasure and encryption of messages.

A version becomes visible when it is marked as placed, which is the last step. The newest placed version is the document.
Older ones are deleted sessions: searches skip them, receipts can still read them, and retention purges them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from keepsaid.engine.messages import cursor as cursors
from keepsaid.engine.messages.validation import clean_name, clean_text
from keepsaid.engine.text.chunks import DocumentChunk, split_chunks
from keepsaid.errors import Conflict, InvalidInput, NotFound
from keepsaid.ports import NO_FILTERS, NO_LIMIT, Progress, QuotaCheck, Storage, prefetch, read_session, session_tag
from keepsaid.types import (
    Document,
    Message,
    MessageDraft,
    Microseconds,
    Page,
    ReadWindow,
    Role,
    Scope,
    SearchFilters,
    SearchHits,
    Session,
    SessionQuery,
    SessionStatus,
)
from keepsaid.types.reports import EraseReceipt

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer
    from keepsaid.services.search.searcher import MessageSearcher, SearchRequest

OWNER_TAG = "owner"
"""Tag of documents that belong to all conversations of an owner or pool."""

ALL_VERSIONS = SessionQuery(limit=NO_LIMIT)
ANY_DELETED = SessionQuery(SessionStatus.DELETED, limit=1)

AT_ONCE = 500
"""Chunks stored in one transaction, so that other writers do not wait for a whole book."""

ABANDONED_AFTER = 3_600_000_000
"""Microseconds after which a version that was never placed is assumed to belong to a program that died."""


class DocumentInput(NamedTuple):
    """A document as the caller passed it. `named` tells whether the caller chose the name, or it is the file's."""

    name: str
    source: str
    content: bytes | str
    media_type: str | None
    named: bool


def read_document_input(
    source: str | os.PathLike[str], name: str | None, content: bytes | str | None, media_type: str | None
) -> DocumentInput:
    """Return the document in a file or, with `content`, one that was read elsewhere.

    >>> read_document_input("notes.md", None, "Buy milk.", None)
    DocumentInput(name='notes.md', source='notes.md', content='Buy milk.', media_type=None, named=True)
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
    return DocumentInput(name, clean_text(origin, "source"), content, media_type, named)


class DocumentStore:
    """The documents of one storage.

    Scopes are those of conversations: a scope with a session stands for the documents of that session.
    """

    def __init__(self, services: ServiceContainer, storage: Storage, recall: Callable[[], MessageSearcher]) -> None:
        self._services = services
        self._storage = storage
        self._recall = recall

    def ingest(
        self,
        scope: Scope,
        new: DocumentInput,
        size: int,
        overlap: int,
        progress: Progress | None = None,
        quota: QuotaCheck | None = None,
    ) -> Document:
        """Read a document, split it into chunks, and store it as the newest version of its name.

        Ingesting the same bytes again changes nothing.
        """
        self._check_session(scope)
        hash = _hash_document(new, size, overlap)
        current = select_newest_versions(self._versions(scope, new.name))
        if current:
            if current[0].metadata["hash"] == hash:
                return _to_document(current[0])
            _refuse_namesake(current[0], new)
        reading_title, notices, pieces = _read_chunks(new, self._services, size, overlap)
        now = self._services.now()
        made = Session.new(
            self._services.new_id(now), scope.owner, now, title=new.name, pool=scope.pool,
            tags=(OWNER_TAG if scope.session is None else session_tag(scope.session), _name_tag(new.name)),
            metadata={
                "source": new.source, "media_type": new.media_type, "version": self._next_version(scope, new.name),
                "hash": hash, "session": scope.session, "chunks": len(pieces), "title": reading_title,
                "notices": list(notices), "placed": False,
            },
        )  # fmt: skip
        messages, _ = self._services.prepare_messages(made.id, map(_to_draft, pieces))
        if quota:
            quota(0, sum(map(count_message_bytes, messages)))
        placed = self._place(_document_space(scope), made, messages, progress)
        self._keep_only_newest(scope, new.name, now)
        self._check_session_again(scope, made.id)
        return _to_document(placed)

    def list_documents(self, scope: Scope) -> list[Document]:
        """Return the documents of the owner or pool and, with a session, those of that session; sorted by name."""
        everything = self._storage.list_sessions(_document_space(scope), ALL_VERSIONS)
        return sorted(map(_to_document, _select_visible(everything, scope)), key=lambda one: (one.name, one.session or ""))

    def prefetch(self, scope: Scope) -> None:
        """Prefetch what a search in documents will read."""
        for query in (ALL_VERSIONS, ANY_DELETED):
            prefetch(self._storage, "list_sessions", _document_space(scope), query)

    def search(self, request: SearchRequest) -> SearchHits:
        """Return the chunks that answer a question best, from the documents that `listed` returns."""
        documents_space = _document_space(request.scope)
        everything = self._storage.list_sessions(documents_space, ALL_VERSIONS)
        wanted = {one.id: one.title for one in _select_visible(everything, request.scope)}
        if not wanted:
            return SearchHits()
        old = self._storage.list_sessions(documents_space, ANY_DELETED)
        # A filter by session is slower, so it is used only if the space holds other documents too.
        filters = SearchFilters(sessions=tuple(wanted)) if old or len(wanted) < len(everything) else NO_FILTERS
        with read_session(self._storage, documents_space):
            hits = self._recall().search_without_titles(request._replace(scope=documents_space, filters=filters))
        # Another session's document may have been placed meanwhile.
        named = (replace(hit, title=wanted[hit.session]) for hit in hits if hit.session in wanted)
        return SearchHits(named, hits.fallbacks)

    def chunks(self, scope: Scope, document: str, limit: int, cursor: str | None) -> Page[Message]:
        """Return a page of the chunks of a document's newest version, in order. `document` is its name, or the id of any
        version."""
        _, versions = self._find_versions(scope, document)
        current = select_newest_versions(versions)
        if not current:
            raise _document_not_found(document)
        here = _document_space(scope).of(current[0].id)
        # The cursor is tied to the version: after a new version, paging starts again.
        query = ("chunks", here)
        at = None if cursor is None else cursors.decode_cursor(query, cursor)[0]
        found = self._storage.read(here, ReadWindow(after=at, first=limit + 1))
        more = cursors.encode_cursor(query, found[limit - 1].seq) if len(found) > limit else None
        return Page(tuple(found[:limit]), more)

    def remove(self, scope: Scope, document: str) -> EraseReceipt:
        """Erase all versions of a document. `document` is its name, or the id of any version."""
        scope, versions = self._find_versions(scope, document)
        versions += self._versions(scope, versions[0].title or "" if versions else document, SessionStatus.DELETED)
        if not versions:
            raise _document_not_found(document)
        now = self._services.now()
        return _merge_receipts([self._storage.erase(_document_space(scope).of(one.id), None, now) for one in versions])

    # -- internals

    def _find_versions(self, scope: Scope, document: str) -> tuple[Scope, list[Session]]:
        """Return the versions of a document that are not deleted, and the scope they belong to.

        An id may name a document of a conversation that the scope does not include.
        """
        versions = self._versions(scope, document)
        if versions:
            return scope, versions
        try:
            meant = self._storage.get_session(_document_space(scope).of(document))
        except NotFound:
            return scope, []
        of = meant.metadata.get("session")
        if meant.title is None or scope.session not in (None, of):
            return scope, []
        scope = scope._replace(session=of)
        self._check_session(scope)
        return scope, self._versions(scope, meant.title)

    def _check_session(self, scope: Scope) -> None:
        if scope.session is not None and self._storage.get_session(scope).status == SessionStatus.DELETED:
            raise NotFound("the session is deleted: restore it first")

    def _check_session_again(self, scope: Scope, document: str) -> None:
        """Delete the document if its session was deleted or erased during the ingest."""
        try:
            self._check_session(scope)
        except NotFound:
            here, now = _document_space(scope).of(document), self._services.now()
            # It may be gone with its session already, and in a pool not every writer may erase.
            with suppress(NotFound):
                self._storage.update_session(here, {"status": SessionStatus.DELETED, "pinned": False}, now)
                self._storage.erase(here, None, now)
            raise

    def _versions(self, scope: Scope, name: str, status: SessionStatus | None = None) -> list[Session]:
        """Return the versions of a document that are not deleted, or those with the given status."""
        found = self._storage.list_sessions(_document_space(scope), SessionQuery(status, _name_tag(name), limit=NO_LIMIT))
        return [one for one in found if one.metadata.get("session") == scope.session]

    def _next_version(self, scope: Scope, name: str) -> int:
        known = self._versions(scope, name) + self._versions(scope, name, SessionStatus.DELETED)
        return 1 + max((one.metadata["version"] for one in known), default=0)

    def _place(
        self, documents_space: Scope, made: Session, messages: Sequence[Message], progress: Progress | None
    ) -> Session:
        """Store a version chunk by chunk, and mark it as placed when all of them are stored."""
        here = documents_space.of(made.id)
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
        kept = select_newest_versions(versions)
        for one in versions:
            dead = not _is_placed(one) and one.created < now - ABANDONED_AFTER
            if dead or (_is_placed(one) and one not in kept):
                self._storage.update_session(
                    _document_space(scope).of(one.id), {"status": SessionStatus.DELETED, "pinned": False}, now
                )


def count_message_bytes(message: Message) -> int:
    """Return the bytes of a message's text and attached data, as `Memory.usage` counts them, or slightly more."""
    beside = [message.metadata, [asdict(part) for part in message.parts], [asdict(call) for call in message.tool_calls]]
    return len(message.text.encode(errors="surrogatepass")) + sum(len(json.dumps(one)) for one in beside if one)


def _document_not_found(document: str) -> NotFound:
    return NotFound(f"there is no document {document!r}, or no access to it")


def _read_chunks(
    new: DocumentInput, services: ServiceContainer, size: int, overlap: int
) -> tuple[str, tuple[str, ...], list[DocumentChunk]]:
    # Parsers are slow to import, and only ingesting needs them.
    from keepsaid.reading import read_document

    reader = read_document if services.readers is None else services.readers.read_document
    reading = reader(new.name, new.content, new.media_type)
    pieces = split_chunks(reading.blocks, services.counter.count, size, overlap)
    if not pieces:
        why = "; ".join(reading.notices) or "it is empty"
        raise InvalidInput(f"there is no text in the document {new.name!r}: {why}")
    return reading.title, reading.notices, pieces


def _to_draft(chunk: DocumentChunk) -> MessageDraft:
    return MessageDraft(Role.TOOL, chunk.text, metadata={"place": chunk.place, "chunk": chunk.number}, private=False)


def _hash_document(new: DocumentInput, size: int, overlap: int) -> str:
    """Return a hash that tells versions apart: of the content, and of how it is read and split."""
    content = new.content.encode(errors="surrogatepass") if isinstance(new.content, str) else new.content
    return hashlib.sha256(f"{new.media_type}\0{size}\0{overlap}\0".encode() + content).hexdigest()


def _refuse_namesake(current: Session, new: DocumentInput) -> None:
    """Raise `Conflict` for two files of the same name in different folders: they are hardly versions of one document."""
    if not new.named and current.metadata["source"] != new.source:
        raise Conflict(
            f"a document {new.name!r} already exists, from {current.metadata['source']}: pass `name`, the same one to"
            " replace it, or another one"
        )


def _document_space(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool, documents=True)


def _name_tag(name: str) -> str:
    return f"name:{name}"


def _is_placed(version: Session) -> bool:
    return version.metadata.get("placed") is True


def select_newest_versions(versions: Iterable[Session]) -> list[Session]:
    """Return the newest placed version of every document. Versions stored at the same time may share a number."""
    found: dict[tuple[str | None, str | None], Session] = {}
    for one in sorted(filter(_is_placed, versions), key=lambda one: (one.metadata["version"], one.id)):
        found[one.title, one.metadata["session"]] = one
    return list(found.values())


def _select_visible(versions: Iterable[Session], scope: Scope) -> list[Session]:
    return [one for one in select_newest_versions(versions) if one.metadata["session"] in (None, scope.session)]


DOCUMENT_METADATA: dict[str, tuple[type, ...]] = {
    "source": (str,), "media_type": (str, type(None)), "version": (int,), "hash": (str,), "session": (str, type(None)),
    "chunks": (int,), "title": (str,), "notices": (list,), "placed": (bool,),
}  # fmt: skip
"""The metadata of a document version, with their types."""


def is_document_metadata(metadata: Mapping[str, Any]) -> bool:
    """Whether a session in the document space is a version of a document, according to its metadata.

    >>> is_document_metadata({"placed": True})
    False
    """
    return all(isinstance(metadata.get(name, ...), kinds) for name, kinds in DOCUMENT_METADATA.items())


def _to_document(version: Session) -> Document:
    about: Any = version.metadata
    return Document(
        version.id, version.title or "", about["version"], about["chunks"], version.token_count, about["media_type"],
        version.created_at, about["session"], about["source"], about["title"], tuple(about["notices"]),
    )  # fmt: skip


def _merge_receipts(receipts: Sequence[EraseReceipt]) -> EraseReceipt:
    verified = [name for name in receipts[0].verified if all(name in one.verified for one in receipts)]
    return EraseReceipt(
        sum(one.sessions for one in receipts),
        sum(one.messages for one in receipts),
        sum(one.derived for one in receipts),
        tuple(verified),
        next((one.pending for one in receipts if one.pending), ""),
    )
