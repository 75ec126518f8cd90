"""The adapter for LlamaIndex: chat stores for both of its interfaces, and a memory block that searches all conversations.

    store = KeepsaidAsyncChatStore(memory, owner="u1")
    found = KeepsaidMemoryBlock(memory, owner="u1")
    chat_memory = Memory.from_defaults(session_id="trip", chat_store=store, memory_blocks=[found])

`KeepsaidChatStore` is for `ChatMemoryBuffer` and others that take a `BaseChatStore`. The keys of a store are session ids.
"""

from __future__ import annotations

import asyncio
from typing import Any

from keepsaid.adapters.common import missing_extra, run_to_completion

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.storage.chat_store.base import BaseChatStore
    from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
except ImportError:
    raise missing_extra("LlamaIndex", "llama-index") from None

from keepsaid.adapters.llama_index.conversations import OwnerConversations
from keepsaid.adapters.llama_index.messages import to_draft, to_message
from keepsaid.engine.prompt.relevant_context import build_relevant_context
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.types import SearchHits

__all__ = ["KeepsaidAsyncChatStore", "KeepsaidChatStore", "KeepsaidMemoryBlock"]

MAX_PASSAGES = 20
"""Maximum passages from which a block selects those that fit."""

DEFAULT_MAX_TOKENS = 800
"""Default maximum tokens of a block."""


class KeepsaidChatStore(BaseChatStore):
    """The conversations of an owner (or pool), by key. Deleting erases permanently. `set_messages` replaces messages; the
    old ones can be restored with `Chat.switch`."""

    owner: str
    pool: str | None = None
    _conversations: OwnerConversations = PrivateAttr()

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        super().__init__(owner=owner, pool=pool)  # pyright: ignore[reportCallIssue]  # the fields are ours
        self._conversations = OwnerConversations(memory, owner, pool)

    @classmethod
    def class_name(cls) -> str:
        """Return the class name for LlamaIndex."""
        return "KeepsaidChatStore"

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Set the messages of a key."""
        self._conversations.set(key, [to_draft(message) for message in messages])

    def get_messages(self, key: str) -> list[ChatMessage]:
        """Return the messages of a key, in order."""
        return [to_message(message) for message in self._conversations.messages(key)]

    def add_message(self, key: str, message: ChatMessage) -> None:
        """Add a message."""
        self._conversations.add(key, [to_draft(message)])

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Erase a key with its messages, and return these; None if there is no such key."""
        found = self._conversations.erase(key)
        return None if found is None else [to_message(message) for message in found]

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erase the message at an index, and return it; None if there is none."""
        erased = self._conversations.erase_one(key, idx)
        return None if erased is None else to_message(erased)

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Erase the last message, and return it; None if there is none."""
        return self.delete_message(key, -1)

    def get_keys(self) -> list[str]:
        """Return all keys, newest activity first."""
        return self._conversations.keys()


class KeepsaidAsyncChatStore(AsyncDBChatStore):
    """A chat store for LlamaIndex's `Memory`, whose short-term memory archives messages that no longer fit. Archived
    messages stay in their conversation for all other adapters and all searches."""

    owner: str
    pool: str | None = None
    _conversations: OwnerConversations = PrivateAttr()

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        super().__init__(owner=owner, pool=pool)  # pyright: ignore[reportCallIssue]  # the fields are ours
        self._conversations = OwnerConversations(memory, owner, pool)

    @classmethod
    def class_name(cls) -> str:
        """Return the class name for LlamaIndex."""
        return "KeepsaidAsyncChatStore"

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Return messages of a key, in order: the active ones, the archived ones, or all with None."""
        found = (await asyncio.to_thread(self._conversations.messages, key, _is_archived(status)))[offset or 0 :]
        return [to_message(message) for message in (found if limit is None else found[:limit])]

    async def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        """Return the number of messages of a key with a status."""
        return len(await asyncio.to_thread(self._conversations.messages, key, _is_archived(status)))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Add a message."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Add messages, all or none."""
        drafts = [to_draft(message) for message in messages]
        await run_to_completion(self._conversations.add, key, drafts, archived=status is MessageStatus.ARCHIVED)

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Set the messages of a key, replacing active and archived ones."""
        drafts = [to_draft(message) for message in messages]
        await run_to_completion(self._conversations.set, key, drafts, archived=status is MessageStatus.ARCHIVED)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erase the active message at an index, and return it; None if there is none."""
        erased = await run_to_completion(self._conversations.erase_one, key, idx, archived=False)
        return None if erased is None else to_message(erased)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Erase a key with all its messages, or its messages with a status."""
        if status is None:
            await run_to_completion(self._conversations.erase, key)
        else:
            await run_to_completion(self._conversations.erase_some, key, status is MessageStatus.ARCHIVED)

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Erase the oldest active messages, and return them."""
        return [to_message(message) for message in await run_to_completion(self._conversations.erase_oldest, key, n)]

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archive the oldest active messages, and return them."""
        return [to_message(message) for message in await run_to_completion(self._conversations.archive_oldest, key, n)]

    async def get_keys(self) -> list[str]:
        """Return all keys, newest activity first."""
        return await asyncio.to_thread(self._conversations.keys)


class KeepsaidMemoryBlock(BaseMemoryBlock[str]):
    """Passages from all conversations of an owner (or pool) that match the last user message, within `max_tokens`.

    With `session`, messages that leave the short-term memory are saved there. Without it, they are not saved, because the
    chat store has all of them.
    """

    owner: str
    pool: str | None = None
    session: str | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS
    _memory: Memory = PrivateAttr()

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        max_tokens: int = DEFAULT_MAX_TOKENS,
        name: str = "keepsaid",
        **more: Any,
    ) -> None:
        """`more` are the fields of every LlamaIndex block: description, priority and accept_short_term_memory."""
        fields: dict[str, Any] = {"owner": owner, "pool": pool, "session": session, "max_tokens": max_tokens, "name": name}
        super().__init__(**fields, **more)
        self._memory = memory

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [message.content or "" for message in messages or () if message.role == "user"]
        return await asyncio.to_thread(self._find_passages, said[-1], messages or []) if said and said[-1].strip() else ""

    def _find_passages(self, question: str, known_messages: list[ChatMessage]) -> str:
        """Return passages for a question, except messages that the model gets already."""
        known = {message.content for message in known_messages}
        # Search for more, so that other passages are found even if all messages of this chat match.
        hits = self._memory.search(
            question, owner=self.owner, pool=self.pool, limit=MAX_PASSAGES + len(known_messages), plain=True
        )
        others = SearchHits([hit for hit in hits if hit.message.text not in known][:MAX_PASSAGES], hits.fallbacks)
        return build_relevant_context(others, self.max_tokens, counter_for(self._memory.tokenizer).count).text.strip()

    async def _aput(self, messages: list[ChatMessage]) -> None:
        if self.session is not None and messages:
            drafts = [to_draft(_without_session_id(message)) for message in messages]
            await run_to_completion(OwnerConversations(self._memory, self.owner, self.pool).add, self.session, drafts)


def _is_archived(status: MessageStatus | None) -> bool | None:
    return None if status is None else status is MessageStatus.ARCHIVED


def _without_session_id(message: ChatMessage) -> ChatMessage:
    """Return a message without the session id that LlamaIndex adds for memory blocks."""
    more = {name: value for name, value in message.additional_kwargs.items() if name != "session_id"}
    return message.model_copy(update={"additional_kwargs": more})
