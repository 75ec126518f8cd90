"""Embedding workers that are killed or run side by side: every message is embedded and settled exactly once."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing.index_conformance import EMBEDDER, GENERATION, pack_vector
from keepsaid.types import Scope

from .drainer import OWNERS
from .rig import build_text, over, run_side_by_side, start


def count_settled(lines: list[str]) -> Counter[tuple[str, int]]:
    """How often each message was said to be settled."""
    return Counter(
        (space, number) for space, first, last in map(str.split, lines) for number in range(int(first), int(last) + 1)
    )


def verify(path: Path, settled: Counter[tuple[str, int]], *, all_said: bool) -> int:
    """Each message has one passage, made of its own text; nothing was settled twice. Returns how many messages there are."""
    assert [place for place, times in settled.items() if times > 1] == []
    with closing(SqliteStorage(SqliteSource(path))) as storage:
        covered = storage.coverage(GENERATION)
        assert covered.embedded == covered.messages == covered.passages
        assert storage.generations()[0].complete
        for owner in OWNERS:
            texts = {seen.number: seen.message.text for seen in storage.look(Scope(owner), range(1, covered.messages + 1))}
            passages = storage.passages(Scope(owner), GENERATION, list(texts))
            made = EMBEDDER.embed([texts[passage.number] for passage in passages])
            assert [passage.vector for passage in passages] == [pack_vector(item.vector) for item in made]
            assert [passage.number for passage in passages] == sorted(texts)
        if all_said:
            assert len(settled) == covered.messages
        assert storage.check().findings == ()
        return covered.messages


def test_killed_workers_neither_lose_nor_repeat_embeddings(tmp_path: Path) -> None:
    """Workers on the same file are killed repeatedly while they claim and settle; the last worker finishes."""
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
    assert verify(path, count_settled(lines), all_said=False) > 100


def test_two_processes_settle_each_message_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    memory = over(SqliteSource(path, durable=False))
    for owner in OWNERS:
        chat = memory.chat(owner=owner)
        chat.add_many({"role": "user", "content": build_text(f"n{number}q")} for number in range(400))
    memory.close()
    told = run_side_by_side("drainer", path)
    assert all(told), "one of them had nothing to do: this proves nothing"
    assert verify(path, count_settled(told[0] + told[1]), all_said=True) == 400 * len(OWNERS)
