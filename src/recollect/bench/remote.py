"""A store on a server against its bare driver: appending, reading the end, prompts, many callers, shared work.

Every ratio comes from one run in which ours and the bare driver take turns, on the same server, which keeps what it is given
as it keeps everything: so both have the same durability. All of it is in a place of its own, which is gone afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from recollect.bench import remote_crowd, remote_work
from recollect.bench.clock import best, repeated
from recollect.bench.places import Place, borrowed
from recollect.bench.remote_work import embedder
from recollect.bench.sides import bare, open_store
from recollect.bench.texts import sentences
from recollect.bench.wire import Wire, counting
from recollect.memory import Memory
from recollect.types import Draft

MICRO = 1e6
OWNER = "owner-1"
BUDGET = 8_192
PAUSE = 0.25
"""Seconds between two prompts: what is done after one must not be counted in the next."""
ON_THE_WAY = 0.004
"""Seconds that answers take while round trips are counted: what is said in one go is then said before an answer comes."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything is measured."""

    append_rounds: int
    appends: int
    messages: int
    read_rounds: int
    reads: int
    histories: tuple[int, ...]
    prompts: int
    crowd: remote_crowd.Sizes
    work: int
    batch: int = 1000


FULL = Sizes(
    append_rounds=15, appends=200, messages=100_000, read_rounds=15, reads=100, histories=(1_000, 20_000), prompts=8,
    crowd=remote_crowd.Sizes(callers=200, messages=5, rounds=3, delay=0.020), work=600,
)  # fmt: skip
QUICK = Sizes(
    append_rounds=2, appends=20, messages=2_000, read_rounds=2, reads=10, histories=(50, 400), prompts=2,
    crowd=remote_crowd.Sizes(callers=20, messages=2, rounds=1, delay=0.005), work=60, batch=200,
)  # fmt: skip

Numbers = dict[str, Any]


def run(url: str, *, quick: bool = False, tell: Callable[[str], None] = lambda step: None) -> Numbers:
    """Measures everything on the server of a URL."""
    sizes = QUICK if quick else FULL
    numbers: Numbers = {"quick": quick}
    steps: dict[str, Callable[[Place], Numbers]] = {
        "appends": lambda place: appends(place, sizes),
        "last messages": lambda place: last_messages(place, sizes),
        "round trips": lambda place: round_trips(place, sizes),
        "many callers": lambda place: remote_crowd.measured(place, sizes.crowd),
        "shared work": lambda place: remote_work.measured(place, sizes.work),
    }
    for step, measure in steps.items():
        tell(step)
        with borrowed(url) as place:
            numbers |= measure(place)
            numbers["place"] = place.title
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in numbers.items()}


def appends(place: Place, sizes: Sizes) -> Numbers:
    """One message at a time."""
    texts = sentences(sizes.appends)
    with open_store(place.url) as memory, closing(bare(place)) as raw:
        chat = memory.chat(owner=OWNER)

        def ours() -> None:
            for text in texts:
                chat.add("user", text)

        times = best(sizes.append_rounds, ours, lambda: raw.append(texts))
    mine, theirs = (seconds / len(texts) * MICRO for seconds in times)
    return {"append_x_bare": mine / theirs, "append_us": mine, "append_bare_us": theirs}


def last_messages(place: Place, sizes: Sizes) -> Numbers:
    """The last twenty out of many."""
    with open_store(place.url) as memory, closing(bare(place)) as raw:
        chat, texts = memory.chat(owner=OWNER), sentences(sizes.batch)
        for _ in range(sizes.messages // sizes.batch):
            chat.add_many([Draft("user", text) for text in texts])
            raw.append_batch(texts)
        assert [message.text for message in chat.messages(last=20)] == raw.last(20)
        times = best(
            sizes.read_rounds,
            repeated(sizes.reads, lambda: chat.messages(last=20)),
            repeated(sizes.reads, lambda: raw.last(20)),
        )
    mine, theirs = (seconds / sizes.reads * MICRO for seconds in times)
    return {"last20_x_bare": mine / theirs, "last20_us": mine, "last20_bare_us": theirs, "last20_of": sizes.messages}


def round_trips(place: Place, sizes: Sizes) -> Numbers:
    """How often a prompt waits for the server, with words alone and with vectors, however long the conversation is."""
    with open_store(place.url, embedder=embedder, notes=False) as memory:
        for size in sizes.histories:
            _talk(memory, size, sizes.batch)
        memory.maintain()
    found: Numbers = {}
    with counting(place.address, ON_THE_WAY) as (wire, port):
        for kind, chosen in (("words", "off"), ("vectors", embedder)):
            with open_store(place.through(port), embedder=chosen) as memory:
                for size in sizes.histories:
                    found[f"trips_{kind}_{size}"] = _trips(memory, wire, size, sizes.prompts)
    return {"trips": max(found.values()), **found, "trips_of": list(sizes.histories)}


def _talk(memory: Memory, size: int, batch: int) -> None:
    chat = memory.chat(owner=f"talker-{size}", session="talk", create=True)
    texts = sentences(size)
    for first in range(0, size, batch):
        chat.add_many([Draft("user", text) for text in texts[first : first + batch]])


def _trips(memory: Memory, wire: Wire, size: int, prompts: int) -> int:
    """The most that any prompt needs, of each the fewest in several tries: what others do meanwhile is counted, too."""
    chat = memory.chat(owner=f"talker-{size}", session="talk")
    questions = [f"What do you know about {text.lower()}" for text in sentences(prompts, seed=9)]
    fewest = dict.fromkeys(questions, 1 << 30)
    for _ in range(4):
        for question in questions:
            time.sleep(PAUSE)
            before = wire.trips
            chat.context(question, budget=BUDGET)
            fewest[question] = min(fewest[question], wire.trips - before)
    return max(fewest.values())
