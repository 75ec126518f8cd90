"""What an owner has, as it goes into an export: sessions with all their branches, documents, and what was made of messages.

A message is in an export once; `lineage` knows which session brings it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from recollect.documents import newest
from recollect.errors import NotFound
from recollect.interchange.nouns import CLEARED, Conversation, Item, Made, Node, Rest, Shelved
from recollect.lineage import Lineage, listed, messages
from recollect.ports import ALL, ArtifactQuery, Artifacts, Progress, Storage
from recollect.reports import ExportReport
from recollect.types import Artifact, ArtifactKind, Draft, Message, Scope, Session

KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
FROM_WITHIN = ("previous",)
"""What an artifact's data says about another one that is not exported."""


class Exporter:
    """Reads all that a scope has: one conversation, or everything of an owner or pool. It counts what it gives out."""

    def __init__(self, storage: Storage, scope: Scope, progress: Progress | None = None) -> None:
        self._storage = storage
        self._scope = scope._replace(session=None)
        self._session = scope.session
        self._progress = progress
        self._lineage = Lineage(storage, self._scope)
        self.sessions = self.messages = self.documents = self.facts = 0

    def report(self, size: int) -> ExportReport:
        """What was given out, in so many bytes."""
        return ExportReport(self.sessions, self.messages, self.documents, self.facts, size)

    def sections(self) -> Mapping[str, Iterable[Item | Mapping[str, Any]]]:
        """All of it, in the order that an import needs; each section is read as it is taken."""
        told = {"sessions": self.conversations(), "documents": self._documents(), "artifacts": self.made()}
        alone = self._session is None and self._scope.pool is None
        return told | {"pools": self._in_pools()} if alone and self._storage.grants(self._scope.owner) else told

    # -- sessions

    def conversations(self) -> Iterator[Conversation]:
        """The sessions, none before one that it continues."""
        if self._session is not None:
            chosen = [self._storage.get_session(self._scope.of(self._session))]
        else:
            chosen = self._lineage.sessions()
        for done, session in enumerate(chosen):
            if self._progress:
                self._progress(done, len(chosen))
            try:
                conversation = self._conversation(self._scope, session)
            except NotFound:
                if self._session is not None:
                    raise
                continue  # it was erased just now
            self.sessions += 1
            yield conversation
        if self._progress:
            self._progress(len(chosen), len(chosen))

    def _conversation(self, space: Scope, session: Session) -> Conversation:
        scope = space.of(session.id)
        fork = None if self._session is not None or space.shelf else self._lineage.fork(session)
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

    def _nodes(self, scope: Scope, fork: Message | None) -> Iterator[Node]:
        ids: dict[int, str] = {}
        for message in messages(self._storage, scope):
            ids[message.seq] = message.id
            if fork is None or message.seq > fork.seq:
                self.messages += not scope.shelf
                yield Node(message.id, ids.get(message.parent), _draft(message), message.seq)

    def _in_pools(self) -> Iterator[Mapping[str, Any]]:
        """Which pools the owner may use, and what he wrote in them. It is for him to read: an import leaves it out."""
        for grant in self._storage.grants(self._scope.owner):
            yield {"pool": grant.pool, "name": grant.name, "access": str(grant.access)}
            pool = self._scope._replace(pool=grant.pool)
            for session in listed(self._storage, pool):
                for message in messages(self._storage, pool.of(session.id)):
                    if message.author == self._scope.owner and message.session == session.id:
                        self.messages += 1
                        at = message.created_at.isoformat()
                        said = {"role": str(message.role), "content": message.text, "created_at": at}
                        yield {"pool": grant.pool, "session": session.id, "id": message.id, **said}

    # -- documents and what was made of messages

    def _documents(self) -> Iterator[Shelved]:
        shelf = self._scope._replace(shelf=True)
        for document in newest(listed(self._storage, shelf)):
            if self._session is None or document.metadata["session"] == self._session:
                self.documents += 1
                yield Shelved(self._conversation(shelf, document))

    def made(self) -> Iterator[Made]:
        """Summaries, facts, tool notes and labels, oldest first. Of a session's summaries only the one that stands."""
        if not isinstance(self._storage, Artifacts):
            return
        for kind in KINDS:
            found = self._storage.artifacts(self._scope, ArtifactQuery(kind, session=self._session, limit=ALL))
            if kind == "summary":
                standing = {artifact.session or "": artifact for artifact in reversed(found)}
                found = [standing[session] for session in sorted(standing, reverse=True)]
            found.reverse()
            for artifact in found:
                if (made := self._with_rests(artifact)) is not None:
                    self.facts += kind == "fact"
                    yield made

    def _with_rests(self, artifact: Artifact) -> Made | None:
        """The artifact with the ids of the messages it rests on."""
        numbers = [source.number for source in artifact.sources]
        ids = {seen.number: seen.message.id for seen in self._storage.fetch(self._scope, numbers)} if numbers else {}
        rests = [Rest(ids[number], start, end) for number, start, end in artifact.sources if number in ids]
        if len(rests) < len(numbers):
            return None  # a message was erased just now
        data = {name: value for name, value in artifact.data.items() if name not in FROM_WITHIN}
        return Made(replace(artifact, data=data), tuple(rests))


def _draft(message: Message) -> Draft:
    """A stored message as it could be given again."""
    return Draft(
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
