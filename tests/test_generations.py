"""Changing the model: the old vectors serve until the new ones are complete, and the two are never compared."""

from contextlib import closing, suppress

import pytest
from model import pull_model

import keepsaid
from keepsaid import Memory
from keepsaid.embed.checks import CheckedEmbedder
from keepsaid.index.local import LocalIndex
from keepsaid.ports import VectorMark
from keepsaid.services.container import SearchComponents
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing import HashEmbedder
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Scope

FRUITS = [f"{name} number {number}" for name in ("apple", "pear", "plum", "fig") for number in range(15)]


class Recording(HashEmbedder):
    """Keeps apart what was asked and what was said."""

    def __init__(self, dimensions, **more):
        super().__init__(dimensions, **more)
        self.asked = []
        self.said = []

    def embed(self, texts, *, asking=False):
        (self.asked if asking else self.said).extend(texts)
        return super().embed(texts, asking=asking)


@pytest.fixture(params=["memory", "sqlite"])
def storage(request, tmp_path):
    made = MemoryStorage() if request.param == "memory" else SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))
    with closing(made):
        yield made


def memory_with(storage, embedder, *older):
    """A memory that searches with one embedder and can still make some earlier ones. Its storage is not its own."""
    known = {one.name: one for one in older}
    components = SearchComponents(CheckedEmbedder(embedder), LocalIndex, known.get)
    return Memory(storage, MemoryStorage(), COUNTER, components=components)


def fill(memory):
    memory.chat(owner="u1", session="s", create=True).add_many([{"role": "user", "content": text} for text in FRUITS])


def stop_at(memory, share):
    """Maintains until so many are done, and is interrupted."""

    def interrupt(done, of):
        if done >= share * of:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        memory.maintain(progress=interrupt)


def best(memory, query="apple number 7"):
    hits = memory.search(query, owner="u1", mode="meaning")
    assert not hits.fallbacks
    return hits[0].message.text


def generations(storage):
    return [(generation.name, generation.complete) for generation in storage.generations()]


@pytest.fixture
def old(storage):
    """An embedder whose vectors are complete."""
    embedder = Recording(16)
    memory = memory_with(storage, embedder)
    fill(memory)
    memory.maintain()
    return embedder


def test_old_vectors_serve_until_new_ones_are_complete(storage, old):
    new = Recording(32)
    memory = memory_with(storage, new, old)
    assert best(memory) == "apple number 7"
    assert (old.asked, new.asked) == (["apple number 7"], []), "nothing is known of the new one yet"
    stop_at(memory, 0.5)
    assert generations(storage) == [("hash-16", True), ("hash-32", False)]
    assert best(memory, "fig number 3") == "fig number 3"
    assert (old.asked[-1], new.asked) == ("fig number 3", [])
    memory.maintain()
    assert generations(storage) == [("hash-32", True)]
    assert best(memory, "pear number 11") == "pear number 11"
    assert (old.asked[-1], new.asked) == ("fig number 3", ["pear number 11"])
    assert sorted(new.said) == sorted(["How many dimensions?", *FRUITS]), "each once"


def test_message_saved_during_change_is_found_by_old_vectors(storage, old):
    new = Recording(32)
    memory = memory_with(storage, new, old)
    stop_at(memory, 0.3)
    memory.chat(owner="u1", session="s").add("user", "a very new banana")
    assert best(memory, "banana") == "a very new banana"
    assert new.asked == []
    memory.maintain()
    assert best(memory, "banana") == "a very new banana"
    assert new.asked == ["banana"]


def test_interrupted_model_change_resumes(storage, old):
    first, second = Recording(32), Recording(32)
    stop_at(memory_with(storage, first, old), 0.5)
    covered = memory_with(storage, second, old).coverage()
    assert 0 < covered.embedded < covered.messages == len(FRUITS)
    assert memory_with(storage, second, old).maintain() == covered.messages - covered.embedded
    assert sorted((*first.said, *second.said)) == sorted([*FRUITS, "How many dimensions?", "How many dimensions?"])


def test_old_vectors_are_dropped_when_new_ones_are_complete(storage, old):
    memory = memory_with(storage, HashEmbedder(32), old)
    before = storage.coverage(old.name)
    assert before.passages == len(FRUITS)
    stop_at(memory, 0.5)
    assert storage.coverage(old.name).passages == len(FRUITS)
    memory.maintain()
    assert storage.coverage(old.name)[2:] == (0, 0)
    assert storage.vectors(Scope("u1"), old.name, VectorMark()).numbers == []
    assert storage.coverage("hash-32").passages == len(FRUITS)


def test_partial_new_vectors_serve_without_old_embedder(storage, old):
    """Without the old embedder, the new vectors serve as far as they exist, and keywords find the rest."""
    new = Recording(32)
    memory = memory_with(storage, new)
    assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
    stop_at(memory, 0.5)
    for query in (FRUITS[0], FRUITS[-1]):
        hits = memory.search(query, owner="u1")
        assert hits[0].message.text == query
        assert not hits.fallbacks
    assert old.asked == []


def test_return_to_old_model_during_change_embeds_nothing(storage, old):
    stop_at(memory_with(storage, HashEmbedder(32), old), 0.5)
    said = len(old.said)
    memory = memory_with(storage, old)
    assert best(memory) == "apple number 7"
    assert memory.maintain() == 0
    assert old.said[said:] == ["How many dimensions?"]


def test_return_to_dropped_model_embeds_everything_again(storage, old):
    memory_with(storage, HashEmbedder(32), old).maintain()
    again = Recording(16)
    assert memory_with(storage, again).maintain() == len(FRUITS)
    assert generations(storage) == [("hash-16", True)]


def test_process_with_old_model_still_answers_after_change(storage, old):
    """Another process has finished the change; this one still answers."""
    older = memory_with(storage, old)
    assert best(older) == "apple number 7"
    memory_with(storage, HashEmbedder(32), old).maintain()
    hits = older.search("apple number 7", owner="u1")
    assert hits[0].message.text == "apple number 7"


def test_newest_complete_generation_serves(storage, old):
    second, third = Recording(24), Recording(32)
    storage.begin_generation(second.name, 24)
    while (task := storage.claim(second.name, "w", 0, 1, 50)) is not None:
        storage.settle_task(task, [], 0)
    memory = memory_with(storage, third, old, second)
    assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
    assert (len(second.asked), old.asked, third.asked) == (1, [], [])


def test_token_vectors_form_a_separate_generation(storage):
    plain, tokens = HashEmbedder(16), HashEmbedder(16, tokens=True)
    memory = memory_with(storage, plain)
    fill(memory)
    memory.maintain()
    memory = memory_with(storage, tokens, plain)
    stop_at(memory, 0.5)
    assert generations(storage) == [("hash-16", True), ("hash-16-tokens", False)]
    assert best(memory) == "apple number 7"
    memory.maintain()
    assert generations(storage) == [("hash-16-tokens", True)]
    assert all(passage.tokens for passage in storage.passages(Scope("u1"), tokens.name, range(1, 61)))
    assert best(memory) == "apple number 7"


# -- by the settings


@pytest.fixture
def path(tmp_path):
    return tmp_path / "chat.db"


def test_store_filled_without_embedder_is_embedded_later(path):
    with keepsaid.open(path, embedder="off") as memory:
        fill(memory)
        memory.chat(owner="u2").add("user", "a lonely banana")
        assert memory.coverage() is None
        assert memory.maintain() == 0
    with keepsaid.open(path, embedder=HashEmbedder(16), background=False) as memory:
        assert (memory.coverage().embedded, memory.coverage().messages) == (0, 61)
        assert memory.search("lonely banana", owner="u2")[0].message.text == "a lonely banana"
        assert memory.search("fig number 3", owner="u1")[0].message.text == "fig number 3"
        assert memory.maintain() == 61
        assert best(memory) == "apple number 7"
        assert memory.check().healthy


def test_switching_embedder_off_and_on_keeps_its_vectors(path):
    with keepsaid.open(path, embedder=HashEmbedder(16), background=False) as memory:
        fill(memory)
        memory.maintain()
    with keepsaid.open(path, embedder="off") as memory:
        assert memory.embedder is None
        memory.chat(owner="u1", session="s").add("user", "a new banana")
        hits = memory.search("fig number 3", owner="u1")
        assert (hits[0].message.text, hits.fallbacks) == ("fig number 3", ())
        assert "meaning" not in hits[0].signals
        assert memory.check().healthy
    with keepsaid.open(path, embedder=HashEmbedder(16), background=False) as memory:
        assert best(memory, "banana") == "a new banana"
        assert memory.maintain() == 1, "what it had is still there"


def test_local_model_without_token_vectors_replaces_old_vectors(path):
    folder = str(pull_model())
    texts = ["The invoice is due on Monday.", "Our puppy chewed up the sofa.", "We fly to Oslo in June."]
    with keepsaid.open(path, embedder="local", model_folder=folder, background=False) as memory:
        memory.chat(owner="u1", session="s", create=True).add_many([{"role": "user", "content": text} for text in texts])
        memory.maintain()
        full, bytes_full = memory.embedder, memory.coverage().bytes
    with keepsaid.open(path, embedder="local", model_folder=folder, background=False, token_vectors=False) as memory:
        assert memory.embedder != full
        hits = memory.search("What did the dog do to the furniture?", owner="u1", mode="meaning")
        assert (hits[0].message.text, hits.fallbacks) == (texts[1], ())
        assert memory.coverage().embedded == 0, "that was the old vectors' doing"
        memory.maintain()
        assert [generation.name for generation in memory._services.storage.generations()] == [memory.embedder]
        assert memory.coverage().bytes < bytes_full
        assert memory.search("What did the dog do?", owner="u1", mode="meaning")[0].message.text == texts[1]


def test_local_model_is_used_once_pulled(path):
    """A model that is pulled later is used without any change of the settings."""
    with keepsaid.open(path) as memory:
        assert memory.embedder is None, "the tests' home has no model"
        fill(memory)
    with keepsaid.open(path, model_folder=str(pull_model()), background=False) as memory:
        assert memory.embedder.startswith("local:")
        assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
