"""The built-in index: an owner's vectors, resident in this process, searched exactly.

A user's own history is small: scanning 100,000 vectors of 384 dimensions as int8 takes 2 ms, and the best of them are scored
again with the float16 vectors as they are stored, so what comes out is ordered by those. Before every search the storage is
asked what is new, so what other threads and processes have settled is found, and what was erased is not.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.ports import Near, VectorDelta, VectorMark, Vectors
from recollect.types import Scope

if TYPE_CHECKING:
    import numpy as np

MEGABYTE = 1 << 20
AGAIN = 4
"""For each result so many of the int8 scan's best are scored again, and never less than `LEAST`."""
LEAST = 64
SPARE_ROWS = 64


class LocalIndex:
    """Keeps the matrices of the owners who were searched last, up to `capacity` bytes of them. Safe to share by threads.

    >>> from recollect.storage.memory import MemoryStorage
    >>> storage = MemoryStorage()
    >>> _ = storage.begin_generation("mine", 2)
    >>> LocalIndex(storage).search(Scope("u1"), "mine", [1.0, 0.0], limit=3)
    []
    """

    def __init__(self, vectors: Vectors, capacity: int = 512 * MEGABYTE) -> None:
        self._vectors = vectors
        self._capacity = capacity
        self._lock = threading.Lock()
        self._matrices: OrderedDict[tuple[str, bool, bool, str], Matrix] = OrderedDict()

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[Near]:
        """The passages nearest to the vector, best first; with `among` (growing numbers) only those of these messages."""
        matrix = self._matrix(scope, generation)
        with matrix.lock:
            matrix.update(self._vectors.vectors(scope, generation, matrix.mark))
            found = matrix.nearest(vector, limit, among) if len(matrix) else []
        self._evict()
        return found

    @property
    def size(self) -> int:
        """The bytes that the matrices take."""
        with self._lock:
            return sum(matrix.size for matrix in self._matrices.values())

    def _matrix(self, scope: Scope, generation: str) -> Matrix:
        key = (scope.owner if scope.pool is None else scope.pool, scope.pool is not None, scope.shelf, generation)
        with self._lock:
            matrix = self._matrices.setdefault(key, Matrix())
            self._matrices.move_to_end(key)
            return matrix

    def _evict(self) -> None:
        """Lets go of those that were not searched for longest. The one just used stays, however large."""
        with self._lock:
            total = sum(matrix.size for matrix in self._matrices.values())
            while total > self._capacity and len(self._matrices) > 1:
                total -= self._matrices.popitem(last=False)[1].size


class Matrix:
    """The vectors of one owner in one generation. Rows come in the order of their messages' numbers."""

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
        """The bytes in use: a float16 and an int8 for every dimension, and 16 for number, part and scale."""
        return 0 if self._exact is None else self._rows * (3 * self._exact.shape[1] + 16)

    def update(self, delta: VectorDelta) -> None:
        """Takes in what is new, or everything anew."""
        if delta.fresh:
            self._rows = 0
            self._exact = None
        if delta.vectors:
            self._append(delta)
        self.mark = delta.mark

    def _append(self, delta: VectorDelta) -> None:
        import numpy as np

        exact = np.frombuffer(b"".join(delta.vectors), "<f2").reshape(len(delta.vectors), -1)
        self._make_room(len(exact), exact.shape[1])
        new = slice(self._rows, self._rows + len(exact))
        self._numbers[new] = delta.numbers
        self._parts[new] = delta.parts
        self._exact[new] = exact
        for start in range(0, len(exact), 4096):  # in pieces, because float32 takes four times the room of int8
            some = exact[start : start + 4096].astype(np.float32)
            coarse, scales = _coarse(some)
            rows = slice(self._rows + start, self._rows + start + len(some))
            self._coarse[rows] = coarse
            self._scales[rows] = scales
        self._rows += len(exact)

    def _make_room(self, more: int, dimensions: int) -> None:
        """Makes more room than is needed, so that single new vectors do not each copy everything. Unused room costs
        nothing: the system gives memory when it is first written to."""
        import numpy as np

        needed = self._rows + more
        if self._exact is not None and needed <= len(self._exact):
            return
        room = needed + needed // 2 + SPARE_ROWS
        fresh = {
            "_numbers": np.empty(room, np.int64),
            "_parts": np.empty(room, np.int32),
            "_exact": np.empty((room, dimensions), np.float16),
            "_coarse": np.empty((room, dimensions), np.int8),
            "_scales": np.empty(room, np.float32),
        }
        for name, array in fresh.items():
            if self._rows:
                array[: self._rows] = getattr(self, name)[: self._rows]
            setattr(self, name, array)

    def nearest(self, vector: Sequence[float], limit: int, among: Sequence[int] | None) -> list[Near]:
        """The best rows, by cosine."""
        import numpy as np

        question = np.asarray(vector, np.float32)
        if question.shape != self._exact.shape[1:] or not np.isfinite(question).all():
            raise InvalidInput(
                f"the question's vector has the shape {question.shape}; finite numbers in the shape"
                f" {self._exact.shape[1:]} are needed"
            )
        question = question / max(float(np.linalg.norm(question)), 1e-12)
        rows = None if among is None else np.flatnonzero(np.isin(self._numbers[: self._rows], np.asarray(among, np.int64)))
        chosen = self._chosen(question, max(AGAIN * limit, LEAST), rows)
        scores = self._exact[chosen].astype(np.float32) @ question
        order = np.lexsort((-chosen, -scores))[: max(0, limit)]
        return [
            Near(int(self._numbers[row]), int(self._parts[row]), float(score))
            for row, score in zip(chosen[order], scores[order], strict=True)
        ]

    def _chosen(self, question: np.ndarray[Any, Any], count: int, rows: np.ndarray[Any, Any] | None) -> Any:
        """The rows that a scan in int8 finds best, in no order; all of them, if they are few."""
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
    """Vectors as int8, each stretched to the full range, and what to multiply each with to get it back."""
    import numpy as np

    largest = np.maximum(np.abs(vectors).max(1), 1e-12)
    return np.rint(vectors * (127 / largest)[:, None]).astype(np.int8), largest / 127
