"""Strands Agents: its sessions and a memory store, kept in Recollect.

A session is a conversation with the same id. What its agents said is all in it, each message marked with whose it is, and
their states lie in its drawer: so a session that is erased, by whatever door, is gone with all of its agents.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.adapters.common import again, missing, own_metadata, settled
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.engine.hygiene import clean_metadata
from recollect.errors import Erased, InvalidInput, NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.types import Draft, Hit, Message

try:
    from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions
    from strands.session.repository_session_manager import RepositorySessionManager
    from strands.session.session_repository import SessionRepository
    from strands.types.exceptions import SessionException
    from strands.types.session import Session, SessionAgent, SessionMessage, SessionType
except ImportError:
    raise missing("Strands Agents", "strands") from None

from recollect.adapters.strands_messages import drafts_of, loose_drafts_of, messages_of

if TYPE_CHECKING:
    from strands.memory.extraction.types import ExtractionConfig
    from strands.multiagent import MultiAgentBase
    from strands.types.agent import LocalAgent
    from strands.types.content import Message as StrandsMessage

MADE = "strands/session"
AGENTS = "strands/agents/"
GROUPS = "strands/groups/"


class RecollectSessionRepository(SessionRepository):
    """Keeps sessions, their agents and what these said, for one owner (or in a pool that the owner may write in)."""

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        self._memory = memory
        self._owner = owner
        self._pool = pool

    # -- sessions

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        """Makes a session; an id that is taken raises `SessionException`."""
        id = session.session_id
        if self.read_session(id) is None:
            self._memory.chat(owner=self._owner, session=id, pool=self._pool, create=True)
            with suppress(RevisionConflict):
                self._drawer(id).put({MADE: _packed(session.to_dict())}, expected={MADE: 0})
                return session
        raise SessionException(f"Session {id} already exists")

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        """A session, also one that another door began; None if there is none."""
        try:
            info = self._chat(session_id).info()
        except NotFound:
            return None
        if (kept := self._kept(session_id, MADE)) is not None:
            return Session.from_dict(kept)
        made, changed = info.created_at.isoformat(), info.updated_at.isoformat()
        return Session(session_id, SessionType.AGENT, created_at=made, updated_at=changed)

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        """Erases a session for good, with all of its agents."""
        if self.read_session(session_id) is None:
            raise SessionException(f"Session {session_id} does not exist")
        with suppress(NotFound):
            self._chat(session_id).erase()

    # -- agents, and groups of them

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Makes an agent in a session that there is."""
        self._require(session_id)
        id = session_agent.agent_id
        try:
            self._drawer(session_id).put({AGENTS + id: _packed(session_agent.to_dict())}, expected={AGENTS + id: 0})
        except RevisionConflict:
            raise SessionException(f"Agent {id} already exists in session {session_id}") from None

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        """An agent as it was last updated; None if there is none."""
        kept = self._kept(session_id, AGENTS + agent_id)
        return None if kept is None else SessionAgent.from_dict(kept)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Replaces the state of an agent that there is."""
        id = session_agent.agent_id
        before = self.read_agent(session_id, id)
        if before is not None:
            session_agent.created_at = before.created_at
        if before is None or not self._replace(session_id, AGENTS + id, session_agent.to_dict()):
            raise SessionException(f"Agent {id} in session {session_id} does not exist")

    def create_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Keeps the state of a group of agents."""
        self._require(session_id)
        self._drawer(session_id).put({GROUPS + multi_agent.id: _packed(multi_agent.serialize_state())})

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **kwargs: Any) -> dict[str, Any] | None:
        """The state of a group of agents; None if there is none."""
        return self._kept(session_id, GROUPS + multi_agent_id)

    def update_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Replaces the state of a group of agents that there is."""
        if not self._replace(session_id, GROUPS + multi_agent.id, multi_agent.serialize_state()):
            raise SessionException(f"MultiAgent state {multi_agent.id} in session {session_id} does not exist")

    # -- messages

    def create_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Appends a message. If another process gave its number to one of its own, both are kept."""
        self._require(session_id, agent_id)
        self._chat(session_id).add_many(drafts_of(session_message, agent_id))

    def read_message(self, session_id: str, agent_id: str, message_id: int, **kwargs: Any) -> SessionMessage | None:
        """The last message with this number; None if there is none."""
        listed = self.list_messages(session_id, agent_id)
        return next((message for message in reversed(listed) if message.message_id == message_id), None)

    def update_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Says a message differently, in its place. What it said before is erased for good, and redacted words with it."""
        self._require(session_id, agent_id)
        chat = self._chat(session_id)
        said = chat.messages()
        listed = messages_of(said, agent_id)
        same = [number for number, (known, _) in enumerate(listed) if known.message_id == session_message.message_id]
        if not same:
            raise SessionException(f"Message {session_message.message_id} does not exist")
        mine = (number for number in same if listed[number][0].created_at == session_message.created_at)
        at = next(mine, same[-1])
        session_message.created_at = listed[at][0].created_at
        old = listed[at][1]
        place = said.index(old[0])
        later = [message for message in said[place:] if message not in old]
        before = said[place - 1] if place else None
        _say_instead(chat, before, [*drafts_of(session_message, agent_id), *map(again, later)], old, later)

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **kwargs: Any
    ) -> list[SessionMessage]:
        """An agent's messages in order, from the one at `offset` on."""
        try:
            listed = [message for message, _ in messages_of(self._chat(session_id).messages(), agent_id)]
        except NotFound:
            return []
        return listed[offset:] if limit is None else listed[offset : offset + limit]

    # -- what all of these need

    def _chat(self, session_id: str) -> Chat:
        return self._memory.chat(owner=self._owner, session=session_id, pool=self._pool)

    def _drawer(self, session_id: str) -> Drawer:
        return self._memory.drawer(owner=self._owner, session=session_id, pool=self._pool)

    def _kept(self, session_id: str, name: str) -> dict[str, Any] | None:
        blob = self._drawer(session_id).get(name).get(name)
        return None if blob is None else json.loads(blob.content)

    def _replace(self, session_id: str, name: str, value: Mapping[str, Any]) -> bool:
        """Keeps something in place of what there is; False if there is nothing: what was erased does not come back."""
        drawer = self._drawer(session_id)
        while blob := drawer.get(name).get(name):
            with suppress(RevisionConflict):
                drawer.put({name: _packed(value)}, expected={name: blob.revision})
                return True
        return False

    def _require(self, session_id: str, agent_id: str | None = None) -> None:
        if self.read_session(session_id) is None:
            raise SessionException(f"Session {session_id} does not exist")
        if agent_id is not None and self._kept(session_id, AGENTS + agent_id) is None:
            raise SessionException(f"Agent {agent_id} does not exist in session {session_id}")


class RecollectSessionManager(RepositorySessionManager):
    """Keeps an agent's conversation and state under a session: give it to an `Agent`. A conversation that another door began
    is taken up, too."""

    def __init__(self, memory: Memory, *, owner: str, session: str, pool: str | None = None) -> None:
        repository = RecollectSessionRepository(memory, owner=owner, pool=pool)
        super().__init__(session_id=session, session_repository=repository)

    def initialize(self, agent: LocalAgent, **kwargs: Any) -> None:
        """Gives an agent what is known of it."""
        repository, session, id = self.session_repository, self.session_id, agent.agent_id
        if repository.read_agent(session, id) is None and repository.list_messages(session, id):
            repository.create_agent(session, SessionAgent.from_agent(agent))
        super().initialize(agent, **kwargs)


class RecollectMemoryStore(MemoryStore):
    """What an owner said before, in any conversation and through any door, for Strands' `MemoryManager`. What is added goes
    into the conversation `session`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        session: str = "strands-memory",
        pool: str | None = None,
        name: str = "recollect",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """The passages that answer a question, best first."""
        if not query.strip():
            return []
        limit = (options or {}).get("max_search_results") or self.max_search_results
        hits = await asyncio.to_thread(
            self._memory.search, query, owner=self._owner, pool=self._pool, limit=limit, plain=True
        )  # fmt: skip
        return [_entry(hit) for hit in hits]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Keeps something that was noted about the user; the same again changes nothing, unless it was erased meanwhile:
        then it is kept anew. Returns the message's id."""
        if not content.strip():
            raise InvalidInput("there is nothing to add")
        return (await settled(self._note, content, clean_metadata(metadata))).id

    async def add_messages(self, messages: Sequence[StrandsMessage], context: AddMessagesContext | None = None) -> None:
        """Keeps messages; one that is kept already, by its tracking id, changes nothing."""
        for message in messages:
            drafts = loose_drafts_of(message)
            if tracking := message.get("tracking_id"):
                drafts = [replace(draft, id=_id(self._session, tracking, n)) for n, draft in enumerate(drafts)]
            # What was erased stays so, whoever still has it.
            with suppress(Erased):
                await settled(self._add, drafts)

    def _note(self, content: str, metadata: Mapping[str, Any]) -> Message:
        erased = 0
        while True:
            # The same note has the same id, which is never given again once it is erased.
            id = _id(self._session, content, json.dumps(metadata, sort_keys=True), erased)
            try:
                return self._add([Draft("assistant", content, id=id, metadata=metadata)])[0]
            except Erased:
                erased += 1

    def _add(self, drafts: Sequence[Draft]) -> list[Message]:
        if not self.writable:
            raise InvalidInput(f"the memory store {self.name!r} is not writable")
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=True).add_many(drafts)


def _entry(hit: Hit) -> MemoryEntry:
    found = hit.message
    told = {"id": found.id, "session": hit.session, "role": str(found.role), "at": hit.at.isoformat(), "score": hit.score}
    return MemoryEntry(content=hit.passage, metadata={**own_metadata(found.metadata), **told})


def _id(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()[:32]


def _packed(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _say_instead(
    chat: Chat, before: Message | None, drafts: Sequence[Draft], old: Sequence[Message], later: Sequence[Message]
) -> None:
    """Goes on behind a message (or from the beginning) in other words, and erases the old ones, with those behind them that
    are said again."""
    if before is None:
        chat.clear()
        chat.add_many(drafts)
    else:
        chat.add_many(drafts, after=before.id)
    for message in old:
        chat.erase(message.id)
    for message in reversed(later):
        # In a pool, what others wrote stays on the branch that was left.
        with suppress(NotFound):
            chat.erase(message.id)
