"""The resident index: what it keeps in memory, what it copies, what it loads."""

import subprocess
import sys
import threading

import pytest

import recollect
from recollect import Memory
from recollect.index.local import LocalIndex, Matrix
from recollect.ports import VectorDelta, VectorMark
from recollect.storage.memory import MemoryStorage
from recollect.testing import HashEmbedder
from recollect.testing.conformance import COUNTER
from recollect.testing.index_conformance import GENERATION, drain, packed, question
from recollect.types import Scope


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
def filled():
    """A storage with three owners of ten messages each."""
    storage = Watched()
    memory = Memory(storage, MemoryStorage(), COUNTER)
    for owner in ("u1", "u2", "u3"):
        memory.chat(owner=owner).add_many([{"role": "user", "content": f"tea {number}"} for number in range(10)])
    drain(storage)
    return storage


def test_vectors_are_loaded_once(filled):
    index = LocalIndex(filled)
    for _ in range(3):
        assert len(index.search(Scope("u1"), GENERATION, question("tea"), 99)) == 10
    assert filled.sent == [10, 0, 0]
    assert index.size == 10 * (64 * 3 + 16)


def test_the_least_used_are_let_go(filled):
    one = 10 * (64 * 3 + 16)
    index = LocalIndex(filled, capacity=2 * one)
    for owner in ("u1", "u2", "u1", "u3", "u1", "u2"):
        assert len(index.search(Scope(owner), GENERATION, question("tea"), 99)) == 10
        assert index.size <= 2 * one
    assert filled.sent == [10, 10, 0, 10, 0, 10]
    tiny = LocalIndex(filled, capacity=1)
    assert len(tiny.search(Scope("u1"), GENERATION, question("tea"), 99)) == 10


def test_single_vectors_do_not_copy_everything():
    matrix = Matrix()
    vector = packed(question("tea"))
    moves = 0
    for number in range(1, 2001):
        before = matrix._exact
        matrix.update(VectorDelta(number == 1, [number], [0], [vector], VectorMark(1, number, 0)))
        moves += matrix._exact is not before
    assert len(matrix) == 2000
    assert moves < 15
    assert len(matrix.nearest(question("tea"), 5, None)) == 5


def test_many_threads_search_one_index(filled):
    index, failures = LocalIndex(filled, capacity=1), []

    def work(owner):
        for number in range(30):
            best = index.search(Scope(owner), GENERATION, question(f"tea {number % 10}"), 1)
            if [near.number for near in best] != [number % 10 + 1]:
                failures.append((owner, number, best))

    threads = [threading.Thread(target=work, args=(owner,)) for owner in ("u1", "u2", "u3") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_heavy_is_loaded_before_a_search_finds_vectors():
    code = """
import sys
from recollect import Memory
from recollect.index.local import LocalIndex
from recollect.storage.memory import MemoryStorage
from recollect.types import Scope
LocalIndex(MemoryStorage()).search(Scope("u1"), "none", [1.0], 3)
print(*sorted({"numpy", "simsimd"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == ""


def test_the_fake_embedder_is_the_same_everywhere():
    code = "from recollect.testing import HashEmbedder; print(HashEmbedder(4).embed(['A cup of tea'])[0].vector)"
    elsewhere = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert elsewhere == str(HashEmbedder(4).embed(["a CUP of tea"])[0].vector)
    made = HashEmbedder(tokens=True).embed(["tea, please", ""])
    assert [made[0].spans, len(made[0].tokens), made[0].width] == [[(0, 3), (5, 11)], 32, 16]
    assert (made[1].tokens, len(made[1].vector)) == (b"", 64)


def test_an_index_with_a_copy_of_its_own_is_tidied_after_an_erase() -> None:
    """An index that somebody brings may have kept what was erased."""
    tidied: list[str] = []

    class Copied(LocalIndex):
        def tidy(self) -> int:
            tidied.append("tidied")
            return 0

    with recollect.open("memory://", embedder=HashEmbedder(8), background=False, index=Copied) as memory:
        chat = memory.chat(owner="u1")
        said = chat.add("user", "The kettle is broken.")
        memory.erase(owner="u1", session=chat.id, message=said.id)
        assert len(tidied) == 1, "nobody has searched here, but somebody elsewhere may have"
        chat.erase(chat.add("user", "And so is the stove.").id)
        memory.erase(owner="u1")
        memory.maintain()
        assert len(tidied) == 4
