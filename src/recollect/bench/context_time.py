"""How long it takes to make a prompt, however long the conversation: the model's time taken off, receipts and all.

One made-up store (`haystack`) has an owner for each size, whose messages are one conversation of about 60 tokens each.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from recollect import wiring
from recollect.bench import haystack
from recollect.bench.figures import Figures, latency
from recollect.bench.known import Known
from recollect.bench.recall import Tell, cache, open_kept
from recollect.bench.search import one_core, questions
from recollect.bench.texts import passages, varied
from recollect.chat import Chat
from recollect.config import load
from recollect.memory import Memory
from recollect.types import Draft

RECIPE = 1
"""Raised when the store is made differently, so that an old one is not taken for it."""
SIZES = (1_000, 10_000, 100_000)
BUDGETS = {"8k": 8_192, "120k": 120_000}
HEADLINE = "10000", "8k"
"""The size and the budget that stand for all."""
TARGETS = {("10000", "8k"): 20.0, ("10000", "120k"): 60.0}
"""The milliseconds that 95 % of all prompts may take."""
TEXTS = 1500
QUESTIONS = 200
ROUNDS = 3
"""Each question is asked so many times, and its shortest time counts: noise only ever adds."""
BATCH = 2_000
"""Messages that are saved at once."""
TALK = "talk"


def run(
    embedder: Known | None,
    sizes: Sequence[int] = SIZES,
    *,
    folder: Path | None = None,
    tell: Tell = lambda what, done, total: None,
) -> dict[str, Any]:
    """Makes the store if it is not there, then measures every size at every budget."""
    with one_core():
        path = build(folder or cache(), embedder, sizes, tell)
        with open_kept(path, "off" if embedder is None else embedder) as memory:
            memory.maintain(progress=lambda done, total: tell("taking notes", done, total))
            measured = {str(size): _size(memory, embedder, size, tell) for size in sizes}
            length = fmean(message.tokens for message in _talk(memory, max(sizes)).messages(last=1_000))
    return {"sizes": measured, "tokens_per_message": round(length, 1)}


def build(folder: Path, embedder: Known | None, sizes: Sequence[int], tell: Tell) -> Path:
    """The store, whole: its messages, then their vectors if there is an embedder."""
    texts = passages(TEXTS)
    kind = "words" if embedder is None else "vectors"
    path = folder / f"context-{RECIPE}-{'-'.join(map(str, sizes))}-{kind}.db"
    with open_kept(path, "off" if embedder is None else embedder) as memory:
        for size in sizes:
            fill(memory, size, texts, tell)
    if embedder is not None:
        pool = folder / f"pool-{haystack.RECIPE}-{TEXTS}.db"
        generation, known = haystack.pool(pool, texts, embedder, tell)
        with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
            haystack.give_vectors(cast(haystack.VectorStorage, storage), generation, known, tell)
    return path


def fill(memory: Memory, size: int, texts: Sequence[str], tell: Tell) -> None:
    """Gives an owner one conversation of so many messages, each a text that was changed a little. Its id says which."""
    chat = _talk(memory, size)
    chance = random.Random(size)
    for first in range(0, size, BATCH):
        # Every choice is made again on the way to where an interrupted run stopped, so the messages are the same.
        drafts: list[Draft] = []
        for place in range(first, min(first + BATCH, size)):
            origin = chance.randrange(len(texts))
            role = "assistant" if place % 2 else "user"
            drafts.append(Draft(role, varied(texts[origin], chance), f"{place}-{origin}"))
        if chat.info().message_count < first + len(drafts):
            chat.add_many(drafts)
        tell(f"saving {size:,} messages", first + len(drafts), size)


def _talk(memory: Memory, size: int) -> Chat:
    return memory.chat(owner=haystack.owner_of(size), session=TALK, create=True)


def _size(memory: Memory, embedder: Known | None, size: int, tell: Tell) -> dict[str, Figures]:
    return {name: measure(memory, embedder, size, budget, tell) for name, budget in BUDGETS.items()}


def measure(memory: Memory, embedder: Known | None, size: int, budget: int, tell: Tell) -> Figures:
    """Makes prompts for many different questions; the time that the embedder took is not counted.

    The processor's time is told, too: on a busy machine a prompt waits for its turn.
    """
    chat = _talk(memory, size)
    asked = questions(QUESTIONS, size)
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
