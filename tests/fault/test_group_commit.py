"""Concurrent appends share a sync, and a single append is not slowed down by that."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from keepsaid.ports import ANY_REVISION, AT_LEAF
from keepsaid.storage.sqlite import SqliteSource, messages
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.connection.writer import BatchWriter
from keepsaid.types import Message, Role, Scope, to_microseconds

from .counting import CountingDisk
from .rig import over, together

THREADS = 32
EACH = 30
NOW = to_microseconds(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[CountingDisk]:
    # This machine's disk has a cache that makes a sync cheap; on a real one it takes 1 to 5 ms.
    made = CountingDisk(f"counting-{request.node.name}", seconds=0.001)
    yield made
    made.unregister()


def test_32_concurrent_appenders_share_syncs(disk: CountingDisk, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with over(SqliteSource(tmp_path / "chat.db", vfs=disk.name)) as memory:
        chats = [memory.chat(owner=f"u{number % 5}") for number in range(THREADS)]
        disk.syncs = 0

        def work(thread: int) -> None:
            acknowledged.extend(chats[thread].add("user", f"message {number} of {thread}").id for number in range(EACH))

        together(THREADS, work)
        syncs = disk.syncs
    print(f"{len(acknowledged) / syncs:.1f} acknowledgements per sync")
    assert len(set(acknowledged)) == THREADS * EACH
    assert syncs * 8 <= len(acknowledged), f"{syncs} syncs for {len(acknowledged)} acknowledgements"


def test_single_appender_syncs_each_append(disk: CountingDisk, tmp_path: Path) -> None:
    """Proves that the counter works: without other appenders, each acknowledgement needs a sync."""
    with over(SqliteSource(tmp_path / "chat.db", vfs=disk.name)) as memory:
        chat = memory.chat(owner="u")
        disk.syncs = 0
        for number in range(20):
            chat.add("user", f"message {number}")
        assert disk.syncs >= 20


@pytest.mark.parametrize(("synchronous", "times"), [("full", 60), ("off", 500)])
def test_single_append_takes_at_most_1_2_times_plain_commit(tmp_path: Path, synchronous: str, times: int) -> None:
    """At most 1.2 times a plain transaction on the same connection, in the best of five rounds, as the machine is shared."""
    with over(SqliteSource(tmp_path / "chat.db")) as memory:
        memory.chat(owner="u", session="s", create=True)
    with closing(connect(SqliteSource(tmp_path / "chat.db"))) as db:
        db.pragma("synchronous", synchronous)
        writer = BatchWriter(db)
        numbers = itertools.count()
        ratios = [_ratio(db, writer, numbers, times) for _ in range(5)]
    print(f"synchronous={synchronous}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios))
    assert min(ratios) <= 1.2


def _ratio(db: SqliteConnection, writer: BatchWriter, numbers: Iterator[int], times: int) -> float:
    """How much longer the writer takes than a plain transaction, by the medians of appends done in turns."""
    through_writer: list[float] = []
    directly: list[float] = []
    for _ in range(times):
        directly.append(_measure_seconds(lambda job: _plainly(db, job), next(numbers)))
        through_writer.append(_measure_seconds(writer.run, next(numbers)))
    return statistics.median(through_writer) / statistics.median(directly)


def _measure_seconds(run: Callable[[Callable[[SqliteConnection], object]], object], number: int) -> float:
    message = Message(f"m{number}", "s", 0, 0, Role.USER, f"message number {number}", 4, NOW, 0.5, False, {})
    scope = Scope("u", "s")
    start = time.perf_counter()
    run(lambda db: messages.append(db, scope, [message], NOW, AT_LEAF, ANY_REVISION, False))
    return time.perf_counter() - start


def _plainly(db: SqliteConnection, job: Callable[[SqliteConnection], object]) -> None:
    db.execute("BEGIN IMMEDIATE")
    job(db)
    db.execute("COMMIT")
