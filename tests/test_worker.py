"""The embedding worker: every message is embedded exactly once, also after failures and interruptions."""

import threading
import time
from collections import Counter
from functools import partial

import pytest
from backends import lasting, near, replicated

from keepsaid.errors import EmbedderError
from keepsaid.ports import VectorMark
from keepsaid.services.background import embedding_job, worker
from keepsaid.services.background.worker import LEASE_MICROSECONDS
from keepsaid.services.container import system_clock
from keepsaid.testing import HashEmbedder
from keepsaid.types import Scope

PROBE = "How many dimensions?"


class Recording(HashEmbedder):
    """Remembers what it was given, can be told to fail, and can be held up."""

    def __init__(self, dimensions=16, **more):
        super().__init__(dimensions, **more)
        self.texts = []
        self.fails = False
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()

    def embed(self, texts, *, asking=False):
        if self.fails:
            raise RuntimeError("the model is gone")
        made = super().embed(texts, asking=asking)
        self.texts += texts
        if texts != [PROBE]:
            self.reached.set()
            assert self.gate.wait(20)
        return made

    @property
    def said(self):
        """How often each text was embedded."""
        return Counter(text for text in self.texts if text != PROBE)


@pytest.fixture
def opened(opened):
    return partial(opened, clock=system_clock, background=True)


@pytest.fixture
def embedder():
    made = Recording()
    yield made
    made.gate.set()


def patiently(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)


def count_embedded(memory):
    return memory.coverage().embedded


def numbers(memory, embedder, owner="u1"):
    """The numbers of an owner's messages that have vectors."""
    return memory._services.storage.vectors(Scope(owner), embedder.name, VectorMark()).numbers


@pytest.fixture
def threads():
    """The workers' threads that were not there before: stores that other tests keep open have some of their own."""

    def running():
        return [thread for thread in threading.enumerate() if thread.name == "keepsaid-worker"]

    before = running()
    return lambda: [thread for thread in running() if thread not in before]


# -- in the background


@replicated(reason="many messages of one kind")
def test_worker_embeds_saved_messages_once(opened, embedder, threads):
    memory = opened(embedder)
    assert not threads(), "nobody works before there is work"
    chat = memory.chat(owner="u1")
    for number in range(40):
        chat.add("user", f"Message {number}.")
    patiently(lambda: count_embedded(memory) == 40)
    chat.add("user", "One more.")
    patiently(lambda: count_embedded(memory) == 41)
    assert set(embedder.said.values()) == {1}
    assert numbers(memory, embedder) == list(range(1, 42))


@lasting
def test_search_wakes_worker_for_earlier_messages(opened, embedder):
    with opened() as memory:
        memory.chat(owner="u1").add("user", "Hello")
    with opened(embedder) as memory:
        memory.search("hello", owner="u1")
        patiently(lambda: count_embedded(memory) == 1)


@near(reason="what the thread does, whatever the store")
def test_close_stops_worker_threads(opened, embedder, threads):
    memory = opened(embedder)
    memory.chat(owner="u1").add("user", "Hello")
    patiently(lambda: count_embedded(memory) == 1)
    assert len(threads()) == 2, "one embeds, one takes notes"
    memory.close()
    assert not threads()
    memory.close()


@near(reason="what the thread does, whatever the store")
def test_close_stops_worker_between_passages(opened, embedder, monkeypatch):
    """A long message has many passages, and closing does not wait for all of them."""
    monkeypatch.setattr(embedding_job, "AT_ONCE", 1)
    memory = opened(embedder)
    embedder.gate.clear()
    memory.chat(owner="u1").add("user", "word " * 2000)
    assert embedder.reached.wait(20)
    closing = threading.Thread(target=memory.close)
    closing.start()
    patiently(lambda: memory._services.embedding_worker._stopping.is_set())
    embedder.gate.set()
    closing.join(20)
    assert not closing.is_alive()
    assert embedder.said.total() == 1


@near(reason="what the thread does, whatever the store")
def test_close_does_not_wait_for_hanging_embedder(opened, embedder, monkeypatch, threads):
    monkeypatch.setattr(worker, "STOP_TIMEOUT", 0.1)
    memory = opened(embedder)
    embedder.gate.clear()
    memory.chat(owner="u1").add("user", "Hello")
    assert embedder.reached.wait(20)
    start = time.monotonic()
    memory.close()
    assert time.monotonic() - start < 5
    left = threads()
    embedder.gate.set()
    for thread in left:
        thread.join(20)
    assert not threads()


@near(reason="what the thread does, whatever the store")
def test_worker_retries_after_embedder_failure(opened, embedder, monkeypatch):
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.02)
    memory = opened(embedder)
    embedder.fails = True
    chat = memory.chat(owner="u1")
    chat.add("user", "Hello")
    patiently(lambda: "the model is gone" in memory._services.embedding_worker.failure)
    chat.add("user", "Still here")
    assert count_embedded(memory) == 0
    embedder.fails = False
    patiently(lambda: count_embedded(memory) == 2)
    patiently(lambda: not memory._services.embedding_worker.failure)
    assert set(embedder.said.values()) == {1}


@replicated(reason="many messages of one kind")
def test_worker_does_not_poll_for_claimed_messages(opened, embedder, monkeypatch):
    """While another worker has claimed the waiting messages, this one only waits."""
    memory = opened(embedder, background=False)
    memory.chat(owner="u1").add("user", "Hello")
    storage, now = memory._services.storage, memory._services.now()
    storage.begin_generation(embedder.name, 16)
    task = storage.claim(embedder.name, "somebody else", now, now + 60_000_000, 9)
    looks = []
    claim = type(storage).claim
    monkeypatch.setattr(type(storage), "claim", lambda *given, **more: looks.append(1) or claim(*given, **more))
    storage.on_commit(memory._services.embedding_worker.wake)
    memory._services.embedding_worker.wake()
    time.sleep(0.3)
    assert 1 <= len(looks) <= 3
    assert count_embedded(memory) == 0
    storage.release(task)
    memory._services.embedding_worker.wake()
    patiently(lambda: count_embedded(memory) == 1)


@lasting
def test_worker_finds_messages_of_another_process(opened, embedder, monkeypatch):
    """Another process saves a message and embeds nothing."""
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.05)
    memory, other = opened(embedder), opened()
    memory.chat(owner="u1").add("user", "Hello")
    patiently(lambda: count_embedded(memory) == 1)
    other.chat(owner="u2").add("user", "Me, too")
    patiently(lambda: count_embedded(memory) == 2)


@replicated(reason="many messages of one kind")
def test_saving_does_not_compute_coverage(opened, embedder, monkeypatch):
    """Coverage reads the whole store, so the worker must not compute it for every message."""
    memory = opened(embedder)
    counted = []
    coverage = type(memory._services.storage).coverage
    monkeypatch.setattr(type(memory._services.storage), "coverage", lambda *given: counted.append(1) or coverage(*given))
    memory.chat(owner="u1").add("user", "Hello")
    patiently(lambda: numbers(memory, embedder) == [1])
    memory.close()
    assert not counted


@near(reason="what the thread does, whatever the store")
def test_background_off_embeds_nothing_without_maintain(opened, embedder, threads):
    memory = opened(embedder, background=False)
    memory.chat(owner="u1").add("user", "Hello")
    memory.search("hello", owner="u1")
    assert not threads()
    assert count_embedded(memory) == 0


# -- in the foreground


@replicated(reason="many messages of one kind")
def test_second_maintain_embeds_nothing(opened, embedder):
    memory = opened(embedder, background=False)
    for owner in ("u1", "u2", "u3"):
        memory.chat(owner=owner).add_many([{"role": "user", "content": f"{owner} says {number}"} for number in range(50)])
    assert memory.maintain() == 150
    assert memory.maintain() == 0
    assert set(embedder.said.values()) == {1}
    coverage = memory.coverage()
    assert (coverage.embedded, coverage.messages, coverage.passages, coverage.bytes) == (150, 150, 150, 150 * 32)


@near(reason="what the thread does, whatever the store")
def test_maintain_reports_progress(opened, embedder):
    memory = opened(embedder, background=False)
    memory.chat(owner="u1").add_many([{"role": "user", "content": f"Message {number}"} for number in range(100)])
    told = []
    assert memory.maintain(progress=lambda done, of: told.append((done, of))) == 100
    assert told == sorted(told)
    assert told[-1] == (100, 100)
    assert len(told) > 3
    memory.chat(owner="u1").add("user", "One more")
    told.clear()
    memory.maintain(progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (101, 101)


@replicated(reason="many messages of one kind")
def test_interrupted_maintain_keeps_finished_vectors(opened, embedder):
    memory = opened(embedder, background=False)
    memory.chat(owner="u1").add_many([{"role": "user", "content": f"Message {number}"} for number in range(100)])

    def interrupt(done, of):
        if done >= 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.maintain(progress=interrupt)
    done = count_embedded(memory)
    assert 40 <= done < 100
    assert memory.maintain() == 100 - done
    assert set(embedder.said.values()) == {1}


@near(reason="what the thread does, whatever the store")
def test_failed_batch_is_released(opened, embedder):
    memory = opened(embedder, background=False)
    chat = memory.chat(owner="u1")
    chat.add("user", "Hello")
    memory.maintain()
    chat.add("user", "Hello again")
    embedder.fails = True
    for _ in range(2):
        with pytest.raises(EmbedderError, match="the model is gone"):
            memory.maintain()
    embedder.fails = False
    other = memory._services.storage.claim(
        embedder.name, "somebody else", memory._services.now(), memory._services.now() + 1, 9
    )
    assert other is not None
    memory._services.storage.release(other)
    assert memory.maintain() == 1


@near(reason="what the thread does, whatever the store")
def test_long_message_gets_many_passages_and_empty_one_none(opened, embedder):
    memory = opened(embedder, background=False)
    chat = memory.chat(owner="u1")
    long = chat.add("user", " ".join(f"Sentence number {number} is here." for number in range(200)))
    chat.add("assistant", "", tool_calls=[{"id": "c1", "name": "look", "arguments": "{}"}])
    chat.add("user", "   ")
    chat.add("tool", "42 results", tool_call_id="c1")
    chat.add("system", "Be kind.")
    assert memory.maintain() == 5
    passages = memory._services.storage.passages(Scope("u1"), embedder.name, [1, 2, 3, 4, 5])
    assert Counter(passage.number for passage in passages) == Counter({1: embedder.said.total() - 2, 4: 1, 5: 1})
    assert sum(passage.number == 1 for passage in passages) > 5
    first = [passage for passage in passages if passage.number == 1]
    assert [passage.part for passage in first] == list(range(len(first)))
    assert (first[0].start, first[-1].end) == (0, len(long.text))
    assert memory.coverage().embedded == 5


@near(reason="what the thread does, whatever the store")
def test_speaker_name_is_embedded_with_text(opened, embedder):
    memory = opened(embedder, background=False)
    memory.chat(owner="u1").add("user", "I moved to Lisbon.", name="Ana")
    memory.maintain()
    assert list(embedder.said) == ["Ana: I moved to Lisbon."]


@lasting
def test_nothing_is_embedded_twice_after_reopening(opened):
    seen = Counter()
    for day in range(3):
        embedder = Recording()
        with opened(embedder, background=False) as memory:
            memory.chat(owner="u1").add("user", f"Day {day}.")
            assert memory.maintain() == 1
        seen += embedder.said
    assert seen == Counter({"Day 0.": 1, "Day 1.": 1, "Day 2.": 1})


# -- several at once


@lasting
@replicated(reason="many messages of one kind")
def test_two_workers_embed_each_message_once(opened):
    first, second = Recording(), Recording()
    with opened(first) as one, opened(second) as other:
        for number in range(60):
            (one, other)[number % 2].chat(owner=f"u{number % 5}", session="s", create=True).add("user", f"Message {number}.")
        patiently(lambda: count_embedded(one) == 60)
        assert count_embedded(other) == 60
        owners = [numbers(one, first, f"u{owner}") for owner in range(5)]
        assert owners == [list(range(1, 13))] * 5
    assert (first.said + second.said) == Counter({f"Message {number}.": 1 for number in range(60)})


@lasting
def test_concurrent_maintain_calls_embed_each_message_once(opened):
    embedders = [Recording(), Recording()]
    memories = [opened(embedder, background=False) for embedder in embedders]
    for owner in ("u1", "u2", "u3", "u4"):
        memories[0].chat(owner=owner).add_many([{"role": "user", "content": f"{owner}: {n}"} for n in range(50)])
    done = []
    workers = [threading.Thread(target=lambda memory=memory: done.append(memory.maintain())) for memory in memories]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join(60)
    assert sum(done) == 200
    assert count_embedded(memories[0]) == 200
    assert set((embedders[0].said + embedders[1].said).values()) == {1}


@replicated(reason="many messages of one kind")
def test_worker_and_maintain_embed_each_message_once(opened, embedder):
    memory = opened(embedder)
    chat = memory.chat(owner="u1")
    for number in range(100):
        chat.add("user", f"Message {number}.")
        if number % 10 == 0:
            memory.maintain()
    memory.maintain()
    assert count_embedded(memory) == 100
    assert set(embedder.said.values()) == {1}


@replicated(reason="many messages of one kind")
def test_message_erased_during_embedding_gets_no_vector(opened, embedder, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_TIMEOUT", 0.1)
    memory = opened(embedder)
    chat = memory.chat(owner="u1")
    embedder.gate.clear()
    gone = chat.add("user", "Forget this.")
    assert embedder.reached.wait(20)
    chat.erase(gone.id)
    kept = chat.add("user", "Keep this.")
    embedder.gate.set()
    patiently(lambda: count_embedded(memory) == 1 == memory.coverage().passages)
    assert numbers(memory, embedder) == [2]
    assert [hit.message.id for hit in memory.search("this", owner="u1")] == [kept.id]


@replicated(reason="many messages of one kind")
def test_owner_erased_during_embedding_gets_no_vectors(opened, embedder, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_TIMEOUT", 0.1)
    memory = opened(embedder)
    embedder.gate.clear()
    memory.chat(owner="u1").add("user", "Forget me.")
    assert embedder.reached.wait(20)
    memory.erase(owner="u1")
    embedder.gate.set()
    memory.chat(owner="u2").add("user", "Somebody else.")
    patiently(lambda: count_embedded(memory) == 1)
    assert memory.coverage().passages == 1
    assert numbers(memory, embedder) == []


@replicated(reason="many messages of one kind")
def test_messages_of_dead_worker_are_embedded_after_lease(opened, clock, embedder):
    with opened(embedder, background=False, clock=clock) as memory:
        memory.chat(owner="u1").add_many([{"role": "user", "content": f"Message {number}"} for number in range(5)])
        storage, now = memory._services.storage, memory._services.now()
        storage.begin_generation(embedder.name, 16)
        dead = storage.claim(embedder.name, "dead", now, now + LEASE_MICROSECONDS, 3)
        assert len(dead.messages) == 3
        waiting = threading.Thread(target=memory.maintain)
        waiting.start()
        time.sleep(0.1)
        assert waiting.is_alive(), "what another holds is waited for"
        assert count_embedded(memory) == 0
        clock.advance(seconds=LEASE_MICROSECONDS / 1e6 + 1)
        waiting.join(20)
        assert count_embedded(memory) == 5
        assert set(embedder.said.values()) == {1}
        assert storage.settle_task(dead, [], now) is False, "the dead one comes back too late"
        assert numbers(memory, embedder) == [1, 2, 3, 4, 5]


def test_worker_rests_between_batches_while_callers_save():
    """Callers who save also search, for which the processor is needed."""
    done = threading.Event()

    class TwentyBatches:
        left = 20

        def begin(self):
            pass

        def process_batch(self, stopping):
            if self.left == 0:
                done.set()
                return None
            self.left -= 1
            time.sleep(0.02)
            return 1

        def finish(self):
            pass

    running = worker.BackgroundWorker(TwentyBatches)
    start = time.monotonic()
    try:
        while not done.wait(0.01):
            running.wake()
        assert time.monotonic() - start > 0.7, "twenty batches of 20 ms, and as much rest"
    finally:
        running.stop()
