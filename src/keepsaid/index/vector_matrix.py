"""The vectors of one owner in memory, in blocks, and the scan for the nearest of them.

A matrix of one piece would have to be copied to grow, and would need spare room in proportion to its size. Blocks are
allocated as they are filled, so that a large owner takes what their vectors take.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keepsaid.errors import InvalidInput
from keepsaid.ports import VectorDelta, VectorMark, VectorMatch

if TYPE_CHECKING:
    import numpy as np

MIN_SPARE, SPARE_SHARE = 64, 2
"""How many more than the results wanted are rescored: this part of them, but at least so many. The scan's error moves a
vector by a few places."""
BLOCK_ROWS = 65_536
"""Rows of a block. The scores of so many fit in the processor's cache while the best of them are selected."""
SPARE_ROWS = 8
OVERHEAD = 2_048
"""Bytes that a matrix takes beside its rows: its objects, and its place in the index."""
CONVERTED_ROWS = 4_096
"""Vectors that are converted at once, because float32 takes four times the memory of int8."""


class VectorBlock:
    """Consecutive rows of a matrix. Without `keeps_exact` it has only the int8 vectors."""

    def __init__(self, capacity: int, dimensions: int, keeps_exact: bool) -> None:
        import numpy as np

        self.rows = 0
        self.numbers = np.empty(capacity, np.int64)
        self.parts = np.empty(capacity, np.int32)
        self.scales = np.empty(capacity, np.float32)
        self.coarse = np.empty((capacity, dimensions), np.int8)
        self.exact = np.empty((capacity, dimensions), np.float16) if keeps_exact else None

    @property
    def capacity(self) -> int:
        """The rows that it has room for."""
        return len(self.numbers)

    @property
    def size(self) -> int:
        """The bytes it takes, unused room included."""
        arrays = (self.numbers, self.parts, self.scales, self.coarse, self.exact)
        return sum(array.nbytes for array in arrays if array is not None)

    def append(self, numbers: Sequence[int], parts: Sequence[int], exact: np.ndarray[Any, Any]) -> int:
        """Add as many rows as there is room for. Return how many."""
        import numpy as np

        taken = min(len(exact), self.capacity - self.rows)
        new = slice(self.rows, self.rows + taken)
        self.numbers[new], self.parts[new] = numbers[:taken], parts[:taken]
        if self.exact is not None:
            self.exact[new] = exact[:taken]
        for start in range(0, taken, CONVERTED_ROWS):
            end = min(start + CONVERTED_ROWS, taken)
            rows = slice(self.rows + start, self.rows + end)
            self.coarse[rows], self.scales[rows] = convert_to_int8(exact[start:end].astype(np.float32))
        self.rows += taken
        return taken

    def copy(self, capacity: int) -> VectorBlock:
        """Return a copy with another capacity."""
        block = VectorBlock(capacity, self.coarse.shape[1], self.exact is not None)
        block.rows = self.rows
        for name in ("numbers", "parts", "scales", "coarse", "exact"):
            if (array := getattr(self, name)) is not None:
                getattr(block, name)[: self.rows] = array[: self.rows]
        return block

    def find_rows(self, among: np.ndarray[Any, Any]) -> Any:
        """Return the rows of these messages."""
        import numpy as np

        return np.flatnonzero(np.isin(self.numbers[: self.rows], among))

    def scan(self, question: np.ndarray[Any, Any], rows: np.ndarray[Any, Any] | None) -> Any:
        """Return the product of these rows, or of all, with an int8 question, times the rows' scales."""
        import numpy as np
        import simsimd

        some = slice(self.rows) if rows is None else rows
        products = np.asarray(simsimd.cdist(question, self.coarse[some], "dot", out_dtype="float32"))[0]
        products *= self.scales[some]
        return products


class VectorMatrix:
    """The vectors of one owner in one generation. Rows are in the order of their messages' numbers.

    Above `capacity` bytes only the int8 vectors are kept, a third of all; their cosines are off by less than 0.002.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self.lock = threading.Lock()
        self.mark = VectorMark()
        self._capacity = capacity
        self._blocks: list[VectorBlock] = []
        self._keeps_exact = True

    def __len__(self) -> int:
        return sum(block.rows for block in self._blocks)

    @property
    def size(self) -> int:
        """The bytes that it takes, unused room included."""
        return OVERHEAD + sum(block.size for block in self._blocks)

    @property
    def is_exact(self) -> bool:
        """Whether the stored vectors are kept beside the int8 ones."""
        return self._keeps_exact

    def update(self, delta: VectorDelta) -> None:
        """Apply a delta: append new vectors, or replace everything."""
        if delta.fresh:
            self._blocks, self._keeps_exact = [], True
        if delta.vectors:
            self._append(delta)
        self.mark = delta.mark

    def _append(self, delta: VectorDelta) -> None:
        import numpy as np

        exact = np.frombuffer(b"".join(delta.vectors), "<f2").reshape(len(delta.vectors), -1)
        done = 0
        while done < len(exact):
            block = self._block_with_room(len(exact) - done, exact.shape[1])
            done += block.append(delta.numbers[done:], delta.parts[done:], exact[done:])
            if self._capacity is not None and self._keeps_exact and self.size > self._capacity:
                self._drop_exact()

    def _block_with_room(self, more: int, dimensions: int) -> VectorBlock:
        """Return the last block if it has room, or else a larger copy of it or, if it is full, a new one.

        What is loaded at once gets exactly the room it needs. What comes later gets half as much again, so that single new
        vectors do not each copy everything.
        """
        last = self._blocks[-1] if self._blocks else None
        if last is None or last.rows == BLOCK_ROWS:
            self._blocks.append(VectorBlock(min(more, BLOCK_ROWS), dimensions, self._keeps_exact))
        elif last.rows == last.capacity:
            wanted = max(last.rows + more, last.rows + last.rows // 2 + SPARE_ROWS)
            self._blocks[-1] = last.copy(min(wanted, BLOCK_ROWS))
        return self._blocks[-1]

    def _drop_exact(self) -> None:
        self._keeps_exact = False
        for block in self._blocks:
            block.exact = None

    def nearest(self, vector: Sequence[float], limit: int, among: Sequence[int] | None) -> list[VectorMatch]:
        """Return the best rows by cosine."""
        import numpy as np
        import simsimd

        question = np.asarray(vector, np.float32)
        shape = self._blocks[0].coarse.shape[1:]
        if question.shape != shape or not np.isfinite(question).all():
            raise InvalidInput(
                f"the question's vector has the shape {question.shape}; finite numbers in the shape {shape} are needed"
            )
        question = question / max(float(np.linalg.norm(question)), 1e-12)
        allowed = None if among is None else np.asarray(among, np.int64)
        chosen, scores = self._scan(question, limit + max(limit // SPARE_SHARE, MIN_SPARE), allowed)
        if self._keeps_exact and len(chosen):
            # Not `@`: on a busy machine numpy's own threads cost more than they gain.
            exact = self._take("exact", chosen).astype(np.float32)
            scores = np.asarray(simsimd.cdist(question[None], exact, "dot"), np.float32)[0]
        order = np.lexsort((-chosen, -scores))[: max(0, limit)]
        chosen = chosen[order]
        numbers, parts = self._take("numbers", chosen), self._take("parts", chosen)
        return [
            VectorMatch(int(number), int(part), float(score))
            for number, part, score in zip(numbers, parts, scores[order], strict=True)
        ]

    def _scan(self, question: np.ndarray[Any, Any], count: int, among: np.ndarray[Any, Any] | None) -> tuple[Any, Any]:
        """Return the best rows of an int8 scan in ascending order, and their cosines."""
        import numpy as np

        coarse, scale = convert_to_int8(question[None])
        best, scores, least = np.empty(0, np.int64), np.empty(0, np.float32), -np.inf
        for place, block in enumerate(self._blocks):
            rows = None if among is None else block.find_rows(among)
            if rows is not None and not len(rows):
                continue
            found = block.scan(coarse, rows)
            # A block's rows are compared with the worst of the best so far: few are better, so little is sorted.
            better = np.flatnonzero(found > least)
            best = np.concatenate([best, (better if rows is None else rows[better]) + place * BLOCK_ROWS])
            scores = np.concatenate([scores, found[better]])
            if len(best) > count:
                kept = np.sort(np.argpartition(scores, -count)[-count:])
                best, scores = best[kept], scores[kept]
                least = float(scores.min())
        return best, scores * scale[0]

    def _take(self, name: str, chosen: np.ndarray[Any, Any]) -> Any:
        """Return these rows of an array that lies in blocks."""
        import numpy as np

        arrays = [getattr(block, name) for block in self._blocks]
        if len(arrays) == 1:
            return arrays[0][chosen]
        taken = np.empty((len(chosen), *arrays[0].shape[1:]), arrays[0].dtype)
        places = chosen // BLOCK_ROWS
        for place in np.unique(places):
            here = places == place
            taken[here] = arrays[place][chosen[here] - place * BLOCK_ROWS]
        return taken


def convert_to_int8(vectors: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Return vectors as int8, each scaled to the full range, and their scales."""
    import numpy as np

    largest = np.maximum(np.abs(vectors).max(1), 1e-12)
    return np.rint(vectors * (127 / largest)[:, None]).astype(np.int8), largest / 127
