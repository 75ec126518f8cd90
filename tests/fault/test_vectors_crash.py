"""Workers that are killed, and workers in a crowd: every message is embedded, and settled exactly once."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing.index_conformance import EMBEDDER, GENERATION, packed
from recollect.types import Scope

from .drainer import OWNERS
from .rig import marked, over, start


def settled_in(lines: list[str]) -> Counter[tuple[str, int]]:
    """How often each message was said to be settled."""
    return Counter(
        (space, number) for space, first, last in map(str.split, lines) for number in range(int(first), int(last) + 1)
    )


def verify(path: Path, settled: Counter[tuple[str, int]], *, all_said: bool) -> int:
    """Each message has one passage, made of its own text; nothing was settled twice. Returns how many messages there are."""
    assert [place for place, times in settled.items() if times > 1] == []
    with closing(SqliteStorage(Source(path))) as storage:
        covered = storage.coverage(GENERATION)
        assert covered.embedded == covered.messages == covered.passages
        assert storage.generations()[0].complete
        for owner in OWNERS:
            texts = {seen.number: seen.message.text for seen in storage.look(Scope(owner), range(1, covered.messages + 1))}
            passages = storage.passages(Scope(owner), GENERATION, list(texts))
            made = EMBEDDER.embed([texts[passage.number] for passage in passages])
            assert [passage.vector for passage in passages] == [packed(item.vector) for item in made]
            assert [passage.number for passage in passages] == sorted(texts)
        if all_said:
            assert len(settled) == covered.messages
        assert storage.check().findings == ()
        return covered.messages


def test_killed_workers_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    """SIGKILL in the middle of claiming and settling, again and again on the same file; the last worker finishes."""
    path, chance, lines = tmp_path / "chat.db", random.Random(), list[str]()
    for run in range(8):
        with start("drainer", path, run, "append") as child:
            assert child.stdout is not None
            # So many lines, not so many seconds: on a busy machine a time would prove less.
            lines += [child.stdout.readline() for _ in range(chance.randint(1, 40))]
            time.sleep(chance.uniform(0.0, 0.02))
            child.kill()
            lines += child.stdout
        assert child.returncode == -9, "the child ended by itself"
    with start("drainer", path, "last") as child:
        assert child.stdout is not None
        lines += child.stdout
    assert child.returncode == 0
    # A worker killed between its commit and its line was settled without saying so; none may say so twice.
    assert verify(path, settled_in(lines), all_said=False) > 100


def test_two_processes_settle_every_message_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    memory = over(Source(path, durable=False))
    for owner in OWNERS:
        chat = memory.chat(owner=owner)
        chat.add_many({"role": "user", "content": marked(f"n{number}q")} for number in range(400))
    memory.close()
    with start("drainer", path, 0) as one, start("drainer", path, 1) as two:
        assert one.stdout is not None
        assert two.stdout is not None
        told = [list(one.stdout), list(two.stdout)]
    assert (one.returncode, two.returncode) == (0, 0)
    assert all(told), "one of them had nothing to do: this proves nothing"
    assert verify(path, settled_in(told[0] + told[1]), all_said=True) == 400 * len(OWNERS)
