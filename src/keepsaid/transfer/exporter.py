"""Read an owner's data for an export: sessions with all their branches, documents and artifacts.

A message is in an export once; `fork_order` decides which session exports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from keepsaid.errors import NotFound
from keepsaid.interchange.conversation import (
    CLEARED,
    Conversation,
    ConversationNode,
    ExportedArtifact,
    ExportedDocument,
    ExportItem,
    SourceReference,
)
from keepsaid.ports import NO_LIMIT, ArtifactQuery, Progress, Storage
from keepsaid.services.documents.document_store import select_newest_versions
from keepsaid.transfer.fork_order import ForkOrder, iterate_messages, list_all_sessions
from keepsaid.types import Artifact, ArtifactKind, Message, MessageDraft, Scope, Session
from keepsaid.types.reports import ExportReport

ARTIFACT_KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
INTERNAL_FIELDS = ("previous",)
"""Fields of an artifact's data that refer to another artifact, which may not be in the export."""


class MemoryExporter:
    """Reads everything of a scope: one conversation, or all of an owner or pool. Counts what it exports."""

    def __init__(self, storage: Storage, scope: Scope, progress: Progress | None = None) -> None:
        self._storage = storage
        self._scope = scope._replace(session=None)
        self._session = scope.session
        self._progress = progress
        self._fork_order = ForkOrder(storage, self._scope)
        self.sessions = self.messages = self.documents = self.facts = 0

    def report(self, size: int) -> ExportReport:
        """The report of what was exported; `size` is in bytes."""
        return ExportReport(self.sessions, self.messages, self.documents, self.facts, size)

    def sections(self) -> Mapping[str, Iterable[ExportItem | Mapping[str, Any]]]:
        """All sections, in the order that an import needs; each is read lazily."""
        sections = {"sessions": self.conversations(), "documents": self._documents(), "artifacts": self.artifacts()}
        is_owner = self._session is None and self._scope.pool is None
        return sections | {"pools": self._in_pools()} if is_owner and self._storage.grants(self._scope.owner) else sections

    # -- sessions

    def conversations(self) -> Iterator[Conversation]:
        """The sessions, each after the one it continues."""
        if self._session is not None:
            chosen = [self._storage.get_session(self._scope.of(self._session))]
        else:
            chosen = self._fork_order.sessions()
        for done, session in enumerate(chosen):
            if self._progress:
                self._progress(done, len(chosen))
            try:
                conversation = self._conversation(self._scope, session)
            except NotFound:
                if self._session is not None:
                    raise
                continue  # the session was erased meanwhile
            self.sessions += 1
            yield conversation
        if self._progress:
            self._progress(len(chosen), len(chosen))

    def _conversation(self, space: Scope, session: Session) -> Conversation:
        scope = space.of(session.id)
        fork = None if self._session is not None or space.documents else self._fork_order.fork(session)
        leaf = self._storage.tree(scope, limit=1).leaf
        return Conversation(
            session.id,
            self._nodes(scope, fork),
            CLEARED if leaf is None else leaf,
            session.title,
            session.created_at,
            session.updated_at,
            session.status,
            session.pinned,
            session.tags,
            session.system_prompt,
            session.metadata,
            None if fork is None else (fork.session, fork.id),
            expired=session.expired,
        )

    def _nodes(self, scope: Scope, fork: Message | None) -> Iterator[ConversationNode]:
        ids: dict[int, str] = {}
        for message in iterate_messages(self._storage, scope):
            ids[message.seq] = message.id
            if fork is None or message.seq > fork.seq:
                self.messages += not scope.documents
                yield ConversationNode(message.id, ids.get(message.parent), _draft(message), message.seq)

    def _in_pools(self) -> Iterator[Mapping[str, Any]]:
        """The pools that the owner may use, and the owner's messages in them. For information only: an import skips it."""
        for grant in self._storage.grants(self._scope.owner):
            yield {"pool": grant.pool, "name": grant.name, "access": str(grant.access)}
            pool = self._scope._replace(pool=grant.pool)
            for session in list_all_sessions(self._storage, pool):
                for message in iterate_messages(self._storage, pool.of(session.id)):
                    if message.author == self._scope.owner and message.session == session.id:
                        self.messages += 1
                        at = message.created_at.isoformat()
                        fields = {"role": str(message.role), "content": message.text, "created_at": at}
                        yield {"pool": grant.pool, "session": session.id, "id": message.id, **fields}

    # -- documents and artifacts

    def _documents(self) -> Iterator[ExportedDocument]:
        documents_space = self._scope._replace(documents=True)
        for document in select_newest_versions(list_all_sessions(self._storage, documents_space)):
            if self._session is None or document.metadata["session"] == self._session:
                self.documents += 1
                yield ExportedDocument(self._conversation(documents_space, document))

    def artifacts(self) -> Iterator[ExportedArtifact]:
        """Summaries, facts, tool notes and labels, oldest first. Of a session's summaries, only the current one."""
        for kind in ARTIFACT_KINDS:
            found = self._storage.artifacts(self._scope, ArtifactQuery(kind, session=self._session, limit=NO_LIMIT))
            if kind == "summary":
                standing = {artifact.session or "": artifact for artifact in reversed(found)}
                found = [standing[session] for session in sorted(standing, reverse=True)]
            found.reverse()
            for artifact in found:
                if (made := self._with_sources(artifact)) is not None:
                    self.facts += kind == "fact"
                    yield made

    def _with_sources(self, artifact: Artifact) -> ExportedArtifact | None:
        """The artifact with the ids of its source messages."""
        numbers = [source.number for source in artifact.sources]
        ids = {seen.number: seen.message.id for seen in self._storage.fetch(self._scope, numbers)} if numbers else {}
        rests = [SourceReference(ids[number], start, end) for number, start, end in artifact.sources if number in ids]
        if len(rests) < len(numbers):
            return None  # a source message was erased meanwhile
        data = {name: value for name, value in artifact.data.items() if name not in INTERNAL_FIELDS}
        return ExportedArtifact(replace(artifact, data=data), tuple(rests))


def _draft(message: Message) -> MessageDraft:
    """Convert a stored message to the draft that would store it again."""
    return MessageDraft(
        message.role,
        message.content,
        message.id,
        message.tool_calls,
        message.tool_call_id,
        message.name,
        message.metadata,
        message.importance,
        message.pinned,
        message.created_at,
        message.private,
    )
