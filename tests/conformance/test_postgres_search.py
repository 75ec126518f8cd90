"""PostgreSQL passes the artifact and index conformance suites, and its word search matches the reference."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
import servers

from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import Index
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage
from keepsaid.storage.postgres.search import word_search
from keepsaid.testing import ArtifactConformance, IndexConformance, ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import MessageDraft, Role, Scope, SearchFilters


class TestPostgresArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[PostgresStorage]:
        with servers.postgres_storage() as storage:
            yield storage


class TestPgvector(IndexConformance):
    storage = TestPostgresArtifacts.storage

    @pytest.fixture
    def index(self, storage: PostgresStorage) -> Index:
        return storage.index()


class TestPartitionedArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[PostgresStorage]:
        with servers.postgres_storage(partitions=4) as storage:
            yield storage


class TestPartitionedPgvector(TestPgvector):
    storage = TestPartitionedArtifacts.storage


WORDS = [f"word{number}" for number in range(40)]


def build_draft(number: int) -> MessageDraft:
    """A message with common and rare words."""
    chance = random.Random(number)
    words = chance.choices(WORDS, weights=[1 / (place + 1) for place in range(len(WORDS))], k=chance.randint(1, 12))
    return MessageDraft(("user", "assistant")[number % 2], " ".join(words), id=f"m{number}", importance=number % 10 / 10)


def test_postgres_word_search_matches_reference() -> None:
    """With messages in several chunks of the index, some not yet indexed, some erased, hidden or shown again."""
    with servers.postgres_storage() as storage, closing(MemoryStorage()) as reference:
        chats = [
            Memory(one, MemoryStorage(), COUNTER, clock=ManualClock()).chat(owner="u1", session="s", create=True)
            for one in (storage, reference)
        ]

        def both(act: Callable[[Chat], object]) -> None:
            for chat in chats:
                act(chat)

        def compare() -> None:
            for filters in (
                SearchFilters(),
                SearchFilters(roles=(Role.USER,)),
                SearchFilters(importance=0.5),
                SearchFilters(since=1, sessions=("s",)),
            ):
                for terms in (["word0"], ["word39", "unheard"], ["word3", "word20", "word1"], WORDS[:9]):
                    here, there = (one.find(Scope("u1"), terms, filters, 2000) for one in (storage, reference))
                    assert here.worth == pytest.approx(there.worth)
                    assert here.average == pytest.approx(there.average)
                    assert [(one.number, one.score) for one in here.messages] == [
                        (one.number, pytest.approx(one.score)) for one in there.messages
                    ]
                assert storage.numbers(Scope("u1"), filters) == reference.numbers(Scope("u1"), filters)

        both(lambda chat: chat.add_many([build_draft(number) for number in range(1, 1301)]))
        compare()
        for number in (1, 300, 511, 512, 513, 1023, 1024, 1299):
            both(lambda chat, number=number: chat.erase(f"m{number}"))
        for number in (2, 600, 1298):
            both(lambda chat, number=number: chat.keep_private(f"m{number}", True))
        compare()
        both(lambda chat: chat.keep_private("m600", False))
        both(lambda chat: chat.add_many([build_draft(number) for number in range(1301, 1600)]))
        compare()
        both(lambda chat: chat.edit("m1200", "word39 and another way"))
        compare()


def test_postgres_word_search_takes_candidates_from_rare_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_search, "ROW_BUDGET", 200)
    monkeypatch.setattr(word_search, "NEWEST_ROWS", 30)
    with servers.postgres_storage() as storage, closing(MemoryStorage()) as reference:
        for one in (storage, reference):
            chat = Memory(one, MemoryStorage(), COUNTER, clock=ManualClock()).chat(owner="u1", session="s", create=True)
            chat.add_many([build_draft(number) for number in range(1, 1301)])
        for rare, common in (("word39", "word0"), ("word35", "word1")):
            here = storage.find(Scope("u1"), [rare, common], SearchFilters(), 20).messages
            there = reference.find(Scope("u1"), [rare, common], SearchFilters(), 2000).messages
            having = [one for one in there if rare in one.message.text.split()][:20]
            assert [(one.number, one.score) for one in here] == [(one.number, pytest.approx(one.score)) for one in having]
        few = storage.find(Scope("u1"), ["word0", "unheard"], SearchFilters(), 50).messages
        true = {
            one.number: one.score
            for one in reference.find(Scope("u1"), ["word0", "unheard"], SearchFilters(), 2000).messages
        }
        newest = sorted(true, reverse=True)[:30]
        assert sorted((one.number for one in few), reverse=True) == newest
        assert all(one.score == pytest.approx(true[one.number]) for one in few)
