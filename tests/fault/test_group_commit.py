"""Concurrent appenders share a sync, and a lone one does not pay for it."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.ports import ANYTHING, LEAF
from recollect.storage.sqlite import Source, messages
from recollect.storage.sqlite.connection import connect
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.writer import Writer
from recollect.types import Message, Role, Scope, microseconds

from .counting import CountingDisk
from .rig import over, together

THREADS = 32
EACH = 30
NOW = microseconds(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[CountingDisk]:
    # This machine's disk has a cache that makes a sync cheap; on a real one it takes 1 to 5 ms.
    made = CountingDisk(f"counting-{request.node.name}", seconds=0.001)
    yield made
    made.unregister()


def test_32_appenders_share_a_sync(disk: CountingDisk, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with over(Source(tmp_path / "chat.db", vfs=disk.name)) as memory:
        chats = [memory.chat(owner=f"u{number % 5}") for number in range(THREADS)]
        disk.syncs = 0

        def work(thread: int) -> None:
            acknowledged.extend(chats[thread].add("user", f"message {number} of {thread}").id for number in range(EACH))

        together(THREADS, work)
        syncs = disk.syncs
    print(f"{len(acknowledged) / syncs:.1f} acknowledgements per sync")
    assert len(set(acknowledged)) == THREADS * EACH
    assert syncs * 8 <= len(acknowledged), f"{syncs} syncs for {len(acknowledged)} acknowledgements"


def test_a_lone_appender_syncs_each_time(disk: CountingDisk, tmp_path: Path) -> None:
    """The proof that the count counts: with nobody to share with, an acknowledgement costs a sync."""
    with over(Source(tmp_path / "chat.db", vfs=disk.name)) as memory:
        chat = memory.chat(owner="u")
        disk.syncs = 0
        for number in range(20):
            chat.add("user", f"message {number}")
        assert disk.syncs >= 20


@pytest.mark.parametrize(("synchronous", "times"), [("full", 60), ("off", 500)])
def test_a_lone_append_costs_no_more_than_without(tmp_path: Path, synchronous: str, times: int) -> None:
    """At most 1.2 times a plain transaction on the same connection; the best of some rounds, for others use this machine."""
    with over(Source(tmp_path / "chat.db")) as memory:
        memory.chat(owner="u", session="s", create=True)
    with closing(connect(Source(tmp_path / "chat.db"))) as db:
        db.pragma("synchronous", synchronous)
        writer = Writer(db)
        numbers = itertools.count()
        ratios = [_ratio(db, writer, numbers, times) for _ in range(5)]
    print(f"synchronous={synchronous}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios))
    assert min(ratios) <= 1.2


def _ratio(db: Database, writer: Writer, numbers: Iterator[int], times: int) -> float:
    """How much longer the writer takes than a plain transaction, by the medians of appends done in turns."""
    through_writer: list[float] = []
    directly: list[float] = []
    for _ in range(times):
        directly.append(_timed(lambda job: _plainly(db, job), next(numbers)))
        through_writer.append(_timed(writer.run, next(numbers)))
    return statistics.median(through_writer) / statistics.median(directly)


def _timed(run: Callable[[Callable[[Database], object]], object], number: int) -> float:
    message = Message(f"m{number}", "s", 0, 0, Role.USER, f"message number {number}", 4, NOW, 0.5, False, {})
    scope = Scope("u", "s")
    start = time.perf_counter()
    run(lambda db: messages.append(db, scope, [message], NOW, LEAF, ANYTHING, False))
    return time.perf_counter() - start


def _plainly(db: Database, job: Callable[[Database], object]) -> None:
    db.execute("BEGIN IMMEDIATE")
    job(db)
    db.execute("COMMIT")
