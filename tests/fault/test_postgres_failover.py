"""A primary fails under load and its replica takes over: with synchronous replication no acknowledged message is lost or
stored twice."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from postgres_pair import Pair, postgres_pair

import keepsaid
from keepsaid.errors import StoreBusy, StoreUnavailable
from keepsaid.memory import Memory
from keepsaid.storage.postgres import PostgresStorage, parse_source_url

WRITERS = 6
OWNERS = 3
PATIENT = 60.0
IMPATIENT = 0.3


@pytest.fixture(scope="module")
def postgres_servers() -> Iterator[Pair]:
    with postgres_pair() as pair:
        yield pair


@pytest.fixture
def pair(postgres_servers: Pair) -> Iterator[Pair]:
    """Two running servers; after each test a stopped one is started again."""
    yield postgres_servers
    if not postgres_servers.replica.is_alive():
        postgres_servers.bring_back()


class Writer:
    """Appends messages to a session that it shares with another writer. A message that was not acknowledged is sent again
    with the same id, as the documentation tells callers to do."""

    def __init__(self, memory: Memory, number: int, run: str) -> None:
        self._name = f"{run}-w{number}"
        self._chat = memory.chat(owner=f"{run}-u{number % OWNERS}", session="s1", create=number < OWNERS)
        self.acknowledged: list[str] = []
        self.refused: list[Exception] = []

    def write(self, stop: threading.Event) -> None:
        while not stop.is_set():
            id = f"{self._name}-{len(self.acknowledged)}"
            while True:
                try:
                    assert self._chat.add("user", f"This is {id}.", id=id).id == id
                    break
                except (StoreUnavailable, StoreBusy) as error:
                    self.refused.append(error)
                    time.sleep(0.05)
            self.acknowledged.append(id)


def under_load(memory: Memory, run: str, trouble: Callable[[], None]) -> list[Writer]:
    """Runs writers before, during and after a failure."""
    writers, stop = [Writer(memory, number, run) for number in range(WRITERS)], threading.Event()
    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(writer.write, stop) for writer in writers]
        try:
            trouble()
            reached = [len(writer.acknowledged) for writer in writers]
            _until_further(writers, reached)
        finally:
            stop.set()
        for one in running:
            one.result(PATIENT)
    return writers


def _until_further(writers: list[Writer], reached: list[int]) -> None:
    """Waits until every writer has appended more messages."""
    deadline = time.monotonic() + PATIENT
    while any(len(writer.acknowledged) < before + 5 for writer, before in zip(writers, reached, strict=True)):
        assert time.monotonic() < deadline, f"from {reached} to {[len(writer.acknowledged) for writer in writers]}"
        time.sleep(0.05)


def assert_all_there_once(memory: Memory, run: str, writers: list[Writer]) -> None:
    """Checks that exactly the acknowledged messages are stored, each once, and each writer's in their order."""
    for owner in range(OWNERS):
        messages = list(memory.chat(owner=f"{run}-u{owner}", session="s1").messages())
        here = writers[owner::OWNERS]
        assert {id for id, times in Counter(message.id for message in messages).items() if times > 1} == set()
        assert {message.id for message in messages} == {id for writer in here for id in writer.acknowledged}
        assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
        places = {message.id: message.seq for message in messages}
        for writer in here:
            assert [places[id] for id in writer.acknowledged] == sorted(places[id] for id in writer.acknowledged)
        assert all(message.text == f"This is {message.id}." for message in messages)


def open_memory(pair: Pair, patience: float) -> Memory:
    return keepsaid.open(pair.url, busy_timeout=patience, embedder="off", background=False)


def lose_the_primary(pair: Pair) -> None:
    pair.primary.kill()
    pair.fail_over()


def test_storage_connects_to_writable_host(pair: Pair) -> None:
    source = parse_source_url(f"{pair.url}&schema=hosts")
    with closing(PostgresStorage(source)) as storage:
        standby = storage.store.ask(lambda db: db.last("SELECT pg_is_in_recovery()").fetchall())
    assert standby == [(False,)]


def test_failover_within_timeout_causes_no_errors(pair: Pair) -> None:
    def trouble() -> None:
        time.sleep(0.5)
        lose_the_primary(pair)

    with open_memory(pair, PATIENT) as memory:
        writers = under_load(memory, "patient", trouble)
        assert [writer.refused for writer in writers] == [[]] * WRITERS
        assert_all_there_once(memory, "patient", writers)
        assert memory.check().findings == ()


def test_failover_beyond_timeout_raises_errors_and_allows_retry(pair: Pair) -> None:
    def trouble() -> None:
        time.sleep(0.5)
        pair.primary.kill()
        time.sleep(2)
        pair.fail_over()

    with open_memory(pair, IMPATIENT) as memory:
        writers = under_load(memory, "hasty", trouble)
        assert all(writer.refused for writer in writers)
        assert_all_there_once(memory, "hasty", writers)
        assert memory.check().findings == ()


@pytest.mark.long
def test_unreplicated_message_is_dropped_after_failover(pair: Pair) -> None:
    """Without its replica the primary acknowledges nothing; its unreplicated writes are discarded when it rejoins."""
    with open_memory(pair, 1.0) as memory:
        chat = memory.chat(owner="alone", session="s1", create=True)
        chat.add("user", "Both have this.", id="m1")
        pair.replica.kill()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(chat.add, "user", "One has this.", id="m2")
            time.sleep(0.5)
            assert not waiting.done()
            pair.primary.kill()
            with pytest.raises(StoreUnavailable):
                waiting.result(PATIENT)
        pair.replica.start()
        pair.fail_over()
        pair.bring_back()
    with open_memory(pair, PATIENT) as memory:
        chat = memory.chat(owner="alone", session="s1")
        assert [message.id for message in chat.messages()] == ["m1"]
        assert [chat.add("user", "Both have this, too.", id="m2").seq, len(list(chat.messages()))] == [2, 2]


@pytest.mark.long
def test_repeated_failovers_keep_each_message_once(pair: Pair) -> None:
    def trouble() -> None:
        for _ in range(8):
            time.sleep(0.7)
            lose_the_primary(pair)
            time.sleep(0.3)
            pair.bring_back()

    with open_memory(pair, PATIENT) as memory:
        writers = under_load(memory, "many", trouble)
        assert_all_there_once(memory, "many", writers)
        assert memory.check().findings == ()


@pytest.mark.long
def test_resumed_old_primary_acknowledges_nothing(pair: Pair) -> None:
    """After a freeze the old primary still accepts changes, but waits for its replica, which has become the primary."""

    def trouble() -> None:
        for _ in range(3):
            time.sleep(0.5)
            asleep = pair.primary
            asleep.freeze()
            pair.fail_over()
            time.sleep(0.5)
            asleep.thaw()
            time.sleep(1)
            asleep.kill()
            time.sleep(0.5)
            pair.bring_back()

    with open_memory(pair, PATIENT) as memory:
        writers = under_load(memory, "slept", trouble)
        assert_all_there_once(memory, "slept", writers)
        assert memory.check().findings == ()
