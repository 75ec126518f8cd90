"""Many workers on one PostgreSQL store: they share what waits, and every piece is settled once. Large spaces get a graph."""

import multiprocessing
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest
import servers

from recollect.memory import Memory
from recollect.ports import Passage, Task
from recollect.storage.memory import MemoryStorage
from recollect.storage.postgres import PostgresStorage, source_of
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.graphs import LARGE, build_graphs
from recollect.testing import HandClock
from recollect.testing.conformance import COUNTER
from recollect.testing.index_conformance import EMBEDDER, GENERATION, MINUTE, brute, packed, passages_of
from recollect.types import Draft, Scope

OWNERS, EACH = 30, 12


def worked(storage: PostgresStorage, holder: str) -> list[tuple[str, int]]:
    """What one worker settles until nothing waits any more: whose messages, and which."""
    settled: list[tuple[str, int]] = []
    while not storage.generations()[0].complete:
        task = storage.claim(GENERATION, holder, 0, MINUTE, 5)
        if task is not None and storage.settle_task(task, passages_of(task), 0):
            settled += [(task.scope.owner, seen.number) for seen in task.messages]
    return settled


def work_apart(url: str, holder: str, start: Barrier, told: "Queue[list[tuple[str, int]]]") -> None:
    """A worker in a process of its own."""
    with closing(PostgresStorage(source_of(url))) as storage:
        start.wait(60)
        told.put(worked(storage, holder))


def test_two_processes_share_the_work() -> None:
    apart = multiprocessing.get_context("spawn")
    with servers.postgres() as url, closing(PostgresStorage(source_of(url))) as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=HandClock())
        for owner in range(OWNERS):
            memory.chat(owner=f"u{owner}").add_many([Draft("user", f"tea {number}") for number in range(EACH)])
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        start, told = apart.Barrier(2), apart.Queue()
        workers = [apart.Process(target=work_apart, args=(url, holder, start, told)) for holder in ("w1", "w2")]
        for worker in workers:
            worker.start()
        shares = [told.get(timeout=120) for _ in workers]
        for worker in workers:
            worker.join(30)
        assert all(shares), "one of them did everything"
        assert Counter(one for share in shares for one in share) == Counter(
            (f"u{owner}", number) for owner in range(OWNERS) for number in range(1, EACH + 1)
        )
        assert storage.coverage(GENERATION).passages == OWNERS * EACH


def test_whoever_is_being_taken_is_passed_over() -> None:
    """While one transaction takes an owner's messages, another one finds the next owner's, and does not wait."""
    with servers.postgres_storage() as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=HandClock())
        for owner in ("u1", "u2"):
            memory.chat(owner=owner).add("user", "tea")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)

        def claimed_meanwhile(held: str) -> Task | None:
            def hold(db: Database) -> Task | None:
                db.execute("SELECT 1 FROM spaces WHERE unit = %s FOR NO KEY UPDATE", (held,))
                return storage.claim(GENERATION, "w1", 0, MINUTE, 5)

            return storage.store.change_all(hold)

        for held, free in (("o:u1", "u2"), ("o:u2", "u1")):
            task = claimed_meanwhile(held)
            assert task is not None
            assert task.scope == Scope(free)
            storage.release(task)


@pytest.mark.long
def test_a_large_pool_gets_a_graph() -> None:
    """Its search finds what an exact one does, only some of the messages if that is asked, and never another's."""
    with servers.postgres_storage() as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=HandClock())
        team = memory.create_pool("team", owner="u1")
        chats = [memory.chat(owner="u1", pool=team), memory.chat(owner="u1")]
        storage.begin_generation("synthetic", 32)
        vectors = Vectors(LARGE + 1000)
        for start in range(0, LARGE + 1000, 5000):
            chats[0].add_many([Draft("user", "x") for _ in range(start, min(start + 5000, LARGE + 1000))])
        chats[1].add("user", "x")
        while (task := storage.claim("synthetic", "w1", 0, MINUTE, 2000)) is not None:
            made = [Passage(seen.number, 0, 0, 1, packed(vectors.of(seen.number))) for seen in task.messages]
            assert storage.settle_task(task, made, 0)
        assert build_graphs(storage.store) == 1
        assert build_graphs(storage.store) == 0
        index, scope = storage.index(), Scope("u1", None, team)
        found = expected = 0
        among = list(range(7, LARGE, 13))
        for question in vectors.questions(20):
            true = brute(storage, scope, "synthetic", question)
            near = index.search(scope, "synthetic", question, 10)
            assert [one.score for one in near] == sorted((one.score for one in near), reverse=True)
            found += len({one.number for one in true[:10]} & {one.number for one in near})
            expected += 10
            some = index.search(scope, "synthetic", question, 10, among)
            assert len(some) == 10
            assert {one.number for one in some} <= {*among}
            assert len(index.search(Scope("u1"), "synthetic", question, 10)) == 1
        assert found >= 0.95 * expected
        memory.erase(owner="u1", pool=team)
        assert build_graphs(storage.store) == 0
        assert storage.store.ask(lambda db: db.last("SELECT 1 FROM pg_class WHERE relname ~ '^near_'").fetchall()) == []


class Vectors:
    """Synthetic vectors in clusters, as those of texts are."""

    def __init__(self, count: int) -> None:
        self._chance = random.Random(5)
        self._centres = [[self._chance.gauss(0, 1) for _ in range(32)] for _ in range(count // 25)]

    def of(self, number: int) -> Sequence[float]:
        """The vector of a message."""
        return self._near(self._centres[number % len(self._centres)], random.Random(number))

    def questions(self, count: int) -> list[Sequence[float]]:
        """Vectors that are close to some of them."""
        return [self._near(centre, self._chance) for centre in self._chance.choices(self._centres, k=count)]

    def _near(self, centre: Sequence[float], chance: random.Random) -> Sequence[float]:
        moved = [x + chance.gauss(0, 0.5) for x in centre]
        length = sum(x * x for x in moved) ** 0.5
        return [x / length for x in moved]
