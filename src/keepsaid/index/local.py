"""The built-in index: an owner's vectors in memory, searched by a full scan.

A user's history is small: scanning 100,000 vectors of 384 dimensions as int8 takes 2 ms, and the best of them are rescored
with the stored float16 vectors, so the results are ordered by those. Before every search the index fetches what is new from
the storage, so vectors from other threads and processes are found, and erased ones are not.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keepsaid.errors import InvalidInput
from keepsaid.ports import VectorDelta, VectorMark, VectorMatch, VectorStorage
from keepsaid.types import Scope

if TYPE_CHECKING:
    import numpy as np

MEGABYTE = 1 << 20
MIN_SPARE, SPARE_SHARE = 64, 2
"""How many more than the results wanted are rescored: this part of them, but at least so many. The scan's error moves a
vector by a few places."""
SPARE_ROWS = 64


class LocalIndex:
    """Caches the matrices of the most recently searched owners, up to `capacity` bytes. Thread-safe.

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
        self._matrices: OrderedDict[tuple[str, bool, bool, str], VectorMatrix] = OrderedDict()

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[VectorMatch]:
        """Return the passages nearest to the vector, best first. `among` (in ascending order) restricts them to these
        messages."""
        matrix = self._matrix(scope, generation)
        with matrix.lock:
            matrix.update(self._vectors.vectors(scope, generation, matrix.mark))
            found = matrix.nearest(vector, limit, among) if len(matrix) else []
        self._evict()
        return found

    @property
    def size(self) -> int:
        """The size of all matrices in bytes."""
        with self._lock:
            return sum(matrix.size for matrix in self._matrices.values())

    def _matrix(self, scope: Scope, generation: str) -> VectorMatrix:
        key = (scope.owner if scope.pool is None else scope.pool, scope.pool is not None, scope.documents, generation)
        with self._lock:
            matrix = self._matrices.setdefault(key, VectorMatrix())
            self._matrices.move_to_end(key)
            return matrix

    def _evict(self) -> None:
        """Evict the least recently searched matrices. The one just used stays, however large."""
        with self._lock:
            total = sum(matrix.size for matrix in self._matrices.values())
            while total > self._capacity and len(self._matrices) > 1:
                total -= self._matrices.popitem(last=False)[1].size


class VectorMatrix:
    """The vectors of one owner in one generation. Rows are in the order of their messages' numbers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.mark = VectorMark()
        self._rows = 0
        self._numbers: Any = None
        self._parts: Any = None
        self._exact: Any = None
        self._coarse: Any = None
        self._scales: Any = None

    def __len__(self) -> int:
        return self._rows

    @property
    def size(self) -> int:
        """The size in bytes: a float16 and an int8 for every dimension, and 16 for number, part and scale."""
        return 0 if self._exact is None else self._rows * (3 * self._exact.shape[1] + 16)

    def update(self, delta: VectorDelta) -> None:
        """Apply a delta: append new vectors, or replace everything."""
        if delta.fresh:
            self._rows = 0
            self._exact = None
        if delta.vectors:
            self._append(delta)
        self.mark = delta.mark

    def _append(self, delta: VectorDelta) -> None:
        import numpy as np

        exact = np.frombuffer(b"".join(delta.vectors), "<f2").reshape(len(delta.vectors), -1)
        self._grow(len(exact), exact.shape[1])
        new = slice(self._rows, self._rows + len(exact))
        self._numbers[new] = delta.numbers
        self._parts[new] = delta.parts
        self._exact[new] = exact
        for start in range(0, len(exact), 4096):  # in pieces, because float32 takes four times the memory of int8
            some = exact[start : start + 4096].astype(np.float32)
            coarse, scales = _coarse(some)
            rows = slice(self._rows + start, self._rows + start + len(some))
            self._coarse[rows] = coarse
            self._scales[rows] = scales
        self._rows += len(exact)

    def _grow(self, more: int, dimensions: int) -> None:
        """Allocate more than is needed, so that single new vectors do not each copy everything. Unused capacity costs
        nothing: the system provides memory when it is first written to."""
        import numpy as np

        needed = self._rows + more
        if self._exact is not None and needed <= len(self._exact):
            return
        capacity = needed + needed // 2 + SPARE_ROWS
        fresh = {
            "_numbers": np.empty(capacity, np.int64),
            "_parts": np.empty(capacity, np.int32),
            "_exact": np.empty((capacity, dimensions), np.float16),
            "_coarse": np.empty((capacity, dimensions), np.int8),
            "_scales": np.empty(capacity, np.float32),
        }
        for name, array in fresh.items():
            if self._rows:
                array[: self._rows] = getattr(self, name)[: self._rows]
            setattr(self, name, array)

    def nearest(self, vector: Sequence[float], limit: int, among: Sequence[int] | None) -> list[VectorMatch]:
        """Return the best rows by cosine."""
        import numpy as np
        import simsimd

        question = np.asarray(vector, np.float32)
        if question.shape != self._exact.shape[1:] or not np.isfinite(question).all():
            raise InvalidInput(
                f"the question's vector has the shape {question.shape}; finite numbers in the shape"
                f" {self._exact.shape[1:]} are needed"
            )
        question = question / max(float(np.linalg.norm(question)), 1e-12)
        rows = None if among is None else np.flatnonzero(np.isin(self._numbers[: self._rows], np.asarray(among, np.int64)))
        chosen = self._scan(question, limit + max(limit // SPARE_SHARE, MIN_SPARE), rows)
        if not len(chosen):
            return []
        # Not `@`: on a busy machine numpy's own threads cost more than they gain.
        scores = np.asarray(simsimd.cdist(question[None], self._exact[chosen].astype(np.float32), "dot"), np.float32)[0]
        order = np.lexsort((-chosen, -scores))[: max(0, limit)]
        return [
            VectorMatch(int(self._numbers[row]), int(self._parts[row]), float(score))
            for row, score in zip(chosen[order], scores[order], strict=True)
        ]

    def _scan(self, question: np.ndarray[Any, Any], count: int, rows: np.ndarray[Any, Any] | None) -> Any:
        """Return the best rows of an int8 scan, unordered; all rows if they are few."""
        import numpy as np
        import simsimd

        here = self._rows if rows is None else len(rows)
        if here <= count:
            return np.arange(here) if rows is None else rows
        matrix = self._coarse[: self._rows] if rows is None else self._coarse[rows]
        scales = self._scales[: self._rows] if rows is None else self._scales[rows]
        coarse, _ = _coarse(question[None])
        scanned = np.asarray(simsimd.cdist(coarse, matrix, "dot"), np.float32)[0] * scales
        best = np.argpartition(scanned, -count)[-count:]
        return best if rows is None else rows[best]


def _coarse(vectors: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Return vectors as int8, each scaled to the full range, and their scales."""
    import numpy as np

    largest = np.maximum(np.abs(vectors).max(1), 1e-12)
    return np.rint(vectors * (127 / largest)[:, None]).astype(np.int8), largest / 127
