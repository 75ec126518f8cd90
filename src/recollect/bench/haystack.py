"""A large made-up store with vectors: many small owners, and a few with very much to remember.

To embed a hundred thousand messages would take an hour. So some hundred different texts are embedded, and every message of
the store is one of them with other words here and there, and has that text's vectors, a little moved. The store is kept, and
a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from recollect import wiring
from recollect.bench.recall import Tell, open_kept
from recollect.bench.texts import passages, varied
from recollect.config import load
from recollect.memory import Memory
from recollect.ports import Embedder, Generation, Passage, Storage, Task, Vectors
from recollect.types import Draft, Filters, Microseconds, Scope

RECIPE = 1
"""Raised when the store is made differently, so that an old one is not taken for it."""
SMALL = 30
"""Messages of an owner who is there for company."""
SESSION = 50
"""Messages in a session."""
BATCH = 500
"""Messages that get their vectors in one transaction."""
LEASE = 60_000_000
"""How long that may take, in microseconds."""
NOISE = 0.02
"""How far each number of a vector is moved, so that no two messages are at the same place: the cosine stays about 0.93."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is: the messages of the large owners, how many owners in all, and how many different texts."""

    messages: tuple[int, ...] = (10_000, 100_000)
    owners: int = 1000
    texts: int = 1500

    @property
    def total(self) -> int:
        """All messages of all owners.

        >>> Sizes((100,), owners=3).total
        160
        """
        return sum(self.messages) + (self.owners - len(self.messages)) * SMALL


class VectorStorage(Storage, Vectors, Protocol):
    """A storage that keeps vectors, too."""


def build(folder: Path, embedder: Embedder, sizes: Sizes, tell: Tell) -> Path:
    """The store, whole: its messages, then their vectors."""
    texts = passages(sizes.texts)
    generation, known = pool(folder / f"pool-{RECIPE}-{sizes.texts}.db", texts, embedder, tell)
    large = "-".join(map(str, sizes.messages))
    path = folder / f"search-{RECIPE}-{sizes.owners}-{large}-{sizes.texts}.db"
    everyone = {owner_of(size): size for size in sizes.messages}
    everyone |= {f"owner-{number}": SMALL for number in range(sizes.owners - len(sizes.messages))}
    with open_kept(path, embedder) as memory:
        for number, (owner, size) in enumerate(everyone.items(), 1):
            fill(memory, owner, size, texts)
            tell("saving owners", number, len(everyone))
    with closing(_storage(path)) as storage:
        give_vectors(storage, generation, known, tell)
    return path


def owner_of(size: int) -> str:
    """The owner with so many messages.

    >>> owner_of(10_000)
    'owner-of-10000'
    """
    return f"owner-of-{size}"


def pool(path: Path, texts: Sequence[str], embedder: Embedder, tell: Tell) -> tuple[Generation, list[list[Passage]]]:
    """The passages of each text, embedded by the real model on the usual way in."""
    scope = Scope("pool")
    with open_kept(path, embedder) as memory:
        chat = memory.chat(owner=scope.owner, session="pool", create=True)
        chat.add_many(Draft("user", text, str(number)) for number, text in enumerate(texts))
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    with closing(_storage(path)) as storage:
        generation = next(made for made in storage.generations() if made.name == embedder.name)
        numbers = storage.numbers(scope, Filters())
        found: dict[int, list[Passage]] = {number: [] for number in numbers}
        for passage in storage.passages(scope, generation.name, numbers):
            found[passage.number].append(passage)
    return generation, [found[number] for number in numbers]


def fill(memory: Memory, owner: str, size: int, texts: Sequence[str]) -> None:
    """Gives an owner so many messages, each a text of the pool that was changed a little. Its id says which."""
    if memory.mark(owner=owner).messages >= size:
        return
    chance = random.Random(owner)
    for first in range(0, size, SESSION):
        # Every choice is made again on the way to where an interrupted run stopped, so the messages are the same.
        drafts: list[Draft] = []
        for place in range(first, min(first + SESSION, size)):
            origin = chance.randrange(len(texts))
            role = "assistant" if place % 2 else "user"
            drafts.append(Draft(role, varied(texts[origin], chance), f"{place}-{origin}"))
        memory.chat(owner=owner, session=f"s{first // SESSION}", create=True).add_many(drafts)


def give_vectors(storage: VectorStorage, generation: Generation, known: Sequence[list[Passage]], tell: Tell) -> None:
    """Settles all pending work with the pool's vectors."""
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


def _passages(task: Task, known: Sequence[list[Passage]], moved: Callable[[bytes], bytes]) -> Iterator[Passage]:
    for seen in task.messages:
        length = len(seen.message.text)
        for passage in known[int(seen.message.id.partition("-")[2])]:
            start, end = min(passage.start, length), min(passage.end, length)
            yield passage._replace(number=seen.number, start=start, end=end, vector=moved(passage.vector))


def _now() -> Microseconds:
    return time.time_ns() // 1000


def _storage(path: Path) -> VectorStorage:
    return cast(VectorStorage, wiring.open_storage(load({"url": str(path), "durable": False}, {})))
