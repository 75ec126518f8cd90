"""The craft of giving messages their vectors.

It takes the messages of one owner by lease, embeds them, and settles them in one transaction. Whatever dies on the way
(the process, the machine) loses nothing but the lease, which runs out; any process may go on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence

from recollect.engine.passages import passages, spoken
from recollect.errors import Conflict, EmbedderError, NotFound, StoreClosed
from recollect.kit import LEASE, Kit
from recollect.ports import Coverage, Embedder, Embedding, Passage, Seen, Task, Vectors

BATCH = 32
"""Messages embedded and settled at once, at the most."""

LONG, SHORT = 5.0, 1.0
"""Seconds: a batch that takes longer makes the next one half as large, one that takes less twice as large. So one of long
messages, or of a slow embedder, does not outlast its lease, and little is lost when it is stopped."""

AT_ONCE = 32
"""Texts that an embedder is given in one call: a long message has up to 64, and nobody should wait for a batch of those."""

PROBE = "How many dimensions?"
"""A text that every embedder can embed."""


class Vectorizer:
    """Embeds what waits in one storage."""

    def __init__(self, kit: Kit, vectors: Vectors, embedder: Embedder) -> None:
        self._kit = kit
        self._vectors = vectors
        self.embedder = embedder
        self._holder = kit.new_id(kit.now())
        self._begun = False
        self._size = BATCH // 4

    def begin(self) -> None:
        """Makes the embedder's generation, unless it is there."""
        if not self._begun:
            (probe,) = self.embedder.embed([PROBE])
            try:
                self._vectors.begin_generation(self.embedder.name, len(probe.vector))
            except Conflict as error:
                raise EmbedderError(f"{error}: an embedder whose vectors changed needs another name") from None
            self._begun = True

    def one_batch(self, stopping: threading.Event) -> int | None:
        """Embeds some messages; returns how many were settled, or None if none could be had."""
        task = self._claim()
        if task is None:
            return None
        start = time.monotonic()
        settled = self._work(task, stopping)
        taken = time.monotonic() - start
        if taken > LONG:
            self._size = max(1, self._size // 2)
        elif taken < SHORT:
            self._size = min(BATCH, 2 * self._size)
        return len(task.messages) if settled else 0

    def progress(self) -> tuple[int, int]:
        """How many messages are embedded, of how many."""
        coverage = self.coverage()
        return coverage.embedded, coverage.messages

    def coverage(self) -> Coverage:
        """How much is embedded, and what it takes."""
        return self._vectors.coverage(self.embedder.name)

    def finish(self) -> None:
        """Drops older generations: once one is complete, nobody asks those before it any more."""
        generations = self._vectors.generations()
        ours = [generation for generation in generations if generation.name == self.embedder.name]
        if ours and ours[0].complete:
            for generation in generations[: generations.index(ours[0])]:
                self._vectors.drop_generation(generation.name)

    def _claim(self) -> Task | None:
        now = self._kit.now()
        try:
            return self._vectors.claim(self.embedder.name, self._holder, now, now + LEASE, self._size)
        except NotFound:
            # Another program, with another embedder, has dropped our generation: begin it again.
            self._begun = False
            self.begin()
            return None

    def _work(self, task: Task, stopping: threading.Event) -> bool:
        try:
            made = self._embedded([seen for seen in task.messages if not seen.message.private], stopping)
        except BaseException:
            self._vectors.release(task)
            raise
        return self._vectors.settle_task(task, made, self._kit.now())

    def _embedded(self, messages: Sequence[Seen], stopping: threading.Event) -> list[Passage]:
        """The vectors of these messages. One that the embedder refuses, though it works, must not hold up all the others:
        it is found by words."""
        try:
            return embedded(self.embedder, messages, stopping)
        except EmbedderError:
            self.embedder.embed([PROBE])
            if len(messages) == 1:
                return []
            half = len(messages) // 2
            return self._embedded(messages[:half], stopping) + self._embedded(messages[half:], stopping)


def embedded(embedder: Embedder, messages: Iterable[Seen], stopping: threading.Event | None = None) -> list[Passage]:
    """The passages of these messages, with their vectors. `StoreClosed` if it should stop before it is done."""
    places = [(seen, part, start, end) for seen in messages for part, start, end in _pieces(seen)]
    texts = [spoken(seen.message.name, seen.message.text[start:end]) for seen, _, start, end in places]
    made: list[Embedding] = []
    for at in range(0, len(texts), AT_ONCE):
        if stopping is not None and stopping.is_set():
            raise StoreClosed("the store is being closed")
        made += embedder.embed(texts[at : at + AT_ONCE])
    return [
        Passage(seen.number, part, start, end, as_float16(one.vector), one.tokens, one.width)
        for (seen, part, start, end), one in zip(places, made, strict=True)
    ]


def _pieces(seen: Seen) -> list[tuple[int, int, int]]:
    return [(part, start, end) for part, (start, end) in enumerate(passages(seen.message.text))]


def as_float16(vector: Sequence[float]) -> bytes:
    """A vector as stores keep it."""
    import numpy as np

    return np.asarray(vector, "<f2").tobytes()
