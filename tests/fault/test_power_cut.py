"""The power goes: what was not synced is lost, and nothing that was acknowledged is among it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect import Message
from recollect.memory import Memory
from recollect.storage.sqlite import Source
from recollect.testing.conformance import found

from .forgetful import Disk
from .rig import assert_gapless, marked, over, together

OWNER = "ada"
SESSIONS = ("s0", "s1", "s2")


class Machine:
    """A store on a disk that forgets, what it has acknowledged, and the power cuts it went through."""

    def __init__(self, disk: Disk, folder: Path, durable: bool = True) -> None:
        self.disk = disk
        self.path = folder / "live" / "chat.db"
        self.path.parent.mkdir()
        self.acknowledged: list[Message] = []
        self.cuts: list[tuple[Path, list[Message]]] = []
        self._prepare()
        self.memory = over(Source(self.path, durable=durable, vfs=disk.name))

    def _prepare(self) -> None:
        with over(Source(self.path, vfs=self.disk.name)) as memory:
            for session in SESSIONS:
                memory.chat(owner=OWNER, session=session, create=True)

    def append(self, chance: random.Random, word: str, sizes: tuple[int, ...] = (20, 400, 9000)) -> None:
        """One message, or several in one call."""
        chat = self.memory.chat(owner=OWNER, session=chance.choice(SESSIONS))
        texts = [marked(f"{word}i{index}", chance.choice(sizes)) for index in range(chance.choice((1, 1, 3)))]
        self.acknowledged += chat.add_many({"role": "user", "content": text} for text in texts)

    def cut(self, luck: random.Random | None = None) -> None:
        """Keeps what a power cut now would leave, and what had been acknowledged before it."""
        known = list(self.acknowledged)
        folder = self.path.parent.parent / f"cut{len(self.cuts)}"
        self.cuts.append((self.disk.cut_power(self.path, folder, luck), known))

    def cut_at_random_writes(self, chance: random.Random, every: int, suffix: str = "") -> None:
        """From now on the power is cut just before some write or sync of the files that end so."""
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
        """How often the file itself was synced; with a log that is once for each checkpoint."""
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
    """The acknowledged messages that are not in what the power cut left; that must be a healthy store in any case."""
    with recollect.open(copy) as memory:
        assert memory.check().healthy
        stored = {(m.session, m.seq, m.id, m.text) for session in SESSIONS for m in _messages(memory, session)}
        for message in known[-3:]:
            if (message.session, message.seq, message.id, message.text) in stored:
                word = message.text.partition(" ")[0]
                assert [hit.message.id for hit in found(memory, word, owner=OWNER)] == [message.id]
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
def test_cut_between_appends(disk: Disk, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Machine(disk, tmp_path) as machine:
        for number in range(60):
            machine.append(chance, f"n{number}")
            if chance.random() < 0.25:
                machine.cut(chance if chance.random() < 0.5 else None)
    assert len(machine.cuts) > 5
    machine.assert_nothing_lost()


@pytest.mark.parametrize("seed", range(4))
def test_cut_in_the_middle_of_a_commit(disk: Disk, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Machine(disk, tmp_path) as machine:
        machine.cut_at_random_writes(chance, every=60)
        for number in range(60):
            machine.append(chance, f"n{number}")
    assert len(machine.cuts) > 5
    machine.assert_nothing_lost()


@pytest.mark.parametrize("seed", range(2))
def test_cut_under_a_crowd_of_threads(disk: Disk, tmp_path: Path, seed: int) -> None:
    """The appenders share commits; an acknowledgement still means that the message is on the disk."""

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
def test_cut_in_the_middle_of_a_checkpoint(disk: Disk, tmp_path: Path, seed: int) -> None:
    """While the log is copied into the file, and while the log begins anew, everything is in one of the two."""
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


def test_the_disk_does_forget(disk: Disk, tmp_path: Path) -> None:
    """The proof of the proof: without a sync at every commit the same cuts lose messages, though never their order."""
    chance = random.Random(1)
    with Machine(disk, tmp_path, durable=False) as machine:
        for number in range(20):
            machine.append(chance, f"n{number}")
            machine.cut()
    missing = [len(lost(copy, known)) for copy, known in machine.cuts]
    assert missing[-1] > 0
    machine.cut()
    assert lost(*machine.cuts[-1]) == [], "closing in peace keeps everything"
