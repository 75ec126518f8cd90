"""The adapter for Microsoft Agent Framework: the history of an agent's sessions, and context from other conversations.

A session of the framework is the conversation with the same id.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keepsaid.adapters.common import drop_unpaired_messages, missing_extra, run_to_completion
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Message as Kept

try:
    from agent_framework import ContextProvider, HistoryProvider, Message
except ImportError:
    raise missing_extra("Microsoft Agent Framework", "agent-framework") from None

from keepsaid.adapters.agent_framework.messages import drafts_of, messages_of

if TYPE_CHECKING:
    from agent_framework import AgentSession, SessionContext, SupportsAgentRun

DEFAULT_HEADING = "What is known from other conversations, which may or may not matter here:"


class KeepsaidHistoryProvider(HistoryProvider):
    """Keep the conversations of one owner (or in a pool that the owner may write to). The other settings are those of every
    `HistoryProvider`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        source_id: str = "keepsaid_history",
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
        """Return the conversation in order; empty if there is none yet."""
        return await asyncio.to_thread(self._read, _require_session(session_id))

    async def save_messages(
        self, session_id: str | None, messages: Sequence[Message], *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Append messages. Known messages that a caller repeats before new ones are not saved twice."""
        await run_to_completion(self._append, _require_session(session_id), list(messages))

    def _read(self, session_id: str) -> list[Message]:
        try:
            return messages_of(drop_unpaired_messages(self._chat(session_id).messages()))
        except NotFound:
            return []

    def _append(self, session_id: str, messages: list[Message]) -> None:
        if not messages:
            return
        chat = self._chat(session_id, create=True)
        drafts = [drafts_of(message) for message in messages]
        known = messages_of(_last_messages(chat, sum(map(len, drafts))))
        chat.add_many(draft for some in drafts[count_repeated_messages(known, messages) :] for draft in some)

    def _chat(self, session_id: str, *, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=session_id, pool=self._pool, create=create)


class KeepsaidContextProvider(ContextProvider):
    """Add passages from other conversations of the owner, from any adapter, that match the current question: at most
    `max_tokens`, under `heading`."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        source_id: str = "keepsaid",
        max_tokens: int | None = None,
        heading: str = DEFAULT_HEADING,
    ) -> None:
        super().__init__(source_id)
        self._memory = memory
        self._owner = owner
        self._pool = pool
        self._max_tokens = max_tokens
        self._heading = heading

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Search other conversations, and put the passages before this one."""
        question = "\n".join(message.text for message in context.input_messages if message.role == "user" and message.text)
        if not question.strip():
            return
        # The messages of this conversation are in its history.
        found = await asyncio.to_thread(
            self._memory.relevant_context,
            question,
            owner=self._owner,
            pool=self._pool,
            max_tokens=self._max_tokens,
            exclude_session=session.session_id,
        )
        if found.hits:
            passages = "\n".join(f"- {hit.at.date()}, {hit.message.role}: {hit.passage}" for hit in found.hits)
            note = Message("user", [f"{self._heading}\n{passages}"])
            context.extend_messages(self, [note], origin_session_ids=[hit.session for hit in found.hits])


def count_repeated_messages(known: Sequence[Message], messages: Sequence[Message]) -> int:
    """Return how many of these messages repeat the last known ones. A single repeated user message without an id counts as
    new.

    >>> count_repeated_messages([Message("user", ["Hi"]), Message("assistant", ["Hello"])],
    ...                         [Message("assistant", ["Hello"])])
    1
    """
    before, now = [_identity(message) for message in known], [_identity(message) for message in messages]
    for count in range(min(len(before), len(now)), 0, -1):
        if before[-count:] == now[:count]:
            repeated = count == 1 and messages[0].role == "user" and not messages[0].message_id
            return 0 if repeated else count
    return 0


def _last_messages(chat: Chat, count: int) -> list[Kept]:
    """Return at least this many last messages of a conversation, without unpaired tool messages."""
    size = count
    while True:
        kept = chat.messages(last=size)
        given = drop_unpaired_messages(kept)
        if len(given) >= count or len(kept) < size:
            return given
        size *= 2  # some are left out, or the call of the first ones is further back


def _identity(message: Message) -> str:
    if message.message_id:
        return message.message_id
    return json.dumps([message.role, [content.to_dict() for content in message.contents]], default=str, sort_keys=True)


def _require_session(session_id: str | None) -> str:
    if not session_id:
        raise InvalidInput("a session is needed: run the agent with session=agent.create_session(session_id=…)")
    return session_id
