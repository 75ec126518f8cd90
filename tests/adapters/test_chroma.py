"""The ChromaDB index: it passes the index conformance suite, is rebuilt when lost, and its content is always checked."""

from __future__ import annotations

import gc
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frameworks import framework

from keepsaid.errors import InvalidInput, StoreUnavailable
from keepsaid.index.chroma import MAX_DIRECT_MESSAGES, ChromaIndex, ChromaIndexFactory
from keepsaid.index.local import LocalIndex
from keepsaid.memory import Memory
from keepsaid.ports import Index
from keepsaid.services.container import SearchComponents
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing.conformance import COUNTER
from keepsaid.testing.index_conformance import (
    EMBEDDER,
    GENERATION,
    IndexConformance,
    VectorStorage,
    embed_question,
    embed_waiting,
    search_exhaustively,
)
from keepsaid.types import MessageDraft, Scope

chromadb = framework("chromadb")

QUIET = chromadb.Settings(anonymized_telemetry=False)
U1 = Scope("u1")


@pytest.fixture(scope="module")
def client() -> Any:
    return chromadb.EphemeralClient(QUIET)


@pytest.fixture
def name() -> str:
    """Within a process there is one Chroma for all: each test has a name of its own."""
    return f"test{uuid.uuid4().hex}"


class TestChroma(IndexConformance):
    @pytest.fixture
    def storage(self) -> Iterator[VectorStorage]:
        with closing(MemoryStorage()) as storage:
            yield storage

    @pytest.fixture
    def index(self, storage: VectorStorage, client: Any, name: str) -> Index:
        return ChromaIndex(storage, client, name)


class TestChromaOverSqlite(IndexConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[VectorStorage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))) as storage:
            yield storage

    @pytest.fixture
    def second(self, storage: VectorStorage, tmp_path: Path) -> Iterator[VectorStorage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))) as second:
            yield second

    @pytest.fixture
    def index(self, storage: VectorStorage, client: Any, name: str) -> Index:
        return ChromaIndex(storage, client, name)


class Watched(MemoryStorage):
    """The reference, which counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[int] = []

    def vectors(self, scope: Any, generation: Any, since: Any) -> Any:
        delta = super().vectors(scope, generation, since)
        self.sent.append(len(delta.vectors))
        return delta


@pytest.fixture
def storage() -> Watched:
    """A storage with a hundred messages of one owner, and ten of another."""
    storage = Watched()
    memory = Memory(storage, MemoryStorage(), COUNTER)
    for owner, count in (("u1", 100), ("u2", 10)):
        memory.chat(owner=owner, session=owner, create=True).add_many(
            [MessageDraft("user", f"tea {n}") for n in range(count)]
        )
    embed_waiting(storage)
    return storage


@pytest.fixture
def memory(storage: Watched) -> Memory:
    return Memory(storage, MemoryStorage(), COUNTER)


def collections(client: Any, name: str) -> list[Any]:
    return [collection for collection in client.list_collections() if collection.name.startswith(name)]


def test_search_sends_only_new_vectors_to_chroma(storage: Watched, memory: Memory, client: Any, name: str):
    for _ in range(3):
        assert len(ChromaIndex(storage, client, name).search(U1, GENERATION, embed_question("tea"), 999)) == 100
    assert storage.sent == [100, 0, 0]
    memory.chat(owner="u1", session="u1").add("user", "rain")
    embed_waiting(storage)
    assert ChromaIndex(storage, client, name).search(U1, GENERATION, embed_question("rain"), 1)[0].number == 101
    assert storage.sent == [100, 0, 0, 1]


def test_persistent_collection_is_reused_after_restart(storage: Watched, tmp_path: Path, name: str):
    for _ in range(2):
        client = chromadb.PersistentClient(str(tmp_path / "chroma"), QUIET)
        index = ChromaIndex(storage, client, name)
        assert index.search(U1, GENERATION, embed_question("tea 42"), 1)[0].number == 43
        assert index.failure is None
        chromadb.api.client.SharedSystemClient.clear_system_cache()
        del client, index
        gc.collect()
    assert storage.sent == [100, 0]


def test_search_rebuilds_lost_or_damaged_collection(storage: Watched, client: Any, name: str):
    index = ChromaIndex(storage, client, name)
    index.search(U1, GENERATION, embed_question("tea"), 5)
    (collection,) = collections(client, name)
    client.delete_collection(collection.name)
    assert len(index.search(U1, GENERATION, embed_question("tea"), 999)) == 100
    (collection,) = collections(client, name)
    collection.delete(ids=["7.0", "8.0"])
    assert len(index.search(U1, GENERATION, embed_question("tea"), 999)) == 100, "also where rows were lost"
    assert storage.sent == [100, 100, 100]
    collections(client, name)[0].modify(metadata={"somebody": "else's"})
    assert len(index.search(U1, GENERATION, embed_question("tea"), 999)) == 100


def test_search_ignores_wrong_rows_in_chroma(storage: Watched, client: Any, name: str):
    """Rows that exist only in Chroma are not found; rows with a wrong vector are scored by the stored one."""
    index = ChromaIndex(storage, client, name)
    index.search(U1, GENERATION, embed_question("tea"), 5)
    (collection,) = collections(client, name)
    wrong = [list(embed_question("tea 3"))]
    collection.upsert(ids=["999.0"], embeddings=wrong)
    collection.upsert(ids=["50.0"], embeddings=wrong)
    collection.modify(metadata={**collection.metadata, "rows": collection.count()})
    found = index.search(U1, GENERATION, embed_question("tea 3"), 999)
    assert found == ChromaIndex(storage, client, f"{name}x").search(U1, GENERATION, embed_question("tea 3"), 999)
    assert 999 not in [near.number for near in found]


class Dead:
    """A client of a server that is not there."""

    def __getattr__(self, name: str) -> Any:
        raise ConnectionError("nobody there")


def test_search_falls_back_to_local_when_chroma_is_down(storage: Watched, client: Any, name: str):
    index = ChromaIndex(storage, Dead(), name)
    expected = ChromaIndex(storage, client, name).search(U1, GENERATION, embed_question("tea 3"), 10)
    found = index.search(U1, GENERATION, embed_question("tea 3"), 10)
    assert [near.number for near in found[:1]] == [4]
    assert [near.score for near in found] == pytest.approx([near.score for near in expected], abs=1e-5)
    assert index.failure == "ConnectionError: nobody there"
    index._client = client
    index.search(U1, GENERATION, embed_question("tea 3"), 10)
    assert index.failure is None


def test_tidy_deletes_collections_of_erased_owners(storage: Watched, memory: Memory, client: Any, name: str):
    index = ChromaIndex(storage, client, name)
    for scope in (U1, Scope("u2")):
        index.search(scope, GENERATION, embed_question("tea"), 5)
    assert index.tidy() == 0
    memory.chat(owner="u1", session="u1").add("user", "rain")
    embed_waiting(storage)
    assert index.tidy() == 0, "what is new is no reason"
    memory.erase(owner="u1")
    assert index.tidy() == 1
    (left,) = collections(client, name)
    assert left.metadata["owner"] == "u2"
    storage.drop_generation(GENERATION)
    assert index.tidy() == 1
    assert collections(client, name) == []


class Flaky:
    """A client that does not answer once, when it is asked for a collection."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.fails = False

    def get_collection(self, *args: Any, **kwargs: Any) -> Any:
        if self.fails:
            self.fails = False
            raise ConnectionError("a hiccup")
        return self._client.get_collection(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def test_erased_rows_are_removed_after_connection_error(storage: Watched, memory: Memory, client: Any, name: str):
    flaky = Flaky(client)
    index = ChromaIndex(storage, flaky, name)
    index.search(U1, GENERATION, embed_question("tea"), 5)
    chat = memory.chat(owner="u1", session="u1")
    for message in chat.messages()[:30]:
        chat.erase(message.id)
    flaky.fails = True
    assert len(index.search(U1, GENERATION, embed_question("tea"), 999)) == 70
    (collection,) = collections(client, name)
    assert collection.count() == 70
    assert "1.0" not in collection.get(include=[])["ids"]


class Interrupted(Flaky):
    """A client that lets somebody else do something before it does what it is told, once for each verb."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.meanwhile: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        do, real = self.meanwhile.pop(name, None), super().__getattr__(name)

        def doing(*args: Any, **kwargs: Any) -> Any:
            if do is not None:
                do()
            return real(*args, **kwargs)

        return doing


@pytest.mark.parametrize("verb", ["delete_collection", "create_collection", "get_max_batch_size"])
def test_late_writer_leaves_no_erased_vectors(storage: Watched, memory: Memory, client: Any, name: str, verb: str):
    """One process reads the vectors, another erases a message and rebuilds the collection, then the first continues."""
    late, other = Interrupted(client), ChromaIndex(storage, client, name)
    chat = memory.chat(owner="u1", session="u1")

    def erase() -> None:
        chat.erase(chat.messages()[0].id)
        other.search(U1, GENERATION, embed_question("tea"), 5)

    late.meanwhile[verb] = erase
    index = ChromaIndex(storage, late, name)
    assert len(index.search(U1, GENERATION, embed_question("tea"), 999)) == 99
    other.search(U1, GENERATION, embed_question("tea"), 5)
    (collection,) = collections(client, name)
    assert collection.count() == 99
    assert "1.0" not in collection.get(include=[])["ids"]


def test_concurrent_rebuild_leaves_no_erased_vectors(storage: Watched, memory: Memory, client: Any, name: str):
    """Two indexes rebuild the collection at once, one with a message erased by now: the state mark of one must not cover
    rows of the other."""
    made, go_on = threading.Event(), threading.Event()
    late, current = Interrupted(client), Interrupted(client)
    chat = memory.chat(owner="u1", session="u1")

    def wait() -> None:
        made.set()
        assert go_on.wait(30)

    with ThreadPoolExecutor(1) as threads:

        def erase() -> None:
            """Late has read what is erased here; the other one makes the collection, but has not filled it yet."""
            chat.erase(chat.messages()[0].id)
            current.meanwhile["get_max_batch_size"] = wait
            threads.submit(ChromaIndex(storage, current, name).search, U1, GENERATION, embed_question("tea"), 5)
            assert made.wait(30)

        late.meanwhile["create_collection"] = erase
        assert len(ChromaIndex(storage, late, name).search(U1, GENERATION, embed_question("tea"), 999)) == 99
        go_on.set()
    (collection,) = collections(client, name)
    assert ChromaIndex(storage, client, name).tidy() == 0
    assert "1.0" not in collection.get(include=[])["ids"]


def test_tidy_keeps_collections_of_stores_with_same_prefix(storage: Watched, memory: Memory, client: Any, name: str):
    first, second = ChromaIndex(storage, client, name), ChromaIndex(Watched(), client, f"{name}-second")
    first.search(U1, GENERATION, embed_question("tea"), 5)
    ours = ChromaIndex(storage, client, f"{name}-second")
    ours.search(U1, GENERATION, embed_question("tea"), 5)
    assert len(collections(client, name)) == 2
    memory.erase(owner="u1")
    assert first.tidy() == 1, "not that of the other store"
    assert len(collections(client, name)) == 1
    assert second.tidy() == 1
    client.create_collection(f"{name}-notes")
    assert (first.tidy(), second.tidy()) == (0, 0), "nor what is not ours at all"


def test_tidy_raises_when_chroma_is_down(storage: Watched, name: str):
    with pytest.raises(StoreUnavailable, match=r"tidy again .*nobody there"):
        ChromaIndex(storage, Dead(), name).tidy()


def test_tidy_skips_collection_deleted_meanwhile(storage: Watched, memory: Memory, client: Any, name: str):
    gone = Interrupted(client)
    index = ChromaIndex(storage, gone, name)
    index.search(U1, GENERATION, embed_question("tea"), 5)
    memory.erase(owner="u1")
    gone.meanwhile["delete_collection"] = lambda: client.delete_collection(collections(client, name)[0].name)
    assert index.tidy() == 0
    assert collections(client, name) == []


def test_pool_members_share_one_collection(storage: Watched, memory: Memory, client: Any, name: str):
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1", access="admin")
    memory.chat(owner="u1", pool=team).add("user", "tea of the team")
    embed_waiting(storage)
    index = ChromaIndex(storage, client, name)
    for owner in ("u1", "u2"):
        assert len(index.search(Scope(owner, None, team), GENERATION, embed_question("tea"), 9)) == 1
    assert len(collections(client, name)) == 1
    assert index.tidy() == 0
    memory.revoke(team, of="u1", by="u1")
    assert index.tidy() == 1


def test_collection_holds_no_text_or_owner_name(storage: Watched, client: Any, name: str):
    ChromaIndex(storage, client, name).search(U1, GENERATION, embed_question("tea"), 5)
    (collection,) = collections(client, name)
    rows = collection.get(include=["documents", "metadatas"])
    assert set(rows["documents"]) == set(rows["metadatas"]) == {None}
    assert "u1" not in collection.name


def test_search_among_subset_finds_best_of_many(client: Any, name: str):
    """More messages than one request reads, so Chroma is queried until enough are found."""
    storage = Watched()
    memory = Memory(storage, MemoryStorage(), COUNTER)
    chance = np.random.default_rng(3)
    words = [f"word{number}" for number in range(200)]
    memory.chat(owner="u1").add_many([MessageDraft("user", " ".join(chance.choice(words, 6))) for _ in range(4_000)])
    embed_waiting(storage, limit=1_000)
    index = ChromaIndex(storage, client, name)
    true = {near.number: near.score for near in search_exhaustively(storage, U1, GENERATION, embed_question("word1 word2"))}
    for share in (1, 2, 5):
        among = list(range(share, 4_001, share))
        assert len(among) > MAX_DIRECT_MESSAGES
        found = index.search(U1, GENERATION, embed_question("word1 word2"), 20, among)
        best = sorted((true[number] for number in among), reverse=True)[:20]
        assert [near.score for near in found] == pytest.approx(best, abs=1e-5)
    assert len(index.search(U1, GENERATION, embed_question("word1"), 5_000, among)) == 800
    with pytest.raises(InvalidInput):
        index.search(U1, GENERATION, [1.0, 0.0], 5, among)
    assert index.failure is None


def test_search_recall_at_10_is_at_least_99_percent(client: Any, name: str):
    storage = Watched()
    chance = np.random.default_rng(3)
    words = [f"word{number}" for number in range(300)]
    memory = Memory(storage, MemoryStorage(), COUNTER)
    memory.chat(owner="u1").add_many([MessageDraft("user", " ".join(chance.choice(words, 8))) for _ in range(4_000)])
    embed_waiting(storage, limit=1_000)
    index, exact = ChromaIndex(storage, client, name), LocalIndex(storage)
    met = 0
    for _ in range(50):
        asked = embed_question(" ".join(chance.choice(words, 4)))
        best = exact.search(U1, GENERATION, asked, 10)
        found = index.search(U1, GENERATION, asked, 10)
        met += sum(near.score >= best[-1].score - 1e-5 for near in found)
    assert met >= 495, f"of the best 500 only {met} were found"


def test_concurrent_indexes_follow_adds_and_erasures(storage: Watched, memory: Memory, client: Any, name: str):
    """Several indexes, as in separate processes, while messages are added and erased."""
    chat = memory.chat(owner="u1", session="u1")

    def work(number: int) -> None:
        index = ChromaIndex(storage, client, name)
        for turn in range(8):
            said = chat.add("user", f"rain {number} {turn}")
            if turn % 4 == 3:
                chat.erase(said.id)
            assert len(index.search(U1, GENERATION, embed_question("tea"), 5)) == 5

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    embed_waiting(storage)
    index = ChromaIndex(storage, client, name)
    found = index.search(U1, GENERATION, embed_question("rain"), 999)
    assert len(found) == 100 + 4 * 6
    assert index.failure is None


def test_memory_searches_and_erases_with_chroma_index(client: Any, name: str):
    with closing(MemoryStorage()) as storage:
        chroma = ChromaIndexFactory(client, name)
        memory = Memory(storage, MemoryStorage(), COUNTER, components=SearchComponents(EMBEDDER, chroma))
        memory.chat(owner="u1").add_many([MessageDraft("user", "green tea"), MessageDraft("user", "heavy rain")])
        memory.maintain()
        assert memory.search("tea", owner="u1", mode="meaning")[0].message.text == "green tea"
        assert memory.search("tea", owner="u2", mode="meaning") == []
        assert len(collections(client, name)) == 1
        memory.erase(owner="u1")
        assert (chroma.tidy(), collections(client, name)) == (0, []), "whoever erases has tidied"


@pytest.mark.parametrize("whole", [True, False])
def test_erase_tidies_chroma_without_prior_search(client: Any, name: str, whole: bool):
    with closing(MemoryStorage()) as storage:
        memory, another = (
            Memory(
                storage, MemoryStorage(), COUNTER, components=SearchComponents(EMBEDDER, ChromaIndexFactory(client, name))
            )
            for _ in range(2)
        )
        said = memory.chat(owner="u1", session="s", create=True).add("user", "green tea")
        memory.maintain()
        assert memory.search("tea", owner="u1", mode="meaning")
        receipt = another.erase(owner="u1") if whole else another.chat(owner="u1", session="s").erase(said.id)
        assert (receipt.messages, receipt.pending, collections(client, name)) == (1, "", [])


def test_erase_receipt_reports_failed_tidy(name: str):
    with closing(MemoryStorage()) as storage:
        memory = Memory(
            storage, MemoryStorage(), COUNTER, components=SearchComponents(EMBEDDER, ChromaIndexFactory(Dead(), name))
        )
        memory.chat(owner="u1").add("user", "green tea")
        receipt = memory.erase(owner="u1")
        assert receipt.messages == 1
        assert "Chroma may still have" in receipt.pending
