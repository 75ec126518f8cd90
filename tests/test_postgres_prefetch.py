"""Prefetching in Postgres: reads sent along with the next statement save round trips and give correct answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any

import pytest
import servers

import keepsaid
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.ports import ReadCall
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.transactions import PostgresTransaction
from keepsaid.testing import HashEmbedder, ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Message, MessageDraft, ReadWindow, Role, Scope, SessionQuery

ANN = Scope("ann", "trip")
QUESTIONS = ("What did my sister say about Lisbon?", "Where do I work?", "What did I say about tea last week?")
EVERY = SessionQuery()
BUDGET = 4_000


@pytest.fixture
def exchanges(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many statements went in each exchange with the server."""
    sent: list[int] = []
    send = PostgresTransaction._send

    def counted(self: PostgresTransaction, statements: Sequence[Any]) -> Any:
        sent.append(len(statements))
        return send(self, statements)

    monkeypatch.setattr(PostgresTransaction, "_send", counted)
    return sent


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PostgresStorage]:
    with closing(PostgresStorage(parse_source_url(url))) as storage:
        Memory(storage, MemoryStorage(), COUNTER).chat(owner="ann", session="trip", create=True).add("user", "Hello")
        yield storage


def fill_store(url: str, messages: int, **options: Any) -> keepsaid.Memory:
    """A store with a conversation of so many messages, facts, a summary, and nothing that waits."""
    options = {"background": False, "receipts": False, "clock": ManualClock(), **options}
    memory = keepsaid.open(url, **options)
    chat = memory.chat(owner="ann", session="trip", create=True)
    chat.add_many(
        MessageDraft(
            "user" if number % 2 else "assistant", f"Message {number}: my sister had tea number {number % 50} in Lisbon"
        )
        for number in range(messages)
    )
    chat.add("user", "I work as a nurse in Porto. My sister lives in Lisbon. I prefer green tea.")
    chat.add("assistant", "Noted.")
    memory.maintain()
    for question in QUESTIONS:
        chat.context(question, budget=BUDGET)  # the first makes the summary that the head of the prompt will have
    return memory


@pytest.mark.parametrize("embedder", ["off", HashEmbedder(16), HashEmbedder(16, tokens=True)])
def test_prompt_takes_at_most_four_round_trips(url: str, exchanges: list[int], embedder: Any) -> None:
    with fill_store(url, 600, embedder=embedder) as memory:
        chat = memory.chat(owner="ann", session="trip")
        for question in QUESTIONS:
            exchanges.clear()
            context = chat.context(question, budget=BUDGET)
            assert len(exchanges) <= 4, question
            assert {item.section for item in context.items} >= {"facts", "summary"}, question
            assert not context.fallbacks


def test_prompt_is_equal_with_and_without_prefetch(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fill_store(url, 300, embedder=HashEmbedder(16)) as memory:
        chat = memory.chat(owner="ann", session="trip")
        together = [chat.context(question, budget=BUDGET) for question in QUESTIONS]
        monkeypatch.setattr(PostgresStorage, "prefetch", lambda self, call: None)
        alone = [chat.context(question, budget=BUDGET) for question in QUESTIONS]
    assert [one.messages for one in together] == [one.messages for one in alone]
    assert [one.items for one in together] == [one.items for one in alone]


def test_prefetched_read_needs_no_round_trip(storage: PostgresStorage, exchanges: list[int]) -> None:
    with storage.read_session(ANN):
        storage.prefetch(ReadCall("list_sessions", (ANN, EVERY)))
        storage.prefetch(ReadCall("read", (ANN, ReadWindow(last=5))))
        storage.get_session(ANN)
        assert len(exchanges) == 1
        assert [one.id for one in storage.list_sessions(ANN, EVERY)] == ["trip"]
        assert [one.text for one in storage.read(ANN, ReadWindow(last=5))] == ["Hello"]
        assert len(exchanges) == 1
        storage.list_sessions(ANN, EVERY)
        assert len(exchanges) == 2, "an answer is given once"


def test_write_invalidates_prefetched_read(storage: PostgresStorage) -> None:
    with storage.read_session(ANN):
        storage.prefetch(ReadCall("read", (ANN, ReadWindow(last=5))))
        storage.get_session(ANN)
        storage.append(ANN, [Message("m2", "", 0, 0, Role.USER, "Again", 3, 1, 0.5, False, {})], 1)
        assert [one.text for one in storage.read(ANN, ReadWindow(last=5))] == ["Hello", "Again"]


def test_prefetched_reads_are_dropped_after_read_session(storage: PostgresStorage, exchanges: list[int]) -> None:
    storage.prefetch(ReadCall("list_sessions", (ANN, EVERY)))  # outside of a moment: nobody would come for it
    storage.get_session(ANN)
    with storage.read_session(ANN):
        storage.prefetch(ReadCall("list_sessions", (ANN, EVERY)))
    with storage.read_session(ANN):
        storage.get_session(ANN)
    assert exchanges == [2, 2], "each went alone"


def test_failed_prefetch_raises_only_for_its_own_read(storage: PostgresStorage) -> None:
    missing = ANN.of("nowhere")
    with storage.read_session(ANN):
        storage.prefetch(ReadCall("get_session", (missing,)))
        storage.prefetch(ReadCall("read", (missing, ReadWindow(last=5))))
        assert storage.get_session(ANN).id == "trip"
        for read in (lambda: storage.get_session(missing), lambda: storage.read(missing, ReadWindow(last=5))):
            with pytest.raises(NotFound):
                read()


def test_prefetched_answers_are_not_shared_between_owners(storage: PostgresStorage) -> None:
    bob = Scope("bob", "trip")
    with ExitStack() as moments:
        moments.enter_context(storage.read_session(ANN))
        moments.enter_context(storage.read_session(bob))
        storage.prefetch(ReadCall("list_sessions", (bob, EVERY)))
        storage.prefetch(ReadCall("get_session", (bob,)))
        assert storage.get_session(ANN).id == "trip"
        assert storage.list_sessions(bob, EVERY) == []
        with pytest.raises(NotFound):
            storage.get_session(bob)
        assert [one.id for one in storage.list_sessions(ANN, EVERY)] == ["trip"]


@pytest.mark.parametrize("verb", ["append", "erase", "nothing of ours"])
def test_prefetch_skips_calls_that_are_not_reads(storage: PostgresStorage, exchanges: list[int], verb: str) -> None:
    with storage.read_session(ANN):
        storage.prefetch(ReadCall(verb, (ANN,)))
        storage.get_session(ANN)
    assert exchanges == [2]


def test_store_wide_read_keeps_prefetches_isolated_by_owner(url: str) -> None:
    """A store-wide read runs in the scope of the first prefetch; prefetches of other scopes are sent separately."""
    bob, team = Scope("bob", "walk"), Scope("ann", "walk", "team")
    beyond_the_wall = url.replace("//maker@", "//postgres@")  # the questions themselves must be right
    for user in (url, beyond_the_wall):
        with closing(PostgresStorage(parse_source_url(user))) as storage:
            memory = Memory(storage, MemoryStorage(), COUNTER)
            for scope in (ANN, bob):
                memory.chat(owner=scope.owner, session=scope.session, create=True)
            stranger = Scope("eve", "walk", "team")
            with storage.read_session(ANN):
                for scope in (ANN, bob, stranger, team):
                    storage.prefetch(ReadCall("get_session", (scope,)))
                storage.generations()
                assert [storage.get_session(scope).id for scope in (ANN, bob)] == ["trip", "walk"]
                with pytest.raises(NotFound):
                    storage.get_session(stranger)
