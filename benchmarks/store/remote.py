"""A store on a server against its bare driver: appending, reading the end, prompts, many callers, shared work.

Every ratio comes from one run in which ours and the bare driver take turns on the same server, so both have the same
durability. Everything is in a temporary schema or key prefix, which is removed afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from benchmarks.common.clock import best_times, repeat_call
from benchmarks.common.texts import make_sentences
from benchmarks.store import remote_crowd, remote_work
from benchmarks.store.delaying_proxy import DelayingProxy, counting_proxy
from benchmarks.store.drivers import open_bare_driver, open_store
from benchmarks.store.remote_work import embed_by_words
from benchmarks.store.temporary_store import TemporaryStore, temporary_store
from keepsaid.memory import Memory
from keepsaid.types import MessageDraft

MICRO = 1e6
OWNER = "owner-1"
BUDGET = 8_192
PAUSE = 0.25
"""Seconds between two prompts, so that work after one is not counted in the next."""
ON_THE_WAY = 0.004
"""Seconds of latency while round trips are counted, so that all pipelined data is sent before an answer arrives."""


@dataclass(frozen=True, slots=True)
class RemoteSizes:
    """The size of every measurement."""

    append_rounds: int
    appends: int
    messages: int
    read_rounds: int
    reads: int
    histories: tuple[int, ...]
    prompts: int
    crowd: remote_crowd.CrowdSizes
    work: int
    batch: int = 1000


FULL = RemoteSizes(
    append_rounds=15, appends=200, messages=100_000, read_rounds=15, reads=100, histories=(1_000, 20_000), prompts=8,
    crowd=remote_crowd.CrowdSizes(callers=200, messages=5, rounds=3, delay=0.020), work=600,
)  # fmt: skip
QUICK = RemoteSizes(
    append_rounds=2, appends=20, messages=2_000, read_rounds=2, reads=10, histories=(50, 400), prompts=2,
    crowd=remote_crowd.CrowdSizes(callers=20, messages=2, rounds=1, delay=0.005), work=60, batch=200,
)  # fmt: skip

Numbers = dict[str, Any]


def run(url: str, *, quick: bool = False, tell: Callable[[str], None] = lambda step: None) -> Numbers:
    """Measure everything on the server of a URL."""
    sizes = QUICK if quick else FULL
    numbers: Numbers = {"quick": quick}
    steps: dict[str, Callable[[TemporaryStore], Numbers]] = {
        "appends": lambda place: appends(place, sizes),
        "last messages": lambda place: last_messages(place, sizes),
        "round trips": lambda place: round_trips(place, sizes),
        "many callers": lambda place: remote_crowd.measure_crowd(place, sizes.crowd),
        "shared work": lambda place: remote_work.measure_shared_work(place, sizes.work),
    }
    for step, measure in steps.items():
        tell(step)
        with temporary_store(url) as place:
            numbers |= measure(place)
            numbers["place"] = place.title
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in numbers.items()}


def appends(place: TemporaryStore, sizes: RemoteSizes) -> Numbers:
    """Measure appending one message at a time."""
    texts = make_sentences(sizes.appends)
    with open_store(place.url) as memory, closing(open_bare_driver(place)) as raw:
        chat = memory.chat(owner=OWNER)

        def ours() -> None:
            for text in texts:
                chat.add("user", text)

        times = best_times(sizes.append_rounds, ours, lambda: raw.append(texts))
    mine, theirs = (seconds / len(texts) * MICRO for seconds in times)
    return {"append_x_bare": mine / theirs, "append_us": mine, "append_bare_us": theirs}


def last_messages(place: TemporaryStore, sizes: RemoteSizes) -> Numbers:
    """Measure reading the last twenty of many messages."""
    with open_store(place.url) as memory, closing(open_bare_driver(place)) as raw:
        chat, texts = memory.chat(owner=OWNER), make_sentences(sizes.batch)
        for _ in range(sizes.messages // sizes.batch):
            chat.add_many([MessageDraft("user", text) for text in texts])
            raw.append_batch(texts)
        assert [message.text for message in chat.messages(last=20)] == raw.last(20)
        times = best_times(
            sizes.read_rounds,
            repeat_call(sizes.reads, lambda: chat.messages(last=20)),
            repeat_call(sizes.reads, lambda: raw.last(20)),
        )
    mine, theirs = (seconds / sizes.reads * MICRO for seconds in times)
    return {"last20_x_bare": mine / theirs, "last20_us": mine, "last20_bare_us": theirs, "last20_of": sizes.messages}


def round_trips(place: TemporaryStore, sizes: RemoteSizes) -> Numbers:
    """Count the round trips of a prompt, with words alone and with vectors, for conversations of several lengths."""
    with open_store(place.url, embedder=embed_by_words, notes=False) as memory:
        for size in sizes.histories:
            _talk(memory, size, sizes.batch)
        memory.maintain()
    found: Numbers = {}
    with counting_proxy(place.address, ON_THE_WAY) as (wire, port):
        for kind, chosen in (("words", "off"), ("vectors", embed_by_words)):
            with open_store(place.url_through_port(port), embedder=chosen) as memory:
                for size in sizes.histories:
                    found[f"trips_{kind}_{size}"] = _trips(memory, wire, size, sizes.prompts)
    return {"trips": max(found.values()), **found, "trips_of": list(sizes.histories)}


def _talk(memory: Memory, size: int, batch: int) -> None:
    chat = memory.chat(owner=f"talker-{size}", session="talk", create=True)
    texts = make_sentences(size)
    for first in range(0, size, batch):
        chat.add_many([MessageDraft("user", text) for text in texts[first : first + batch]])


def _trips(memory: Memory, wire: DelayingProxy, size: int, prompts: int) -> int:
    """The most round trips of any prompt. Each counts with its best of several tries, because background work is counted,
    too."""
    chat = memory.chat(owner=f"talker-{size}", session="talk")
    questions = [f"What do you know about {text.lower()}" for text in make_sentences(prompts, seed=9)]
    fewest = dict.fromkeys(questions, 1 << 30)
    for _ in range(4):
        for question in questions:
            time.sleep(PAUSE)
            before = wire.trips
            chat.context(question, budget=BUDGET)
            fewest[question] = min(fewest[question], wire.trips - before)
    return max(fewest.values())
