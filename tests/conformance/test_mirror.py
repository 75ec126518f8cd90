"""A storage over a ledger passes what every storage must pass: here over the ledger that is only in memory."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from turns import Turns

from recollect.chat import Chat
from recollect.errors import StoreUnavailable
from recollect.index.local import LocalIndex
from recollect.memory import Memory
from recollect.ports import Near, Passage, Storage
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.ledger import Delta, Point, Row
from recollect.storage.mirror.memory import MemoryLedger, MemoryPlace
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.sqlite import keywords
from recollect.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match
from recollect.tokens import counter_for
from recollect.types import Scope


class TestMirrorStorage(StorageConformance):
    @pytest.fixture
    def place(self) -> MemoryPlace:
        return MemoryPlace()

    @pytest.fixture
    def storage(self, place: MemoryPlace) -> Iterator[Storage]:
        with closing(MirrorStorage(MemoryLedger(place))) as storage:
            yield storage


class TestMirrorVectors(IndexConformance):
    place = TestMirrorStorage.place
    storage = TestMirrorStorage.storage

    @pytest.fixture
    def second(self, place: MemoryPlace) -> Iterator[Storage]:
        with closing(MirrorStorage(MemoryLedger(place))) as second:
            yield second


class TestMirrorArtifacts(ArtifactConformance):
    place = TestMirrorStorage.place
    storage = TestMirrorStorage.storage


@pytest.mark.parametrize("examples", [4, pytest.param(1000, marks=pytest.mark.long)])
def test_lifecycles(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)  # so that short histories reach the index, too
    lifecycles_match(lambda: MirrorStorage(MemoryLedger()), examples=examples, steps=40)


@pytest.mark.parametrize("log", [1000, 1], ids=["by what changed", "all anew"])
@pytest.mark.parametrize("examples", [6, pytest.param(500, marks=pytest.mark.long)])
def test_processes_that_take_turns_see_the_same(monkeypatch: pytest.MonkeyPatch, examples: int, log: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)

    def two() -> Any:
        place = MemoryPlace()
        return Turns(*(MirrorStorage(MemoryLedger(place, log)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)


def said(chat: Chat) -> list[str]:
    return [message.text for message in chat.messages()]


def told(chat: Chat) -> list[str]:
    """What a model would be told of it."""
    context = chat.context("What was it?", budget=4000)
    return [message["content"] for message in context.messages if message["role"] == "user"][:-1]


def over(storage: Storage) -> Memory:
    return Memory(storage, MemoryStorage(), counter_for("o200k_base"))


@pytest.mark.parametrize("does_first", [said, told, None], ids=["reads", "asks", "writes"])
@pytest.mark.parametrize("others_say", range(4))
@pytest.mark.parametrize("has_other_seen", [False, True], ids=["unseen", "seen"])
@pytest.mark.parametrize("log", [1000, 1], ids=["by what changed", "all anew"])
def test_mirrors_and_place_agree_though_commits_were_lost(
    log: int, has_other_seen: bool, others_say: int, does_first: Callable[[Chat], list[str]] | None
) -> None:
    """The place comes back with less than before, and goes on to less, as much and more than it was once."""
    place = MemoryPlace()

    def open_it() -> Memory:
        return over(MirrorStorage(MemoryLedger(place, log)))

    with open_it() as one, open_it() as other, open_it() as newcomer:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        others = other.chat(owner="ann", session="s")
        older = deepcopy(place.units)
        chat.add("user", "lost")
        chat.add("user", "also lost")
        assert said(others if has_other_seen else chat) == ["kept", "lost", "also lost"]
        place.units = older
        expected = ["kept", *(f"new {number}" for number in range(others_say))]
        for text in expected[1:]:
            others.add("user", text)
        if does_first is not None:
            assert does_first(chat) == expected
        chat.add("user", "last")
        assert said(chat) == said(others) == said(newcomer.chat(owner="ann", session="s")) == [*expected, "last"]


def test_vectors_of_lost_messages_are_found_by_nobody() -> None:
    """The place lost a message, and another one has its number now."""
    place, scope = MemoryPlace(), Scope("ann")
    with closing(MirrorStorage(MemoryLedger(place))) as one, closing(MirrorStorage(MemoryLedger(place))) as other:
        one.begin_generation("g", 2)
        index, chat = LocalIndex(one), over(one).chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        embed(one, 1, 0)
        older = deepcopy(place.units)
        chat.add("user", "lost")
        embed(one, 0, 1)
        assert index.search(scope, "g", [0, 1], 1) == [Near(2, 0, 1.0)]
        place.units = older
        over(other).chat(owner="ann", session="s").add("user", "another")
        embed(other, -1, 0)
        assert index.search(scope, "g", [0, 1], 2) == LocalIndex(other).search(scope, "g", [0, 1], 2)
        assert [near.score for near in index.search(scope, "g", [0, 1], 2)] == [0.0, 0.0]


def embed(storage: MirrorStorage, *vector: float) -> None:
    task = storage.claim("g", "worker", 1, 1 << 60, 100)
    assert task is not None
    passages = [Passage(seen.number, 0, 0, 1, struct.pack("<2e", *vector)) for seen in task.messages]
    assert storage.settle_task(task, passages, 2)


class Shuffled(MemoryLedger):
    """Gives rows in another order than they were made in, as places do that keep no order."""

    def load(self, unit: str, since: Point) -> Delta:
        delta = super().load(unit, since)
        return delta._replace(rows=sorted(delta.rows, key=lambda row: (row.table, row.key), reverse=True))


@pytest.mark.parametrize("examples", [4, pytest.param(300, marks=pytest.mark.long)])
def test_the_order_of_rows_does_not_matter(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)

    def two() -> Any:
        place = MemoryPlace()
        return Turns(*(MirrorStorage(Shuffled(place)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)


def test_what_takes_the_place_of_another_is_not_in_its_way() -> None:
    place = MemoryPlace()
    with over(MirrorStorage(Shuffled(place))) as one, over(MirrorStorage(Shuffled(place))) as other:
        one.chat(owner="ann", session="x", create=True)
        one.chat(owner="ann", session="y", create=True)
        assert len(other.sessions(owner="ann")) == 2
        one.erase(owner="ann", session="x")
        for session in ("z", "x"):
            one.chat(owner="ann", session=session, create=True)
        one.chat(owner="ann", session="z").add("user", "Hello")
        assert {session.id for session in other.sessions(owner="ann")} == {"x", "y", "z"}


class Uncertain(MemoryLedger):
    """Keeps what it is given, and loses the answer."""

    fails = False

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        kept = super().commit(unit, after, rows, note, token)
        if self.fails:
            raise StoreUnavailable("no answer")
        return kept


def test_a_change_of_unknown_fate_is_not_done_twice() -> None:
    ledger = Uncertain()
    with over(MirrorStorage(ledger)) as memory:
        chat = memory.chat(owner="ann", title="Old")
        before = chat.info().revision
        ledger.fails = True
        with pytest.raises(StoreUnavailable):
            chat.rename("New")
        ledger.fails = False
        assert (chat.info().title, chat.info().revision) == ("New", before + 1)


def test_more_owners_than_files_may_be_open() -> None:
    with over(MirrorStorage(MemoryLedger(), kept=3)) as memory:
        for number in range(12):
            memory.chat(owner=f"owner {number}").add("user", "Hello")
        folder = memory._storage._mirrors._folder  # type: ignore[attr-defined]
        assert len(list(folder.glob("*.db"))) <= 4, "what is not open is not kept either: the ledger has it"
        assert all(memory.sessions(owner=f"owner {number}") for number in range(12))


def test_a_folder_of_mirrors_belongs_to_one_process_and_survives_damage(tmp_path: Path) -> None:
    place = MemoryPlace()
    with (
        over(MirrorStorage(MemoryLedger(place), tmp_path)) as one,
        over(MirrorStorage(MemoryLedger(place), tmp_path)) as other,
    ):
        one.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        assert other.search("sister", owner="ann")
    files = list(tmp_path.glob("*.db"))
    assert files
    for file in files:
        file.write_bytes(b"damaged" * 1000)
    with over(MirrorStorage(MemoryLedger(place), tmp_path)) as again:
        assert again.search("sister", owner="ann")
