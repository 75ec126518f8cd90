"""mem0 without a language model (`infer=False`): each message is a memory, in its default vector store, Qdrant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from mem0 import Memory

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, OWNER, SYSTEM, make_wal_file


class Mem0Embedding(Embeddings):
    """The vectors that all libraries get."""

    def __init__(self, vectors: MessageVectors) -> None:
        self._vectors = vectors

    def embed_query(self, text: str) -> list[float]:
        return self._vectors.vector(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.vectors(texts)


class Mem0Driver:
    """A memory in a folder. The language model is configured, because it must be, and never asked."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": vectors.dimensions}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "langchain", "config": {"model": Mem0Embedding(vectors)}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(make_wal_file(folder / "history.db")),
            }
        )
        for path in (folder / "qdrant").rglob("*.sqlite"):
            make_wal_file(path)

    def save(self, messages: Sequence[PeerMessage]) -> None:
        said: list[Any] = [{"role": message.role, "content": message.text} for message in messages]
        self._memory.add(said, user_id=OWNER, infer=False)

    def search(self, query: str) -> list[str]:
        found = self._memory.search(query, filters={"user_id": OWNER}, top_k=HITS)
        return [hit["memory"] for hit in found["results"]]

    def prompt(self, question: str) -> list[dict[str, str]]:
        memories = "\n".join(f"- {memory}" for memory in self.search(question))
        return [
            {"role": "system", "content": f"{SYSTEM}\nUser Memories:\n{memories}"},
            {"role": "user", "content": question},
        ]

    def close(self) -> None:
        self._memory.close()
