"""The conformance suite for vectors and the index over them: what every storage that keeps vectors must do, as tests.

Subclass it and give it a `storage` fixture, and a `second` one if the same data can be opened twice. What embeds is the
`HashEmbedder`, and what does the worker's part is `drain`.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.index.local import LocalIndex
from recollect.memory import Memory
from recollect.ports import Checkup, Embedder, Index, Near, Passage, Seen, Storage, Task, VectorMark, Vectors
from recollect.storage.memory import MemoryStorage
from recollect.testing.clock import HandClock
from recollect.testing.conformance import COUNTER
from recollect.testing.embedder import HashEmbedder
from recollect.types import Draft, Filters, Role, Scope, microseconds

MINUTE = 60_000_000
EMBEDDER = HashEmbedder(tokens=True)
GENERATION = EMBEDDER.name


class VectorStorage(Storage, Vectors, Protocol):
    """A storage that keeps vectors."""


def packed(vector: Sequence[float]) -> bytes:
    """A vector as storages keep it."""
    return struct.pack(f"<{len(vector)}e", *vector)


def passages_of(task: Task, embedder: Embedder = EMBEDDER) -> list[Passage]:
    """What a worker makes of a task: every message with text is one passage."""
    said = [seen for seen in task.messages if seen.message.text]
    made = embedder.embed([seen.message.text for seen in said])
    return [
        Passage(seen.number, 0, 0, len(seen.message.text), packed(item.vector), item.tokens, item.width)
        for seen, item in zip(said, made, strict=True)
    ]


def drain(
    storage: Vectors, embedder: Embedder = EMBEDDER, scope: Scope | None = None, *, holder: str = "w1", limit: int = 7
) -> int:
    """Embeds all that waits; returns how many tasks that took."""
    dimensions = len(embedder.embed(["x"])[0].vector)
    storage.begin_generation(embedder.name, dimensions)
    tasks = 0
    while (task := storage.claim(embedder.name, holder, 0, MINUTE, limit, scope)) is not None:
        assert storage.settle_task(task, passages_of(task, embedder), 0)
        tasks += 1
    return tasks


def brute(storage: Vectors, scope: Scope, generation: str, question: Sequence[float]) -> list[Near]:
    """Every passage of the scope by its true cosine, best first."""
    delta = storage.vectors(scope, generation, VectorMark())
    length = math.sqrt(sum(x * x for x in question))
    scored: list[Near] = []
    for number, part, vector in zip(delta.numbers, delta.parts, delta.vectors, strict=True):
        values = struct.unpack(f"<{len(vector) // 2}e", vector)
        scored.append(Near(number, part, sum(x * y for x, y in zip(values, question, strict=True)) / length))
    return sorted(scored, key=lambda near: -near.score)


def question(text: str) -> Sequence[float]:
    """A question's vector."""
    return EMBEDDER.embed([text], asking=True)[0].vector


class IndexConformance:
    """Every test is one promise."""

    @pytest.fixture
    def storage(self) -> Iterator[VectorStorage]:
        """An empty storage; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def second(self, storage: VectorStorage) -> VectorStorage:
        """The same data, opened by somebody else, where that is possible."""
        return storage

    @pytest.fixture
    def index(self, storage: VectorStorage) -> Index:
        """The index under test; the built-in one unless the subclass has its own."""
        return LocalIndex(storage)

    @pytest.fixture
    def clock(self) -> HandClock:
        """The time, under the test's control."""
        return HandClock()

    @pytest.fixture
    def memory(self, storage: VectorStorage, clock: HandClock) -> Memory:
        """The door by which messages come in. The storage's own fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock)

    @pytest.fixture(autouse=True)
    def healthy_in_the_end(self, storage: VectorStorage) -> Iterator[None]:
        """Whatever a test does, messages and vectors agree when it is over."""
        yield
        if isinstance(storage, Checkup):
            assert storage.check().findings == ()

    # -- finding

    def test_what_is_settled_is_found(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        chat = memory.chat(owner="u1")
        for number in range(20):
            said = chat.add("user", f"the door {number} opens with code x{number}")
            drain(storage)
            (best,) = index.search(Scope("u1"), GENERATION, question(said.text), 1)
            assert (best.number, best.part) == (number + 1, 0)
            assert best.score > 0.99
        assert storage.waiting(Scope("u1"), GENERATION) == 0

    def test_the_order_is_that_of_the_stored_vectors(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        chance = random.Random(7)
        words = [f"word{number}" for number in range(60)]
        memory.chat(owner="u1").add_many([Draft("user", " ".join(chance.choices(words, k=6))) for _ in range(600)])
        drain(storage, limit=250)
        for _ in range(20):
            asked = question(" ".join(chance.choices(words, k=4)))
            found = index.search(Scope("u1"), GENERATION, asked, 10)
            true = brute(storage, Scope("u1"), GENERATION, asked)
            assert [near.score for near in found] == pytest.approx([near.score for near in true[:10]], abs=1e-5)
            scores = {(near.number, near.part): near.score for near in true}
            assert all(near.score == pytest.approx(scores[near.number, near.part], abs=1e-5) for near in found)
        assert len(index.search(Scope("u1"), GENERATION, question("word1"), 1000)) == 600
        assert index.search(Scope("u1"), GENERATION, question("word1"), 0) == []

    def test_only_some_messages_are_asked_for(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        memory.chat(owner="u1").add_many([Draft("user", f"tea number {number}") for number in range(300)])
        drain(storage, limit=100)
        among = list(range(5, 300, 3))
        found = index.search(Scope("u1"), GENERATION, question("tea number 8"), 500, among)
        assert sorted(near.number for near in found) == among
        best = index.search(Scope("u1"), GENERATION, question("tea number 7"), 3, among)
        assert best[0].number == 8
        assert index.search(Scope("u1"), GENERATION, question("tea"), 3, []) == []
        assert index.search(Scope("u1"), GENERATION, question("tea"), 3, [999]) == []

    def test_a_message_may_have_several_passages(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        memory.chat(owner="u1").add("user", "first the tea then the rain")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 10)
        assert task is not None
        made = EMBEDDER.embed(["first the tea", "then the rain"])
        parts = [
            Passage(1, n, 14 * n, 14 * n + 13, packed(item.vector), item.tokens, item.width) for n, item in enumerate(made)
        ]
        assert storage.settle_task(task, parts, 0)
        (best, _) = index.search(Scope("u1"), GENERATION, question("then the rain"), 5)
        assert (best.number, best.part) == (1, 1)
        assert storage.passages(Scope("u1"), GENERATION, [1, 2, 1]) == parts

    def test_a_question_of_another_shape_is_refused(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        memory.chat(owner="u1").add("user", "tea")
        drain(storage)
        for wrong in ([1.0, 0.0], [], [math.nan] * EMBEDDER.dimensions):
            with pytest.raises(InvalidInput):
                index.search(Scope("u1"), GENERATION, wrong, 5)

    def test_nothing_is_found_where_nothing_is(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        assert index.search(Scope("u1"), GENERATION, question("tea"), 5) == []
        assert storage.passages(Scope("u1"), GENERATION, [1]) == []
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        memory.chat(owner="u1").add("user", "")
        drain(storage)
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        assert index.search(Scope("u1"), GENERATION, question("tea"), 5) == []

    # -- isolation

    def test_no_neighbour_is_ever_found(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1").add("user", "tea of u1")
        memory.chat(owner="u2").add_many([Draft("user", "tea of u2"), Draft("user", "more tea of u2")])
        memory.chat(owner="u1", pool=team).add("user", "tea of the team")
        memory.chat(owner=team).add("user", "tea of somebody named like the pool")
        drain(storage)
        counts = {
            scope: len(index.search(scope, GENERATION, question("tea"), 99))
            for scope in (Scope("u1"), Scope("u2"), Scope("u3"), Scope("u1", None, team), Scope(team))
        }
        assert list(counts.values()) == [1, 2, 0, 1, 1]
        asked = question("tea of the team")
        assert index.search(Scope("u1", None, team), GENERATION, asked, 1)[0].score > 0.99
        assert index.search(Scope("u1"), GENERATION, asked, 1)[0].score < 0.99
        for use in (
            lambda: index.search(Scope("u2", None, team), GENERATION, asked, 1),
            lambda: storage.passages(Scope("u2", None, team), GENERATION, [1]),
            lambda: storage.vectors(Scope("u2", None, team), GENERATION, VectorMark()),
            lambda: storage.claim(GENERATION, "w1", 0, MINUTE, 5, Scope("u2", None, team)),
            lambda: storage.look(Scope("u2", None, team), [1]),
            lambda: storage.numbers(Scope("u2", None, team), Filters()),
        ):
            with pytest.raises(NotFound):
                use()
        assert storage.passages(Scope("u3"), GENERATION, [1, 2, 3]) == []

    def test_generations_are_never_mixed(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        other = HashEmbedder(32)
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        drain(storage)
        drain(storage, other)
        chat.add("user", "rain")
        drain(storage, other)
        assert [g.name for g in storage.generations()] == [GENERATION, other.name]
        assert len(index.search(Scope("u1"), GENERATION, question("tea"), 9)) == 1
        assert len(index.search(Scope("u1"), other.name, other.embed(["tea"])[0].vector, 9)) == 2
        with pytest.raises(InvalidInput):
            index.search(Scope("u1"), other.name, question("tea"), 9)
        with pytest.raises(Conflict):
            storage.begin_generation(other.name, 64)
        assert storage.drop_generation(GENERATION) == 1
        assert storage.drop_generation("never begun") == 0
        assert index.search(Scope("u1"), GENERATION, question("tea"), 9) == []
        assert len(index.search(Scope("u1"), other.name, other.embed(["tea"])[0].vector, 9)) == 2
        drain(storage)
        assert len(index.search(Scope("u1"), GENERATION, question("tea"), 9)) == 2

    # -- the work

    def test_a_generation_is_complete_when_nothing_waits(self, memory: Memory, storage: VectorStorage) -> None:
        assert storage.coverage("new") == (0, 0, 0, 0)
        for owner in ("u1", "u2"):
            memory.chat(owner=owner).add_many([Draft("user", f"tea {number}") for number in range(3)])
        assert not storage.begin_generation("new", EMBEDDER.dimensions).complete
        assert storage.coverage("new") == (0, 6, 0, 0)
        tasks: list[Task] = []
        while (task := storage.claim("new", "w1", 0, MINUTE, 2)) is not None:
            assert not storage.generations()[0].complete
            assert storage.settle_task(task, passages_of(task), 0)
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

    def test_a_generation_of_an_empty_store_is_complete(self, memory: Memory, storage: VectorStorage) -> None:
        assert storage.begin_generation("new", 4).complete
        with pytest.raises(InvalidInput):
            storage.begin_generation("none", 0)
        with pytest.raises(NotFound):
            storage.claim("never begun", "w1", 0, MINUTE, 5)

    def test_what_was_erased_keeps_nothing_waiting(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", f"tea {number}") for number in range(5)]
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 3)
        assert task is not None
        assert storage.settle_task(task, passages_of(task), 0)
        for message in said[3:]:
            chat.erase(message.id)
        assert storage.waiting(Scope("u1"), GENERATION) == 0
        assert storage.claim(GENERATION, "w1", 0, MINUTE, 3) is None
        assert storage.generations()[0].complete
        chat.add("user", "new tea")
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 3)
        assert task is not None
        assert [(seen.number, seen.message.text) for seen in task.messages] == [(6, "new tea")]
        storage.release(task)

    def test_a_lease_keeps_others_away_until_it_ends(self, memory: Memory, storage: VectorStorage) -> None:
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
        assert not storage.settle_task(other, passages_of(other), MINUTE)
        assert storage.coverage(GENERATION).passages == 0
        storage.release(other)  # which is no longer his
        assert storage.settle_task(taken, passages_of(taken), MINUTE)
        assert not storage.settle_task(taken, passages_of(taken), MINUTE)
        assert storage.settle_task(again, passages_of(again), MINUTE)
        assert storage.coverage(GENERATION).passages == 2
        assert storage.generations()[0].complete

    def test_a_released_lease_is_free(self, memory: Memory, storage: VectorStorage) -> None:
        memory.chat(owner="u1").add("user", "tea")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 5)
        assert task is not None
        assert storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("u1")) is None
        storage.release(task)
        other = storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("u1"))
        assert other is not None
        assert not storage.settle_task(task, passages_of(task), 0)
        storage.release(other)
        assert storage.claim(GENERATION, "w2", 0, MINUTE, 5, Scope("nobody")) is None

    def test_what_goes_during_the_work_gets_no_vector(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", text) for text in ("tea", "secret", "rain")]
        memory.chat(owner="u2").add("user", "secret")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        tasks = [storage.claim(GENERATION, "w1", 0, MINUTE, 5, Scope(owner)) for owner in ("u1", "u2")]
        chat.erase(said[1].id)
        memory.erase(owner="u2")
        memory.chat(owner="u2").add("user", "somebody else")
        assert tasks[0] is not None
        assert tasks[1] is not None
        assert storage.settle_task(tasks[0], passages_of(tasks[0]), 0)
        assert not storage.settle_task(tasks[1], passages_of(tasks[1]), 0)
        assert sorted(near.number for near in index.search(Scope("u1"), GENERATION, question("secret"), 9)) == [1, 3]
        assert index.search(Scope("u2"), GENERATION, question("secret"), 9) == []

    def test_wrong_vectors_are_refused_and_nothing_is_kept(self, memory: Memory, storage: VectorStorage) -> None:
        memory.chat(owner="u1").add_many([Draft("user", "tea"), Draft("user", "rain")])
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        task = storage.claim(GENERATION, "w1", 0, MINUTE, 5)
        assert task is not None
        good = passages_of(task)
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

    # -- going away, and others' work

    def test_erasing_takes_the_vectors_along(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        chat = memory.chat(owner="u1", session="s1", create=True)
        said = [chat.add("user", f"tea {number}") for number in range(4)]
        memory.chat(owner="u1", session="s2", create=True).add("user", "rain")
        memory.chat(owner="u2").add("user", "tea")
        drain(storage)
        scope = Scope("u1")
        assert len(index.search(scope, GENERATION, question("tea"), 9)) == 5
        receipt = chat.erase(said[1].id)
        assert receipt.derived == 1
        assert "vectors" in receipt.verified
        assert sorted(near.number for near in index.search(scope, GENERATION, question("tea"), 9)) == [1, 3, 4, 5]
        assert storage.passages(scope, GENERATION, [2]) == []
        assert memory.erase(owner="u1", session="s1").derived >= 3
        assert [near.number for near in index.search(scope, GENERATION, question("tea"), 9)] == [5]
        memory.erase(owner="u1")
        assert index.search(scope, GENERATION, question("tea"), 9) == []
        memory.chat(owner="u1").add("user", "a new life")
        assert index.search(scope, GENERATION, question("tea"), 9) == []
        drain(storage)
        assert len(index.search(scope, GENERATION, question("tea"), 9)) == 1
        assert storage.coverage(GENERATION).passages == 2

    def test_retention_takes_the_vectors_along(
        self, memory: Memory, storage: VectorStorage, index: Index, clock: HandClock
    ) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        drain(storage)
        assert len(index.search(Scope("u1"), GENERATION, question("tea"), 9)) == 1
        chat.delete()
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert index.search(Scope("u1"), GENERATION, question("tea"), 9) == []
        assert storage.coverage(GENERATION) == (0, 0, 0, 0)

    def test_others_work_is_seen(
        self, memory: Memory, storage: VectorStorage, second: VectorStorage, index: Index, clock: HandClock
    ) -> None:
        memory.chat(owner="u1", session="s1", create=True).add("user", "tea")
        drain(second)
        assert [near.number for near in index.search(Scope("u1"), GENERATION, question("tea"), 9)] == [1]
        elsewhere = Memory(second, MemoryStorage(), COUNTER, clock=clock).chat(owner="u1", session="s1")
        said = elsewhere.add("user", "rain")
        drain(second)
        assert index.search(Scope("u1"), GENERATION, question("rain"), 1)[0].number == 2
        elsewhere.erase(said.id)
        assert [near.number for near in index.search(Scope("u1"), GENERATION, question("rain"), 9)] == [1]

    def test_a_follower_gets_what_is_new(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "tea")
        drain(storage)
        first = storage.vectors(Scope("u1"), GENERATION, VectorMark())
        assert (first.fresh, first.numbers, first.parts) == (True, [1], [0])
        assert first.vectors == [packed(question("tea"))]
        chat.rename("a change that takes nothing away")
        said = chat.add("user", "rain")
        drain(storage)
        more = storage.vectors(Scope("u1"), GENERATION, first.mark)
        assert (more.fresh, more.numbers) == (False, [2])
        none = storage.vectors(Scope("u1"), GENERATION, more.mark)
        assert (none.fresh, none.numbers) == (False, [])
        chat.erase(said.id)
        anew = storage.vectors(Scope("u1"), GENERATION, none.mark)
        assert (anew.fresh, anew.numbers) == (True, [1])

    # -- filters and neighbours

    def test_searches_can_be_narrowed(self, memory: Memory, storage: VectorStorage, clock: HandClock) -> None:
        start = microseconds(clock())
        day = 24 * 60 * MINUTE
        work = memory.chat(owner="u1", session="work", create=True, tags=["work", "daily"])
        home = memory.chat(owner="u1", session="home", create=True, tags=["home"])
        work.add("user", "tea at work", importance=0.9)
        work.add("assistant", "tea is ready", importance=0.1)
        clock.turn(days=1)
        home.add("user", "tea at home", importance=0.5)
        clock.turn(days=1)
        home.add("assistant", "no tea left", importance=0.7)
        for filters, numbers in (
            (Filters(), [1, 2, 3, 4]),
            (Filters(sessions=("home",)), [3, 4]),
            (Filters(sessions=("home", "work", "unknown")), [1, 2, 3, 4]),
            (Filters(sessions=("unknown",)), []),
            (Filters(roles=(Role.USER,)), [1, 3]),
            (Filters(roles=(Role.USER, Role.ASSISTANT)), [1, 2, 3, 4]),
            (Filters(roles=(Role.TOOL,)), []),
            (Filters(tags=("work",)), [1, 2]),
            (Filters(tags=("daily", "home")), [1, 2, 3, 4]),
            (Filters(tags=("unknown",)), []),
            (Filters(tags=("work",), sessions=("home",)), []),
            (Filters(since=start + day), [3, 4]),
            (Filters(until=start + day), [1, 2]),
            (Filters(since=start + day, until=start + day + 1), [3]),
            (Filters(since=start + 9 * day, until=start), []),
            (Filters(importance=0.5), [1, 3, 4]),
            (Filters(besides=("home", "unknown")), [1, 2]),
            (Filters(besides=("home", "work")), []),
            (Filters(besides=("home",), tags=("home", "work"), roles=(Role.USER,)), [1]),
            (Filters(importance=0.6, roles=(Role.ASSISTANT,), tags=("home",), since=start), [4]),
        ):
            assert storage.numbers(Scope("u1"), filters) == numbers, filters
            found = storage.find(Scope("u1"), ["tea"], filters, 10)
            assert sorted(seen.number for seen in found.messages) == numbers, filters
            assert found.worth.keys() == {"tea"}
        assert storage.numbers(Scope("u2"), Filters()) == []
        home.delete()
        assert storage.numbers(Scope("u1"), Filters(tags=("home",))) == [3, 4]
        assert storage.find(Scope("u1"), ["tea"], Filters(tags=("home",)), 10).messages == []

    def test_a_fork_is_searched_with_what_it_continues(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1", session="s", create=True)
        said = [chat.add("user", text) for text in ("tea one", "tea two", "tea three")]
        fork = chat.fork(at=said[1].id, session="f")
        fork.add("user", "tea four")
        found = storage.find(Scope("u1"), ["tea"], Filters(sessions=("f",)), 10)
        assert {(seen.number, seen.message.session) for seen in found.messages} == {(1, "f"), (2, "f"), (4, "f")}
        assert storage.numbers(Scope("u1"), Filters(sessions=("f",))) == [1, 2, 4]
        assert {(seen.number, seen.message.session) for seen in storage.look(Scope("u1"), [1, 2, 3, 4])} == {
            (1, "s"), (2, "s"), (3, "s"), (4, "f"),
        }  # fmt: skip
        assert {seen.number for seen in storage.look(Scope("u1"), [4], 1)} == {2, 4}

    def test_every_term_has_its_worth(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1")
        chat.add_many([Draft("user", f"tea {'rain' if number % 10 == 0 else ''}") for number in range(300)])
        found = storage.find(Scope("u1"), ["tea", "rain", "unheard"], Filters(), 5)
        assert found.worth["unheard"] > found.worth["rain"] > found.worth["tea"] > 0
        assert len(found.messages) == 5
        assert all("rain" in seen.message.text for seen in found.messages)
        assert set(storage.find(Scope("nobody"), ["tea"], Filters(), 5).worth) == {"tea"}

    def test_speakers_are_found_by_name(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", f"tea {number}", name=("Caroline", "Bob")[number % 2]) for number in range(200)]
        found = storage.find(Scope("u1"), ["carolin"], Filters(), 500).messages
        assert {seen.message.name for seen in found} == {"Caroline"}
        assert len(found) == 100
        chat.erase(said[0].id)
        assert len(storage.find(Scope("u1"), ["carolin"], Filters(), 500).messages) == 99

    def test_neighbours_are_shown_with_a_message(self, memory: Memory, storage: VectorStorage) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", f"message {number}") for number in range(1, 11)]
        other = memory.chat(owner="u1")
        other.add("user", "elsewhere")

        def beside(*numbers: int, around: int) -> list[int]:
            seen = storage.look(Scope("u1"), numbers, around)
            assert all(isinstance(entry, Seen) for entry in seen)
            return sorted(entry.number for entry in seen)

        assert beside(5, around=0) == [5]
        assert beside(5, around=2) == [3, 4, 5, 6, 7]
        assert beside(1, 10, 11, around=2) == [1, 2, 3, 8, 9, 10, 11]
        assert beside(5, 6, around=1) == [4, 5, 6, 7]
        assert beside(99, 0, -3, around=2) == []
        chat.erase(said[5].id)
        assert beside(5, around=2) == [3, 4, 5, 7, 8]
        chat.edit(said[2].id, "another three")  # now the path is 1, 2, 12
        assert beside(1, around=5) == [1, 2, 12]
        assert beside(12, around=1) == [2, 12]
        assert beside(5, 6, 7, around=3) == []
        assert beside(3, 2, around=0) == [2]
        chat.delete()
        assert beside(1, 11, around=3) == [11]

    def test_searches_and_work_go_on_at_once(self, memory: Memory, storage: VectorStorage, index: Index) -> None:
        chats = [memory.chat(owner=f"u{number}") for number in range(4)]
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)

        def work(number: int) -> int:
            settled = 0
            for turn in range(25):
                chats[number].add("user", f"tea {turn}")
                task = storage.claim(GENERATION, f"w{number}", 0, MINUTE, 5)
                if task is not None and storage.settle_task(task, passages_of(task), 0):
                    settled += len(task.messages)
                index.search(Scope(f"u{(number + 1) % 4}"), GENERATION, question("tea"), 3)
            return settled

        with ThreadPoolExecutor(4) as pool:
            settled = sum(pool.map(work, range(4)))
        rest = storage.coverage(GENERATION)
        assert rest.embedded == rest.passages == settled
        drain(storage)
        for number in range(4):
            found = index.search(Scope(f"u{number}"), GENERATION, question("tea"), 99)
            assert sorted(near.number for near in found) == list(range(1, 26))
