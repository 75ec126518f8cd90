"""The built-in index: an owner's vectors in memory, searched by a full scan.

A user's history is small: scanning 100,000 vectors of 896 dimensions as int8 takes 3 ms, and the best of them are rescored
with the stored float16 vectors, so the results are ordered by those. Before every search the index fetches what is new from
the storage, so vectors from other threads and processes are found, and erased ones are not.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from keepsaid.index.vector_matrix import VectorMatrix
from keepsaid.ports import VectorMatch, VectorStorage
from keepsaid.types import Scope

MEGABYTE = 1 << 20

MatrixKey = tuple[str, bool, bool, str]
"""An owner or pool, whether it is a pool, whether these are its documents, and the generation."""


class LocalIndex:
    """Caches the matrices of the most recently searched owners, up to `capacity` bytes. Thread-safe.

    The matrix that was used last stays, however large it is; one that alone takes more than the capacity is reduced to a
    third.

    >>> from keepsaid.storage.inmemory.storage import MemoryStorage
    >>> storage = MemoryStorage()
    >>> _ = storage.begin_generation("mine", 2)
    >>> LocalIndex(storage).search(Scope("u1"), "mine", [1.0, 0.0], limit=3)
    []
    """

    def __init__(self, vectors: VectorStorage, capacity: int = 512 * MEGABYTE) -> None:
        self._vectors = vectors
        self._capacity = capacity
        self._lock = threading.Lock()
        self._matrices: OrderedDict[MatrixKey, VectorMatrix] = OrderedDict()
        self._sizes: dict[MatrixKey, int] = {}
        self._total = 0

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[VectorMatch]:
        """Return the passages nearest to the vector, best first. `among` (in ascending order) restricts them to these
        messages."""
        key = (scope.owner if scope.pool is None else scope.pool, scope.pool is not None, scope.documents, generation)
        matrix = self._find_matrix(key)
        try:
            with matrix.lock:
                self._update(matrix, scope, generation)
                return matrix.nearest(vector, limit, among) if len(matrix) else []
        finally:
            self._account(key, matrix)

    @property
    def size(self) -> int:
        """The size of all matrices in bytes."""
        with self._lock:
            return self._total

    def _find_matrix(self, key: MatrixKey) -> VectorMatrix:
        with self._lock:
            matrix = self._matrices.get(key)
            if matrix is None:
                matrix = self._matrices[key] = VectorMatrix(self._capacity)
            self._matrices.move_to_end(key)
            return matrix

    def _update(self, matrix: VectorMatrix, scope: Scope, generation: str) -> None:
        """Fetch what is new, in the portions in which the storage gives it."""
        more = True
        while more:
            delta = self._vectors.vectors(scope, generation, matrix.mark)
            matrix.update(delta)
            more = delta.more

    def _account(self, key: MatrixKey, matrix: VectorMatrix) -> None:
        """Record a matrix's size, and evict the least recently searched ones. The one just used stays, however large.

        Only this matrix is measured: with many thousand small owners, adding up all sizes would take longer than a search.
        """
        with self._lock:
            if self._matrices.get(key) is not matrix:
                return  # evicted meanwhile
            size = matrix.size
            self._total += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while self._total > self._capacity and len(self._matrices) > 1:
                oldest, _ = self._matrices.popitem(last=False)
                self._total -= self._sizes.pop(oldest, 0)
