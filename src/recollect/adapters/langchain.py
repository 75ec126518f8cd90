"""The door for LangChain: a chat message history, a retriever, and a middleware that gives an agent a memory.

    remembering = RecollectMiddleware(memory, owner="u1", session="trip")
    agent = create_agent(model, tools, middleware=[remembering])

All of them need an owner. What one of them saves, the others read and find.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from recollect.adapters.common import missing, paired, settled

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_messages import to_draft, to_message
from recollect.adapters.langchain_middleware import RecollectMiddleware
from recollect.chat import Chat
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.types import Hit

__all__ = ["RecollectChatMessageHistory", "RecollectMiddleware", "RecollectRetriever"]

FOUND = 5
"""Passages that a retriever gives, if nothing else is said."""


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation. It is made when the first is added; `clear` erases it for good."""

    def __init__(self, memory: Memory, *, owner: str, session: str, pool: str | None = None) -> None:
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]  # theirs is either
        """The conversation, in order."""
        try:
            return [to_message(message) for message in paired(self._chat().messages())]
        except NotFound:
            return []

    async def aget_messages(self) -> list[BaseMessage]:
        """Async `messages`."""
        return await asyncio.to_thread(lambda: self.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages, all or none."""
        drafts = [to_draft(message) for message in messages]
        if not drafts:
            return
        try:
            self._chat(create=True).add_many(drafts)
        except NotFound:
            # Somebody cleared it in between: now it is made anew, or tells why it cannot be.
            self._chat(create=True).add_many(drafts)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Async `add_messages`."""
        await settled(self.add_messages, messages)

    def clear(self) -> None:
        """Erases the conversation, with all that was made of it."""
        with suppress(NotFound):
            self._memory.erase(owner=self._owner, session=self._session, pool=self._pool)

    async def aclear(self) -> None:
        """Async `clear`."""
        await settled(self.clear)

    def _chat(self, *, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=create)


class RecollectRetriever(BaseRetriever):
    """Passages from all conversations of an owner (or pool, or from one session) that answer a question, best first."""

    memory: Any
    owner: str
    pool: str | None = None
    session: str | None = None
    k: int = FOUND
    min_score: float | None = None

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        k: int = FOUND,
        min_score: float | None = None,
        **more: Any,
    ) -> None:
        """`more` is what every retriever of LangChain's takes: name, tags and metadata."""
        fields = {"memory": memory, "owner": owner, "pool": pool, "session": session, "k": k, "min_score": min_score}
        super().__init__(**fields, **more)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None, k: int | None = None
    ) -> list[Document]:
        if not query.strip():
            return []
        hits = self.memory.search(
            query,
            owner=self.owner,
            pool=self.pool,
            session=self.session,
            limit=self.k if k is None else k,
            min_score=self.min_score,
            plain=True,
        )
        return [_document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None, k: int | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query, k=k)


def _document(hit: Hit) -> Document:
    """What was found. Its metadata say where and when it was said, how well it answers, and why it was found."""
    return Document(
        id=hit.message.id,
        page_content=hit.passage or hit.message.text,
        metadata={
            "session": hit.session,
            "title": hit.title,
            "date": hit.at.isoformat(),
            "role": hit.message.role.value,
            "score": hit.score,
            "reason": hit.reason,
        },
    )
