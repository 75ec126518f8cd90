"""Changing the model: the old vectors serve until the new ones are complete, and the two are never compared."""

from contextlib import closing, suppress

import pytest
from model import pulled_model

import recollect
from recollect import Memory
from recollect.embed.checked import Checked
from recollect.index.local import LocalIndex
from recollect.ports import VectorMark
from recollect.senses import Senses
from recollect.storage.memory import MemoryStorage
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import HashEmbedder
from recollect.testing.conformance import COUNTER
from recollect.types import Scope

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
    made = MemoryStorage() if request.param == "memory" else SqliteStorage(Source(tmp_path / "chat.db", durable=False))
    with closing(made):
        yield made


def memory_with(storage, embedder, *older):
    """A memory that searches with one embedder and can still make some earlier ones. Its storage is not its own."""
    known = {one.name: one for one in older}
    senses = Senses(Checked(embedder), LocalIndex, known.get)
    return Memory(storage, MemoryStorage(), COUNTER, senses=senses)


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


def test_the_old_vectors_serve_until_the_new_ones_are_complete(storage, old):
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


def test_what_is_saved_meanwhile_is_found_by_the_old_meaning(storage, old):
    new = Recording(32)
    memory = memory_with(storage, new, old)
    stop_at(memory, 0.3)
    memory.chat(owner="u1", session="s").add("user", "a very new banana")
    assert best(memory, "banana") == "a very new banana"
    assert new.asked == []
    memory.maintain()
    assert best(memory, "banana") == "a very new banana"
    assert new.asked == ["banana"]


def test_a_stopped_change_goes_on_where_it_was(storage, old):
    first, second = Recording(32), Recording(32)
    stop_at(memory_with(storage, first, old), 0.5)
    covered = memory_with(storage, second, old).coverage()
    assert 0 < covered.embedded < covered.messages == len(FRUITS)
    assert memory_with(storage, second, old).maintain() == covered.messages - covered.embedded
    assert sorted((*first.said, *second.said)) == sorted([*FRUITS, "How many dimensions?", "How many dimensions?"])


def test_the_old_vectors_go_when_the_new_ones_are_complete(storage, old):
    memory = memory_with(storage, HashEmbedder(32), old)
    before = storage.coverage(old.name)
    assert before.passages == len(FRUITS)
    stop_at(memory, 0.5)
    assert storage.coverage(old.name).passages == len(FRUITS)
    memory.maintain()
    assert storage.coverage(old.name)[2:] == (0, 0)
    assert storage.vectors(Scope("u1"), old.name, VectorMark()).numbers == []
    assert storage.coverage("hash-32").passages == len(FRUITS)


def test_an_embedder_that_cannot_be_made_again(storage, old):
    """Then the new vectors serve as far as they have come, and words find the rest."""
    new = Recording(32)
    memory = memory_with(storage, new)
    assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
    stop_at(memory, 0.5)
    for query in (FRUITS[0], FRUITS[-1]):
        hits = memory.search(query, owner="u1")
        assert hits[0].message.text == query
        assert not hits.fallbacks
    assert old.asked == []


def test_back_to_the_old_one_before_the_change_is_complete(storage, old):
    stop_at(memory_with(storage, HashEmbedder(32), old), 0.5)
    said = len(old.said)
    memory = memory_with(storage, old)
    assert best(memory) == "apple number 7"
    assert memory.maintain() == 0
    assert old.said[said:] == ["How many dimensions?"]


def test_back_to_one_that_was_dropped(storage, old):
    memory_with(storage, HashEmbedder(32), old).maintain()
    again = Recording(16)
    assert memory_with(storage, again).maintain() == len(FRUITS)
    assert generations(storage) == [("hash-16", True)]


def test_a_program_that_still_has_the_old_model(storage, old):
    """Another program has finished the change: this one still answers."""
    behind = memory_with(storage, old)
    assert best(behind) == "apple number 7"
    memory_with(storage, HashEmbedder(32), old).maintain()
    hits = behind.search("apple number 7", owner="u1")
    assert hits[0].message.text == "apple number 7"


def test_of_several_complete_ones_the_newest_serves(storage, old):
    second, third = Recording(24), Recording(32)
    storage.begin_generation(second.name, 24)
    while (task := storage.claim(second.name, "w", 0, 1, 50)) is not None:
        storage.settle_task(task, [], 0)
    memory = memory_with(storage, third, old, second)
    assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
    assert (len(second.asked), old.asked, third.asked) == (1, [], [])


def test_token_vectors_are_a_generation_of_their_own(storage):
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


def test_a_store_that_was_filled_without_an_embedder(path):
    with recollect.open(path, embedder="off") as memory:
        fill(memory)
        memory.chat(owner="u2").add("user", "a lonely banana")
        assert memory.coverage() is None
        assert memory.maintain() == 0
    with recollect.open(path, embedder=HashEmbedder(16), background=False) as memory:
        assert (memory.coverage().embedded, memory.coverage().messages) == (0, 61)
        assert memory.search("lonely banana", owner="u2")[0].message.text == "a lonely banana"
        assert memory.search("fig number 3", owner="u1")[0].message.text == "fig number 3"
        assert memory.maintain() == 61
        assert best(memory) == "apple number 7"
        assert memory.check().healthy


def test_switching_off_and_on_again(path):
    with recollect.open(path, embedder=HashEmbedder(16), background=False) as memory:
        fill(memory)
        memory.maintain()
    with recollect.open(path, embedder="off") as memory:
        assert memory.embedder is None
        memory.chat(owner="u1", session="s").add("user", "a new banana")
        hits = memory.search("fig number 3", owner="u1")
        assert (hits[0].message.text, hits.fallbacks) == ("fig number 3", ())
        assert "meaning" not in hits[0].signals
        assert memory.check().healthy
    with recollect.open(path, embedder=HashEmbedder(16), background=False) as memory:
        assert best(memory, "banana") == "a new banana"
        assert memory.maintain() == 1, "what it had is still there"


def test_the_local_model_without_its_tokens(path):
    folder = str(pulled_model())
    texts = ["The invoice is due on Monday.", "Our puppy chewed up the sofa.", "We fly to Oslo in June."]
    with recollect.open(path, embedder="local", model_folder=folder, background=False) as memory:
        memory.chat(owner="u1", session="s", create=True).add_many([{"role": "user", "content": text} for text in texts])
        memory.maintain()
        full, bytes_full = memory.embedder, memory.coverage().bytes
    with recollect.open(path, embedder="local", model_folder=folder, background=False, token_vectors=False) as memory:
        assert memory.embedder != full
        hits = memory.search("What did the dog do to the furniture?", owner="u1", mode="meaning")
        assert (hits[0].message.text, hits.fallbacks) == (texts[1], ())
        assert memory.coverage().embedded == 0, "that was the old vectors' doing"
        memory.maintain()
        assert [generation.name for generation in memory._storage.generations()] == [memory.embedder]
        assert memory.coverage().bytes < bytes_full
        assert memory.search("What did the dog do?", owner="u1", mode="meaning")[0].message.text == texts[1]


def test_the_local_model_takes_over_from_none(path):
    """What is pulled later is used from then on, without a word in the settings."""
    with recollect.open(path) as memory:
        assert memory.embedder is None, "the tests' home has no model"
        fill(memory)
    with recollect.open(path, model_folder=str(pulled_model()), background=False) as memory:
        assert memory.embedder.startswith("local:")
        assert memory.search("apple number 7", owner="u1")[0].message.text == "apple number 7"
