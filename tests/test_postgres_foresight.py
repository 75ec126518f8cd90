"""What will be wanted goes along with the next question: how many exchanges a prompt takes, and whether answers are true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any

import pytest
import servers

import recollect
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.ports import Call
from recollect.storage.memory import MemoryStorage
from recollect.storage.postgres import PostgresStorage, source_of
from recollect.storage.postgres.transactions import Transaction
from recollect.testing import HandClock, HashEmbedder
from recollect.testing.conformance import COUNTER
from recollect.types import Draft, Message, Role, Scope, SessionQuery, Window

ANN = Scope("ann", "trip")
QUESTIONS = ("What did my sister say about Lisbon?", "Where do I work?", "What did I say about tea last week?")
EVERY = SessionQuery()
BUDGET = 4_000


@pytest.fixture
def exchanges(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many statements went in each exchange with the server."""
    sent: list[int] = []
    send = Transaction._send

    def counted(self: Transaction, statements: Sequence[Any]) -> Any:
        sent.append(len(statements))
        return send(self, statements)

    monkeypatch.setattr(Transaction, "_send", counted)
    return sent


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PostgresStorage]:
    with closing(PostgresStorage(source_of(url))) as storage:
        Memory(storage, MemoryStorage(), COUNTER).chat(owner="ann", session="trip", create=True).add("user", "Hello")
        yield storage


def filled(url: str, messages: int, **options: Any) -> recollect.Memory:
    """A store with a conversation of so many messages, facts, a summary, and nothing that waits."""
    options = {"background": False, "receipts": False, "clock": HandClock(), **options}
    memory = recollect.open(url, **options)
    chat = memory.chat(owner="ann", session="trip", create=True)
    chat.add_many(
        Draft("user" if number % 2 else "assistant", f"Message {number}: my sister had tea number {number % 50} in Lisbon")
        for number in range(messages)
    )
    chat.add("user", "I work as a nurse in Porto. My sister lives in Lisbon. I prefer green tea.")
    chat.add("assistant", "Noted.")
    memory.maintain()
    for question in QUESTIONS:
        chat.context(question, budget=BUDGET)  # the first makes the summary that the head of the prompt will have
    return memory


@pytest.mark.parametrize("embedder", ["off", HashEmbedder(16), HashEmbedder(16, tokens=True)])
def test_a_prompt_is_four_exchanges_whatever_the_history(url: str, exchanges: list[int], embedder: Any) -> None:
    with filled(url, 600, embedder=embedder) as memory:
        chat = memory.chat(owner="ann", session="trip")
        for question in QUESTIONS:
            exchanges.clear()
            context = chat.context(question, budget=BUDGET)
            assert len(exchanges) <= 4, question
            assert {item.section for item in context.items} >= {"facts", "summary"}, question
            assert not context.fallbacks


def test_the_prompt_is_the_same_as_when_each_is_asked_by_itself(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(url, 300, embedder=HashEmbedder(16)) as memory:
        chat = memory.chat(owner="ann", session="trip")
        together = [chat.context(question, budget=BUDGET) for question in QUESTIONS]
        monkeypatch.setattr(PostgresStorage, "foresee", lambda self, *calls: None)
        alone = [chat.context(question, budget=BUDGET) for question in QUESTIONS]
    assert [one.messages for one in together] == [one.messages for one in alone]
    assert [one.items for one in together] == [one.items for one in alone]


def test_what_came_along_needs_no_exchange(storage: PostgresStorage, exchanges: list[int]) -> None:
    with storage.moment(ANN):
        storage.foresee(Call("list_sessions", (ANN, EVERY)), Call("read", (ANN, Window(last=5))))
        storage.get_session(ANN)
        assert len(exchanges) == 1
        assert [one.id for one in storage.list_sessions(ANN, EVERY)] == ["trip"]
        assert [one.text for one in storage.read(ANN, Window(last=5))] == ["Hello"]
        assert len(exchanges) == 1
        storage.list_sessions(ANN, EVERY)
        assert len(exchanges) == 2, "an answer is given once"


def test_what_this_thread_changed_is_asked_for_again(storage: PostgresStorage) -> None:
    with storage.moment(ANN):
        storage.foresee(Call("read", (ANN, Window(last=5))))
        storage.get_session(ANN)
        storage.append(ANN, [Message("m2", "", 0, 0, Role.USER, "Again", 3, 1, 0.5, False, {})], 1)
        assert [one.text for one in storage.read(ANN, Window(last=5))] == ["Hello", "Again"]


def test_nothing_is_held_beyond_a_moment(storage: PostgresStorage, exchanges: list[int]) -> None:
    storage.foresee(Call("list_sessions", (ANN, EVERY)))  # outside of a moment: nobody would come for it
    storage.get_session(ANN)
    with storage.moment(ANN):
        storage.foresee(Call("list_sessions", (ANN, EVERY)))
    with storage.moment(ANN):
        storage.get_session(ANN)
    assert exchanges == [2, 2], "each went alone"


def test_one_that_fails_fails_for_whom_it_was_meant(storage: PostgresStorage) -> None:
    missing = ANN.of("nowhere")
    with storage.moment(ANN):
        storage.foresee(Call("get_session", (missing,)), Call("read", (missing, Window(last=5))))
        assert storage.get_session(ANN).id == "trip"
        for read in (lambda: storage.get_session(missing), lambda: storage.read(missing, Window(last=5))):
            with pytest.raises(NotFound):
                read()


def test_nobody_is_answered_with_what_is_anothers(storage: PostgresStorage) -> None:
    bob = Scope("bob", "trip")
    with ExitStack() as moments:
        moments.enter_context(storage.moment(ANN))
        moments.enter_context(storage.moment(bob))
        storage.foresee(Call("list_sessions", (bob, EVERY)), Call("get_session", (bob,)))
        assert storage.get_session(ANN).id == "trip"
        assert storage.list_sessions(bob, EVERY) == []
        with pytest.raises(NotFound):
            storage.get_session(bob)
        assert [one.id for one in storage.list_sessions(ANN, EVERY)] == ["trip"]


@pytest.mark.parametrize("verb", ["append", "erase", "nothing of ours"])
def test_only_what_reads_goes_along(storage: PostgresStorage, exchanges: list[int], verb: str) -> None:
    with storage.moment(ANN):
        storage.foresee(Call(verb, (ANN,)))
        storage.get_session(ANN)
    assert exchanges == [2]


def test_a_question_about_the_store_takes_nobody_into_anothers_memory(url: str) -> None:
    """It is asked in the memory of the first who goes along; whoever is elsewhere is asked by himself."""
    bob, team = Scope("bob", "walk"), Scope("ann", "walk", "team")
    beyond_the_wall = url.replace("//maker@", "//postgres@")  # the questions themselves must be right
    for user in (url, beyond_the_wall):
        with closing(PostgresStorage(source_of(user))) as storage:
            memory = Memory(storage, MemoryStorage(), COUNTER)
            for scope in (ANN, bob):
                memory.chat(owner=scope.owner, session=scope.session, create=True)
            stranger = Scope("eve", "walk", "team")
            with storage.moment(ANN):
                storage.foresee(*(Call("get_session", (scope,)) for scope in (ANN, bob, stranger, team)))
                storage.generations()
                assert [storage.get_session(scope).id for scope in (ANN, bob)] == ["trip", "walk"]
                with pytest.raises(NotFound):
                    storage.get_session(stranger)
