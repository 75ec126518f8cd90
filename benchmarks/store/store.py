"""The store compared with a raw single table: appending, reading the end, listing sessions, opening, importing.

Every ratio comes from one run in which ours and raw take turns, with the same durability, on files side by side.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import keepsaid
from benchmarks.common.clock import best_times, repeat_call, time_in_new_interpreter
from benchmarks.common.texts import make_sentences
from benchmarks.store.bare_sqlite import RawMessages, RawSessions
from keepsaid.memory import Memory
from keepsaid.types import MessageDraft

MICRO, MILLI = 1e6, 1e3
OWNER = "owner-1"
PADDING = 100_000
"""Bytes of metadata of each message in the large store. Metadata is not indexed, so the file grows quickly."""


@dataclass(frozen=True, slots=True)
class StoreSizes:
    """The size of every measurement."""

    append_rounds: int
    fsync_rounds: int
    messages: int
    sessions: int
    owners: int
    read_rounds: int
    megabytes: int
    starts: int
    append_messages: int = 640  # five times what waits for the keyword index, so that its cost is in every round
    batch: int = 1000
    reads: int = 200


FULL = StoreSizes(
    append_rounds=25, fsync_rounds=10, messages=100_000, sessions=100_000, owners=100, read_rounds=20, megabytes=1000,
    starts=7,
)  # fmt: skip
QUICK = StoreSizes(
    append_rounds=2, fsync_rounds=1, messages=5_000, sessions=1_000, owners=10, read_rounds=3, megabytes=100, starts=2,
    append_messages=256,
)  # fmt: skip

Numbers = dict[str, Any]


def run(*, quick: bool = False, folder: Path | None = None, tell: Callable[[str], None] = lambda step: None) -> Numbers:
    """Measure everything, in temporary folders that are removed afterwards."""
    sizes = QUICK if quick else FULL
    place = folder or memory_folder()
    numbers: Numbers = {"quick": quick, "place": str(place or tempfile.gettempdir())}
    for measure in (appends, durable_appends, batches, last_messages, recent_sessions, opening, importing):
        tell(measure.__name__.replace("_", " "))
        on_disk = measure in (durable_appends, opening)
        with tempfile.TemporaryDirectory(prefix="keepsaid-bench-", dir=folder if on_disk else place) as name:
            numbers |= measure(Path(name), sizes)
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in numbers.items()}


def memory_folder() -> Path | None:
    """Return a folder in memory, if there is one with enough space.

    Without `durable`, SQLite still syncs at every thousandth page of its log. In memory that costs nothing, so only the work
    itself is measured. On a slow disk syncing was more than half of the time, and the two sides log at different rates.
    """
    place = Path("/dev/shm")  # a unique folder is made inside
    usable = place.is_dir() and os.access(place, os.W_OK) and shutil.disk_usage(place).free > 1_000_000_000
    return place if usable else None


def open_store(path: Path, *, durable: bool = False) -> Memory:
    """Open a store for measuring, independent of the user's settings."""
    return keepsaid.open(path, durable=durable, key=None, key_file=None, tokenizer="", embedder="off")


def appends(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure appending one message at a time, without waiting for the disk."""
    texts = make_sentences(sizes.append_messages)
    with closing(RawMessages(here / "bare.db", durable=False, bare=True)) as bare:
        ours, raw, third = _append_us(here, texts, sizes.append_rounds, False, lambda: bare.append(texts))
    return {
        "append_x_raw": ours / raw,
        "append_x_bare": ours / third,
        "append_us": ours,
        "append_raw_us": raw,
        "append_bare_us": third,
    }


def durable_appends(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure appending one message at a time, each on disk before the next."""
    ours, raw = _append_us(here, make_sentences(sizes.append_messages), sizes.fsync_rounds, True)
    return {"append_x_raw_fsync": ours / raw, "append_fsync_us": ours, "append_raw_fsync_us": raw}


def _append_us(here: Path, texts: list[str], rounds: int, durable: bool, *others: Callable[[], object]) -> list[float]:
    with (
        open_store(here / "ours.db", durable=durable) as memory,
        closing(RawMessages(here / "raw.db", durable=durable)) as raw,
    ):
        chat = memory.chat(owner=OWNER)

        def ours() -> None:
            for text in texts:
                chat.add("user", text)

        times = best_times(rounds, ours, lambda: raw.append(texts), *others)
    return [seconds / len(texts) * MICRO for seconds in times]


def batches(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure appending a thousand messages in one call; time per message."""
    texts = make_sentences(sizes.batch)
    drafts = [MessageDraft("user", text) for text in texts]
    with open_store(here / "ours.db") as memory, closing(RawMessages(here / "raw.db", durable=False)) as raw:
        chat = memory.chat(owner=OWNER)
        times = best_times(sizes.append_rounds, lambda: chat.add_many(drafts), lambda: raw.append_batch(texts))
    ours_us, raw_us = (seconds / sizes.batch * MICRO for seconds in times)
    return {"append_batch_us": ours_us, "append_batch_raw_us": raw_us}


def last_messages(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure reading the last twenty of many messages, and of a hundred."""
    with ExitStack() as stack:
        long = stack.enter_context(open_store(here / "long.db")).chat(owner=OWNER)
        short = stack.enter_context(open_store(here / "short.db")).chat(owner=OWNER)
        raw = stack.enter_context(closing(RawMessages(here / "raw.db", durable=False)))
        texts = make_sentences(sizes.batch)
        for _ in range(sizes.messages // sizes.batch):
            long.add_many([MessageDraft("user", text) for text in texts])
            raw.append_batch(texts)
        short.add_many([MessageDraft("user", text) for text in texts[:100]])
        assert [m.text for m in long.messages(last=20)] == [row[4] for row in raw.last(20)]
        times = best_times(
            sizes.read_rounds,
            repeat_call(sizes.reads, lambda: long.messages(last=20)),
            repeat_call(sizes.reads, lambda: raw.last(20)),
            repeat_call(sizes.reads, lambda: short.messages(last=20)),
        )
    ours, theirs, few = (seconds / sizes.reads * MICRO for seconds in times)
    return {
        "last20_x_raw": ours / theirs,
        "last20_growth": ours / few,
        "last20_us": ours,
        "last20_raw_us": theirs,
        "last20_of_100_us": few,
    }


def recent_sessions(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure listing one owner's twenty newest sessions among many owners'."""
    owners = [f"owner-{number % sizes.owners}" for number in range(sizes.sessions)]
    titles = [text[:30] for text in make_sentences(1000)] * (sizes.sessions // 1000)
    with open_store(here / "ours.db") as memory, closing(RawSessions(here / "raw.db")) as raw:
        for owner, title in zip(owners, titles, strict=True):
            memory.chat(owner=owner, title=title)
        raw.fill(owners, titles)
        assert [s.title for s in memory.sessions(owner=OWNER, status="active")] == [row[2] for row in raw.newest(OWNER, 20)]
        times = best_times(
            sizes.read_rounds,
            repeat_call(sizes.reads, lambda: memory.sessions(owner=OWNER, status="active")),
            repeat_call(sizes.reads, lambda: raw.newest(OWNER, 20)),
        )
    ours, theirs = (seconds / sizes.reads * MICRO for seconds in times)
    return {"sessions_x_raw": ours / theirs, "sessions_us": ours, "sessions_raw_us": theirs}


def opening(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure opening a large store: in a running program, and at the start of a new one."""
    path = here / "large.db"
    texts = make_sentences(100)
    with open_store(path) as memory:
        chat = memory.chat(owner=OWNER)
        for _ in range(sizes.megabytes * 1_000_000 // (PADDING * len(texts))):
            chat.add_many([MessageDraft("user", text, metadata={"padding": "x" * PADDING}) for text in texts])
    seconds = min(_open_once(path) for _ in range(5))
    first = time_in_new_interpreter(
        sizes.starts, "import keepsaid", "memory = keepsaid.open(sys.argv[1], embedder='off')", str(path)
    )
    return {"open_ms": seconds * MILLI, "open_first_ms": first * MILLI, "open_mb": path.stat().st_size // 1_000_000}


def _open_once(path: Path) -> float:
    start = perf_counter()
    memory = open_store(path, durable=True)
    taken = perf_counter() - start
    memory.close()
    return taken


def importing(here: Path, sizes: StoreSizes) -> Numbers:
    """Measure `import keepsaid` in a new interpreter, without and with loading the lazy `keepsaid.open`."""
    return {
        "import_ms": time_in_new_interpreter(sizes.starts, "", "import keepsaid") * MILLI,
        "import_used_ms": time_in_new_interpreter(sizes.starts, "", "import keepsaid; keepsaid.open") * MILLI,
    }
