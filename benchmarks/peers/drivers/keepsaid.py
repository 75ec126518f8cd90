"""Ours, as `keepsaid.open` gives it: durable, with the keyword index, vectors, facts and receipts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import keepsaid
from benchmarks.peers.conversation import MessageVectors, PeerMessage
from benchmarks.peers.driver import HITS, OWNER, SESSION, TOKENS
from benchmarks.search import haystack
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.engine.prompt.chat_format import ChatMessageDict
from keepsaid.memory import Memory
from keepsaid.types import MessageDraft


class KeepsaidDriver:
    """A store without a worker, so that nothing else runs while others are measured."""

    def __init__(self, folder: Path, vectors: MessageVectors) -> None:
        self._path, self._vectors = folder / "chat.db", vectors
        self._memory = self._open()
        self._chat = self._memory.chat(owner=OWNER, session=SESSION, create=True)

    def _open(self) -> Memory:
        return keepsaid.open(
            self._path,
            durable=True,
            background=False,
            embedder=self._vectors.embedder,
            key=None,
            key_file=None,
            tokenizer="",
        )

    def save(self, messages: Sequence[PeerMessage]) -> None:
        if len(messages) == 1:
            self._chat.add(messages[0].role, messages[0].text, id=messages[0].id)
        else:
            self._chat.add_many(MessageDraft(one.role, one.text, one.id) for one in messages)

    def add_sessions(self, titles: Sequence[str]) -> None:
        for title in titles:
            self._memory.chat(owner=OWNER, title=title)

    def prepare(self) -> None:
        """Do what the worker would have done by now: store the vectors, take notes."""
        self._memory.close()
        with closing(wiring.open_storage(load({"url": str(self._path), "durable": False}, {}))) as storage:
            haystack.add_vectors(storage, self._vectors.generation, self._vectors.pool, lambda what, done, total: None)
        self._memory = self._open()
        self._chat = self._memory.chat(owner=OWNER, session=SESSION)
        self._memory.maintain()

    def last(self, count: int) -> list[str]:
        return [message.text for message in self._chat.messages(last=count)]

    def newest_fitting(self, tokens: int) -> list[str]:
        return [message.text for message in self._chat.messages(max_tokens=tokens)]

    def newest_sessions(self, count: int) -> list[str]:
        return [session.id for session in self._memory.sessions(owner=OWNER, status="active", limit=count)]

    def search(self, query: str) -> list[str]:
        return [hit.message.text for hit in self._memory.search(query, owner=OWNER, limit=HITS)]

    def prompt(self, question: str) -> Sequence[ChatMessageDict]:
        return self._chat.context(question, budget=TOKENS).messages

    def close(self) -> None:
        self._memory.close()
