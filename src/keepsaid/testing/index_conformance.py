"""The conformance suite for vectors and their index: tests that every storage with vectors must pass.

Subclass it and give it a `storage` fixture, and a `second` one if the same data can be opened twice. Texts are embedded by
the `HashEmbedder`; `embed_waiting` takes the role of the worker.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from keepsaid.errors import Conflict, InvalidInput, NotFound
from keepsaid.index.local import LocalIndex
from keepsaid.memory import Memory
from keepsaid.ports import (
    EmbeddedPassage,
    Embedder,
    Index,
    Storage,
    VectorMark,
    VectorMatch,
    VectorStorage,
    VisibleMessage,
    WorkLease,
)
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.testing.embedder import HashEmbedder
from keepsaid.types import MessageDraft, Role, Scope, SearchFilters, to_microseconds

MINUTE = 60_000_000
EMBEDDER = HashEmbedder(tokens=True)
GENERATION = EMBEDDER.name


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return a vector in the format of storages."""
    return struct.pack(f"<{len(vector)}e", *vector)


def embed_task(task: WorkLease, embedder: Embedder = EMBEDDER) -> list[EmbeddedPassage]:
    """Embed a task as a worker does: every message with text is one passage."""
    texts = [seen for seen in task.messages if seen.message.text]
    embeddings = embedder.embed([seen.message.text for seen in texts])
    return [
        EmbeddedPassage(seen.number, 0, 0, len(seen.message.text), pack_vector(item.vector), item.tokens, item.width)
        for seen, item in zip(texts, embeddings, strict=True)
    ]


def embed_waiting(
    storage: VectorStorage, embedder: Embedder = EMBEDDER, scope: Scope | None = None, *, holder: str = "w1", limit: int = 7
) -> int:
    """Embed all waiting messages. Return how many tasks that took."""
    dimensions = len(embedder.embed(["x"])[0].vector)
    storage.begin_generation(embedder.name, dimensions)
    tasks = 0
    while (task := storage.claim(embedder.name, holder, 0, MINUTE, limit, scope)) is not None:
        assert storage.settle_task(task, embed_task(task, embedder), 0)
        tasks += 1
    return tasks


def search_exhaustively(storage: VectorStorage, scope: Scope, generation: str, target: Sequence[float]) -> list[VectorMatch]:
    """Return every passage of the scope with its exact cosine, best first."""
    delta = storage.vectors(scope, generation, VectorMark())
    length = math.sqrt(sum(x * x for x in target))
    scored: list[VectorMatch] = []
    for number, part, vector in zip(delta.numbers, delta.parts, delta.vectors, strict=True):
        values = struct.unpack(f"<{len(vector) // 2}e", vector)
        scored.append(VectorMatch(number, part, sum(x * y for x, y in zip(values, target, strict=True)) / length))
    return sorted(scored, key=lambda near: -near.score)


def embed_question(text: str) -> Sequence[float]:
    """Return the vector of a question."""
    return EMBEDDER.embed([text], asking=True)[0].vector


class IndexConformance:
    """Tests of vectors, work queues and vector search."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """Yield an empty storage; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def second(self, storage: Storage) -> Storage:
        """Return another connection to the same data, where that is possible."""
        return storage

    @pytest.fixture
    def index(self, storage: Storage) -> Index:
        """Return the index under test: the built-in one, unless the subclass has its own."""
        return LocalIndex(storage)

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Return a clock that the test controls."""
        return ManualClock()

    @pytest.fixture
    def memory(self, storage: Storage, clock: ManualClock) -> Memory:
        """Return a memory over the storage, for adding messages. The storage fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock)

    @pytest.fixture(autouse=True)
    def assert_healthy_afterwards(self, storage: Storage) -> Iterator[None]:
        """Check after every test that messages and vectors agree."""
        yield
        assert storage.check().findings == ()

    # -- search

    def test_settled_vectors_are_found(self, memory: Memory, storage: Storage, index: Index) -> None:
        chat = memory.chat(owner="u1")
        for number in range(20):
            message = chat.add("user", f"the door {number} opens with code x{number}")
            embed_waiting(storage)
            (best,) = index.search(Scope("u1"), GENERATION, embed_question(message.text), 1)
            assert (best.number, best.part) == (number + 1, 0)
            assert best.score > 0.99
        assert storage.waiting(Scope("u1"), GENERATION) == 0

    def test_search_order_matches_exact_cosine(self, memory: Memory, storage: Storage, index: Index) -> None:
        chance = random.Random(7)
        words = [f"word{number}" for number in range(60)]
        memory.chat(owner="u1").add_many([MessageDraft("user", " ".join(chance.choices(words, k=6))) for _ in range(600)])
        embed_waiting(storage, limit=250)
        for _ in range(20):
            vector = embed_question(" ".join(chance.choices(words, k=4)))
            found = index.search(Scope("u1"), GENERATION, vector, 10)
            true = search_exhaustively(storage, Scope("u1"), GENERATION, vector)
            assert [near.score for near in found] == pytest.approx([near.score for near in true[:10]], abs=1e-5)
            scores = {(near.number, near.part): near.score for near in true}
            assert all(near.score == pytest.approx(scores[near.number, near.part], abs=1e-5) for near in found)
        assert len(index.search(Scope("u1"), GENERATION, embed_question("word1"), 1000)) == 600
        assert index.search(Scope("u1"), GENERATION, embed_question("word1"), 0) == []

    def test_search_among_given_messages(self, memory: Memory, storage: Storage, index: Index) -> None:
        memory.chat(owner="u1").add_many([MessageDraft("user", f"tea number {number}") for number in range(300)])
        embed_waiting(storage, limit=100)
        among = list(range(5, 300, 3))
        found = index.search(Scope("u1"), GENERATION, embed_question("tea number 8"), 500, among)
        assert sorted(near.number for near in found) == among
        best = index.search(Scope("u1"), GENERATION, embed_question("tea number 7"), 3, among)
        assert best[0].number == 8
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 3, []) == []
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 3, [999]) == []

    def test_message_can_have_several_passages(self, memory: Memory, storage: Storage, index: Index) -> None:
        memory.chat(owner="u1").add("user", "first the tea then the rain")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 10)
        assert task is not None
        items = EMBEDDER.embed(["first the tea", "then the rain"])
        parts = [
            EmbeddedPassage(1, n, 14 * n, 14 * n + 13, pack_vector(item.vector), item.tokens, item.width)
            for n, item in enumerate(items)
        ]
        assert storage.settle_task(task, parts, 0)
        (best, _) = index.search(Scope("u1"), GENERATION, embed_question("then the rain"), 5)
        assert (best.number, best.part) == (1, 1)
        assert storage.passages(Scope("u1"), GENERATION, [1, 2, 1]) == parts

    def test_question_with_wrong_dimensions_is_refused(self, memory: Memory, storage: Storage, index: Index) -> None:
        memory.chat(owner="u1").add("user", "tea")
        embed_waiting(storage)
        for wrong in ([1.0, 0.0], [], [math.nan] * EMBEDDER.dimensions):
            with pytest.raises(InvalidInput):
                index.search(Scope("u1"), GENERATION, wrong, 5)

    def test_search_without_vectors_is_empty(self, memory: Memory, storage: Storage, index: Index) -> None:
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 5) == []
        assert storage.passages(Scope("u1"), GENERATION, [1]) == []
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        memory.chat(owner="u1").add("user", "")
        embed_waiting(storage)
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 5) == []

    # -- isolation

    def test_owners_and_pools_are_isolated(self, memory: Memory, storage: Storage, index: Index) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1").add("user", "tea of u1")
        memory.chat(owner="u2").add_many([MessageDraft("user", "tea of u2"), MessageDraft("user", "more tea of u2")])
        memory.chat(owner="u1", pool=team).add("user", "tea of the team")
        memory.chat(owner=team).add("user", "tea of an owner named like the pool")
        embed_waiting(storage)
        counts = {
            scope: len(index.search(scope, GENERATION, embed_question("tea"), 99))
            for scope in (Scope("u1"), Scope("u2"), Scope("u3"), Scope("u1", None, team), Scope(team))
        }
        assert list(counts.values()) == [1, 2, 0, 1, 1]
        vector = embed_question("tea of the team")
        assert index.search(Scope("u1", None, team), GENERATION, vector, 1)[0].score > 0.99
        assert index.search(Scope("u1"), GENERATION, vector, 1)[0].score < 0.99
        for use in (
            lambda: index.search(Scope("u2", None, team), GENERATION, vector, 1),
            lambda: storage.passages(Scope("u2", None, team), GENERATION, [1]),
            lambda: storage.vectors(Scope("u2", None, team), GENERATION, VectorMark()),
            lambda: storage.claim(GENERATION, "w1", 0, MINUTE, 5, Scope("u2", None, team)),
            lambda: storage.look(Scope("u2", None, team), [1]),
            lambda: storage.numbers(Scope("u2", None, team), SearchFilters()),
        ):
            with pytest.raises(NotFound):
                use()
        assert storage.passages(Scope("u3"), GENERATION, [1, 2, 3]) == []

    def test_generations_are_separate(self, memory: Memory, storage: Storage, index: Index) -> None:
        other = HashEmbedder(32)
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        embed_waiting(storage)
        embed_waiting(storage, other)
        chat.add("user", "rain")
        embed_waiting(storage, other)
        assert [g.name for g in storage.generations()] == [GENERATION, other.name]
        assert len(index.search(Scope("u1"), GENERATION, embed_question("tea"), 9)) == 1
        assert len(index.search(Scope("u1"), other.name, other.embed(["tea"])[0].vector, 9)) == 2
        with pytest.raises(InvalidInput):
            index.search(Scope("u1"), other.name, embed_question("tea"), 9)
        with pytest.raises(Conflict):
            storage.begin_generation(other.name, 64)
        assert storage.drop_generation(GENERATION) == 1
        assert storage.drop_generation("never begun") == 0
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 9) == []
        assert len(index.search(Scope("u1"), other.name, other.embed(["tea"])[0].vector, 9)) == 2
        embed_waiting(storage)
        assert len(index.search(Scope("u1"), GENERATION, embed_question("tea"), 9)) == 2

    # -- the work

    def test_generation_is_complete_when_nothing_waits(self, memory: Memory, storage: Storage) -> None:
        assert storage.coverage("new") == (0, 0, 0, 0)
        for owner in ("u1", "u2"):
            memory.chat(owner=owner).add_many([MessageDraft("user", f"tea {number}") for number in range(3)])
        assert not storage.begin_generation("new", EMBEDDER.dimensions).complete
        assert storage.coverage("new") == (0, 6, 0, 0)
        tasks: list[WorkLease] = []
        while (task := storage.claim("new", "w1", 0, MINUTE, 2)) is not None:
            assert not storage.generations()[0].complete
            assert storage.settle_task(task, embed_task(task), 0)
            tasks.append(task)
        assert sorted(seen.message.text for task in tasks for seen in task.messages) == sorted(
            2 * ["tea 0", "tea 1", "tea 2"]
        )
        assert all(len(task.messages) <= 2 for task in tasks)
        assert storage.generations()[0].complete
        covered = storage.coverage("new")
        assert (covered.embedded, covered.messages, covered.passages) == (6, 6, 6)
        assert covered.bytes == 6 * (2 * EMBEDDER.dimensions + 2 * EMBEDDER.width)
        memory.chat(owner="u1").add("user", "more tea")
        assert storage.coverage("new").embedded == 6
        assert storage.generations()[0].complete
        assert storage.waiting(Scope("u1"), "new") == 1

    def test_generation_of_empty_store_is_complete(self, memory: Memory, storage: Storage) -> None:
        assert storage.begin_generation("new", 4).complete
        with pytest.raises(InvalidInput):
            storage.begin_generation("none", 0)
        with pytest.raises(NotFound):
            storage.claim("never begun", "w1", 0, MINUTE, 5)

    def test_erased_messages_do_not_wait(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", f"tea {number}") for number in range(5)]
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 3)
        assert task is not None
        assert storage.settle_task(task, embed_task(task), 0)
        for message in messages[3:]:
            chat.erase(message.id)
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        assert storage.claim(GENERATION, "w1", 0, MINUTE, 3) is None
        assert storage.generations()[0].complete
        chat.add("user", "new tea")
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 3)
        assert task is not None
        assert [(seen.number, seen.message.text) for seen in task.messages] == [(6, "new tea")]
        storage.release(task)

    def test_lease_excludes_others_until_it_expires(self, memory: Memory, storage: Storage) -> None:
        for owner in ("u1", "u2"):
            memory.chat(owner=owner).add("user", f"tea of {owner}")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        first = storage.claim(GENERATION, "w1", 0, MINUTE, 5)
        other = storage.claim(GENERATION, "w2", 0, MINUTE, 5)
        assert first is not None
        assert other is not None
        assert first.scope != other.scope
        assert storage.claim(GENERATION, "w3", MINUTE - 1, 2 * MINUTE, 5) is None
        again = storage.claim(GENERATION, "w1", 5, 2 * MINUTE, 5)
        assert again is not None
        assert again.messages == first.messages
        taken = storage.claim(GENERATION, "w3", MINUTE, 3 * MINUTE, 5)
        assert taken is not None
        assert taken.space == other.space
        assert not storage.settle_task(other, embed_task(other), MINUTE)
        assert storage.coverage(GENERATION).passages == 0
        storage.release(other)  # the holder has lost this lease
        assert storage.settle_task(taken, embed_task(taken), MINUTE)
        assert not storage.settle_task(taken, embed_task(taken), MINUTE)
        assert storage.settle_task(again, embed_task(again), MINUTE)
        assert storage.coverage(GENERATION).passages == 2
        assert storage.generations()[0].complete

    def test_released_lease_can_be_claimed(self, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1").add("user", "tea")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 5)
        assert task is not None
        assert storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("u1")) is None
        storage.release(task)
        other = storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("u1"))
        assert other is not None
        assert not storage.settle_task(task, embed_task(task), 0)
        storage.release(other)
        assert storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("nobody")) is None

    def test_messages_erased_during_work_get_no_vectors(self, memory: Memory, storage: Storage, index: Index) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", text) for text in ("tea", "secret", "rain")]
        memory.chat(owner="u2").add("user", "secret")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        tasks = [storage.claim(GENERATION, "w1", 0, MINUTE, 5, Scope(owner)) for owner in ("u1", "u2")]
        chat.erase(messages[1].id)
        memory.erase(owner="u2")
        memory.chat(owner="u2").add("user", "another text")
        assert tasks[0] is not None
        assert tasks[1] is not None
        assert storage.settle_task(tasks[0], embed_task(tasks[0]), 0)
        assert not storage.settle_task(tasks[1], embed_task(tasks[1]), 0)
        assert sorted(near.number for near in index.search(Scope("u1"), GENERATION, embed_question("secret"), 9)) == [1, 3]
        assert index.search(Scope("u2"), GENERATION, embed_question("secret"), 9) == []

    def test_invalid_vectors_are_refused(self, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1").add_many([MessageDraft("user", "tea"), MessageDraft("user", "rain")])
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 5)
        assert task is not None
        good = embed_task(task)
        for wrong in (
            good[1]._replace(vector=b"\0" * 10),
            good[1]._replace(number=3),
            good[1]._replace(number=0),
            good[1]._replace(tokens=b"123", width=16),
        ):
            with pytest.raises(InvalidInput):
                storage.settle_task(task, [good[0], wrong], 0)
        assert storage.coverage(GENERATION).passages == 0
        assert storage.settle_task(task, good, 0)

    # -- erase, and other connections

    def test_erase_removes_vectors(self, memory: Memory, storage: Storage, index: Index) -> None:
        chat = memory.chat(owner="u1", session="s1", create=True)
        messages = [chat.add("user", f"tea {number}") for number in range(4)]
        memory.chat(owner="u1", session="s2", create=True).add("user", "rain")
        memory.chat(owner="u2").add("user", "tea")
        embed_waiting(storage)
        scope = Scope("u1")
        assert len(index.search(scope, GENERATION, embed_question("tea"), 9)) == 5
        receipt = chat.erase(messages[1].id)
        assert receipt.derived == 1
        assert "vectors" in receipt.verified
        assert sorted(near.number for near in index.search(scope, GENERATION, embed_question("tea"), 9)) == [1, 3, 4, 5]
        assert storage.passages(scope, GENERATION, [2]) == []
        assert memory.erase(owner="u1", session="s1").derived >= 3
        assert [near.number for near in index.search(scope, GENERATION, embed_question("tea"), 9)] == [5]
        memory.erase(owner="u1")
        assert index.search(scope, GENERATION, embed_question("tea"), 9) == []
        memory.chat(owner="u1").add("user", "a new life")
        assert index.search(scope, GENERATION, embed_question("tea"), 9) == []
        embed_waiting(storage)
        assert len(index.search(scope, GENERATION, embed_question("tea"), 9)) == 1
        assert storage.coverage(GENERATION).passages == 2

    def test_retention_removes_vectors(self, memory: Memory, storage: Storage, index: Index, clock: ManualClock) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        embed_waiting(storage)
        assert len(index.search(Scope("u1"), GENERATION, embed_question("tea"), 9)) == 1
        chat.delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert index.search(Scope("u1"), GENERATION, embed_question("tea"), 9) == []
        assert storage.coverage(GENERATION) == (0, 0, 0, 0)

    def test_vectors_of_other_connections_are_seen(
        self, memory: Memory, storage: Storage, second: Storage, index: Index, clock: ManualClock
    ) -> None:
        memory.chat(owner="u1", session="s1", create=True).add("user", "tea")
        embed_waiting(second)
        assert [near.number for near in index.search(Scope("u1"), GENERATION, embed_question("tea"), 9)] == [1]
        elsewhere = Memory(second, MemoryStorage(), COUNTER, clock=clock).chat(owner="u1", session="s1")
        message = elsewhere.add("user", "rain")
        embed_waiting(second)
        assert index.search(Scope("u1"), GENERATION, embed_question("rain"), 1)[0].number == 2
        elsewhere.erase(message.id)
        assert [near.number for near in index.search(Scope("u1"), GENERATION, embed_question("rain"), 9)] == [1]

    def test_vector_delta_has_only_new_vectors(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        embed_waiting(storage)
        first = storage.vectors(Scope("u1"), GENERATION, VectorMark())
        assert (first.fresh, first.numbers, first.parts) == (True, [1], [0])
        assert first.vectors == [pack_vector(embed_question("tea"))]
        chat.rename("a change that takes nothing away")
        message = chat.add("user", "rain")
        embed_waiting(storage)
        more = storage.vectors(Scope("u1"), GENERATION, first.mark)
        assert (more.fresh, more.numbers) == (False, [2])
        none = storage.vectors(Scope("u1"), GENERATION, more.mark)
        assert (none.fresh, none.numbers) == (False, [])
        chat.erase(message.id)
        anew = storage.vectors(Scope("u1"), GENERATION, none.mark)
        assert (anew.fresh, anew.numbers) == (True, [1])

    # -- filters and neighbors

    def test_searches_can_be_filtered(self, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        start = to_microseconds(clock())
        day = 24 * 60 * MINUTE
        work = memory.chat(owner="u1", session="work", create=True, tags=["work", "daily"])
        home = memory.chat(owner="u1", session="home", create=True, tags=["home"])
        work.add("user", "tea at work", importance=0.9)
        work.add("assistant", "tea is ready", importance=0.1)
        clock.advance(days=1)
        home.add("user", "tea at home", importance=0.5)
        clock.advance(days=1)
        home.add("assistant", "no tea left", importance=0.7)
        for filters, numbers in (
            (SearchFilters(), [1, 2, 3, 4]),
            (SearchFilters(sessions=("home",)), [3, 4]),
            (SearchFilters(sessions=("home", "work", "unknown")), [1, 2, 3, 4]),
            (SearchFilters(sessions=("unknown",)), []),
            (SearchFilters(roles=(Role.USER,)), [1, 3]),
            (SearchFilters(roles=(Role.USER, Role.ASSISTANT)), [1, 2, 3, 4]),
            (SearchFilters(roles=(Role.TOOL,)), []),
            (SearchFilters(tags=("work",)), [1, 2]),
            (SearchFilters(tags=("daily", "home")), [1, 2, 3, 4]),
            (SearchFilters(tags=("unknown",)), []),
            (SearchFilters(tags=("work",), sessions=("home",)), []),
            (SearchFilters(since=start + day), [3, 4]),
            (SearchFilters(until=start + day), [1, 2]),
            (SearchFilters(since=start + day, until=start + day + 1), [3]),
            (SearchFilters(since=start + 9 * day, until=start), []),
            (SearchFilters(importance=0.5), [1, 3, 4]),
            (SearchFilters(excluded_sessions=("home", "unknown")), [1, 2]),
            (SearchFilters(excluded_sessions=("home", "work")), []),
            (SearchFilters(excluded_sessions=("home",), tags=("home", "work"), roles=(Role.USER,)), [1]),
            (SearchFilters(importance=0.6, roles=(Role.ASSISTANT,), tags=("home",), since=start), [4]),
        ):
            assert storage.numbers(Scope("u1"), filters) == numbers, filters
            found = storage.find(Scope("u1"), ["tea"], filters, 10)
            assert sorted(seen.number for seen in found.messages) == numbers, filters
            assert found.worth.keys() == {"tea"}
        assert storage.numbers(Scope("u2"), SearchFilters()) == []
        home.delete()
        assert storage.numbers(Scope("u1"), SearchFilters(tags=("home",))) == [3, 4]
        assert storage.find(Scope("u1"), ["tea"], SearchFilters(tags=("home",)), 10).messages == []

    def test_search_in_fork_includes_inherited_messages(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1", session="s", create=True)
        messages = [chat.add("user", text) for text in ("tea one", "tea two", "tea three")]
        fork = chat.fork(at=messages[1].id, session="f")
        fork.add("user", "tea four")
        found = storage.find(Scope("u1"), ["tea"], SearchFilters(sessions=("f",)), 10)
        assert {(seen.number, seen.message.session) for seen in found.messages} == {(1, "f"), (2, "f"), (4, "f")}
        assert storage.numbers(Scope("u1"), SearchFilters(sessions=("f",))) == [1, 2, 4]
        assert {(seen.number, seen.message.session) for seen in storage.look(Scope("u1"), [1, 2, 3, 4])} == {
            (1, "s"), (2, "s"), (3, "s"), (4, "f"),
        }  # fmt: skip
        assert {seen.number for seen in storage.look(Scope("u1"), [4], 1)} == {2, 4}

    def test_terms_are_weighted_by_rarity(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        chat.add_many([MessageDraft("user", f"tea {'rain' if number % 10 == 0 else ''}") for number in range(300)])
        found = storage.find(Scope("u1"), ["tea", "rain", "unheard"], SearchFilters(), 5)
        assert found.worth["unheard"] > found.worth["rain"] > found.worth["tea"] > 0
        assert len(found.messages) == 5
        assert all("rain" in seen.message.text for seen in found.messages)
        assert set(storage.find(Scope("nobody"), ["tea"], SearchFilters(), 5).worth) == {"tea"}

    def test_speakers_are_found_by_name(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", f"tea {number}", name=("Caroline", "Bob")[number % 2]) for number in range(200)]
        found = storage.find(Scope("u1"), ["carolin"], SearchFilters(), 500).messages
        assert {seen.message.name for seen in found} == {"Caroline"}
        assert len(found) == 100
        chat.erase(messages[0].id)
        assert len(storage.find(Scope("u1"), ["carolin"], SearchFilters(), 500).messages) == 99

    def test_look_returns_neighbors(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        messages = [chat.add("user", f"message {number}") for number in range(1, 11)]
        other = memory.chat(owner="u1")
        other.add("user", "elsewhere")

        def look_around(*numbers: int, around: int) -> list[int]:
            seen = storage.look(Scope("u1"), numbers, around)
            assert all(isinstance(entry, VisibleMessage) for entry in seen)
            return sorted(entry.number for entry in seen)

        assert look_around(5, around=0) == [5]
        assert look_around(5, around=2) == [3, 4, 5, 6, 7]
        assert look_around(1, 10, 11, around=2) == [1, 2, 3, 8, 9, 10, 11]
        assert look_around(5, 6, around=1) == [4, 5, 6, 7]
        assert look_around(99, 0, -3, around=2) == []
        chat.erase(messages[5].id)
        assert look_around(5, around=2) == [3, 4, 5, 7, 8]
        chat.edit(messages[2].id, "another three")  # now the path is 1, 2, 12
        assert look_around(1, around=5) == [1, 2, 12]
        assert look_around(12, around=1) == [2, 12]
        assert look_around(5, 6, 7, around=3) == []
        assert look_around(3, 2, around=0) == [2]
        chat.delete()
        assert look_around(1, 11, around=3) == [11]

    def test_concurrent_search_and_work(self, memory: Memory, storage: Storage, index: Index) -> None:
        chats = [memory.chat(owner=f"u{number}") for number in range(4)]
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)

        def work(number: int) -> int:
            settled = 0
            for turn in range(25):
                chats[number].add("user", f"tea {turn}")
                task = storage.claim(GENERATION, f"w{number}", 0, MINUTE, 5)
                if task is not None and storage.settle_task(task, embed_task(task), 0):
                    settled += len(task.messages)
                index.search(Scope(f"u{(number + 1) % 4}"), GENERATION, embed_question("tea"), 3)
            return settled

        with ThreadPoolExecutor(4) as pool:
            settled = sum(pool.map(work, range(4)))
        rest = storage.coverage(GENERATION)
        assert rest.embedded == rest.passages == settled
        embed_waiting(storage)
        for number in range(4):
            found = index.search(Scope(f"u{number}"), GENERATION, embed_question("tea"), 99)
            assert sorted(near.number for near in found) == list(range(1, 26))
