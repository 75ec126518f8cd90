"""Power cuts: data that was not synced is lost, and no acknowledged message is part of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import keepsaid
from keepsaid import Message
from keepsaid.memory import Memory
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.testing.conformance import find_messages

from .forgetful import Disk
from .rig import assert_gapless, build_text, over, together

OWNER = "ada"
SESSIONS = ("s0", "s1", "s2")


class Machine:
    """A store on a disk that loses unsynced data, with its acknowledged messages and its power cuts."""

    def __init__(self, disk: Disk, folder: Path, durable: bool = True) -> None:
        self.disk = disk
        self.path = folder / "live" / "chat.db"
        self.path.parent.mkdir()
        self.acknowledged: list[Message] = []
        self.cuts: list[tuple[Path, list[Message]]] = []
        self._prepare()
        self.memory = over(SqliteSource(self.path, durable=durable, vfs=disk.name))

    def _prepare(self) -> None:
        with over(SqliteSource(self.path, vfs=self.disk.name)) as memory:
            for session in SESSIONS:
                memory.chat(owner=OWNER, session=session, create=True)

    def append(self, chance: random.Random, word: str, sizes: tuple[int, ...] = (20, 400, 9000)) -> None:
        """One message, or several in one call."""
        chat = self.memory.chat(owner=OWNER, session=chance.choice(SESSIONS))
        texts = [build_text(f"{word}i{index}", chance.choice(sizes)) for index in range(chance.choice((1, 1, 3)))]
        self.acknowledged += chat.add_many({"role": "user", "content": text} for text in texts)

    def cut(self, luck: random.Random | None = None) -> None:
        """Saves the files that a power cut now would leave, and the messages acknowledged before it."""
        known = list(self.acknowledged)
        folder = self.path.parent.parent / f"cut{len(self.cuts)}"
        self.cuts.append((self.disk.cut_power(self.path, folder, luck), known))

    def cut_at_random_writes(self, chance: random.Random, every: int, suffix: str = "") -> None:
        """From now on, cuts the power just before some writes and syncs of files with this suffix."""
        left = chance.randrange(1, every)

        def before_io(path: str) -> None:
            nonlocal left
            if path.endswith(suffix):
                left -= 1
                if not left:
                    left = chance.randrange(1, every)
                    self.cut(chance if chance.random() < 0.7 else None)

        self.disk.before_io = before_io

    @property
    def file_syncs(self) -> int:
        """The number of syncs of the database file; with a write-ahead log, one per checkpoint."""
        return self.disk.syncs[str(self.path)]

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.disk.before_io = None
        self.memory.close()

    def assert_nothing_lost(self) -> None:
        for copy, known in self.cuts:
            assert lost(copy, known) == [], f"after the power cut {copy.parent.name}"


def lost(copy: Path, known: list[Message]) -> list[str]:
    """The acknowledged messages that are missing after the power cut; the store must be healthy in any case."""
    with keepsaid.open(copy) as memory:
        assert memory.check().healthy
        stored = {(m.session, m.seq, m.id, m.text) for session in SESSIONS for m in _messages(memory, session)}
        for message in known[-3:]:
            if (message.session, message.seq, message.id, message.text) in stored:
                word = message.text.partition(" ")[0]
                assert [hit.message.id for hit in find_messages(memory, word, owner=OWNER)] == [message.id]
    return [m.id for m in known if (m.session, m.seq, m.id, m.text) not in stored]


def _messages(memory: Memory, session: str) -> list[Message]:
    chat = memory.chat(owner=OWNER, session=session)
    messages = chat.messages()
    assert_gapless(messages)
    assert chat.info().message_count == len(messages)
    return messages


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[Disk]:
    made = Disk(f"forgetful-{request.node.name}")
    yield made
    made.unregister()


@pytest.mark.parametrize("seed", range(4))
def test_power_cut_between_appends_loses_nothing(disk: Disk, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Machine(disk, tmp_path) as machine:
        for number in range(60):
            machine.append(chance, f"n{number}")
            if chance.random() < 0.25:
                machine.cut(chance if chance.random() < 0.5 else None)
    assert len(machine.cuts) > 5
    machine.assert_nothing_lost()


@pytest.mark.parametrize("seed", range(4))
def test_power_cut_during_commit_loses_nothing(disk: Disk, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Machine(disk, tmp_path) as machine:
        machine.cut_at_random_writes(chance, every=60)
        for number in range(60):
            machine.append(chance, f"n{number}")
    assert len(machine.cuts) > 5
    machine.assert_nothing_lost()


@pytest.mark.parametrize("seed", range(2))
def test_power_cut_during_concurrent_appends_loses_nothing(disk: Disk, tmp_path: Path, seed: int) -> None:
    """Concurrent appends share commits; an acknowledgement still means that the message is on the disk."""

    def work(machine: Machine, thread: int) -> None:
        chance = random.Random(100 * seed + thread)
        for number in range(25):
            machine.append(chance, f"t{thread}n{number}")

    with Machine(disk, tmp_path) as machine:
        machine.cut_at_random_writes(random.Random(seed), every=100)
        together(8, partial(work, machine))
    assert len(machine.acknowledged) > 8 * 25
    assert len(machine.cuts) > 5
    machine.assert_nothing_lost()


@pytest.mark.parametrize("seed", range(2))
def test_power_cut_during_checkpoint_loses_nothing(disk: Disk, tmp_path: Path, seed: int) -> None:
    """While the log is copied into the database file and then restarted, every message is in one of the two."""
    chance = random.Random(seed)
    with Machine(disk, tmp_path) as machine:
        made = machine.file_syncs
        machine.cut_at_random_writes(chance, every=400, suffix="chat.db")
        for number in range(220):
            before = machine.file_syncs
            machine.append(chance, f"n{number}", (9000, 40_000))
            if machine.file_syncs > before or chance.random() < 0.03:
                machine.cut(chance)
        checkpoints = machine.file_syncs - made
    assert checkpoints > 2
    assert len(machine.cuts) > checkpoints
    machine.assert_nothing_lost()


def test_power_cut_loses_messages_without_durable_commits(disk: Disk, tmp_path: Path) -> None:
    """Proves the simulated disk: without a sync at every commit the same cuts lose messages, but keep their order."""
    chance = random.Random(1)
    with Machine(disk, tmp_path, durable=False) as machine:
        for number in range(20):
            machine.append(chance, f"n{number}")
            machine.cut()
    missing = [len(lost(copy, known)) for copy, known in machine.cuts]
    assert missing[-1] > 0
    machine.cut()
    assert lost(*machine.cuts[-1]) == [], "closing in peace keeps everything"
