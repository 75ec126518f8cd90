"""A replica storage over the in-memory ledger passes the storage conformance suites and stays in step with its ledger."""

import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from turns import Turns

from keepsaid.errors import NotFound, StoreUnavailable
from keepsaid.index.local import LocalIndex
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import EmbeddedPassage, Storage, VectorMatch
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.replica.ledger import LedgerPoint, LedgerRow, PartitionDelta
from keepsaid.storage.replica.memory_ledger import MemoryLedger, MemoryLedgerServer
from keepsaid.storage.replica.partitions import STORE_PARTITION
from keepsaid.storage.replica.replica import Replica
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.storage.sqlite.search import keyword_index
from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Scope, SessionStatus


class TestReplicaStorage(StorageConformance):
    @pytest.fixture
    def place(self) -> MemoryLedgerServer:
        return MemoryLedgerServer()

    @pytest.fixture
    def storage(self, place: MemoryLedgerServer) -> Iterator[Storage]:
        with closing(ReplicaStorage(MemoryLedger(place))) as storage:
            yield storage


class TestReplicaVectors(IndexConformance):
    place = TestReplicaStorage.place
    storage = TestReplicaStorage.storage

    @pytest.fixture
    def second(self, place: MemoryLedgerServer) -> Iterator[Storage]:
        with closing(ReplicaStorage(MemoryLedger(place))) as second:
            yield second


class TestReplicaArtifacts(ArtifactConformance):
    place = TestReplicaStorage.place
    storage = TestReplicaStorage.storage


@pytest.mark.parametrize("examples", [4, pytest.param(1000, marks=pytest.mark.long)])
def test_lifecycles_match_reference(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keyword_index, "TAIL_LENGTH", 4)  # so that short histories reach the index, too
    lifecycles_match(lambda: ReplicaStorage(MemoryLedger()), examples=examples, steps=40)


@pytest.mark.parametrize("log", [1000, 1], ids=["by what changed", "all anew"])
@pytest.mark.parametrize("examples", [6, pytest.param(500, marks=pytest.mark.long)])
def test_alternating_replicas_match_reference(monkeypatch: pytest.MonkeyPatch, examples: int, log: int) -> None:
    monkeypatch.setattr(keyword_index, "TAIL_LENGTH", 4)

    def two() -> Any:
        place = MemoryLedgerServer()
        return Turns(*(ReplicaStorage(MemoryLedger(place, log)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)


def read_texts(chat: Chat) -> list[str]:
    return [message.text for message in chat.messages()]


def read_prompt_texts(chat: Chat) -> list[str]:
    """The user messages that a model would get in the context."""
    context = chat.context("What was it?", budget=4000)
    return [message["content"] for message in context.messages if message["role"] == "user"][:-1]


def over(storage: Storage) -> Memory:
    return Memory(storage, MemoryStorage(), counter_for("o200k_base"))


@pytest.mark.parametrize("does_first", [read_texts, read_prompt_texts, None], ids=["reads", "asks", "writes"])
@pytest.mark.parametrize("others_say", range(4))
@pytest.mark.parametrize("has_other_seen", [False, True], ids=["unseen", "seen"])
@pytest.mark.parametrize("log", [1000, 1], ids=["by what changed", "all anew"])
def test_replicas_agree_with_ledger_after_lost_commits(
    log: int, has_other_seen: bool, others_say: int, does_first: Callable[[Chat], list[str]] | None
) -> None:
    """The ledger loses commits, then grows to fewer, as many and more rows than it had before."""
    place = MemoryLedgerServer()

    def open_it() -> Memory:
        return over(ReplicaStorage(MemoryLedger(place, log)))

    with open_it() as one, open_it() as other, open_it() as newcomer:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        others = other.chat(owner="ann", session="s")
        older = deepcopy(place.partitions)
        chat.add("user", "lost")
        chat.add("user", "also lost")
        assert read_texts(others if has_other_seen else chat) == ["kept", "lost", "also lost"]
        place.partitions = older
        expected = ["kept", *(f"new {number}" for number in range(others_say))]
        for text in expected[1:]:
            others.add("user", text)
        if does_first is not None:
            assert does_first(chat) == expected
        chat.add("user", "last")
        assert (
            read_texts(chat)
            == read_texts(others)
            == read_texts(newcomer.chat(owner="ann", session="s"))
            == [*expected, "last"]
        )


def test_vector_search_ignores_vectors_of_lost_messages() -> None:
    """The ledger lost a message, and another message has its number now."""
    place, scope = MemoryLedgerServer(), Scope("ann")
    with closing(ReplicaStorage(MemoryLedger(place))) as one, closing(ReplicaStorage(MemoryLedger(place))) as other:
        one.begin_generation("g", 2)
        index, chat = LocalIndex(one), over(one).chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        embed(one, 1, 0)
        older = deepcopy(place.partitions)
        chat.add("user", "lost")
        embed(one, 0, 1)
        assert index.search(scope, "g", [0, 1], 1) == [VectorMatch(2, 0, 1.0)]
        place.partitions = older
        over(other).chat(owner="ann", session="s").add("user", "another")
        embed(other, -1, 0)
        assert index.search(scope, "g", [0, 1], 2) == LocalIndex(other).search(scope, "g", [0, 1], 2)
        assert [near.score for near in index.search(scope, "g", [0, 1], 2)] == [0.0, 0.0]


def embed(storage: ReplicaStorage, *vector: float) -> None:
    task = storage.claim("g", "worker", 1, 1 << 60, 100)
    assert task is not None
    passages = [EmbeddedPassage(seen.number, 0, 0, 1, struct.pack("<2e", *vector)) for seen in task.messages]
    assert storage.settle_task(task, passages, 2)


class Shuffled(MemoryLedger):
    """Returns rows in another order than that of their creation, as servers without an order do."""

    def load(self, unit: str, since: LedgerPoint) -> PartitionDelta:
        delta = super().load(unit, since)
        return delta._replace(rows=sorted(delta.rows, key=lambda row: (row.table, row.key), reverse=True))


@pytest.mark.parametrize("examples", [4, pytest.param(300, marks=pytest.mark.long)])
def test_replicas_match_reference_with_shuffled_rows(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keyword_index, "TAIL_LENGTH", 4)

    def two() -> Any:
        place = MemoryLedgerServer()
        return Turns(*(ReplicaStorage(Shuffled(place)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)


def test_replica_applies_session_recreated_after_erase() -> None:
    place = MemoryLedgerServer()
    with over(ReplicaStorage(Shuffled(place))) as one, over(ReplicaStorage(Shuffled(place))) as other:
        one.chat(owner="ann", session="x", create=True)
        one.chat(owner="ann", session="y", create=True)
        assert len(other.sessions(owner="ann")) == 2
        one.erase(owner="ann", session="x")
        for session in ("z", "x"):
            one.chat(owner="ann", session=session, create=True)
        one.chat(owner="ann", session="z").add("user", "Hello")
        assert {session.id for session in other.sessions(owner="ann")} == {"x", "y", "z"}


class Uncertain(MemoryLedger):
    """Commits the rows, and then fails as if the answer were lost."""

    fails = False

    def commit(self, unit: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str) -> bool:
        kept = super().commit(unit, after, rows, note, token)
        if self.fails:
            raise StoreUnavailable("no answer")
        return kept


def test_commit_with_lost_answer_is_applied_once() -> None:
    ledger = Uncertain()
    with over(ReplicaStorage(ledger)) as memory:
        chat = memory.chat(owner="ann", title="Old")
        before = chat.info().revision
        ledger.fails = True
        with pytest.raises(StoreUnavailable):
            chat.rename("New")
        ledger.fails = False
        assert (chat.info().title, chat.info().revision) == ("New", before + 1)


def test_replicas_are_closed_and_deleted_beyond_limit() -> None:
    with over(ReplicaStorage(MemoryLedger(), kept=3)) as memory:
        for number in range(12):
            memory.chat(owner=f"owner {number}").add("user", "Hello")
        folder = memory._services.storage._replicas._folder  # type: ignore[attr-defined]
        assert len(list(folder.glob("*.db"))) <= 4, "what is not open is not kept either: the ledger has it"
        assert all(memory.sessions(owner=f"owner {number}") for number in range(12))


def test_replica_folder_has_one_process_and_survives_damage(tmp_path: Path) -> None:
    place = MemoryLedgerServer()
    with (
        over(ReplicaStorage(MemoryLedger(place), tmp_path)) as one,
        over(ReplicaStorage(MemoryLedger(place), tmp_path)) as other,
    ):
        one.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        assert other.search("sister", owner="ann")
    files = list(tmp_path.glob("*.db"))
    assert files
    for file in files:
        file.write_bytes(b"damaged" * 1000)
    with over(ReplicaStorage(MemoryLedger(place), tmp_path)) as again:
        assert again.search("sister", owner="ann")


def test_word_search_ignores_words_of_lost_messages() -> None:
    """The ledger lost messages, and others have their numbers now."""
    place = MemoryLedgerServer()
    with over(ReplicaStorage(MemoryLedger(place))) as one, over(ReplicaStorage(MemoryLedger(place))) as other:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        older = deepcopy(place.partitions)
        chat.add("user", "lost")
        chat.add("user", "My sister lives in Lisbon.")
        assert one.search("sister", owner="ann")
        place.partitions = older
        others = other.chat(owner="ann", session="s")
        others.add("user", "new")
        assert read_texts(chat) == ["kept", "new"]
        others.add("user", "We drink tea in Porto.")
        assert "We drink tea in Porto." in [hit.message.text for hit in one.search("Porto", owner="ann")]
        assert not one.search("sister", owner="ann")


# -- numbers that are never given twice


def test_erased_owner_number_is_not_reused() -> None:
    """Otherwise data that a process keeps by message number would be applied to another message."""
    place = MemoryLedgerServer()
    with over(ReplicaStorage(MemoryLedger(place))) as one, over(ReplicaStorage(MemoryLedger(place))) as newcomer:
        one.chat(owner="ann").add("user", "My sister lives in Lisbon.")
        assert one.search("sister", owner="ann")
        one.erase(owner="ann")
        newcomer.chat(owner="ann").add("user", "We drink tea in Porto.")
        assert [hit.message.text for hit in one.search("Porto", owner="ann")] == ["We drink tea in Porto."]
        assert not one.search("sister", owner="ann")


def test_dropped_generation_is_not_mistaken_for_next_one() -> None:
    place, scope = MemoryLedgerServer(), Scope("ann")
    with closing(ReplicaStorage(MemoryLedger(place))) as one, closing(ReplicaStorage(MemoryLedger(place))) as follower:
        one.begin_generation("g", 2)
        over(one).chat(owner="ann").add("user", "Hello")
        embed(one, 1, 0)
        index = LocalIndex(follower)
        assert [near.score for near in index.search(scope, "g", [1, 0], 1)] == [1.0]
        one.drop_generation("g")
        with closing(ReplicaStorage(MemoryLedger(place))) as newcomer:
            newcomer.begin_generation("g", 2)
            embed(newcomer, 0, 1)
        assert [near.score for near in index.search(scope, "g", [1, 0], 1)] == [0.0]


# -- across owners


def test_concurrent_sweeps_do_not_affect_each_other() -> None:
    with closing(ReplicaStorage(MemoryLedger())) as storage:
        for owner in ("bob", "cid", "dan"):
            over(storage).chat(owner=owner).add("user", "Hello")
        far, before = 1 << 60, {SessionStatus.ACTIVE: 1 << 60}
        first = storage.sweep(before, far, after=0, limit=1, dry_run=True)
        over(storage).chat(owner="ann").add("user", "Hello")
        second = storage.sweep(before, far, after=0, limit=1, dry_run=True)
        begun = [one.last or 0 for one in (first, second)]
        assert all(begun)
        rest = [storage.sweep(before, far, after=after, limit=100, dry_run=True) for after in begun]
        assert [batch.expired for batch in rest] == [2, 3]
        assert [batch.last for batch in rest] == [None, None]


def test_done_of_pool_is_visible_to_admins_only() -> None:
    with closing(ReplicaStorage(MemoryLedger())) as storage:
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
def test_check_finds_and_repairs_tampered_replica(tmp_path: Path, tampering: str, told: str) -> None:
    place = MemoryLedgerServer()
    with over(ReplicaStorage(MemoryLedger(place), tmp_path)) as memory:
        chat = memory.chat(owner="ann")
        chat.add("user", "My sister lives in Lisbon.")
        chat.context("Where does she live?")
        assert memory.check().findings == ()
    for file in tmp_path.glob("*.db"):
        with closing(sqlite3.connect(file)) as db, db:
            db.execute(tampering)
    kept = deepcopy(place.partitions["o:ann"].rows)
    with over(ReplicaStorage(MemoryLedger(place), tmp_path)) as memory:
        found = [finding for finding in memory.check().findings if finding.detail.startswith("o:ann")]
        assert [(finding.kind, finding.repaired) for finding in found] == [("replica", False)]
        assert told in found[0].detail
        assert memory.check(repair=True).healthy
        assert place.partitions["o:ann"].rows == kept, "the place is right, and the replica is not"
        assert memory.check().findings == ()
        assert memory.search("Lisbon", owner="ann")


# -- what others erased


class Counting(MemoryLedger):
    """Records the units whose rows are loaded."""

    def __init__(self, place: MemoryLedgerServer) -> None:
        super().__init__(place)
        self.loaded: list[str] = []

    def load(self, unit: str, since: LedgerPoint) -> PartitionDelta:
        self.loaded.append(unit)
        return super().load(unit, since)


def is_in(folder: Path, word: str) -> bool:
    return any(word.encode() in file.read_bytes() for file in folder.iterdir())


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Memory, MemoryLedgerServer, Path]]:
    """A process, and the folder of a stopped process with replicas of two owners."""
    place, folder = MemoryLedgerServer(), tmp_path / "theirs"
    with over(ReplicaStorage(MemoryLedger(place), tmp_path / "ours")) as ours:
        for owner, text in (("ann", "My sister lives in Lisbon."), ("bob", "We drink tea in Porto.")):
            ours.chat(owner=owner, session="kept", create=True).add("user", "Nothing to hide.")
            ours.chat(owner=owner, session="s", create=True).add("user", text)
        with over(ReplicaStorage(MemoryLedger(place), folder)) as theirs:
            assert theirs.search("sister", owner="ann")
            assert theirs.search("tea", owner="bob")
        assert is_in(folder, "Lisbon")
        yield ours, place, folder


@pytest.mark.parametrize("erased", [{}, {"session": "s"}], ids=["an owner", "a session"])
def test_opening_removes_data_erased_while_process_was_stopped(two: Any, erased: dict[str, str]) -> None:
    ours, place, folder = two
    ours.erase(owner="ann", **erased)
    ledger = Counting(place)
    with over(ReplicaStorage(ledger, folder)) as theirs:
        assert not is_in(folder, "Lisbon")
        assert is_in(folder, "Porto")
        assert "o:bob" not in ledger.loaded, "what has not moved is not looked at"
        assert len(theirs.sessions(owner="ann")) == (1 if erased else 0)
        assert theirs.search("tea", owner="bob")


@pytest.mark.parametrize("erased", [{}, {"session": "s"}], ids=["an owner", "a session"])
@pytest.mark.parametrize("kept", [48, 1], ids=["open", "closed"])
def test_maintain_removes_data_erased_by_other_process(two: Any, erased: dict[str, str], kept: int) -> None:
    ours, place, folder = two
    with closing(ReplicaStorage(MemoryLedger(place), folder, kept=kept)) as theirs:
        assert over(theirs).search("sister", owner="ann")
        assert over(theirs).search("tea", owner="bob")
        ours.erase(owner="ann", **erased)
        theirs.maintain()
        assert not is_in(folder, "Lisbon")
        assert is_in(folder, "Porto")


def test_replica_of_owner_missing_from_ledger_is_deleted(two: Any) -> None:
    _, _, folder = two
    with over(ReplicaStorage(MemoryLedger(), folder)):
        assert not is_in(folder, "Lisbon")
        assert not list(folder.glob("*.db-*"))


def test_outdated_replica_loads_only_changes(two: Any) -> None:
    ours, place, folder = two
    ours.chat(owner="ann", session="s").add("user", "She likes it there.")
    ledger = Counting(place)
    with over(ReplicaStorage(ledger, folder)) as theirs:
        assert ledger.loaded == ["o:ann"]
        (replica,) = theirs._services.storage._replicas._open.values()  # type: ignore[attr-defined]
        assert replica._replica_writer.refill_count == 0
        assert theirs.search("likes", owner="ann")


def test_opening_updates_only_replicas_that_stay_open(two: Any) -> None:
    ours, place, folder = two
    for owner in ("ann", "bob"):
        ours.erase(owner=owner, session="s")
    ledger = Counting(place)
    with over(ReplicaStorage(ledger, folder, kept=1)) as theirs:
        assert sorted(ledger.loaded) in (["o:ann"], ["o:bob"])
        assert not is_in(folder, "Lisbon")
        assert not is_in(folder, "Porto")
        assert all(len(theirs.sessions(owner=owner)) == 1 for owner in ("ann", "bob"))


def test_point_file_is_removed_while_replica_is_open(two: Any) -> None:
    """After a crash the recorded point of a replica would be wrong."""
    _, place, folder = two
    with over(ReplicaStorage(MemoryLedger(place), folder)) as theirs:
        before = {file.name for file in folder.glob("*-point")}
        theirs.sessions(owner="ann")
        assert len(before - {file.name for file in folder.glob("*-point")}) == 1
    assert {file.name for file in folder.glob("*-point")} == before


@pytest.mark.parametrize("verb", ["generations", "has_work_line"])
def test_generation_begun_during_a_search_is_no_note_line(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """A search asks whether messages wait, while the worker begins the generation. Its messages were never embedded."""
    with closing(ReplicaStorage(MemoryLedger(MemoryLedgerServer()))) as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER)
        memory.chat(owner="u1").add("user", "Green tea.")
        scope, read, begun = Scope("u1"), getattr(Replica, verb), []

        def read_then_begin(replica: Replica, *arguments: Any) -> Any:
            found = read(replica, *arguments)
            if not begun and replica._partition == STORE_PARTITION:
                begun.append(True)
                storage.begin_generation("model", 1)
            return found

        monkeypatch.setattr(Replica, verb, read_then_begin)
        storage.waiting(scope, "model")
        assert begun
        storage.begin_generation("model", 1)
        task = storage.claim("model", "me", 0, 1_000_000, 10)
        assert task is not None
        assert storage.settle_task(task, [EmbeddedPassage(1, 0, 0, 10, b"\0\0", b"", 0)], 0)
