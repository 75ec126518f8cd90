"""Microsoft Agent Framework: the history of an agent's sessions, and what was said in others, from Recollect.

A session of the framework is the conversation with the same id.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.adapters.common import missing, paired, settled
from recollect.chat import Chat
from recollect.errors import InvalidInput, NotFound
from recollect.memory import Memory
from recollect.types import Message as Kept

try:
    from agent_framework import ContextProvider, HistoryProvider, Message
except ImportError:
    raise missing("Microsoft Agent Framework", "agent-framework") from None

from recollect.adapters.agent_framework_messages import drafts_of, messages_of

if TYPE_CHECKING:
    from agent_framework import AgentSession, SessionContext, SupportsAgentRun

TOLD = "What is known from other conversations, which may or may not matter here:"


class RecollectHistoryProvider(HistoryProvider):
    """Keeps the conversations of one owner (or in a pool that the owner may write in). The other settings are those of every
    `HistoryProvider`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        source_id: str = "recollect_history",
        load_messages: bool = True,
        store_inputs: bool = True,
        store_context_messages: bool = False,
        store_context_from: set[str] | None = None,
        store_outputs: bool = True,
    ) -> None:
        super().__init__(
            source_id,
            load_messages=load_messages,
            store_inputs=store_inputs,
            store_context_messages=store_context_messages,
            store_context_from=store_context_from,
            store_outputs=store_outputs,
        )
        self._memory = memory
        self._owner = owner
        self._pool = pool

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """The conversation in order; nothing, if there is none yet."""
        return await asyncio.to_thread(self._read, _known(session_id))

    async def save_messages(
        self, session_id: str | None, messages: Sequence[Message], *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Appends messages. Those that a caller tells again, before new ones, are not kept twice."""
        await settled(self._append, _known(session_id), list(messages))

    def _read(self, session_id: str) -> list[Message]:
        try:
            return messages_of(paired(self._chat(session_id).messages()))
        except NotFound:
            return []

    def _append(self, session_id: str, messages: list[Message]) -> None:
        if not messages:
            return
        chat = self._chat(session_id, create=True)
        drafts = [drafts_of(message) for message in messages]
        known = messages_of(_last(chat, sum(map(len, drafts))))
        chat.add_many(draft for some in drafts[told_again(known, messages) :] for draft in some)

    def _chat(self, session_id: str, *, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=session_id, pool=self._pool, create=create)


class RecollectContextProvider(ContextProvider):
    """Tells an agent what its owner said in other conversations, through any door, that bears on what is asked now: passages
    of at most `max_tokens`, under the heading `told`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        source_id: str = "recollect",
        max_tokens: int | None = None,
        told: str = TOLD,
    ) -> None:
        super().__init__(source_id)
        self._memory = memory
        self._owner = owner
        self._pool = pool
        self._max_tokens = max_tokens
        self._told = told

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Looks for what was said, and puts it before the conversation."""
        asked = "\n".join(message.text for message in context.input_messages if message.role == "user" and message.text)
        if not asked.strip():
            return
        # What this conversation itself has is told by its history.
        found = await asyncio.to_thread(
            self._memory.relevant_context,
            asked,
            owner=self._owner,
            pool=self._pool,
            max_tokens=self._max_tokens,
            besides=session.session_id,
        )
        if found.hits:
            passages = "\n".join(f"- {hit.at.date()}, {hit.message.role}: {hit.passage}" for hit in found.hits)
            note = Message("user", [f"{self._told}\n{passages}"])
            context.extend_messages(self, [note], origin_session_ids=[hit.session for hit in found.hits])


def told_again(known: Sequence[Message], messages: Sequence[Message]) -> int:
    """How many of these messages are the last ones that are known already. A single thing that a user says once more,
    and that has no id, is said twice.

    >>> told_again([Message("user", ["Hi"]), Message("assistant", ["Hello"])], [Message("assistant", ["Hello"])])
    1
    """
    before, now = [_identity(message) for message in known], [_identity(message) for message in messages]
    for count in range(min(len(before), len(now)), 0, -1):
        if before[-count:] == now[:count]:
            repeated = count == 1 and messages[0].role == "user" and not messages[0].message_id
            return 0 if repeated else count
    return 0


def _last(chat: Chat, count: int) -> list[Kept]:
    """At least so many messages from the end of a conversation, as they are given out."""
    size = count
    while True:
        kept = chat.messages(last=size)
        given = paired(kept)
        if len(given) >= count or len(kept) < size:
            return given
        size *= 2  # some are not given out, or the call of the first ones is further back


def _identity(message: Message) -> str:
    if message.message_id:
        return message.message_id
    return json.dumps([message.role, [content.to_dict() for content in message.contents]], default=str, sort_keys=True)


def _known(session_id: str | None) -> str:
    if not session_id:
        raise InvalidInput("which session? run the agent with session=agent.create_session(session_id=…)")
    return session_id
