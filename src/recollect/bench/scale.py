"""What a store on a server takes, and how long its calls take, when it holds more and more: many owners, and one large one.

For every size a store is filled on the server, in a place of its own, which is gone afterwards. Its texts and vectors are
made up (as for `haystack`), so that a million of them need no model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import cycle
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

from recollect import wiring
from recollect.bench import haystack
from recollect.bench.figures import latency
from recollect.bench.places import Place, borrowed
from recollect.bench.recall import Tell
from recollect.bench.search import questions
from recollect.bench.sides import open_store
from recollect.bench.texts import passages
from recollect.config import load
from recollect.memory import Memory
from recollect.ports import Embedding, Generation, Passage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STEPS = (10_000, 100_000, 1_000_000)
TEXTS = 1500
DIMENSIONS = 384
TOPICS = 8
EACH = 1000
"""Messages of every owner but the largest, who has a tenth of all."""
BUDGET = 8_192
WARM = 5
"""Calls that are not counted."""
APPENDS, READS, SEARCHES, PROMPTS = 200, 300, 60, 40
LARGEST, SMALL = "largest", "small-0"

Numbers = dict[str, Any]


class MadeUp:
    """An embedder whose vectors mean nothing: they are those of the messages, handed out by the hash of a text.

    >>> made = MadeUp()
    >>> one, same, other = made.embed(["tea", "tea", "a ship"])
    >>> list(one.vector) == list(same.vector), list(one.vector) == list(other.vector)
    (True, False)
    """

    name = "bench:made-up"

    def __init__(self) -> None:
        import numpy as np

        chance = np.random.default_rng(haystack.RECIPE)
        topics = chance.normal(size=(TOPICS, DIMENSIONS))
        # Every text is about something, or no message would be near to any question.
        drawn = topics[np.arange(TEXTS) % TOPICS] + 0.7 * chance.normal(size=(TEXTS, DIMENSIONS))
        self._vectors: npt.NDArray[np.float32] = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """A vector for each text."""
        found = (self._vectors[crc32(text.encode()) % TEXTS] for text in texts)
        return [Embedding(cast("Sequence[float]", vector)) for vector in found]

    def passages(self, texts: Sequence[str]) -> list[list[Passage]]:
        """What `haystack` makes the vectors of messages from."""
        return [
            [Passage(0, 0, 0, len(text), vector.astype("<f2").tobytes())]
            for text, vector in zip(texts, self._vectors, strict=True)
        ]


def run(url: str, messages: Sequence[int] = STEPS, *, tell: Tell = lambda what, done, total: None) -> Numbers:
    """Fills and measures a store of each size on the server of a URL."""
    steps: Numbers = {}
    title = ""
    for size in messages:
        with borrowed(url) as place:
            title = place.title
            steps[str(size)] = _step(place, size, tell)
    return {"place": title, "steps": steps}


def _step(place: Place, size: int, tell: Tell) -> Numbers:
    embedder, texts = MadeUp(), passages(TEXTS)
    owners = owners_of(size)
    saved = sum(owners.values())
    began = time.perf_counter()
    with open_store(place.url, notes=False) as memory:
        for number, (owner, count) in enumerate(owners.items(), 1):
            haystack.fill(memory, owner, count, texts)
            tell(f"saving {size:,} messages", number, len(owners))
    filled = time.perf_counter()
    storage = cast(haystack.VectorStorage, wiring.open_storage(load({"url": place.url}, {})))
    with closing(storage):
        haystack.give_vectors(storage, Generation(embedder.name, DIMENSIONS, True), embedder.passages(texts), tell)
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


def owners_of(size: int) -> dict[str, int]:
    """How many messages each owner has in a store of about this size.

    >>> few = owners_of(2_000)
    >>> few["largest"], few["small-0"], len(few), sum(few.values())
    (200, 200, 10, 2000)
    """
    largest = size // 10
    each = max(1, min(EACH, largest))
    return {LARGEST: largest} | {f"small-{number}": each for number in range((size - largest) // each)}


def _measured(place: Place, embedder: MadeUp, texts: Sequence[str], owners: dict[str, int], tell: Tell) -> Numbers:
    found: Numbers = {name: {"messages": owners[owner]} for name, owner in (("small", SMALL), ("largest", LARGEST))}
    for kind, chosen in (("vectors", embedder), ("words", "off")):
        with open_store(place.url, embedder=chosen, notes=False) as memory:
            for name, owner in (("small", SMALL), ("largest", LARGEST)):
                tell(f"asking the {name} owner by {kind}", 0, 1)
                found[name] |= _asked(memory, owner, kind)
                if kind == "words":
                    found[name] |= _kept(memory, owner, texts)
    return found


def _asked(memory: Memory, owner: str, kind: str) -> Numbers:
    asked = cycle(questions(SEARCHES, seed=1))
    chat = memory.chat(owner=owner, session="s0")
    return {
        f"search_{kind}_ms": _timed(SEARCHES, lambda: memory.search(next(asked), owner=owner)),
        f"context_{kind}_ms": _timed(PROMPTS, lambda: chat.context(next(asked), budget=BUDGET)),
    }


def _kept(memory: Memory, owner: str, texts: Sequence[str]) -> Numbers:
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


def _bytes(place: Place, messages: int) -> dict[str, dict[str, float]]:
    """What each table of a PostgreSQL takes for a message; of a Redis nothing is known."""
    if not place.is_postgres:
        return {}
    import psycopg

    from recollect.storage.postgres import source_of

    with psycopg.connect(source_of(place.url).url, autocommit=True) as db:
        found = db.execute(_SIZES, (place.name,)).fetchall()
    return {
        table: {"rows": round(rows / messages, 1), "indexes": round(indexes / messages, 1)} for table, rows, indexes in found
    }
