"""Search latency: one question at a time, on one core, in a store of many owners, with and without the model."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.texts import make_passages
from benchmarks.search.figures import latency
from benchmarks.search.haystack import HaystackSizes, build_store, owner_with
from benchmarks.search.recall import Mode, ProgressFunction, cache_folder, open_kept_store
from keepsaid.errors import InvalidInput
from keepsaid.memory import Memory
from keepsaid.ports import Embedder, EmbedderProbes, Embedding, ProbedEmbedder

QUESTIONS = 150
ROUNDS = 3
"""Each question is asked this often, and its shortest time counts, because noise only adds time."""
TARGETS = {10_000: (14.0, 8.0, 4.0), 100_000: (18.0, 12.0, 6.0), 1_000_000: (60.0, 0.0, 0.0)}
"""The targets of p95 in milliseconds, with the model, without, and by words only, by the owner's messages."""
KINDS: tuple[tuple[str, Mode, bool], ...] = (
    ("", "full", False),
    ("_without_model", "full", True),
    ("_words", "words", True),
)
"""What is measured: the suffix of its numbers' names, the search mode, and whether question vectors are cached."""
ASKING = (
    "What did I say about {}?",
    "When did we talk about {}?",
    "Do you remember {}?",
    "Who told me about {} last week?",
    "Which {} was that?",
)


class ReplayingEmbedder:
    """An embedder with a cache that can be switched on, so that only the search itself is timed."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, ...], Sequence[Embedding]] = {}
        self.from_memory = False
        self.needs_timeout = getattr(inner, "needs_timeout", True)

    @property
    def name(self) -> str:
        """The name of the wrapped embedder: its vectors are the same."""
        return self._inner.name

    @property
    def probes(self) -> EmbedderProbes | None:
        """The probes of the wrapped embedder, if it has any."""
        return self._inner.probes if isinstance(self._inner, ProbedEmbedder) else None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """Embed the texts, or return the cached embeddings."""
        if not asking:
            return self._inner.embed(texts)
        key = tuple(texts)
        if not self.from_memory or key not in self._known:
            self._known[key] = self._inner.embed(texts, asking=True)
        return self._known[key]


def run(
    embedder: Embedder,
    sizes: HaystackSizes,
    *,
    folder: Path | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> dict[str, Any]:
    """Build the store if necessary, then measure. The numbers of an owner's size are under that size."""
    if sizes.owners < len(sizes.messages):
        raise InvalidInput(f"{len(sizes.messages)} sizes need as many owners, not {sizes.owners}")
    remembered = ReplayingEmbedder(embedder)
    with pinned_to_one_core():
        path = build_store(folder or cache_folder(), remembered, sizes, tell)
        with open_kept_store(path, remembered) as memory:
            measured = {
                str(size): measure_owner(memory, remembered, size, tell) | measure_bare(path, remembered, size, tell)
                for size in sizes.messages
            }
    return {"owners": sizes.owners, "messages": sizes.total, "embedder": embedder.name, **measured}


def measure_owner(
    memory: Memory,
    embedder: ReplayingEmbedder,
    size: int,
    tell: ProgressFunction = lambda what, done, total: None,
    kinds: Sequence[tuple[str, Mode, bool]] = KINDS,
) -> dict[str, float]:
    """Measure many different questions to one owner: with the model, with cached vectors, and by words only."""
    asked = make_questions(QUESTIONS, size)
    numbers: dict[str, float] = {}
    for kind, mode, from_memory in kinds:
        embedder.from_memory = from_memory
        best = [float("inf")] * len(asked)
        for number in range(ROUNDS + 1):
            for place, question in enumerate(asked):
                start = time.perf_counter()
                memory.search(question, owner=owner_with(size), mode=mode)
                taken = time.perf_counter() - start
                # The first round warms up.
                best[place] = min(best[place], taken) if number else best[place]
            tell(f"searching {size:,} messages{kind.replace('_', ' ')}", number, ROUNDS)
        numbers |= {f"{share}{kind}": value for share, value in latency(best).items()}
    return numbers


def measure_bare(
    path: Path, embedder: ReplayingEmbedder, size: int, tell: ProgressFunction = lambda what, done, total: None
) -> dict[str, float]:
    """Measure the same questions to the baseline, with their vectors known and by words only."""
    from benchmarks.search.bare_search import BareSearch

    asked = make_questions(QUESTIONS, size)
    numbers: dict[str, float] = {}
    with TemporaryDirectory() as folder, closing(BareSearch(path, owner_with(size), embedder.name, Path(folder))) as bare:
        for kind, vectors in (("_bare", True), ("_bare_words", False)):
            embeddings = [embedder.embed([question], asking=True)[0] if vectors else None for question in asked]
            best = [float("inf")] * len(asked)
            for number in range(ROUNDS + 1):
                for place, question in enumerate(asked):
                    start = time.perf_counter()
                    bare.search(question, embeddings[place])
                    taken = time.perf_counter() - start
                    best[place] = min(best[place], taken) if number else best[place]
                tell(f"the baseline, {size:,} messages", number, ROUNDS)
            numbers |= {f"{share}{kind}": value for share, value in latency(best).items()}
    return numbers


def make_questions(count: int, seed: int) -> list[str]:
    """Return different questions about random topics.

    >>> len(set(make_questions(150, seed=1)))
    150
    """
    chance = random.Random(seed)
    said = (text.lower().replace(".", "").split() for text in make_passages(count))
    return [chance.choice(ASKING).format(" ".join(chance.sample(words, k=chance.randint(2, 5)))) for words in said]


@contextmanager
def pinned_to_one_core() -> Generator[None]:
    """Keep this thread on one core, if the system can."""
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
    """Format the latencies, with their targets."""
    lines = [
        f"{numbers['owners']:,} owners, {numbers['messages']:,} messages; embedder {numbers['embedder']}; one core",
        "",
        f"{'messages of the owner':24}{'p50, ms':>10}{'p95, ms':>10}  target",
    ]
    for size in (int(key) for key in numbers if key.isdigit()):
        found, (most, most_without, most_by_words) = numbers[str(size)], TARGETS.get(size, (0.0, 0.0, 0.0))
        lines += [
            _line(f"{size:,}", found, "", most),
            _line("  … without the model", found, "_without_model", most_without),
            _line("  … by words only", found, "_words", most_by_words),
            _line("  bare reference", found, "_bare", 0.0),
            _line("  … by words only", found, "_bare_words", 0.0),
            _ratios(found),
        ]
    return "\n".join(lines)


def _ratios(found: Mapping[str, float]) -> str:
    both, words = found["p50_without_model"] / found["p50_bare"], found["p50_words"] / found["p50_bare_words"]
    return f"  a search takes {both:.1f} × the bare reference, by words {words:.1f} × (p50)"


def _line(title: str, found: Mapping[str, float], kind: str, most: float) -> str:
    p50, p95 = found[f"p50{kind}"], found[f"p95{kind}"]
    target = f"  ≤ {most:g}{'' if p95 <= most else '  MISSED'}" if most else ""
    return f"{title:24}{p50:>10.1f}{p95:>10.1f}{target}"
