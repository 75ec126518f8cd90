"""ChromaDB: a collection of vectors. It has no notion of a conversation, its order, or prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, OWNER, make_wal_file


class ChromaDriver:
    """A collection in a folder, given the vectors."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._vectors = vectors
        make_wal_file(folder / "chroma.sqlite3")
        client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._client = client
        self._collection: Any = client.create_collection(
            "messages", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def save(self, messages: Sequence[PeerMessage]) -> None:
        texts = [message.text for message in messages]
        self._collection.add(
            ids=[message.id for message in messages],
            embeddings=self._vectors.vectors(texts),
            documents=texts,
            metadatas=[{"owner": OWNER, "role": message.role} for message in messages],
        )

    def search(self, query: str) -> list[str]:
        vector = self._vectors.vector(query)
        found = self._collection.query(query_embeddings=[vector], n_results=HITS, where={"owner": OWNER})
        return found["documents"][0]

    def close(self) -> None:
        self._client.close()
