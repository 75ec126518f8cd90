"""A large synthetic store with vectors: many small owners, and a few with very many messages.

Embedding a hundred thousand messages would take an hour. So only a pool of texts is embedded. Every message of the store is
one of them with some words replaced, and has that text's vectors with some noise. The store is kept, and an interrupted run
continues where it stopped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.texts import make_passages, vary_text
from benchmarks.search.recall import ProgressFunction, open_kept_store
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.memory import Memory
from keepsaid.ports import EmbeddedPassage, Embedder, Storage, VectorGeneration, WorkLease
from keepsaid.types import MessageDraft, Microseconds, Scope, SearchFilters

RECIPE = 1
"""Increased when the store is made differently, so that an old one is not reused."""
SMALL = 30
"""Messages of a small owner."""
SESSION = 50
"""Messages in a session."""
BATCH = 500
"""Messages that get their vectors in one transaction."""
LEASE = 60_000_000
"""The lease of a batch, in microseconds."""
NOISE = 0.02
"""The noise added to each number of a vector, so that no two messages are equal. The cosine stays about 0.93."""


@dataclass(frozen=True, slots=True)
class HaystackSizes:
    """The size of the store: messages of the large owners, number of all owners, and number of different texts."""

    messages: tuple[int, ...] = (10_000, 100_000)
    owners: int = 1000
    texts: int = 1500

    @property
    def total(self) -> int:
        """All messages of all owners.

        >>> HaystackSizes((100,), owners=3).total
        160
        """
        return sum(self.messages) + (self.owners - len(self.messages)) * SMALL


def build_store(folder: Path, embedder: Embedder, sizes: HaystackSizes, tell: ProgressFunction) -> Path:
    """Build the store: first the messages, then their vectors. Return its path."""
    texts = make_passages(sizes.texts)
    generation, known = embed_text_pool(folder / f"pool-{RECIPE}-{sizes.texts}.db", texts, embedder, tell)
    large = "-".join(map(str, sizes.messages))
    path = folder / f"search-{RECIPE}-{sizes.owners}-{large}-{sizes.texts}.db"
    everyone = {owner_with(size): size for size in sizes.messages}
    everyone |= {f"owner-{number}": SMALL for number in range(sizes.owners - len(sizes.messages))}
    with open_kept_store(path, embedder) as memory:
        for number, (owner, size) in enumerate(everyone.items(), 1):
            fill_owner(memory, owner, size, texts)
            tell("saving owners", number, len(everyone))
    with closing(_storage(path)) as storage:
        add_vectors(storage, generation, known, tell)
    return path


def owner_with(size: int) -> str:
    """The owner with this many messages.

    >>> owner_with(10_000)
    'owner-of-10000'
    """
    return f"owner-of-{size}"


def embed_text_pool(
    path: Path, texts: Sequence[str], embedder: Embedder, tell: ProgressFunction
) -> tuple[VectorGeneration, list[list[EmbeddedPassage]]]:
    """Embed each text with the real model in a store. Return the generation, and the passages of each text."""
    scope = Scope("pool")
    with open_kept_store(path, embedder) as memory:
        chat = memory.chat(owner=scope.owner, session="pool", create=True)
        chat.add_many(MessageDraft("user", text, str(number)) for number, text in enumerate(texts))
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    with closing(_storage(path)) as storage:
        generation = next(made for made in storage.generations() if made.name == embedder.name)
        numbers = storage.numbers(scope, SearchFilters())
        found: dict[int, list[EmbeddedPassage]] = {number: [] for number in numbers}
        for passage in storage.passages(scope, generation.name, numbers):
            found[passage.number].append(passage)
    return generation, [found[number] for number in numbers]


def fill_owner(memory: Memory, owner: str, size: int, texts: Sequence[str]) -> None:
    """Add messages to an owner until there are `size`. Each is a variation of a text in the pool, whose number is in its
    id."""
    if memory.position(owner=owner).messages >= size:
        return
    chance = random.Random(owner)
    for first in range(0, size, SESSION):
        # All random choices are repeated after an interruption, so the messages are the same.
        drafts: list[MessageDraft] = []
        for place in range(first, min(first + SESSION, size)):
            origin = chance.randrange(len(texts))
            role = "assistant" if place % 2 else "user"
            drafts.append(MessageDraft(role, vary_text(texts[origin], chance), f"{place}-{origin}"))
        memory.chat(owner=owner, session=f"s{first // SESSION}", create=True).add_many(drafts)


def add_vectors(
    storage: Storage, generation: VectorGeneration, known: Sequence[list[EmbeddedPassage]], tell: ProgressFunction
) -> None:
    """Settle all pending work with the pool's vectors."""
    import numpy as np

    chance = np.random.default_rng(RECIPE)

    def moved(vector: bytes) -> bytes:
        exact = np.frombuffer(vector, "<f2").astype(np.float32)
        exact = exact + chance.normal(0, NOISE, exact.shape)
        return (exact / np.linalg.norm(exact)).astype("<f2").tobytes()

    storage.begin_generation(generation.name, generation.dimensions)
    covered = storage.coverage(generation.name)
    done = covered.embedded
    while task := storage.claim(generation.name, "bench", now := _now(), now + LEASE, BATCH):
        storage.settle_task(task, list(_passages(task, known, moved)), _now())
        done += len(task.messages)
        tell("storing vectors", done, covered.messages)


def _passages(
    task: WorkLease, known: Sequence[list[EmbeddedPassage]], moved: Callable[[bytes], bytes]
) -> Iterator[EmbeddedPassage]:
    for seen in task.messages:
        length = len(seen.message.text)
        for passage in known[int(seen.message.id.partition("-")[2])]:
            start, end = min(passage.start, length), min(passage.end, length)
            yield passage._replace(number=seen.number, start=start, end=end, vector=moved(passage.vector))


def _now() -> Microseconds:
    return time.time_ns() // 1000


def _storage(path: Path) -> Storage:
    return wiring.open_storage(load({"url": str(path), "durable": False}, {}))
