"""The size of a store on a server and the latency of its calls as it grows, with many owners and one large one.

For every size a temporary store is filled on the server, and removed afterwards. Its texts and vectors are synthetic (as for
`haystack`), so that a million of them need no model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import cycle
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

from benchmarks.common.texts import make_passages
from benchmarks.search import haystack
from benchmarks.search.figures import latency
from benchmarks.search.recall import ProgressFunction
from benchmarks.search.search import make_questions
from benchmarks.store.drivers import open_store
from benchmarks.store.temporary_store import TemporaryStore, temporary_store
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.memory import Memory
from keepsaid.ports import EmbeddedPassage, Embedding, VectorGeneration

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STEPS = (10_000, 100_000, 1_000_000)
TEXTS = 1500
DIMENSIONS = 384
TOPICS = 8
EACH = 1000
"""Messages of every owner except the largest, who has a tenth of all."""
BUDGET = 8_192
WARM = 5
"""Calls that are not counted."""
APPENDS, READS, SEARCHES, PROMPTS = 200, 300, 60, 40
LARGEST, SMALL = "largest", "small-0"

Numbers = dict[str, Any]


class SyntheticEmbedder:
    """An embedder with meaningless vectors: those of the messages, selected by the hash of a text.

    >>> made = SyntheticEmbedder()
    >>> one, same, other = made.embed(["tea", "tea", "a ship"])
    >>> list(one.vector) == list(same.vector), list(one.vector) == list(other.vector)
    (True, False)
    """

    name = "bench:made-up"

    def __init__(self) -> None:
        import numpy as np

        chance = np.random.default_rng(haystack.RECIPE)
        topics = chance.normal(size=(TOPICS, DIMENSIONS))
        # Every text has a topic, or no message would be near any question.
        drawn = topics[np.arange(TEXTS) % TOPICS] + 0.7 * chance.normal(size=(TEXTS, DIMENSIONS))
        self._vectors: npt.NDArray[np.float32] = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return a vector for each text."""
        found = (self._vectors[crc32(text.encode()) % TEXTS] for text in texts)
        return [Embedding(cast("Sequence[float]", vector)) for vector in found]

    def passages(self, texts: Sequence[str]) -> list[list[EmbeddedPassage]]:
        """Return the passages that `haystack` makes the vectors of messages from."""
        return [
            [EmbeddedPassage(0, 0, 0, len(text), vector.astype("<f2").tobytes())]
            for text, vector in zip(texts, self._vectors, strict=True)
        ]


def run(url: str, messages: Sequence[int] = STEPS, *, tell: ProgressFunction = lambda what, done, total: None) -> Numbers:
    """Fill and measure a store of each size on the server of a URL."""
    steps: Numbers = {}
    title = ""
    for size in messages:
        with temporary_store(url) as place:
            title = place.title
            steps[str(size)] = _step(place, size, tell)
    return {"place": title, "steps": steps}


def _step(place: TemporaryStore, size: int, tell: ProgressFunction) -> Numbers:
    embedder, texts = SyntheticEmbedder(), make_passages(TEXTS)
    owners = owner_sizes(size)
    saved = sum(owners.values())
    began = time.perf_counter()
    with open_store(place.url, notes=False) as memory:
        for number, (owner, count) in enumerate(owners.items(), 1):
            haystack.fill_owner(memory, owner, count, texts)
            tell(f"saving {size:,} messages", number, len(owners))
    filled = time.perf_counter()
    storage = wiring.open_storage(load({"url": place.url}, {}))
    with closing(storage):
        haystack.add_vectors(storage, VectorGeneration(embedder.name, DIMENSIONS, True), embedder.passages(texts), tell)
    embedded = time.perf_counter()
    with open_store(place.url, embedder=embedder, notes=False) as memory:
        memory.maintain()
    return {
        "messages": saved,
        "owners": len(owners),
        "characters": round(fmean(map(len, texts))),
        "saved_per_second": round(saved / (filled - began)),
        "vectors_per_second": round(saved / (embedded - filled)),
        "bytes": _bytes(place, saved),
        **_measured(place, embedder, texts, owners, tell),
    }


def owner_sizes(size: int) -> dict[str, int]:
    """The number of messages of each owner in a store of about this size.

    >>> few = owner_sizes(2_000)
    >>> few["largest"], few["small-0"], len(few), sum(few.values())
    (200, 200, 10, 2000)
    """
    largest = size // 10
    each = max(1, min(EACH, largest))
    return {LARGEST: largest} | {f"small-{number}": each for number in range((size - largest) // each)}


def _measured(
    place: TemporaryStore, embedder: SyntheticEmbedder, texts: Sequence[str], owners: dict[str, int], tell: ProgressFunction
) -> Numbers:
    found: Numbers = {name: {"messages": owners[owner]} for name, owner in (("small", SMALL), ("largest", LARGEST))}
    for kind, chosen in (("vectors", embedder), ("words", "off")):
        with open_store(place.url, embedder=chosen, notes=False) as memory:
            for name, owner in (("small", SMALL), ("largest", LARGEST)):
                tell(f"asking the {name} owner by {kind}", 0, 1)
                found[name] |= _measure_questions(memory, owner, kind)
                if kind == "words":
                    found[name] |= _measure_storage(memory, owner, texts)
    return found


def _measure_questions(memory: Memory, owner: str, kind: str) -> Numbers:
    asked = cycle(make_questions(SEARCHES, seed=1))
    chat = memory.chat(owner=owner, session="s0")
    return {
        f"search_{kind}_ms": _timed(SEARCHES, lambda: memory.search(next(asked), owner=owner)),
        f"context_{kind}_ms": _timed(PROMPTS, lambda: chat.context(next(asked), budget=BUDGET)),
    }


def _measure_storage(memory: Memory, owner: str, texts: Sequence[str]) -> Numbers:
    chat, said = memory.chat(owner=owner, session="s0"), cycle(texts)
    return {
        "append_ms": _timed(APPENDS, lambda: chat.add("user", next(said))),
        "last20_ms": _timed(READS, lambda: chat.messages(last=20)),
    }


def _timed(count: int, call: Callable[[], object]) -> dict[str, float]:
    taken: list[float] = []
    for _ in range(WARM + count):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return latency(taken[WARM:])


_SIZES = """
SELECT coalesce(whole.relname, c.relname), sum(pg_table_size(c.oid))::bigint, sum(pg_indexes_size(c.oid))::bigint
FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_class AS whole ON whole.oid = i.inhparent
WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 1"""


def _bytes(place: TemporaryStore, messages: int) -> dict[str, dict[str, float]]:
    """The bytes per message of each table in PostgreSQL; empty for Redis, where this is not known."""
    if not place.is_postgres:
        return {}
    import psycopg

    from keepsaid.storage.postgres import parse_source_url

    with psycopg.connect(parse_source_url(place.url).url, autocommit=True) as db:
        found = db.execute(_SIZES, (place.name,)).fetchall()
    return {
        table: {"rows": round(rows / messages, 1), "indexes": round(indexes / messages, 1)} for table, rows, indexes in found
    }
