"""What an owner has, as it goes into an export: sessions with all their branches, documents, and what was made of messages.

Forks are the difficulty: a message is in an export once. A session that continues another says so and brings only its own
messages; where the other one was purged, the first fork in the export brings what is left of it, and later ones refer to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from recollect.documents import newest
from recollect.errors import NotFound
from recollect.interchange.nouns import CLEARED, Conversation, Item, Made, Node, Rest, Shelved
from recollect.ports import ALL, ArtifactQuery, Artifacts, Progress, Storage
from recollect.reports import ExportReport
from recollect.types import Artifact, ArtifactKind, Draft, Message, Scope, Session, SessionQuery, Status

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
        self._carried: dict[str, str] = {}
        """Messages without a home, each with the session that brings it."""
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
            chosen = list(self._in_order(self._listed(self._scope)))
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

    def _listed(self, scope: Scope) -> list[Session]:
        statuses = (None, Status.DELETED)
        found = [one for status in statuses for one in self._storage.list_sessions(scope, SessionQuery(status, limit=ALL))]
        return sorted(found, key=lambda session: (session.created, session.id))

    def _in_order(self, sessions: list[Session]) -> Iterator[Session]:
        waiting = {session.id: session for session in sessions}

        def with_base(session: Session) -> Iterator[Session]:
            line: list[Session] = []
            current: Session | None = waiting.pop(session.id, None)
            while current is not None:
                line.append(current)
                homes = [message.session for message in self._inherited(current) if message.session]
                current = waiting.pop(homes[-1], None) if homes else None
            return reversed(line)

        for session in sessions:
            yield from with_base(session)

    def _inherited(self, session: Session) -> list[Message]:
        """The messages that a session shows of the one it was forked from: they come before its own."""
        found: list[Message] = []
        for message in self._messages(self._scope.of(session.id), 100):
            if message.session == session.id:
                break
            found.append(message)
        return found

    def _messages(self, scope: Scope, at_once: int = 1000) -> Iterator[Message]:
        seq, limit = 0, 1
        with suppress(NotFound):  # it was erased just now: what was read is all there is
            while page := self._storage.tree(scope, seq, limit).messages:
                yield from page
                seq, limit = page[-1].seq, at_once

    def _conversation(self, space: Scope, session: Session) -> Conversation:
        scope = space.of(session.id)
        fork = None if self._session is not None or space.shelf else self._fork(session)
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
        )

    def _fork(self, session: Session) -> Message | None:
        """The last inherited message that another session of this export brings; its `session` is that one."""
        last: Message | None = None
        for message in self._inherited(session):
            bringer = message.session or self._carried.get(message.id)
            if bringer is None:
                break
            last = message._replace(session=bringer)
        for message in self._inherited(session):
            if not message.session:
                self._carried.setdefault(message.id, session.id)
        return last

    def _nodes(self, scope: Scope, fork: Message | None) -> Iterator[Node]:
        ids: dict[int, str] = {}
        for message in self._messages(scope):
            ids[message.seq] = message.id
            if fork is None or message.seq > fork.seq:
                self.messages += not scope.shelf
                yield Node(message.id, ids.get(message.parent), _draft(message), message.seq)

    def _in_pools(self) -> Iterator[Mapping[str, Any]]:
        """Which pools the owner may use, and what he wrote in them. It is for him to read: an import leaves it out."""
        for grant in self._storage.grants(self._scope.owner):
            yield {"pool": grant.pool, "name": grant.name, "access": str(grant.access)}
            pool = self._scope._replace(pool=grant.pool)
            for session in self._listed(pool):
                for message in self._messages(pool.of(session.id)):
                    if message.author == self._scope.owner and message.session == session.id:
                        self.messages += 1
                        at = message.created_at.isoformat()
                        said = {"role": str(message.role), "content": message.text, "created_at": at}
                        yield {"pool": grant.pool, "session": session.id, "id": message.id, **said}

    # -- documents and what was made of messages

    def _documents(self) -> Iterator[Shelved]:
        shelf = self._scope._replace(shelf=True)
        for document in newest(self._listed(shelf)):
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
