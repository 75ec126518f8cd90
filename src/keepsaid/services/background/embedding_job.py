"""Background job that computes the embeddings of messages.

It leases the messages of one owner, embeds them, and stores the result in one transaction. If the process or the machine
dies meanwhile, only the lease is lost: it expires, and any process can continue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from keepsaid.engine.text.passages import prefix_speaker, split_passages
from keepsaid.errors import Conflict, EmbedderError, NotFound, StoreClosed
from keepsaid.ports import EmbeddedPassage, Embedder, Embedding, VectorCoverage, VectorStorage, VisibleMessage, WorkLease
from keepsaid.services.background.worker import LEASE_MICROSECONDS

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

BATCH = 32
"""Maximum number of messages embedded and stored together."""

LONG, SHORT = 5.0, 1.0
"""Seconds. A batch that takes longer than the first halves the size of the next one; one that takes less than the second
doubles it. So a batch of long messages, or of a slow embedder, does not outlast its lease, and little is lost when it is
stopped."""

AT_ONCE = 32
"""Texts passed to an embedder in one call. A long message has up to 64 passages, and a batch of those would block for too
long."""

PROBE = "How many dimensions?"
"""A text that every embedder can embed."""


class EmbeddingJob:
    """Embeds the pending messages of one storage."""

    def __init__(self, services: ServiceContainer, vectors: VectorStorage, embedder: Embedder) -> None:
        self._services = services
        self._vectors = vectors
        self.embedder = embedder
        self._holder = services.new_id(services.now())
        self._begun = False
        self._size = BATCH // 4

    def begin(self) -> None:
        """Create the generation of this embedder, unless it exists."""
        if not self._begun:
            (probe,) = self.embedder.embed([PROBE])
            try:
                self._vectors.begin_generation(self.embedder.name, len(probe.vector))
            except Conflict as error:
                raise EmbedderError(f"{error}: an embedder whose vectors changed needs another name") from None
            self._begun = True

    def process_batch(self, stopping: threading.Event) -> int | None:
        """Embed some messages. Return how many were settled, or None if none could be leased."""
        task = self._claim()
        if task is None:
            return None
        start = time.monotonic()
        settled = self._process(task, stopping)
        taken = time.monotonic() - start
        if taken > LONG:
            self._size = max(1, self._size // 2)
        elif taken < SHORT:
            self._size = min(BATCH, 2 * self._size)
        return len(task.messages) if settled else 0

    def progress(self) -> tuple[int, int]:
        """Return how many messages are embedded, and how many there are."""
        coverage = self.coverage()
        return coverage.embedded, coverage.messages

    def coverage(self) -> VectorCoverage:
        """Return the coverage of this embedder: how much is embedded, and its size."""
        return self._vectors.coverage(self.embedder.name)

    def finish(self) -> None:
        """Drop older generations once this one is complete: searches no longer use them."""
        generations = self._vectors.generations()
        ours = [generation for generation in generations if generation.name == self.embedder.name]
        if ours and ours[0].complete:
            for generation in generations[: generations.index(ours[0])]:
                self._vectors.drop_generation(generation.name)

    def _claim(self) -> WorkLease | None:
        now = self._services.now()
        try:
            return self._vectors.claim(self.embedder.name, self._holder, now, now + LEASE_MICROSECONDS, self._size)
        except NotFound:
            # Another program, with another embedder, dropped this generation: create it again.
            self._begun = False
            self.begin()
            return None

    def _process(self, task: WorkLease, stopping: threading.Event) -> bool:
        try:
            messages = [seen for seen in task.messages if not seen.message.private]
            known = self._services.recent_embeddings.find(task.scope, task.generation, messages)
            made = self._embed_bisecting([seen for seen in messages if seen.number not in known], stopping)
            made += (passage for passages in known.values() for passage in passages)
            made.sort(key=lambda passage: (passage.number, passage.part))
        except BaseException:
            self._vectors.release(task)
            raise
        return self._vectors.settle_task(task, made, self._services.now())

    def _embed_bisecting(self, messages: Sequence[VisibleMessage], stopping: threading.Event) -> list[EmbeddedPassage]:
        """Return the passages of these messages with their vectors.

        A message that the embedder refuses, although it works, must not block the others. It gets no vector and is found by
        words.
        """
        try:
            return embed_messages(self.embedder, messages, stopping)
        except EmbedderError:
            self.embedder.embed([PROBE])
            if len(messages) == 1:
                return []
            half = len(messages) // 2
            return self._embed_bisecting(messages[:half], stopping) + self._embed_bisecting(messages[half:], stopping)


def embed_messages(
    embedder: Embedder, messages: Iterable[VisibleMessage], stopping: threading.Event | None = None
) -> list[EmbeddedPassage]:
    """Return the passages of these messages with their vectors. Raise `StoreClosed` if asked to stop before that is done."""
    places = [(seen, part, start, end) for seen in messages for part, start, end in _list_passages(seen)]
    texts = [prefix_speaker(seen.message.name, seen.message.text[start:end]) for seen, _, start, end in places]
    made: list[Embedding] = []
    for at in range(0, len(texts), AT_ONCE):
        if stopping is not None and stopping.is_set():
            raise StoreClosed("the store is being closed")
        made += embedder.embed(texts[at : at + AT_ONCE])
    return [
        EmbeddedPassage(seen.number, part, start, end, to_float16_bytes(one.vector), one.tokens, one.width)
        for (seen, part, start, end), one in zip(places, made, strict=True)
    ]


def _list_passages(seen: VisibleMessage) -> list[tuple[int, int, int]]:
    return [(part, start, end) for part, (start, end) in enumerate(split_passages(seen.message.text))]


def to_float16_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector in the encoding that stores use."""
    import numpy as np

    return np.asarray(vector, "<f2").tobytes()
