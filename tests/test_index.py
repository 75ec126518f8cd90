"""The resident index: what it keeps in memory, what it copies, what it loads."""

import subprocess
import sys
import threading

import pytest

import keepsaid
from keepsaid import Memory
from keepsaid.index.local import LocalIndex, VectorMatrix
from keepsaid.ports import VectorDelta, VectorMark
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing import HashEmbedder
from keepsaid.testing.conformance import COUNTER
from keepsaid.testing.index_conformance import GENERATION, embed_question, embed_waiting, pack_vector
from keepsaid.types import Scope


class Watched(MemoryStorage):
    """The reference, which counts what it is asked for."""

    def __init__(self):
        super().__init__()
        self.sent = []

    def vectors(self, scope, generation, since):
        delta = super().vectors(scope, generation, since)
        self.sent.append(len(delta.vectors))
        return delta


@pytest.fixture
def filled_storage():
    """A storage with three owners of ten messages each."""
    storage = Watched()
    memory = Memory(storage, MemoryStorage(), COUNTER)
    for owner in ("u1", "u2", "u3"):
        memory.chat(owner=owner).add_many([{"role": "user", "content": f"tea {number}"} for number in range(10)])
    embed_waiting(storage)
    return storage


def test_index_loads_vectors_once(filled_storage):
    index = LocalIndex(filled_storage)
    for _ in range(3):
        assert len(index.search(Scope("u1"), GENERATION, embed_question("tea"), 99)) == 10
    assert filled_storage.sent == [10, 0, 0]
    assert index.size == 10 * (64 * 3 + 16)


def test_index_evicts_least_recently_used_owner(filled_storage):
    one = 10 * (64 * 3 + 16)
    index = LocalIndex(filled_storage, capacity=2 * one)
    for owner in ("u1", "u2", "u1", "u3", "u1", "u2"):
        assert len(index.search(Scope(owner), GENERATION, embed_question("tea"), 99)) == 10
        assert index.size <= 2 * one
    assert filled_storage.sent == [10, 10, 0, 10, 0, 10]
    tiny = LocalIndex(filled_storage, capacity=1)
    assert len(tiny.search(Scope("u1"), GENERATION, embed_question("tea"), 99)) == 10


def test_adding_single_vectors_rarely_copies_matrix():
    matrix = VectorMatrix()
    vector = pack_vector(embed_question("tea"))
    moves = 0
    for number in range(1, 2001):
        before = matrix._exact
        matrix.update(VectorDelta(number == 1, [number], [0], [vector], VectorMark(1, number, 0)))
        moves += matrix._exact is not before
    assert len(matrix) == 2000
    assert moves < 15
    assert len(matrix.nearest(embed_question("tea"), 5, None)) == 5


def test_concurrent_threads_search_one_index(filled_storage):
    index, failures = LocalIndex(filled_storage, capacity=1), []

    def work(owner):
        for number in range(30):
            best = index.search(Scope(owner), GENERATION, embed_question(f"tea {number % 10}"), 1)
            if [near.number for near in best] != [number % 10 + 1]:
                failures.append((owner, number, best))

    threads = [threading.Thread(target=work, args=(owner,)) for owner in ("u1", "u2", "u3") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_numpy_is_not_imported_before_search_finds_vectors():
    code = """
import sys
from keepsaid import Memory
from keepsaid.index.local import LocalIndex
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.types import Scope
LocalIndex(MemoryStorage()).search(Scope("u1"), "none", [1.0], 3)
print(*sorted({"numpy", "simsimd"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == ""


def test_hash_embedder_gives_equal_vectors_in_every_process():
    code = "from keepsaid.testing import HashEmbedder; print(HashEmbedder(4).embed(['A cup of tea'])[0].vector)"
    elsewhere = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert elsewhere == str(HashEmbedder(4).embed(["a CUP of tea"])[0].vector)
    made = HashEmbedder(tokens=True).embed(["tea, please", ""])
    assert [made[0].spans, len(made[0].tokens), made[0].width] == [[(0, 3), (5, 11)], 32, 16]
    assert (made[1].tokens, len(made[1].vector)) == (b"", 64)


def test_erase_tidies_custom_index() -> None:
    """A custom index may hold its own copy of erased data."""
    tidied: list[str] = []

    class Copied(LocalIndex):
        def tidy(self) -> int:
            tidied.append("tidied")
            return 0

    with keepsaid.open("memory://", embedder=HashEmbedder(8), background=False, index=Copied) as memory:
        chat = memory.chat(owner="u1")
        said = chat.add("user", "The kettle is broken.")
        memory.erase(owner="u1", session=chat.id, message=said.id)
        assert len(tidied) == 1, "nobody has searched here, but somebody elsewhere may have"
        chat.erase(chat.add("user", "And so is the stove.").id)
        memory.erase(owner="u1")
        memory.maintain()
        assert len(tidied) == 4
