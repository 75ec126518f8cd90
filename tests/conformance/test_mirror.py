"""A storage over a ledger passes what every storage must pass: here over the ledger that is only in memory."""

import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from turns import Turns

from recollect.chat import Chat
from recollect.errors import NotFound, StoreUnavailable
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
from recollect.types import Scope, Status


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


def test_words_of_lost_messages_are_not_taken_for_those_of_others() -> None:
    """The place lost messages, and others have their numbers now."""
    place = MemoryPlace()
    with over(MirrorStorage(MemoryLedger(place))) as one, over(MirrorStorage(MemoryLedger(place))) as other:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        older = deepcopy(place.units)
        chat.add("user", "lost")
        chat.add("user", "My sister lives in Lisbon.")
        assert one.search("sister", owner="ann")
        place.units = older
        others = other.chat(owner="ann", session="s")
        others.add("user", "new")
        assert said(chat) == ["kept", "new"]
        others.add("user", "We drink tea in Porto.")
        assert "We drink tea in Porto." in [hit.message.text for hit in one.search("Porto", owner="ann")]
        assert not one.search("sister", owner="ann")


# -- numbers that are never given twice


def test_the_number_of_somebody_who_was_erased_is_not_given_to_another() -> None:
    """What a process knows of a message by its number would be said of another one."""
    place = MemoryPlace()
    with over(MirrorStorage(MemoryLedger(place))) as one, over(MirrorStorage(MemoryLedger(place))) as newcomer:
        one.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        assert one.search("sister", owner="ann")
        one.erase(owner="ann")
        newcomer.chat(owner="ann").add("user", "We drink tea in Porto.")
        assert [hit.message.text for hit in one.search("Porto", owner="ann")] == ["We drink tea in Porto."]
        assert not one.search("sister", owner="ann")


def test_a_generation_that_was_dropped_is_not_taken_for_the_next() -> None:
    place, scope = MemoryPlace(), Scope("ann")
    with closing(MirrorStorage(MemoryLedger(place))) as one, closing(MirrorStorage(MemoryLedger(place))) as follower:
        one.begin_generation("g", 2)
        over(one).chat(owner="ann").add("user", "Hello")
        embed(one, 1, 0)
        index = LocalIndex(follower)
        assert [near.score for near in index.search(scope, "g", [1, 0], 1)] == [1.0]
        one.drop_generation("g")
        with closing(MirrorStorage(MemoryLedger(place))) as newcomer:
            newcomer.begin_generation("g", 2)
            embed(newcomer, 0, 1)
        assert [near.score for near in index.search(scope, "g", [1, 0], 1)] == [0.0]


# -- across owners


def test_clean_ups_at_once_do_not_disturb_each_other() -> None:
    with closing(MirrorStorage(MemoryLedger())) as storage:
        for owner in ("bob", "cid", "dan"):
            over(storage).chat(owner=owner).add("user", "Hello")
        far, before = 1 << 60, {Status.ACTIVE: 1 << 60}
        first = storage.sweep(before, far, after=0, limit=1, dry_run=True)
        over(storage).chat(owner="ann").add("user", "Hello")
        second = storage.sweep(before, far, after=0, limit=1, dry_run=True)
        begun = [one.last or 0 for one in (first, second)]
        assert all(begun)
        rest = [storage.sweep(before, far, after=after, limit=100, dry_run=True) for after in begun]
        assert [batch.expired for batch in rest] == [2, 3]
        assert [batch.last for batch in rest] == [None, None]


def test_how_far_a_pool_is_done_is_told_to_its_admins() -> None:
    with closing(MirrorStorage(MemoryLedger())) as storage:
        storage.create_pool("team", "Team", "ann", 1)
        assert storage.done(Scope("ann", pool="team"), "g") == 0
        with pytest.raises(NotFound):
            storage.done(Scope("eve", pool="team"), "g")


# -- check-ups


TAMPERED = {
    "changed": ("UPDATE messages SET text = 'My sister lives in Porto.'", "1 rows of messages differ"),
    "missing": ("DELETE FROM receipts", "1 are missing"),
    "too many": ("INSERT INTO grants VALUES (1, 'eve', 2)", "1 too many"),
}


@pytest.mark.parametrize(("tampering", "told"), TAMPERED.values(), ids=TAMPERED)
def test_a_check_up_tells_that_a_mirror_is_not_what_the_place_has(tmp_path: Path, tampering: str, told: str) -> None:
    place = MemoryPlace()
    with over(MirrorStorage(MemoryLedger(place), tmp_path)) as memory:
        chat = memory.chat(owner="ann")
        chat.add("user", "My sister lives in Lisbon.")
        chat.context("Where does she live?")
        assert memory.check().findings == ()
    for file in tmp_path.glob("*.db"):
        with closing(sqlite3.connect(file)) as db, db:
            db.execute(tampering)
    kept = deepcopy(place.units["o:ann"].rows)
    with over(MirrorStorage(MemoryLedger(place), tmp_path)) as memory:
        found = [finding for finding in memory.check().findings if finding.detail.startswith("o:ann")]
        assert [(finding.kind, finding.repaired) for finding in found] == [("mirror", False)]
        assert told in found[0].detail
        assert memory.check(repair=True).healthy
        assert place.units["o:ann"].rows == kept, "the place is right, and the mirror is not"
        assert memory.check().findings == ()
        assert memory.search("Lisbon", owner="ann")


# -- what others erased


class Counting(MemoryLedger):
    """Notes which units are asked for their rows."""

    def __init__(self, place: MemoryPlace) -> None:
        super().__init__(place)
        self.loaded: list[str] = []

    def load(self, unit: str, since: Point) -> Delta:
        self.loaded.append(unit)
        return super().load(unit, since)


def is_in(folder: Path, word: str) -> bool:
    return any(word.encode() in file.read_bytes() for file in folder.iterdir())


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Memory, MemoryPlace, Path]]:
    """A process, and the folder of another one, which has mirrors of two owners and is not running."""
    place, folder = MemoryPlace(), tmp_path / "theirs"
    with over(MirrorStorage(MemoryLedger(place), tmp_path / "ours")) as ours:
        for owner, text in (("ann", "My sister lives in Lisbon."), ("bob", "We drink tea in Porto.")):
            ours.chat(owner=owner, session="kept", create=True).add("user", "Nothing to hide.")
            ours.chat(owner=owner, session="s", create=True).add("user", text)
        with over(MirrorStorage(MemoryLedger(place), folder)) as theirs:
            assert theirs.search("sister", owner="ann")
            assert theirs.search("tea", owner="bob")
        assert is_in(folder, "Lisbon")
        yield ours, place, folder


@pytest.mark.parametrize("erased", [{}, {"session": "s"}], ids=["an owner", "a session"])
def test_what_was_erased_while_a_process_slept_is_gone_when_it_wakes(two: Any, erased: dict[str, str]) -> None:
    ours, place, folder = two
    ours.erase(owner="ann", **erased)
    ledger = Counting(place)
    with over(MirrorStorage(ledger, folder)) as theirs:
        assert not is_in(folder, "Lisbon")
        assert is_in(folder, "Porto")
        assert "o:bob" not in ledger.loaded, "what has not moved is not looked at"
        assert len(theirs.sessions(owner="ann")) == (1 if erased else 0)
        assert theirs.search("tea", owner="bob")


@pytest.mark.parametrize("erased", [{}, {"session": "s"}], ids=["an owner", "a session"])
@pytest.mark.parametrize("kept", [48, 1], ids=["open", "closed"])
def test_what_others_erase_is_gone_after_maintenance(two: Any, erased: dict[str, str], kept: int) -> None:
    ours, place, folder = two
    with closing(MirrorStorage(MemoryLedger(place), folder, kept=kept)) as theirs:
        assert over(theirs).search("sister", owner="ann")
        assert over(theirs).search("tea", owner="bob")
        ours.erase(owner="ann", **erased)
        theirs.maintain()
        assert not is_in(folder, "Lisbon")
        assert is_in(folder, "Porto")


def test_a_mirror_whose_owner_is_not_in_the_place_is_removed(two: Any) -> None:
    _, _, folder = two
    with over(MirrorStorage(MemoryLedger(), folder)):
        assert not is_in(folder, "Lisbon")
        assert not list(folder.glob("*.db-*"))


def test_a_mirror_that_is_behind_follows_and_is_not_filled_anew(two: Any) -> None:
    ours, place, folder = two
    ours.chat(owner="ann", session="s").add("user", "She likes it there.")
    ledger = Counting(place)
    with over(MirrorStorage(ledger, folder)) as theirs:
        assert ledger.loaded == ["o:ann"]
        (mirror,) = theirs._storage._mirrors._open.values()  # type: ignore[attr-defined]
        assert mirror._mirroring.filled == 0
        assert theirs.search("likes", owner="ann")


def test_opening_does_not_wait_for_many_mirrors_to_follow(two: Any) -> None:
    ours, place, folder = two
    for owner in ("ann", "bob"):
        ours.erase(owner=owner, session="s")
    ledger = Counting(place)
    with over(MirrorStorage(ledger, folder, kept=1)) as theirs:
        assert sorted(ledger.loaded) in (["o:ann"], ["o:bob"])
        assert not is_in(folder, "Lisbon")
        assert not is_in(folder, "Porto")
        assert all(len(theirs.sessions(owner=owner)) == 1 for owner in ("ann", "bob"))


def test_a_process_that_crashed_knows_nothing_of_its_mirrors(two: Any) -> None:
    """A note of the point that a mirror rests at would be wrong by now."""
    _, place, folder = two
    with over(MirrorStorage(MemoryLedger(place), folder)) as theirs:
        before = {file.name for file in folder.glob("*-point")}
        theirs.sessions(owner="ann")
        assert len(before - {file.name for file in folder.glob("*-point")}) == 1
    assert {file.name for file in folder.glob("*-point")} == before
