"""The door for LlamaIndex: chat stores, old and new, and a memory block that recalls what was said in any conversation.

    store = RecollectAsyncChatStore(memory, owner="u1")
    found = RecollectMemoryBlock(memory, owner="u1")
    chat_memory = Memory.from_defaults(session_id="trip", chat_store=store, memory_blocks=[found])

`RecollectChatStore` is for `ChatMemoryBuffer` and all else that takes a `BaseChatStore`. The keys of a store are sessions.
"""

from __future__ import annotations

import asyncio
from typing import Any

from recollect.adapters.common import missing, settled

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.storage.chat_store.base import BaseChatStore
    from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
except ImportError:
    raise missing("LlamaIndex", "llama-index") from None

from recollect.adapters.llama_index_messages import to_draft, to_message
from recollect.adapters.llama_index_talks import Talks
from recollect.engine.compile.relevant import relevant
from recollect.memory import Memory
from recollect.tokens import counter_for
from recollect.types import Hits

__all__ = ["RecollectAsyncChatStore", "RecollectChatStore", "RecollectMemoryBlock"]

FOUND = 20
"""Passages from which a block keeps those that fit."""

TOKENS = 800
"""What a block may take, if nothing else is said."""


class RecollectChatStore(BaseChatStore):
    """The conversations of an owner (or pool), by key. What is deleted is erased for good; `set_messages` replaces, and what
    was said before stays restorable by `Chat.switch`."""

    owner: str
    pool: str | None = None
    _talks: Talks = PrivateAttr()

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        super().__init__(owner=owner, pool=pool)  # pyright: ignore[reportCallIssue]  # the fields are ours
        self._talks = Talks(memory, owner, pool)

    @classmethod
    def class_name(cls) -> str:
        """The name by which LlamaIndex knows it."""
        return "RecollectChatStore"

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Makes these the messages of a key."""
        self._talks.set(key, [to_draft(message) for message in messages])

    def get_messages(self, key: str) -> list[ChatMessage]:
        """The messages of a key, in order."""
        return [to_message(message) for message in self._talks.messages(key)]

    def add_message(self, key: str, message: ChatMessage) -> None:
        """Adds a message."""
        self._talks.add(key, [to_draft(message)])

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Erases a key with its messages, and returns these; None if there is no such key."""
        found = self._talks.erase(key)
        return None if found is None else [to_message(message) for message in found]

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erases the message at a place, and returns it; None if there is none."""
        erased = self._talks.erase_one(key, idx)
        return None if erased is None else to_message(erased)

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Erases the last message, and returns it; None if there is none."""
        return self.delete_message(key, -1)

    def get_keys(self) -> list[str]:
        """All keys, newest activity first."""
        return self._talks.keys()


class RecollectAsyncChatStore(AsyncDBChatStore):
    """The same for `Memory`, whose short-term memory archives what it has no more room for. Archived messages stay in their
    conversation, as every other door and every search sees it."""

    owner: str
    pool: str | None = None
    _talks: Talks = PrivateAttr()

    def __init__(self, memory: Memory, *, owner: str, pool: str | None = None) -> None:
        super().__init__(owner=owner, pool=pool)  # pyright: ignore[reportCallIssue]  # the fields are ours
        self._talks = Talks(memory, owner, pool)

    @classmethod
    def class_name(cls) -> str:
        """The name by which LlamaIndex knows it."""
        return "RecollectAsyncChatStore"

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Messages of a key, in order: the active ones, the archived ones, or with None all."""
        found = (await asyncio.to_thread(self._talks.messages, key, _is_archived(status)))[offset or 0 :]
        return [to_message(message) for message in (found if limit is None else found[:limit])]

    async def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        """How many those are."""
        return len(await asyncio.to_thread(self._talks.messages, key, _is_archived(status)))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Adds a message."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Adds messages, all or none."""
        drafts = [to_draft(message) for message in messages]
        await settled(self._talks.add, key, drafts, archived=status is MessageStatus.ARCHIVED)

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Makes these the messages of a key, in place of active and archived ones."""
        drafts = [to_draft(message) for message in messages]
        await settled(self._talks.set, key, drafts, archived=status is MessageStatus.ARCHIVED)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Erases the active message at a place, and returns it; None if there is none."""
        erased = await settled(self._talks.erase_one, key, idx, archived=False)
        return None if erased is None else to_message(erased)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Erases a key with all its messages, or its messages of a status."""
        if status is None:
            await settled(self._talks.erase, key)
        else:
            await settled(self._talks.erase_some, key, status is MessageStatus.ARCHIVED)

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Erases the oldest active messages, and returns them."""
        return [to_message(message) for message in await settled(self._talks.erase_oldest, key, n)]

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archives the oldest active messages, and returns them."""
        return [to_message(message) for message in await settled(self._talks.archive_oldest, key, n)]

    async def get_keys(self) -> list[str]:
        """All keys, newest activity first."""
        return await asyncio.to_thread(self._talks.keys)


class RecollectMemoryBlock(BaseMemoryBlock[str]):
    """What was said in any conversation of an owner (or pool) that answers what the user said last, within `max_tokens`.

    With `session`, messages that leave the short-term memory are kept there. Without, nothing is: the chat store above has
    them all.
    """

    owner: str
    pool: str | None = None
    session: str | None = None
    max_tokens: int = TOKENS
    _memory: Memory = PrivateAttr()

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        max_tokens: int = TOKENS,
        name: str = "recollect",
        **more: Any,
    ) -> None:
        """`more` is what every block of LlamaIndex's takes: description, priority and accept_short_term_memory."""
        fields: dict[str, Any] = {"owner": owner, "pool": pool, "session": session, "max_tokens": max_tokens, "name": name}
        super().__init__(**fields, **more)
        self._memory = memory

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [message.content or "" for message in messages or () if message.role == "user"]
        return await asyncio.to_thread(self._found, said[-1], messages or []) if said and said[-1].strip() else ""

    def _found(self, question: str, told: list[ChatMessage]) -> str:
        """What answers a question, but for what the model is told already."""
        known = {message.content for message in told}
        # However much of it answers the question: what is not told still finds its place.
        hits = self._memory.search(question, owner=self.owner, pool=self.pool, limit=FOUND + len(told), plain=True)
        others = Hits([hit for hit in hits if hit.message.text not in known][:FOUND], hits.fallbacks)
        return relevant(others, self.max_tokens, counter_for(self._memory.tokenizer).count).text.strip()

    async def _aput(self, messages: list[ChatMessage]) -> None:
        if self.session is not None and messages:
            drafts = [to_draft(_unlabelled(message)) for message in messages]
            await settled(Talks(self._memory, self.owner, self.pool).add, self.session, drafts)


def _is_archived(status: MessageStatus | None) -> bool | None:
    return None if status is None else status is MessageStatus.ARCHIVED


def _unlabelled(message: ChatMessage) -> ChatMessage:
    """A message without the session that LlamaIndex writes into those it hands to blocks."""
    more = {name: value for name, value in message.additional_kwargs.items() if name != "session_id"}
    return message.model_copy(update={"additional_kwargs": more})
