"""Store what an import reads: only new messages are added, with their branches, times and order.

An import can be repeated, and continues where it was interrupted: messages are identified by their ids. Erased messages stay
erased, and their followers move to the message before. An id that another conversation uses is replaced by a derived one,
always the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from keepsaid.engine.messages.artifacts import build_label_removal, is_well_formed
from keepsaid.engine.messages.validation import clean_datetime, clean_metadata, clean_name, clean_tags, clean_text
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.errors import Conflict, ImportProblem, InvalidInput, MessageConflict, NotFound
from keepsaid.interchange.conversation import (
    Conversation,
    ConversationNode,
    ExportedArtifact,
    ExportedDocument,
    ExportItem,
    ImportTally,
)
from keepsaid.ports import ArtifactChanges, ArtifactQuery, ArtifactStorage, PlacedMessage, QuotaCheck
from keepsaid.services.documents.document_store import count_message_bytes, is_document_metadata
from keepsaid.transfer.import_merge import BATCH_SIZE, ConversationMerge, is_known_as
from keepsaid.types import Artifact, ArtifactSource, Microseconds, Scope, Session, SessionStatus, to_microseconds
from keepsaid.types.reports import ImportReport

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

MAX_BATCH_CHARACTERS = 1_000_000
"""About the most characters in one batch of messages: a batch is one transaction, which other writers wait for."""

MAX_CONFLICTS = 8
"""How often a batch is prepared again because another program has used its ids meanwhile."""


class MemoryImporter:
    """Imports conversations, documents and artifacts into one owner's (or pool's) memory, and counts them."""

    def __init__(
        self,
        services: ServiceContainer,
        scope: Scope,
        tally: ImportTally,
        *,
        dry_run: bool = False,
        quota: QuotaCheck | None = None,
    ) -> None:
        self._services = services
        self._storage = services.storage
        self._scope = scope
        self._tally = tally
        self._dry_run = dry_run
        self._quota = quota
        self._size_beside = 0
        """Bytes imported besides messages, which a store does not count: titles, prompts, metadata, facts."""
        self._censor = PersonalDataRedactor(services.redact)
        self._complete_sessions: set[str] = set()
        """Sessions that are stored exactly as they were read."""
        self._new_sessions: set[str] = set()
        self._renamed: dict[str, dict[str, str]] = {}
        """The new ids of messages whose ids were replaced, by session."""
        self.conversations = self.messages = self.already_there = self.documents = self.facts = 0

    def report(self, format: str) -> ImportReport:
        """The report of what was imported so far."""
        tally = self._tally
        return ImportReport(
            format, self.conversations, self.messages, self.already_there, self.documents, self.facts,
            dict(tally.skipped), dict(tally.repaired), tuple(tally.warnings),
        )  # fmt: skip

    def import_all(self, items: Iterable[ExportItem]) -> None:
        """Import all items, one after the other."""
        made: list[ExportedArtifact] = []
        for item in items:
            if isinstance(item, ExportedArtifact):
                made.append(item)
                if len(made) == BATCH_SIZE:
                    self._import_artifacts(made)
                    made = []
            else:
                self._import_conversation(item)
        self._import_artifacts(made)

    # -- conversations

    def _import_conversation(self, item: Conversation | ExportedDocument) -> None:
        conversation = item.conversation if isinstance(item, ExportedDocument) else item
        scope = self._scope._replace(documents=isinstance(item, ExportedDocument))
        try:
            scope = scope.of(clean_name(conversation.id, "session id"))
            growth = ConversationMerge(self._services, self._storage, scope, self._tally, self._dry_run)
            growth.begin()
            nodes = _ReadUntilProblem(conversation.nodes)
            first, lost = growth.skip_erased(nodes)
            new = self._begin(scope, conversation, first, lost)
        except InvalidInput as error:
            self._tally.skip("conversations that cannot be kept")
            self._tally.warnings.append(f"conversation {conversation.id!r}: {error}")
            return
        if new is not None:
            added = self._grow(growth, chain(first, nodes), conversation, new)
            self._count(growth, new, added)
        if nodes.problem is not None:
            raise nodes.problem

    def _count(self, growth: ConversationMerge, new: bool, added: int) -> None:
        self.already_there += growth.already_there
        session = growth.scope.session or ""
        if growth.scope.documents:
            self.documents += new
            return
        self.conversations += new
        self.messages += added
        if growth.renamed:
            self._renamed[session] = growth.renamed
        if not growth.left_out and (new or self._storage.get_session(growth.scope).head == growth.top):
            self._complete_sessions.add(session)

    def _begin(self, scope: Scope, conversation: Conversation, first: list[ConversationNode], lost: bool) -> bool | None:
        """Create the session and return True; return False if it exists, which keeps its title, tags and status. Return None
        if no message is left to import, because all were erased here: then not even its title is imported."""
        session = self._session(scope, conversation, first)
        try:
            self._storage.get_session(scope)
            return False
        except NotFound:
            origin = self._origin(scope, conversation)
        if not first and (lost or (conversation.fork is not None and origin is None)):
            return None
        if not self._dry_run:
            self._check_quota((), _size_of_session(session))
            try:
                self._storage.create_session(scope, session, origin)
            except Conflict:
                return False  # another process created it meanwhile
        self._new_sessions.add(session.id)
        return True

    def _session(self, scope: Scope, conversation: Conversation, first: list[ConversationNode]) -> Session:
        now = self._services.now()
        begun = conversation.created_at or (_moment(first[0]) if first else None)
        created = now if begun is None else to_microseconds(clean_datetime(begun, "created_at"))
        updated = (
            created
            if conversation.updated_at is None
            else to_microseconds(clean_datetime(conversation.updated_at, "updated_at"))
        )
        metadata = clean_metadata(conversation.metadata)
        if scope.documents and not is_document_metadata(metadata):
            raise InvalidInput("its metadata is not that of a Keepsaid document")
        return Session.new(
            scope.session or "",
            scope.owner,
            now,
            title=self._text(conversation.title, "title"),
            created=created,
            updated=updated,
            status=conversation.status,
            pinned=conversation.pinned,
            system_prompt=self._text(conversation.system_prompt, "system_prompt"),
            tags=clean_tags(conversation.tags),
            metadata=metadata,
            pool=scope.pool,
            expired=conversation.expired and conversation.status is SessionStatus.DELETED,
        )

    def _check_quota(self, coming: Iterable[PlacedMessage], beside: int = 0) -> None:
        """Raise if what is to be stored next exceeds the owner's quota."""
        if self._quota is None:
            return
        self._size_beside += beside
        messages = [one.message for one in coming]
        self._quota(len(messages), sum(map(count_message_bytes, messages)) + self._size_beside)

    def _text(self, text: str | None, what: str) -> str | None:
        return None if text is None else self._censor(clean_text(text, what))

    def _origin(self, scope: Scope, conversation: Conversation) -> tuple[str, str] | None:
        """The session and message that a fork continues, if they exist here."""
        if conversation.fork is None:
            return None
        session, message = conversation.fork
        message = self._renamed.get(session, {}).get(message, message)
        try:
            known = self._storage.known(scope.of(session), [message]).get(message)
        except NotFound:
            known = None
        if known is None or known.where != "same_session":
            self._tally.repair("forks whose starting message is not here")
            return None
        return session, message

    def _grow(
        self, growth: ConversationMerge, nodes: Iterable[ConversationNode], conversation: Conversation, new: bool
    ) -> int:
        """Add the new messages, batch by batch; the last batch also sets the leaf. Return how many were added."""
        added, updated, waiting = 0, 0, list[PlacedMessage]()
        for batch in _batches(nodes):
            if waiting and not self._dry_run:
                added -= self._plant(growth, waiting, waiting[-1].message.id)
            waiting = growth.prepare(batch)
            added += len(waiting)
            if not new or conversation.updated_at is None:
                updated = max([updated, *(one.message.created for one in waiting)])
        if (new or added) and not self._dry_run:
            added -= self._plant(growth, waiting, growth.end(conversation.leaf, waiting), updated, is_last=True)
        return added

    def _plant(
        self,
        growth: ConversationMerge,
        waiting: list[PlacedMessage],
        leaf: str | None,
        updated: Microseconds = 0,
        *,
        is_last: bool = False,
    ) -> int:
        """Store messages. Return how many of them another program had stored meanwhile, such as another import of the same
        file."""
        self._check_quota(waiting)
        left = waiting
        for tries in range(MAX_CONFLICTS + 1):
            try:
                self._storage.plant(growth.scope, left, leaf, self._services.now(), updated)
                break
            except MessageConflict:
                if tries == MAX_CONFLICTS:
                    raise
                left = growth.resolve_conflicts(left)
                if not left and not is_last:
                    break  # the other program may be further: the position does not go back
                leaf = None if leaf is None else growth.renamed.get(leaf, leaf)
        return len(waiting) - len(left)

    # -- artifacts

    def _import_artifacts(self, made: list[ExportedArtifact]) -> None:
        storage = self._storage
        if not made:
            return
        made = [self._with_new_ids(one) for one in made]
        ids = {rest.message for one in made for rest in one.rests} | {one.artifact.id for one in made}
        known = storage.known(self._scope, sorted(ids))
        numbers = {id: one.number for id, one in known.items() if one.number}
        here = [one for one in made if not is_known_as(known, one.artifact.id, "erased")]
        self._tally.skip("notes that were erased here", len(made) - len(here))
        kept = [artifact for one in here if (artifact := self._artifact(storage, one, numbers))]
        self.facts += sum(artifact.kind == "fact" for artifact in kept)
        if kept and not self._dry_run:
            self._check_quota((), sum(len(one.text) + len(repr(one.data)) for one in kept))
            storage.keep_artifacts(self._scope, ArtifactChanges(kept), self._services.now())

    def _with_new_ids(self, made: ExportedArtifact) -> ExportedArtifact:
        renamed = self._renamed.get(made.artifact.session or "", {})
        rests = tuple(replace(rest, message=renamed.get(rest.message, rest.message)) for rest in made.rests)
        return replace(made, rests=rests)

    def _artifact(self, storage: ArtifactStorage, made: ExportedArtifact, numbers: dict[str, int]) -> Artifact | None:
        one = made.artifact
        if not is_well_formed(one):
            self._tally.skip("notes in an unexpected form")
            return None
        if storage.artifacts(self._scope, ArtifactQuery(one.kind, ids=(one.id,))):
            return None
        if any(rest.message not in numbers for rest in made.rests) and not self._dry_run:
            self._tally.skip("notes on messages that are not here")
            self._remove_label(one)
            return None
        if one.kind in ("summary", "label") and one.session not in self._complete_sessions:
            # A summary refers to the seq where it ends, and may contain messages that were not imported.
            self._tally.skip("summaries and titles of conversations that differ here")
            return None
        rests = tuple(ArtifactSource(numbers.get(rest.message, 0), rest.start, rest.end) for rest in made.rests)
        text, data = self._censor(one.text), {name: self._censored(value) for name, value in one.data.items()}
        return replace(one, text=text, data=data, tokens=self._services.counter.count(text), sources=rests)

    def _remove_label(self, label: Artifact) -> None:
        """Remove a new conversation's title and tags if they were derived from messages that were not imported."""
        if label.kind != "label" or label.session not in self._new_sessions:
            return
        scope = self._scope.of(label.session)
        if changes := build_label_removal(self._storage.get_session(scope), label):
            self._storage.update_session(scope, changes, self._services.now())

    def _censored(self, value: Any) -> Any:
        return self._censor(value) if self._censor.kinds and isinstance(value, str) else value


def _size_of_session(session: Session) -> int:
    """The approximate size of a session's own fields, in bytes."""
    return len(session.title or "") + len(session.system_prompt or "") + len(json.dumps([session.metadata, session.tags]))


class _ReadUntilProblem:
    """Messages as they are read. If the rest cannot be read, those before are still stored: then `problem` is the error."""

    def __init__(self, nodes: Iterable[ConversationNode]) -> None:
        self._nodes = iter(nodes)
        self.problem: ImportProblem | None = None

    def __iter__(self) -> Iterator[ConversationNode]:
        return self

    def __next__(self) -> ConversationNode:
        try:
            return next(self._nodes)
        except ImportProblem as problem:
            self.problem = problem
            raise StopIteration from None


def _moment(node: ConversationNode) -> datetime | None:
    """The time of a message, if it is valid."""
    with suppress(InvalidInput):
        return None if node.draft.created_at is None else clean_datetime(node.draft.created_at, "created_at")
    return None


def _batches(nodes: Iterable[ConversationNode]) -> Iterator[list[ConversationNode]]:
    """Split messages into batches that are small enough not to delay other writers noticeably."""
    batch, size = list[ConversationNode](), 0
    for node in nodes:
        batch.append(node)
        content = node.draft.content
        size += len(content) if isinstance(content, str) else sum(len(part.text or "") for part in content)
        if len(batch) == BATCH_SIZE or size >= MAX_BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
