"""Killed and concurrent note workers: notes are taken of every message exactly once."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from keepsaid.ports import ArtifactQuery
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.types import ReadWindow, Scope, SessionQuery

from .drainer import OWNERS
from .noter import LINE
from .rig import build_text, over, run_side_by_side, start, word_of
from .test_vectors_crash import count_settled


def verify(path: Path, settled: Counter[tuple[str, int]]) -> int:
    """Checks that each message has one fact, made from its text, and was settled once. Returns the number of messages."""
    assert [place for place, times in settled.items() if times > 1] == []
    messages = 0
    with closing(SqliteStorage(SqliteSource(path))) as storage:
        assert storage.unnoted(LINE) == 0
        for owner in OWNERS:
            texts = {seen.number: seen.message.text for seen in storage.fetch(Scope(owner), range(1, 100_000))}
            facts = storage.artifacts(Scope(owner), ArtifactQuery("fact", limit=100_000))
            noted = Counter(source.number for fact in facts for source in fact.sources)
            assert noted == Counter(texts.keys())
            assert {fact.text for fact in facts} == {f"said {word_of(text)}" for text in texts.values()}
            for session in storage.list_sessions(Scope(owner), SessionQuery(limit=1000)):
                if session.message_count:
                    newest = storage.snapshot(Scope(owner, session.id), ReadWindow(last=1)).summaries[-1]
                    (summary,) = storage.artifacts(Scope(owner), ArtifactQuery("summary", ids=(newest.id,)))
                    assert session.summary == summary.text == f"up to {newest.upto}"
            messages += len(texts)
        assert storage.check().findings == ()
    return messages


def test_killed_note_workers_note_each_message_once(tmp_path: Path) -> None:
    """Workers are killed while they claim and settle work on the same file; the last one finishes."""
    path, chance, lines = tmp_path / "chat.db", random.Random(), list[str]()
    for run in range(8):
        with start("noter", path, run, "append") as child:
            assert child.stdout is not None
            # So many lines, not so many seconds: on a busy machine a time would prove less.
            lines += [child.stdout.readline() for _ in range(chance.randint(1, 20))]
            time.sleep(chance.uniform(0.0, 0.02))
            child.kill()
            lines += child.stdout
        assert child.returncode == -9, "the child ended by itself"
    with start("noter", path, "last") as child:
        assert child.stdout is not None
        lines += child.stdout
    assert child.returncode == 0
    # One killed between its commit and its line was settled without saying so; none may say so twice.
    assert verify(path, count_settled(lines)) > 50, "they were killed too soon: this proves nothing"


def test_concurrent_note_workers_note_each_message_once(tmp_path: Path) -> None:
    # On a busy machine the first may be done before the second begins, which proves nothing: then there is more to do.
    for attempt, messages in enumerate((400, 800, 1_600, 3_200)):
        path = tmp_path / f"{attempt}.db"
        memory = over(SqliteSource(path, durable=False))
        for owner in OWNERS:
            chat = memory.chat(owner=owner)
            chat.add_many({"role": "user", "content": build_text(f"n{number}q")} for number in range(messages))
        memory.close()
        told = run_side_by_side("noter", path)
        settled = count_settled(told[0] + told[1])
        assert verify(path, settled) == len(settled) == messages * len(OWNERS)
        if all(told):
            return
    pytest.fail("one of them always had nothing to do: this proves nothing")
