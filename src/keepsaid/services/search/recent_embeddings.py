"""Embeddings of new messages, kept for a minute.

Searches embed the newest messages that the embedding job has not reached yet, so that what was just said is found by
meaning. Under load that is the same few messages again and again: they are embedded once, and the job stores what searches
have made.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from keepsaid.ports import EmbeddedPassage, Embedder, VisibleMessage
from keepsaid.services.background.embedding_job import embed_messages
from keepsaid.types import Message, Scope

MAX_SECONDS = 60.0
"""How long an embedding is kept: then the job has stored the message's vectors, or the message may be erased."""

MAX_BYTES = 32 << 20
"""Maximum size of all vectors that are kept."""

MAX_WAIT = 0.05
"""Seconds that a search waits while another one of the same owner embeds. Then it uses what is known: new messages are found
by their words in any case."""

LOCKS = 16
"""Owners that may have new messages embedded at the same time."""


class _Embedded(NamedTuple):
    passages: Sequence[EmbeddedPassage]
    size: int
    made: float


class RecentEmbeddings:
    """Embeds new messages, and remembers the result. Only digests of their texts are kept, by owner. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._embedded: OrderedDict[bytes, _Embedded] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._owner_locks = [threading.Lock() for _ in range(LOCKS)]

    def embed(self, scope: Scope, embedder: Embedder, messages: Sequence[VisibleMessage]) -> list[EmbeddedPassage]:
        """Return the passages of these messages. While another search of the owner embeds some, only of those that are
        known: two would repeat each other's work, and keep the processor from answering."""
        lock = self._owner_locks[hash((scope.owner, scope.pool)) % LOCKS]
        if not lock.acquire(timeout=MAX_WAIT):
            return [passage for passages in self.find(scope, embedder.name, messages).values() for passage in passages]
        try:
            known = self.find(scope, embedder.name, messages)
            made = embed_messages(embedder, [seen for seen in messages if seen.number not in known])
            for seen in messages:
                if seen.number not in known:
                    known[seen.number] = [passage for passage in made if passage.number == seen.number]
                    self._put(_digest(scope, embedder.name, seen.message), known[seen.number])
        finally:
            lock.release()
        return [passage for seen in messages for passage in known[seen.number]]

    def find(
        self, scope: Scope, generation: str, messages: Sequence[VisibleMessage]
    ) -> dict[int, Sequence[EmbeddedPassage]]:
        """Return the passages of those of these messages that were embedded recently, by the message's number."""
        with self._lock:
            self._drop_old()
            found = [(seen.number, self._embedded.get(_digest(scope, generation, seen.message))) for seen in messages]
        return {
            # A number may be used again after an owner was erased, so it is not part of what is remembered.
            number: [passage._replace(number=number) for passage in embedded.passages]
            for number, embedded in found
            if embedded is not None
        }

    def clear(self) -> None:
        """Drop everything: something was erased."""
        with self._lock:
            self._embedded.clear()
            self._size = 0

    def _put(self, key: bytes, passages: Sequence[EmbeddedPassage]) -> None:
        size = sum(len(passage.vector) + len(passage.tokens) for passage in passages)
        with self._lock:
            if key not in self._embedded:
                self._embedded[key] = _Embedded(passages, size, self._clock())
                self._size += size
            while self._size > MAX_BYTES:
                self._size -= self._embedded.popitem(last=False)[1].size

    def _drop_old(self) -> None:
        oldest = self._clock() - MAX_SECONDS
        while self._embedded and next(iter(self._embedded.values())).made < oldest:
            self._size -= self._embedded.popitem(last=False)[1].size


def _digest(scope: Scope, generation: str, message: Message) -> bytes:
    """Return the key of a message's embedding: no owner can tell what another has said."""
    space = (scope.owner, None) if scope.pool is None else (None, scope.pool)
    text = repr((space, scope.documents, generation, message.name, message.text))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
