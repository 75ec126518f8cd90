"""SIGKILL at random moments: acknowledged messages stay complete, in order, counted and searchable."""

from __future__ import annotations

import itertools
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import keepsaid
from keepsaid import Memory, Message
from keepsaid.testing.conformance import find_messages

from .appender import OWNERS
from .rig import assert_gapless, start, word_of


@dataclass
class Ledger:
    """The messages that the children acknowledged: id and word by session and seq."""

    entries: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    unchecked: list[tuple[str, int]] = field(default_factory=list)

    def note(self, line: str) -> None:
        session, seq, id, word = line.split()
        place = (session, int(seq))
        assert place not in self.entries, f"{place} was given to {id} and to {self.entries[place][0]}"
        self.entries[place] = (id, word)
        self.unchecked.append(place)


def kill_one(path: Path, run: int, ledger: Ledger, chance: random.Random) -> None:
    """Starts an appender and kills it: mostly while it appends, now and then while it opens the store."""
    with start("appender", path, run) as child:
        assert child.stdout is not None
        if chance.random() < 0.8:
            ledger.note(child.stdout.readline())
            time.sleep(chance.uniform(0, 0.12))
        else:
            time.sleep(chance.uniform(0.05, 0.5))
        child.kill()
        for line in child.stdout:
            ledger.note(line)
    assert child.returncode == -9, "the child ended by itself"


def verify(path: Path, ledger: Ledger) -> None:
    """Checks that every acknowledged message is stored, and no call only in part."""
    with keepsaid.open(path) as memory:
        stored: dict[tuple[str, int], tuple[str, str]] = {}
        for owner in OWNERS:
            for session in memory.sessions(owner=owner, limit=100):
                messages = memory.chat(owner=owner, session=session.id).messages()
                assert_gapless(messages)
                assert_calls_whole(messages)
                assert session.message_count == session.head == len(messages)
                assert session.token_count == sum(message.tokens for message in messages)
                stored |= {(session.id, m.seq): (m.id, word_of(m.text)) for m in messages}
        assert ledger.entries.items() - stored.items() == set()
        while ledger.unchecked:
            assert_searchable(memory, *ledger.entries[place := ledger.unchecked.pop()], place)
        assert memory.check().healthy


def assert_calls_whole(messages: list[Message]) -> None:
    """Of every call to `add_many` all messages are there, side by side."""
    parts = [re.fullmatch(r"(.*)i(\d+)of(\d+)q", word_of(message.text)) for message in messages]
    for (call, size), group in itertools.groupby(parts, key=lambda part: (part[1], int(part[3]))):
        assert [int(part[2]) for part in group] == list(range(size)), f"only a part of call {call} is there"


def assert_searchable(memory: Memory, id: str, word: str, place: tuple[str, int]) -> None:
    hits = find_messages(memory, word, owner=place[0].partition("-")[0])
    assert [(hit.message.id, hit.message.session, hit.message.seq) for hit in hits] == [(id, *place)]


def crash(path: Path, kills: int) -> None:
    """Kills many processes on the same file, so that damage would add up, and verifies it at random intervals. On a slow
    disk it takes more of them to save enough messages."""
    chance = random.Random()
    ledger = Ledger()
    for run in range(5 * kills):
        kill_one(path, run, ledger, chance)
        if chance.random() < 0.4:
            verify(path, ledger)
        if run + 1 >= kills and len(ledger.entries) > 10 * kills:
            break
    verify(path, ledger)
    assert len(ledger.entries) > 10 * kills, "too few messages to prove anything"


def test_acknowledged_messages_survive_30_kills(tmp_path: Path) -> None:
    crash(tmp_path / "chat.db", 30)


@pytest.mark.long
def test_acknowledged_messages_survive_450_kills(tmp_path: Path) -> None:
    crash(tmp_path / "chat.db", 450)
