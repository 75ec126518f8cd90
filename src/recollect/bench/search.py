"""How long a search takes: one question at a time, on one core, in a store of many owners, with and without the model."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.bench.figures import latency
from recollect.bench.haystack import Sizes, build, owner_of
from recollect.bench.recall import Mode, Tell, cache, open_kept
from recollect.bench.texts import passages
from recollect.errors import InvalidInput
from recollect.memory import Memory
from recollect.ports import Embedder, Embedding

QUESTIONS = 150
ROUNDS = 3
"""Each question is asked so many times, and its shortest time counts: noise only ever adds."""
TARGETS = {10_000: (30.0, 10.0), 100_000: (60.0, 25.0)}
"""The milliseconds that 95 % of all searches may take, with the model and without, by the owner's messages."""
KINDS: tuple[tuple[str, Mode, bool], ...] = (
    ("", "full", False),
    ("_without_model", "full", True),
    ("_words", "words", True),
)
"""What is measured: how its numbers' names end, the mode of search, and whether vectors of questions are remembered."""
ASKING = (
    "What did I say about {}?",
    "When did we talk about {}?",
    "Do you remember {}?",
    "Who told me about {} last week?",
    "Which {} was that?",
)


class Remembered:
    """An embedder that can be told to answer from memory, so that only the search itself is timed."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, ...], Sequence[Embedding]] = {}
        self.from_memory = False

    @property
    def name(self) -> str:
        """The name of the embedder inside: its vectors are the same."""
        return self._inner.name

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """What the embedder inside makes of the texts, now or before."""
        if not asking:
            return self._inner.embed(texts)
        key = tuple(texts)
        if not self.from_memory or key not in self._known:
            self._known[key] = self._inner.embed(texts, asking=True)
        return self._known[key]


def run(
    embedder: Embedder,
    sizes: Sizes,
    *,
    folder: Path | None = None,
    tell: Tell = lambda what, done, total: None,
) -> dict[str, Any]:
    """Makes the store if it is not there, then measures. The numbers of an owner's size are under that size."""
    if sizes.owners < len(sizes.messages):
        raise InvalidInput(f"{len(sizes.messages)} sizes need as many owners, not {sizes.owners}")
    remembered = Remembered(embedder)
    with one_core():
        path = build(folder or cache(), remembered, sizes, tell)
        with open_kept(path, remembered) as memory:
            measured = {str(size): measure(memory, remembered, size, tell) for size in sizes.messages}
    return {"owners": sizes.owners, "messages": sizes.total, "embedder": embedder.name, **measured}


def measure(memory: Memory, embedder: Remembered, size: int, tell: Tell) -> dict[str, float]:
    """Asks one owner many different questions: with the model, with its answers remembered, and by words only."""
    asked = questions(QUESTIONS, size)
    numbers: dict[str, float] = {}
    for kind, mode, from_memory in KINDS:
        embedder.from_memory = from_memory
        best = [float("inf")] * len(asked)
        for number in range(ROUNDS + 1):
            for place, question in enumerate(asked):
                start = time.perf_counter()
                memory.search(question, owner=owner_of(size), mode=mode)
                taken = time.perf_counter() - start
                # The first round warms up.
                best[place] = min(best[place], taken) if number else best[place]
            tell(f"searching {size:,} messages{kind.replace('_', ' ')}", number, ROUNDS)
        numbers |= {f"{share}{kind}": value for share, value in latency(best).items()}
    return numbers


def questions(count: int, seed: int) -> list[str]:
    """So many different questions about things that may have been said.

    >>> len(set(questions(150, seed=1)))
    150
    """
    chance = random.Random(seed)
    said = (text.lower().replace(".", "").split() for text in passages(count))
    return [chance.choice(ASKING).format(" ".join(chance.sample(words, k=chance.randint(2, 5)))) for words in said]


@contextmanager
def one_core() -> Generator[None]:
    """Keeps this thread on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def table(numbers: Mapping[str, Any]) -> str:
    """The latencies as text, beside what they should be."""
    lines = [
        f"{numbers['owners']:,} owners, {numbers['messages']:,} messages; embedder {numbers['embedder']}; one core",
        "",
        f"{'messages of the owner':24}{'p50, ms':>10}{'p95, ms':>10}  target",
    ]
    for size in (int(key) for key in numbers if key.isdigit()):
        found, (most, most_without) = numbers[str(size)], TARGETS.get(size, (0.0, 0.0))
        lines += [
            _line(f"{size:,}", found, "", most),
            _line("  … without the model", found, "_without_model", most_without),
            _line("  … by words only", found, "_words", 0.0),
        ]
    return "\n".join(lines)


def _line(title: str, found: Mapping[str, float], kind: str, most: float) -> str:
    p50, p95 = found[f"p50{kind}"], found[f"p95{kind}"]
    target = f"  ≤ {most:g}{'' if p95 <= most else '  MISSED'}" if most else ""
    return f"{title:24}{p50:>10.1f}{p95:>10.1f}{target}"
