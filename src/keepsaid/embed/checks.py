"""Validates the results of an embedder before they are stored or compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from keepsaid.errors import EmbedderError
from keepsaid.ports import Embedder, EmbedderProbes, Embedding, ProbedEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def unit_vectors(
    vectors: Iterable[Sequence[float]], count: int, *, maker: str, dimensions: int | None = None
) -> NDArray[np.float32]:
    """Return the vectors as rows of length one. Raise `EmbedderError` if their number, size or type is wrong.

    >>> unit_vectors([[3.0, 4.0]], 1, maker="mine").tolist()
    [[0.6000000238418579, 0.800000011920929]]
    >>> unit_vectors([[3.0, 4.0]], 2, maker="mine")
    Traceback (most recent call last):
    ...
    keepsaid.errors.EmbedderError: mine returned 1 vector for 2 texts
    """
    import numpy as np

    rows = list(vectors)
    if len(rows) != count:
        raise EmbedderError(f"{maker} returned {_count(len(rows), 'vector')} for {_count(count, 'text')}")
    try:
        table = np.array(rows, np.float64)
    except (ValueError, TypeError):
        raise EmbedderError(f"{maker} returned something other than rows of numbers, all of one length") from None
    if not rows:
        return np.zeros((0, dimensions or 0), np.float32)
    if table.ndim != 2 or not table.shape[1]:
        raise EmbedderError(f"{maker} returned an array of shape {table.shape}, not one vector for each text")
    if dimensions is not None and table.shape[1] != dimensions:
        raise EmbedderError(f"{maker} returned vectors of {table.shape[1]} dimensions, not of {dimensions}")
    if not np.isfinite(table).all():
        raise EmbedderError(f"{maker} returned a vector with a value that is not a finite number (NaN or infinite)")
    largest = np.abs(table).max(axis=1, keepdims=True)
    if not largest.all():
        raise EmbedderError(f"{maker} returned a vector of length zero, which has no direction")
    # Scaled first, because the square of a very large or small value overflows or underflows.
    table /= largest
    return (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class CheckedEmbedder:
    """Wraps an embedder and validates its results: callers get unit vectors of one size, or an `EmbedderError`.

    >>> from keepsaid.embed.callable import CallableEmbedder
    >>> CheckedEmbedder(CallableEmbedder("lengths", lambda texts: [[len(text), 1.0] for text in texts])).name
    'lengths'
    """

    def __init__(self, embedder: Embedder, dimensions: int | None = None) -> None:
        self._embedder = embedder
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """The name of the wrapped embedder."""
        return self._embedder.name

    @property
    def probes(self) -> EmbedderProbes | None:
        """The probes of the wrapped embedder, if it has any."""
        return self._embedder.probes if isinstance(self._embedder, ProbedEmbedder) else None

    @property
    def needs_timeout(self) -> bool:
        """Whether the wrapped embedder may hang."""
        return getattr(self._embedder, "needs_timeout", True)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text. The first call fixes the number of dimensions, unless it was given."""
        try:
            embeddings = list(self._embedder.embed(texts, asking=asking))
        except EmbedderError:
            raise
        except Exception as error:  # a user's embedder may raise anything; callers expect one class
            raise EmbedderError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        if wrong := next((one for one in embeddings if not isinstance(one, Embedding)), None):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are typed
            raise EmbedderError(f"{self.name} returned a {type(wrong).__name__} for a text, not an Embedding")
        rows = unit_vectors((one.vector for one in embeddings), len(texts), maker=self.name, dimensions=self._dimensions)
        if embeddings:
            self._dimensions = rows.shape[1]
        for one in embeddings:
            if len(one.tokens) != one.width * len(one.spans):
                raise EmbedderError(
                    f"{self.name} returned {len(one.tokens)} bytes for {_count(len(one.spans), 'token')} of {one.width}"
                )
        return [one._replace(vector=cast("Sequence[float]", row)) for one, row in zip(embeddings, rows, strict=True)]
