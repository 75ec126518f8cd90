"""The resident index: what it keeps in memory, what it copies, what it loads."""

import subprocess
import sys
import threading

import pytest

import keepsaid
from keepsaid import Memory
from keepsaid.index import vector_matrix
from keepsaid.index.local import LocalIndex
from keepsaid.index.vector_matrix import OVERHEAD, VectorMatrix
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
    assert index.size == 10 * (64 * 3 + 16) + OVERHEAD


def test_index_evicts_least_recently_used_owner(filled_storage):
    one = 10 * (64 * 3 + 16) + OVERHEAD
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
        before = matrix._blocks[-1:]
        matrix.update(VectorDelta(number == 1, [number], [0], [vector], VectorMark(1, number, 0)))
        moves += matrix._blocks[-1:] != before
    assert len(matrix) == 2000
    assert moves < 15
    assert len(matrix.nearest(embed_question("tea"), 5, None)) == 5


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(vector_matrix, "BLOCK_ROWS", 100)


def make_matrix(rows, capacity=None, portion=30):
    """A matrix of random vectors, given in portions, and these vectors."""
    import numpy as np

    made = np.random.default_rng(1).normal(size=(rows, 32))
    vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f2")
    matrix = VectorMatrix(capacity)
    for start in range(0, rows, portion):
        some = [vector.tobytes() for vector in vectors[start : start + portion]]
        numbers = list(range(start, start + len(some)))
        matrix.update(VectorDelta(start == 0, numbers, [0] * len(some), some, VectorMark(1, start, 0)))
    return matrix, vectors.astype("<f4")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("among", [None, range(0, 1000, 3), range(95, 130), range(7)])
def test_blocks_give_same_results_as_one_matrix(among):
    matrix, vectors = make_matrix(1000)
    assert len(matrix) == 1000
    for question in (vectors[5] + vectors[700], -vectors[999]):
        scores = vectors @ (question / (question @ question) ** 0.5)
        best = sorted(among or range(1000), key=lambda row: -scores[row])[:20]
        found = matrix.nearest(question, 20, None if among is None else list(among))
        assert [near.number for near in found] == best
        assert [near.score for near in found] == pytest.approx([scores[row] for row in best], abs=1e-3)


@pytest.mark.usefixtures("small_blocks")
def test_matrix_larger_than_capacity_keeps_only_int8_vectors():
    exact, vectors = make_matrix(1000)
    reduced, _ = make_matrix(1000, capacity=60_000)
    assert exact.is_exact
    assert not reduced.is_exact
    assert reduced.size < 60_000 < exact.size
    wanted = [(near.number, near.score) for near in exact.nearest(vectors[3], 20, None)]
    found = {near.number: near.score for near in reduced.nearest(vectors[3], 20, None)}
    assert len(found.keys() & dict(wanted)) >= 19
    assert all(found.get(number, score) == pytest.approx(score, abs=0.01) for number, score in wanted)
    few = VectorDelta(True, [1], [0], [vectors[0].astype("<f2").tobytes()], VectorMark(2, 1, 0))
    reduced.update(few)
    assert reduced.is_exact


def test_small_owners_count_with_all_they_take(filled_storage):
    """Ten thousand owners of a few messages each must not take several times what the index says."""
    matrix = VectorMatrix()
    matrix.update(filled_storage.vectors(Scope("u1"), GENERATION, VectorMark()))
    (block,) = matrix._blocks
    assert block.capacity == block.rows == 10
    one = filled_storage.vectors(Scope("u2"), GENERATION, VectorMark())
    matrix.update(VectorDelta(False, one.numbers[:1], one.parts[:1], one.vectors[:1], one.mark))
    (block,) = matrix._blocks
    assert matrix.size == OVERHEAD + block.capacity * (64 * 3 + 16) > OVERHEAD + len(matrix) * (64 * 3 + 16)


def test_index_size_is_that_of_its_matrices(filled_storage):
    index = LocalIndex(filled_storage, capacity=2 * (10 * (64 * 3 + 16) + OVERHEAD))
    for owner in ("u1", "u2", "u3", "nobody", "u1"):
        index.search(Scope(owner), GENERATION, embed_question("tea"), 9)
        assert index.size == sum(matrix.size for matrix in index._matrices.values())
        assert index._sizes.keys() == index._matrices.keys()


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
