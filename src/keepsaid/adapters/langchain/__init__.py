"""The adapter for LangChain: a chat message history, a retriever, and a middleware that gives an agent a memory.

    remembering = KeepsaidMiddleware(memory, owner="u1", session="trip")
    agent = create_agent(model, tools, middleware=[remembering])

All of them need an owner. What one of them saves, the others can read and find.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from keepsaid.adapters.common import drop_unpaired_messages, missing_extra, run_to_completion

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise missing_extra("LangChain", "langchain") from None

from keepsaid.adapters.langchain.messages import to_draft, to_message
from keepsaid.adapters.langchain.middleware import KeepsaidMiddleware
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import SearchHit

__all__ = ["KeepsaidChatMessageHistory", "KeepsaidMiddleware", "KeepsaidRetriever"]

DEFAULT_K = 5
"""Default number of passages that a retriever returns."""


class KeepsaidChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation. It is created with the first message; `clear` erases it permanently."""

    def __init__(self, memory: Memory, *, owner: str, session: str, pool: str | None = None) -> None:
        self._memory = memory
        self._owner = owner
        self._session = session
        self._pool = pool

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]  # the base class allows both
        """The messages of the conversation, in order."""
        try:
            return [to_message(message) for message in drop_unpaired_messages(self._chat().messages())]
        except NotFound:
            return []

    async def aget_messages(self) -> list[BaseMessage]:
        """Async `messages`."""
        return await asyncio.to_thread(lambda: self.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages, all or none."""
        drafts = [to_draft(message) for message in messages]
        if not drafts:
            return
        try:
            self._chat(create=True).add_many(drafts)
        except NotFound:
            # It was cleared concurrently: create it again, or raise why that is not possible.
            self._chat(create=True).add_many(drafts)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Async `add_messages`."""
        await run_to_completion(self.add_messages, messages)

    def clear(self) -> None:
        """Erase the conversation with all data derived from it."""
        with suppress(NotFound):
            self._memory.erase(owner=self._owner, session=self._session, pool=self._pool)

    async def aclear(self) -> None:
        """Async `clear`."""
        await run_to_completion(self.clear)

    def _chat(self, *, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=create)


class KeepsaidRetriever(BaseRetriever):
    """Retrieve passages from all conversations of an owner (or of a pool, or from one session), best first."""

    memory: Any
    owner: str
    pool: str | None = None
    session: str | None = None
    k: int = DEFAULT_K
    min_score: float | None = None

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        k: int = DEFAULT_K,
        min_score: float | None = None,
        **more: Any,
    ) -> None:
        """`more` are the fields of every LangChain retriever: name, tags and metadata."""
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


def _document(hit: SearchHit) -> Document:
    """Return a hit as a document, with its source, date, score and reason as metadata."""
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
