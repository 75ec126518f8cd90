"""MemPalace: messages filed as a live integration files them, searched by its own hybrid search, with our vectors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chromadb import Documents, EmbeddingFunction, Embeddings
from mempalace import embedding as mempalace_embedding
from mempalace.convo_miner import file_conversation_exchange
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, OWNER, SESSION, SYSTEM, make_wal_file


class PalaceEmbedding(EmbeddingFunction[Documents]):
    """The vectors that all libraries get, in the place of the model that MemPalace would download."""

    def __init__(self, vectors: MessageVectors) -> None:
        self._vectors = vectors

    def __call__(self, input: Documents) -> Embeddings:
        return self._vectors.vectors(input)  # type: ignore[return-value]

    @staticmethod
    def name() -> str:
        return "default"

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> PalaceEmbedding:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        return {}


class PalaceDriver:
    """A palace with one wing."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        for device in ("cpu", "auto"):
            providers, _ = mempalace_embedding._resolve_providers(device, "minilm")
            mempalace_embedding._EF_CACHE["minilm", tuple(providers)] = PalaceEmbedding(vectors)
        self._path = str(folder)
        make_wal_file(folder / "chroma.sqlite3")
        self._collection = get_collection(self._path, create=True)

    def save(self, messages: Sequence[PeerMessage]) -> None:
        """File one message as an integration does, and many as its miner does, in one call."""
        if len(messages) == 1:
            ((id, role, text),) = messages
            file_conversation_exchange(self._collection, wing=OWNER, room=SESSION, text=text, source_file=id, agent=role)
            return
        now = datetime.now(UTC).isoformat()
        about = {"wing": OWNER, "room": SESSION, "hall": "general", "chunk_index": 0, "filed_at": now}
        self._collection.upsert(
            ids=[message.id for message in messages],
            documents=[message.text for message in messages],
            metadatas=[about | {"source_file": message.id, "added_by": message.role} for message in messages],
        )

    def search(self, query: str) -> list[str]:
        found = search_memories(query, self._path, wing=OWNER, n_results=HITS)
        return [hit["text"] for hit in found["results"]]

    def prompt(self, question: str) -> list[dict[str, str]]:
        memories = "\n".join(self.search(question))
        return [{"role": "system", "content": f"{SYSTEM}\n{memories}"}, {"role": "user", "content": question}]

    def close(self) -> None:
        self._collection = None
