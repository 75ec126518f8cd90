"""Stores of growing size: owners with ever more messages, and ever more owners with a few.

Texts and vectors are made as for `haystack`: every message is a text of a pool with some words replaced, with that text's
vectors and some noise. Extracting facts from a million made-up messages would take half an hour, so the worker processes
only the first of them, and the others count as processed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.common.texts import make_passages, vary_text
from benchmarks.growth.owner_copies import copy_first_owner
from benchmarks.search import haystack
from benchmarks.search.recall import ProgressFunction, open_kept_store
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.memory import Memory
from keepsaid.ports import ArtifactChanges, EmbeddedPassage, Embedder, VectorGeneration
from keepsaid.services.facts.extraction_job import EXTRACTION_LINE
from keepsaid.types import MessageDraft

RECIPE = 1
"""Increased when a store is made differently, so that an old one is not reused."""
TEXTS = 1500
TALK = "talk"
"""The long conversation of an owner."""
SESSION = 50
"""Messages in each of the other conversations."""
LONGEST = 100_000
"""Half of so many messages of the owner, the first, form the long conversation."""
NOTED = 100_000
"""Messages that the worker extracts facts and summaries from."""
FEW = 5
"""Messages of each of many owners."""
FEW_CHARACTERS = 120
"""The most characters of the messages of owners with a few."""
SHORT = 80
"""Characters of the messages of many active owners."""
SKIPPED_AT_ONCE = 5_000
"""Messages that are counted as processed in one transaction."""


class TextPool(NamedTuple):
    """Texts that were embedded, their passages, and the generation of these."""

    texts: Sequence[str]
    passages: Sequence[list[EmbeddedPassage]]
    generation: VectorGeneration


def embed_pool(folder: Path, embedder: Embedder, tell: ProgressFunction, count: int = TEXTS) -> TextPool:
    """Embed the pool of texts, or read it from the folder."""
    texts = make_passages(count)
    path = folder / f"pool-{haystack.RECIPE}-{count}.db"
    generation, known = haystack.embed_text_pool(path, texts, embedder, tell)
    return TextPool(texts, known, generation)


def select_short(pool: TextPool) -> TextPool:
    """Return the shorter texts of the pool: token vectors take most of the disk."""
    few = [(text, some) for text, some in zip(pool.texts, pool.passages, strict=True) if len(text) <= FEW_CHARACTERS]
    return pool._replace(texts=[text for text, _ in few], passages=[some for _, some in few])


def shorten(pool: TextPool) -> TextPool:
    """Return the pool with the beginnings of its texts, and without token vectors, which take most of the disk."""
    passages = [[some[0]._replace(tokens=b"", width=0)] for some in pool.passages]
    return pool._replace(texts=[text[:SHORT] for text in pool.texts], passages=passages)


def vary_draft(pool: TextPool, place: int, chance: random.Random) -> MessageDraft:
    """Return a message: a variation of a random text, whose number is in its id."""
    origin = chance.randrange(len(pool.texts))
    role = "assistant" if place % 2 else "user"
    return MessageDraft(role, vary_text(pool.texts[origin], chance), f"{place}-{origin}")


def grow_owner(memory: Memory, owner: str, size: int, pool: TextPool, tell: ProgressFunction) -> None:
    """Add messages to an owner until there are `size`: at first every other fifty to the long conversation."""
    saved = memory.position(owner=owner).messages
    while saved < size:
        chance = random.Random(saved)
        many = min(SESSION, size - saved)
        batch = saved // SESSION
        session = TALK if saved < LONGEST and batch % 2 == 0 else f"s{batch}"
        drafts = [vary_draft(pool, saved + place, chance) for place in range(many)]
        memory.chat(owner=owner, session=session, create=True).add_many(drafts)
        saved += many
        tell(f"saving {size:,} messages", saved, size)


def grow_owners(memory: Memory, count: int, each: int, pool: TextPool, tell: ProgressFunction) -> None:
    """Add owners until there are `count`, each with one conversation of `each` messages."""
    first = count_owners(memory, count)
    for number in range(first, count):
        chance = random.Random(number)
        owner = name_owner(number)
        for start in range(0, each, SESSION):
            drafts = [vary_draft(pool, start + place, chance) for place in range(min(SESSION, each - start))]
            memory.chat(owner=owner, session=TALK, create=True).add_many(drafts)
        tell(f"saving {count:,} owners", number + 1, count)


def name_owner(number: int) -> str:
    """The name of one of many owners."""
    return f"owner-{number}"


def count_owners(memory: Memory, most: int) -> int:
    """Return how many owners were added already. They were added in order, so this is a binary search."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if memory.position(owner=name_owner(middle - 1)).messages:
            low = middle
        else:
            high = middle - 1
    return low


def build_message_store(
    folder: Path, embedder: Embedder, sizes: Sequence[int], pool: TextPool, tell: ProgressFunction
) -> Path:
    """Build a store with an owner of each size. Return its path."""
    path = folder / f"growth-{RECIPE}-messages-{'-'.join(map(str, sizes))}-{len(pool.texts)}.db"
    for size in sizes:
        for upto in (min(size, NOTED), size):
            with open_kept_store(path, embedder) as memory:
                if memory.position(owner=haystack.owner_with(size)).messages >= upto:
                    continue
                grow_owner(memory, haystack.owner_with(size), upto, pool, tell)
            settle(path, embedder, pool, upto <= NOTED, tell)
    # What was saved while an earlier run was measured, or before it was interrupted.
    settle(path, embedder, pool, False, tell)
    return path


def build_owner_store(
    folder: Path, embedder: Embedder, owners: int, each: int, pool: TextPool, tell: ProgressFunction
) -> Path:
    """Build a store of many owners with as many messages each, without facts. Return its path."""
    path = folder / f"growth-{RECIPE}-owners-{owners}-{each}-{len(pool.texts)}.db"
    with open_kept_store(path, embedder) as memory:
        grow_owners(memory, owners, each, pool, tell)
    settle(path, embedder, pool, None, tell)
    return path


def build_active_store(
    folder: Path, embedder: Embedder, owners: int, each: int, pool: TextPool, tell: ProgressFunction
) -> Path:
    """Build a store of many owners with many short messages: copies of one of them. Return its path.

    The copies have no token vectors and are not in the keyword index, so their searches find by meaning only.
    """
    path = folder / f"growth-{RECIPE}-active-{owners}-{each}-{len(pool.texts)}.db"
    short = shorten(pool)
    with open_kept_store(path, embedder) as memory:
        grow_owners(memory, 1, each, short, tell)
        there = count_owners(memory, owners)
    if there == 1:
        settle(path, embedder, short, None, tell)
    copy_first_owner(path, there, owners, tell)
    return path


def settle(path: Path, embedder: Embedder, pool: TextPool, noted: bool | None, tell: ProgressFunction) -> None:
    """Do what workers would do: give every message its vectors and, if `noted`, extract facts and write summaries. With
    False they count as extracted, and with None nothing is said of them."""
    with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
        haystack.add_vectors(storage, pool.generation, pool.passages, tell)
    if noted:
        with open_kept_store(path, embedder) as memory:
            memory.maintain(progress=lambda done, total: tell("taking notes", done, total))
    elif noted is not None:
        skip_notes(path, tell)


def skip_notes(path: Path, tell: ProgressFunction) -> None:
    """Count all messages as processed that wait for the extraction of facts."""
    with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
        storage.begin_notes(EXTRACTION_LINE)
        done, now = 0, time.time_ns() // 1000
        while task := storage.claim(EXTRACTION_LINE, "bench", now, now + haystack.LEASE, SKIPPED_AT_ONCE):
            storage.settle_notes(task, ArtifactChanges(), now)
            done += len(task.messages)
            tell("skipping notes", done, done)
            now = time.time_ns() // 1000
