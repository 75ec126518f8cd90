"""Several workers on one PostgreSQL store share the pending work without repeating it; large pools get a vector graph."""

import multiprocessing
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest
import servers

from keepsaid.memory import Memory
from keepsaid.ports import EmbeddedPassage, WorkLease
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.search.vector_graphs import MIN_PASSAGES, build_graphs
from keepsaid.testing import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.testing.index_conformance import EMBEDDER, GENERATION, MINUTE, embed_task, pack_vector, search_exhaustively
from keepsaid.types import MessageDraft, Scope

OWNERS, EACH = 30, 12


def settle_all_work(storage: PostgresStorage, holder: str) -> list[tuple[str, int]]:
    """The owners and numbers of the messages that one worker settles until no work is pending."""
    settled: list[tuple[str, int]] = []
    while not storage.generations()[0].complete:
        task = storage.claim(GENERATION, holder, 0, MINUTE, 5)
        if task is not None and storage.settle_task(task, embed_task(task), 0):
            settled += [(task.scope.owner, seen.number) for seen in task.messages]
    return settled


def work_apart(url: str, holder: str, start: Barrier, told: "Queue[list[tuple[str, int]]]") -> None:
    """A worker in a process of its own."""
    with closing(PostgresStorage(parse_source_url(url))) as storage:
        start.wait(60)
        told.put(settle_all_work(storage, holder))


def test_two_processes_embed_each_message_once() -> None:
    apart = multiprocessing.get_context("spawn")
    with servers.postgres() as url, closing(PostgresStorage(parse_source_url(url))) as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=ManualClock())
        for owner in range(OWNERS):
            memory.chat(owner=f"u{owner}").add_many([MessageDraft("user", f"tea {number}") for number in range(EACH)])
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


def test_claim_skips_owner_locked_by_other_transaction() -> None:
    """While one transaction locks an owner's messages, another claims those of the next owner without waiting."""
    with servers.postgres_storage() as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=ManualClock())
        for owner in ("u1", "u2"):
            memory.chat(owner=owner).add("user", "tea")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)

        def claimed_meanwhile(held: str) -> WorkLease | None:
            def hold(db: PostgresConnection) -> WorkLease | None:
                db.execute("SELECT 1 FROM spaces WHERE unit = %s FOR NO KEY UPDATE", (held,))
                return storage.claim(GENERATION, "w1", 0, MINUTE, 5)

            return storage.store.change_all_partitions(hold)

        for held, free in (("o:u1", "u2"), ("o:u2", "u1")):
            task = claimed_meanwhile(held)
            assert task is not None
            assert task.scope == Scope(free)
            storage.release(task)


@pytest.mark.long
def test_large_pool_gets_vector_graph() -> None:
    """The graph search agrees with the exact one, respects a given subset, and never returns messages of another scope."""
    with servers.postgres_storage() as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=ManualClock())
        team = memory.create_pool("team", owner="u1")
        chats = [memory.chat(owner="u1", pool=team), memory.chat(owner="u1")]
        storage.begin_generation("synthetic", 32)
        vectors = Vectors(MIN_PASSAGES + 1000)
        for start in range(0, MIN_PASSAGES + 1000, 5000):
            chats[0].add_many([MessageDraft("user", "x") for _ in range(start, min(start + 5000, MIN_PASSAGES + 1000))])
        chats[1].add("user", "x")
        while (task := storage.claim("synthetic", "w1", 0, MINUTE, 2000)) is not None:
            made = [EmbeddedPassage(seen.number, 0, 0, 1, pack_vector(vectors.of(seen.number))) for seen in task.messages]
            assert storage.settle_task(task, made, 0)
        assert build_graphs(storage.store) == 1
        assert build_graphs(storage.store) == 0
        index, scope = storage.index(), Scope("u1", None, team)
        found = expected = 0
        among = list(range(7, MIN_PASSAGES, 13))
        for question in vectors.questions(20):
            true = search_exhaustively(storage, scope, "synthetic", question)
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
