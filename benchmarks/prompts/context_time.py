"""How long it takes to make a prompt, by the length of the conversation: without the model's time, with receipts.

One synthetic store (`haystack`) has an owner for each size, whose messages form one conversation, about 60 tokens each.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.common.cached_embedder import CachedEmbedder
from benchmarks.common.texts import make_passages, vary_text
from benchmarks.search import haystack
from benchmarks.search.figures import Figures, latency
from benchmarks.search.recall import ProgressFunction, cache_folder, open_kept_store
from benchmarks.search.search import make_questions, pinned_to_one_core
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import MessageDraft

RECIPE = 1
"""Increased when the store is made differently, so that an old one is not reused."""
SIZES = (1_000, 10_000, 100_000)
BUDGETS = {"8k": 8_192, "120k": 120_000}
HEADLINE = "10000", "8k"
"""The size and the budget of the headline figure."""
TARGETS = {("10000", "8k"): 20.0, ("10000", "120k"): 60.0}
"""The targets of p95 in milliseconds."""
TEXTS = 1500
QUESTIONS = 200
ROUNDS = 3
"""Each question is asked this often, and its shortest time counts, because noise only adds time."""
BATCH = 2_000
"""Messages that are saved at once."""
TALK = "talk"


def run(
    embedder: CachedEmbedder | None,
    sizes: Sequence[int] = SIZES,
    *,
    folder: Path | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> dict[str, Any]:
    """Build the store if necessary, then measure every size at every budget."""
    with pinned_to_one_core():
        path = build(folder or cache_folder(), embedder, sizes, tell)
        with open_kept_store(path, "off" if embedder is None else embedder) as memory:
            memory.maintain(progress=lambda done, total: tell("taking notes", done, total))
            measured = {str(size): _size(memory, embedder, size, tell) for size in sizes}
            length = fmean(message.tokens for message in _talk(memory, max(sizes)).messages(last=1_000))
    return {"sizes": measured, "tokens_per_message": round(length, 1)}


def build(folder: Path, embedder: CachedEmbedder | None, sizes: Sequence[int], tell: ProgressFunction) -> Path:
    """Build the store: first the messages, then their vectors if there is an embedder. Return its path."""
    texts = make_passages(TEXTS)
    kind = "words" if embedder is None else "vectors"
    path = folder / f"context-{RECIPE}-{'-'.join(map(str, sizes))}-{kind}.db"
    with open_kept_store(path, "off" if embedder is None else embedder) as memory:
        for size in sizes:
            fill(memory, size, texts, tell)
    if embedder is not None:
        pool = folder / f"pool-{haystack.RECIPE}-{TEXTS}.db"
        generation, known = haystack.embed_text_pool(pool, texts, embedder, tell)
        with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
            haystack.add_vectors(storage, generation, known, tell)
    return path


def fill(memory: Memory, size: int, texts: Sequence[str], tell: ProgressFunction) -> None:
    """Add one conversation of `size` messages. Each is a variation of a text, whose number is in its id."""
    chat = _talk(memory, size)
    chance = random.Random(size)
    for first in range(0, size, BATCH):
        # All random choices are repeated after an interruption, so the messages are the same.
        drafts: list[MessageDraft] = []
        for place in range(first, min(first + BATCH, size)):
            origin = chance.randrange(len(texts))
            role = "assistant" if place % 2 else "user"
            drafts.append(MessageDraft(role, vary_text(texts[origin], chance), f"{place}-{origin}"))
        if chat.info().message_count < first + len(drafts):
            chat.add_many(drafts)
        tell(f"saving {size:,} messages", first + len(drafts), size)


def _talk(memory: Memory, size: int) -> Chat:
    return memory.chat(owner=haystack.owner_with(size), session=TALK, create=True)


def _size(memory: Memory, embedder: CachedEmbedder | None, size: int, tell: ProgressFunction) -> dict[str, Figures]:
    return {name: measure(memory, embedder, size, budget, tell) for name, budget in BUDGETS.items()}


def measure(memory: Memory, embedder: CachedEmbedder | None, size: int, budget: int, tell: ProgressFunction) -> Figures:
    """Measure prompts for many different questions, without the time of the embedder.

    CPU time is also reported, because on a busy machine a prompt waits for the CPU.
    """
    chat = _talk(memory, size)
    asked = make_questions(QUESTIONS, size)
    best = [float("inf")] * len(asked)
    worked = [float("inf")] * len(asked)
    for number in range(ROUNDS + 1):
        for place, question in enumerate(asked):
            before = embedder.seconds if embedder else 0.0
            start, busy = time.perf_counter(), time.thread_time()
            chat.context(question, budget=budget)
            taken, work = time.perf_counter() - start, time.thread_time() - busy
            model = (embedder.seconds if embedder else 0.0) - before
            # The first round warms up: after it, the embedder knows all questions.
            if number:
                best[place], worked[place] = min(best[place], taken - model), min(worked[place], work)
        tell(f"prompts of {budget:,} from {size:,} messages", number, ROUNDS)
    return latency(best) | {f"{share}_processor": value for share, value in latency(worked).items()}
