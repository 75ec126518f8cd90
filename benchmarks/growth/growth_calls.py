"""What is measured in one store: the calls of one owner, the calls of many owners, and the memory of many active owners.

Each function runs in a process of its own, so that its memory is that of these calls alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keepsaid
from benchmarks.growth.growing_store import TALK, name_owner
from benchmarks.growth.resident import read_resident_memory
from benchmarks.search import haystack
from benchmarks.search import search as searches
from benchmarks.search.figures import latency
from benchmarks.search.recall import open_kept_store
from benchmarks.search.search import ReplayingEmbedder, make_questions, pinned_to_one_core
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import Embedder
from keepsaid.types import Scope

SAVES, READS, PROMPTS, CALLS = 300, 300, 60, 150
"""How many calls of each kind are measured; `CALLS` searches are spread over many owners."""
ROUNDS = 3
"""Each search and prompt is repeated so often, and its shortest time counts, because noise only adds time."""
BUDGET = 8_192
MEGABYTE = 1 << 20
WITHOUT_WORDS = searches.KINDS[:2]
WARM = "What did I say about the weather?"

Numbers = dict[str, Any]


def measure_owner(path: Path, embedder: Embedder, size: int, texts: Sequence[str]) -> Numbers:
    """Measure the calls of the owner with this many messages, the memory they take, and the baseline of searches."""
    owner, remembered = haystack.owner_with(size), ReplayingEmbedder(embedder)
    with pinned_to_one_core():
        with open_kept_store(path, remembered) as memory:
            memory.search(WARM, owner="nobody")
            base = read_resident_memory()
            numbers: Numbers = {"first_search_ms": 1000 * _time(lambda: memory.search(WARM, owner=owner))}
            numbers["search_ms"] = searches.measure_owner(memory, remembered, size, kinds=WITHOUT_WORDS)
            numbers |= _memory_since(base.own, memory)
            chat = memory.chat(owner=owner, session=TALK)
            remembered.from_memory = True
            questions = make_questions(PROMPTS, size)
            numbers["prompt_ms"] = _best_times([lambda q=q: chat.context(q, budget=BUDGET) for q in questions])
            numbers["last_ms"] = latency([_time(lambda: chat.messages(last=20)) for _ in range(READS)])
            numbers["save_ms"] = latency(_time_saves([(memory, owner)] * SAVES, texts))
        numbers["search_ms"] |= searches.measure_bare(path, remembered, size)
    return numbers


def measure_owners(path: Path, embedder: Embedder, count: int, texts: Sequence[str]) -> Numbers:
    """Measure the calls of random owners of a store, and the memory after every one of them was active."""
    chance, remembered = random.Random(count), ReplayingEmbedder(embedder)
    chosen = [name_owner(chance.randrange(count)) for _ in range(max(SAVES, READS, CALLS))]
    questions = make_questions(CALLS, count)
    with pinned_to_one_core(), open_kept_store(path, remembered) as memory:
        memory.search(WARM, owner="nobody")
        base = read_resident_memory()
        for question in questions:
            remembered.embed([question], asking=True)
        remembered.from_memory = True
        asked = list(zip(chosen, questions, strict=False))
        prompts = [(_talk(memory, owner), question) for owner, question in asked[:PROMPTS]]
        first = [_time(lambda o=owner, q=question: memory.search(q, owner=o)) for owner, question in asked]
        numbers: Numbers = {
            "first_search_ms": latency(first)["p50"],
            "search_ms": _best_times([lambda o=owner, q=question: memory.search(q, owner=o) for owner, question in asked]),
            "prompt_ms": _best_times([lambda c=chat, q=question: c.context(q, budget=BUDGET) for chat, question in prompts]),
            "last_ms": latency([_time(lambda o=owner: _talk(memory, o).messages(last=20)) for owner in chosen[:READS]]),
        }  # fmt: skip
        activate_owners(memory, remembered, count)
        numbers |= _memory_since(base.own, memory)
        numbers["save_ms"] = latency(_time_saves([(memory, owner) for owner in chosen[:SAVES]], texts))
    return numbers


def measure_active_owners(path: Path, embedder: Embedder, count: int, megabytes: int) -> Numbers:
    """Measure the memory while all owners of a store are active in turn, and a search of one whose vectors are not in
    memory, compared with one whose vectors are."""
    remembered = ReplayingEmbedder(embedder)
    options = {"durable": False, "key": None, "key_file": None, "tokenizer": "", "background": False}
    question = make_questions(1, 1)[0]
    with pinned_to_one_core(), keepsaid.open(path, embedder=remembered, index_memory=megabytes, **options) as memory:
        memory.search(WARM, owner="nobody")
        base, most = read_resident_memory(), 0
        memory.search(question, owner="nobody")
        remembered.from_memory = True
        again, warm = list[float](), list[float]()
        for number in range(count):
            chat = _talk(memory, name_owner(number))
            again.append(_time(lambda c=chat: memory.search(question, owner=c.owner)))
            warm.append(_time(lambda c=chat: memory.search(question, owner=c.owner)))
            chat.messages(last=20)
            most = max(most, read_resident_memory().own)
        return {
            "base": base.own,
            "most": most,
            "read_again_ms": latency(again),
            "in_memory_ms": latency(warm),
            **_memory_since(base.own, memory),
        }


def activate_owners(memory: Memory, embedder: Embedder, count: int) -> None:
    """Search the vectors of every owner, as a search does. The rest of a search takes no memory of its owner."""
    asked = embedder.embed([WARM], asking=True)[0]
    index = memory._services.searcher._index
    assert index is not None
    for number in range(count):
        index.search(Scope(name_owner(number)), embedder.name, asked.vector, 10)


def _memory_since(base: int, memory: Memory) -> Numbers:
    """The memory now: of the process, of it without what it took before the owners' calls, of its index, and of files."""
    now = read_resident_memory()
    index = memory._services.searcher._index
    size = getattr(index, "size", 0)
    return {"own": now.own, "grown": now.own - base, "mapped": now.mapped, "index": size}


def _talk(memory: Memory, owner: str) -> Chat:
    return memory.chat(owner=owner, session=TALK)


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _best_times(calls: Sequence[Callable[[], object]]) -> dict[str, float]:
    """Return the percentiles of the calls' shortest times. The first round warms up."""
    rounds = [[_time(call) for call in calls] for _ in range(ROUNDS + 1)][1:]
    return latency([min(times) for times in zip(*rounds, strict=True)])


def _time_saves(saves: Sequence[tuple[Memory, str]], texts: Sequence[str]) -> list[float]:
    """Save a message for each of these owners. Their ids name texts of the pool, whose vectors they get at the next run."""
    taken: list[float] = []
    for number, (memory, owner) in enumerate(saves):
        place, origin = memory.position(owner=owner).messages, number % len(texts)
        chat = _talk(memory, owner)
        taken.append(_time(lambda c=chat, t=texts[origin], name=f"{place}-{origin}": c.add("user", t, id=name)))
    return taken
