"""LlamaIndex: `Memory` over its SQL chat store with a block of vectors, and the older `ChatMemoryBuffer` over a file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory, VectorMemoryBlock
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import PrivateAttr

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, SESSION, SYSTEM, TOKENS, AsyncCaller, make_wal_file
from benchmarks.prompts.context_prefix import encoder_for
from keepsaid.llm.tokens import DEFAULT_ENCODING

MESSAGE = re.compile(r"<message role='\w+'>(.*?)</message>", re.DOTALL)


class LlamaIndexEmbedding(BaseEmbedding):
    """The vectors that all libraries get; for several messages, as they leave the queue, the mean of theirs."""

    _vectors: Any = PrivateAttr()

    def __init__(self, vectors: MessageVectors) -> None:
        super().__init__(model_name="known")
        self._vectors = vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return np.mean(self._vectors.vectors(MESSAGE.findall(text) or [text]), axis=0).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vectors.vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._vectors.vector(query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embedding(text)


class MemoryStoringVectors(SimpleVectorStore):
    """The vector store of the core package, which a block takes only if it says that it keeps the texts."""

    stores_text: bool = True
    _nodes: dict[str, Any] = PrivateAttr(default_factory=dict)

    def add(self, nodes: Sequence[Any], **options: Any) -> list[str]:
        self._nodes |= {node.node_id: node for node in nodes}
        return super().add(list(nodes), **options)

    def query(self, query: Any, **options: Any) -> Any:
        found = super().query(query, **options)
        found.nodes = [self._nodes[id] for id in found.ids or []]
        return found


class MemoryDriver:
    """A queue of the newest messages in an SQL table; older ones go to a block of vectors, several at a time."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._async = AsyncCaller()
        embedding = LlamaIndexEmbedding(vectors)
        self._block = VectorMemoryBlock(
            vector_store=MemoryStoringVectors(), embed_model=embedding, similarity_top_k=HITS, retrieval_context_window=1
        )
        self._memory = Memory.from_defaults(
            session_id=SESSION,
            token_limit=TOKENS,
            token_flush_size=TOKENS // 10,
            tokenizer_fn=_encoder(),
            memory_blocks=[self._block],
            async_database_uri=f"sqlite+aiosqlite:///{make_wal_file(folder / 'chat.db')}",
        )

    def save(self, messages: Sequence[PeerMessage]) -> None:
        if len(messages) == 1:
            self._async.run(self._memory.aput(to_llama_index(messages)[0]))
        else:
            self._async.run(self._memory.aput_messages(to_llama_index(messages)))

    def last(self, count: int) -> list[str]:
        return [str(message.content) for message in self._async.run(self._memory.aget_all())[-count:]]

    def newest_fitting(self, tokens: int) -> list[str]:
        """Return the queue, which `Memory` keeps below the limit it was opened with."""
        found = self._async.run(self._memory.sql_store.get_messages(SESSION))
        return [str(message.content) for message in found]

    def search(self, query: str) -> list[str]:
        return [self._async.run(self._block.aget([ChatMessage(query)], session_id=SESSION))]

    def prompt(self, question: str) -> list[ChatMessage]:
        found = self._async.run(self._memory.aget(input=question))
        return [*found, ChatMessage(question, role="user")]

    def close(self) -> None:
        engine = self._memory.sql_store._async_engine
        if engine is not None:
            self._async.run(engine.dispose())
        self._async.close()


class BufferDriver:
    """All messages in memory, and written to a file of JSON after each change."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._path = folder / "chat.json"
        self._store = SimpleChatStore()
        self._buffer = self._open(TOKENS)

    def _open(self, tokens: int) -> ChatMemoryBuffer:
        return ChatMemoryBuffer.from_defaults(
            token_limit=tokens, chat_store=self._store, chat_store_key=SESSION, tokenizer_fn=_encoder()
        )

    def save(self, messages: Sequence[PeerMessage]) -> None:
        self._buffer.put_messages(to_llama_index(messages))
        self._store.persist(str(self._path))
        with self._path.open("rb") as file:
            os.fsync(file.fileno())

    def last(self, count: int) -> list[str]:
        return [str(message.content) for message in self._store.get_messages(SESSION)[-count:]]

    def newest_fitting(self, tokens: int) -> list[str]:
        return [str(message.content) for message in self._buffer.get()]

    def prompt(self, question: str) -> list[ChatMessage]:
        return [ChatMessage(SYSTEM, role="system"), *self._buffer.get(), ChatMessage(question, role="user")]

    def close(self) -> None:
        self._store.store.clear()


def to_llama_index(messages: Sequence[PeerMessage]) -> list[ChatMessage]:
    """Return messages as LlamaIndex's."""
    return [ChatMessage(message.text, role=message.role) for message in messages]


def _encoder() -> Any:
    return encoder_for(DEFAULT_ENCODING)
