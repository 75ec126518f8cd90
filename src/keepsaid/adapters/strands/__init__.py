"""The adapter for Strands Agents: its sessions and a memory store.

A session is a conversation with the same id. It has the messages of all its agents, each marked with its agent, and its blob
store has the agents' states. So erasing a session, through any adapter, removes all of its agents too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from keepsaid.adapters.common import copy_as_draft, missing_extra, run_to_completion, strip_adapter_data
from keepsaid.engine.messages.validation import clean_metadata
from keepsaid.errors import Erased, InvalidInput, NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, MessageDraft, SearchHit

try:
    from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions
    from strands.session.repository_session_manager import RepositorySessionManager
    from strands.session.session_repository import SessionRepository
    from strands.types.exceptions import SessionException
    from strands.types.session import Session, SessionAgent, SessionMessage, SessionType
except ImportError:
    raise missing_extra("Strands Agents", "strands") from None

from keepsaid.adapters.strands.messages import drafts_of, messages_of, sessionless_drafts_of

if TYPE_CHECKING:
    from strands.memory.extraction.types import ExtractionConfig
    from strands.multiagent import MultiAgentBase
    from strands.types.agent import LocalAgent
    from strands.types.content import Message as StrandsMessage

SESSION_BLOB = "strands/session"
AGENT_PREFIX = "strands/agents/"
GROUP_PREFIX = "strands/groups/"


class KeepsaidSessionRepository(SessionRepository):
    """Keep sessions, their agents and messages, for one owner (or in a pool that the owner may write to)."""

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        self._memory = memory
        self._owner = owner
        self._pool = pool

    # -- sessions

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        """Create a session. Raise `SessionException` if the id is taken."""
        id = session.session_id
        if self.read_session(id) is None:
            self._memory.chat(owner=self._owner, session=id, pool=self._pool, create=True)
            with suppress(RevisionConflict):
                self._blob_store(id).put({SESSION_BLOB: _to_json(session.to_dict())}, expected={SESSION_BLOB: 0})
                return session
        raise SessionException(f"Session {id} already exists")

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        """Return a session, also one that another adapter created; None if there is none."""
        try:
            info = self._chat(session_id).info()
        except NotFound:
            return None
        if (kept := self._load_blob(session_id, SESSION_BLOB)) is not None:
            return Session.from_dict(kept)
        made, changed = info.created_at.isoformat(), info.updated_at.isoformat()
        return Session(session_id, SessionType.AGENT, created_at=made, updated_at=changed)

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        """Erase a session permanently, with all of its agents."""
        if self.read_session(session_id) is None:
            raise SessionException(f"Session {session_id} does not exist")
        with suppress(NotFound):
            self._chat(session_id).erase()

    # -- agents, and groups of them

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Create an agent in an existing session."""
        self._require_existing(session_id)
        id = session_agent.agent_id
        try:
            self._blob_store(session_id).put(
                {AGENT_PREFIX + id: _to_json(session_agent.to_dict())}, expected={AGENT_PREFIX + id: 0}
            )
        except RevisionConflict:
            raise SessionException(f"Agent {id} already exists in session {session_id}") from None

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        """Return the last state of an agent; None if there is none."""
        kept = self._load_blob(session_id, AGENT_PREFIX + agent_id)
        return None if kept is None else SessionAgent.from_dict(kept)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Replace the state of an existing agent."""
        id = session_agent.agent_id
        before = self.read_agent(session_id, id)
        if before is not None:
            session_agent.created_at = before.created_at
        if before is None or not self._replace(session_id, AGENT_PREFIX + id, session_agent.to_dict()):
            raise SessionException(f"Agent {id} in session {session_id} does not exist")

    def create_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Save the state of a group of agents."""
        self._require_existing(session_id)
        self._blob_store(session_id).put({GROUP_PREFIX + multi_agent.id: _to_json(multi_agent.serialize_state())})

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **kwargs: Any) -> dict[str, Any] | None:
        """Return the state of a group of agents; None if there is none."""
        return self._load_blob(session_id, GROUP_PREFIX + multi_agent_id)

    def update_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        """Replace the state of an existing group of agents."""
        if not self._replace(session_id, GROUP_PREFIX + multi_agent.id, multi_agent.serialize_state()):
            raise SessionException(f"MultiAgent state {multi_agent.id} in session {session_id} does not exist")

    # -- messages

    def create_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Append a message. If another process used the same number, both messages are kept."""
        self._require_existing(session_id, agent_id)
        self._chat(session_id).add_many(drafts_of(session_message, agent_id))

    def read_message(self, session_id: str, agent_id: str, message_id: int, **kwargs: Any) -> SessionMessage | None:
        """Return the last message with this number; None if there is none."""
        listed = self.list_messages(session_id, agent_id)
        return next((message for message in reversed(listed) if message.message_id == message_id), None)

    def update_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Replace a message in its place. The old version is erased permanently, including redacted text."""
        self._require_existing(session_id, agent_id)
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
        _replace_messages(chat, before, [*drafts_of(session_message, agent_id), *map(copy_as_draft, later)], old, later)

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **kwargs: Any
    ) -> list[SessionMessage]:
        """Return an agent's messages in order, starting at `offset`."""
        try:
            listed = [message for message, _ in messages_of(self._chat(session_id).messages(), agent_id)]
        except NotFound:
            return []
        return listed[offset:] if limit is None else listed[offset : offset + limit]

    # -- helpers

    def _chat(self, session_id: str) -> Chat:
        return self._memory.chat(owner=self._owner, session=session_id, pool=self._pool)

    def _blob_store(self, session_id: str) -> BlobStore:
        return self._memory.blobs(owner=self._owner, session=session_id, pool=self._pool)

    def _load_blob(self, session_id: str, name: str) -> dict[str, Any] | None:
        blob = self._blob_store(session_id).get(name).get(name)
        return None if blob is None else json.loads(blob.content)

    def _replace(self, session_id: str, name: str, value: Mapping[str, Any]) -> bool:
        """Replace an existing blob; return False if there is none, so that erased data does not come back."""
        blob_store = self._blob_store(session_id)
        while blob := blob_store.get(name).get(name):
            with suppress(RevisionConflict):
                blob_store.put({name: _to_json(value)}, expected={name: blob.revision})
                return True
        return False

    def _require_existing(self, session_id: str, agent_id: str | None = None) -> None:
        if self.read_session(session_id) is None:
            raise SessionException(f"Session {session_id} does not exist")
        if agent_id is not None and self._load_blob(session_id, AGENT_PREFIX + agent_id) is None:
            raise SessionException(f"Agent {agent_id} does not exist in session {session_id}")


class KeepsaidSessionManager(RepositorySessionManager):
    """Keep an agent's conversation and state in a session: pass it to an `Agent`. It can continue a conversation that
    another adapter started."""

    def __init__(self, memory: Memory, *, owner: str, session: str, pool: str | None = None) -> None:
        repository = KeepsaidSessionRepository(memory, owner=owner, pool=pool)
        super().__init__(session_id=session, session_repository=repository)

    def initialize(self, agent: LocalAgent, **kwargs: Any) -> None:
        """Restore an agent from the session."""
        repository, session, id = self.session_repository, self.session_id, agent.agent_id
        if repository.read_agent(session, id) is None and repository.list_messages(session, id):
            repository.create_agent(session, SessionAgent.from_agent(agent))
        super().initialize(agent, **kwargs)


class KeepsaidMemoryStore(MemoryStore):
    """Search an owner's messages in all conversations, from all adapters, for Strands' `MemoryManager`. Added content goes
    to the conversation `session`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        session: str = "strands-memory",
        pool: str | None = None,
        name: str = "keepsaid",
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
        """Return the passages that match a query, best first."""
        if not query.strip():
            return []
        limit = (options or {}).get("max_search_results") or self.max_search_results
        hits = await asyncio.to_thread(
            self._memory.search, query, owner=self._owner, pool=self._pool, limit=limit, plain=True
        )  # fmt: skip
        return [_entry(hit) for hit in hits]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Save a note about the user and return its message id. Adding the same note again changes nothing, unless it was
        erased: then it is saved again."""
        if not content.strip():
            raise InvalidInput("there is nothing to add")
        return (await run_to_completion(self._save_note, content, clean_metadata(metadata))).id

    async def add_messages(self, messages: Sequence[StrandsMessage], context: AddMessagesContext | None = None) -> None:
        """Save messages. One whose tracking id is already saved changes nothing."""
        for message in messages:
            drafts = sessionless_drafts_of(message)
            if tracking := message.get("tracking_id"):
                drafts = [replace(draft, id=_id(self._session, tracking, n)) for n, draft in enumerate(drafts)]
            # Erased messages are not saved again.
            with suppress(Erased):
                await run_to_completion(self._add, drafts)

    def _save_note(self, content: str, metadata: Mapping[str, Any]) -> Message:
        erased = 0
        while True:
            # The id is derived from the note; the id of an erased message cannot be used again.
            id = _id(self._session, content, json.dumps(metadata, sort_keys=True), erased)
            try:
                return self._add([MessageDraft("assistant", content, id=id, metadata=metadata)])[0]
            except Erased:
                erased += 1

    def _add(self, drafts: Sequence[MessageDraft]) -> list[Message]:
        if not self.writable:
            raise InvalidInput(f"the memory store {self.name!r} is not writable")
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=True).add_many(drafts)


def _entry(hit: SearchHit) -> MemoryEntry:
    found = hit.message
    details = {"id": found.id, "session": hit.session, "role": str(found.role), "at": hit.at.isoformat(), "score": hit.score}
    return MemoryEntry(content=hit.passage, metadata={**strip_adapter_data(found.metadata), **details})


def _id(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()[:32]


def _to_json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _replace_messages(
    chat: Chat, before: Message | None, drafts: Sequence[MessageDraft], old: Sequence[Message], later: Sequence[Message]
) -> None:
    """Add messages after a message (or at the beginning), and erase the old ones and the later ones that were added
    again."""
    if before is None:
        chat.clear()
        chat.add_many(drafts)
    else:
        chat.add_many(drafts, after=before.id)
    for message in old:
        chat.erase(message.id)
    for message in reversed(later):
        # In a pool, messages of other owners stay on the old branch.
        with suppress(NotFound):
            chat.erase(message.id)
