"""An embedder with a cache, which can be filled with the vectors of a store: embedding is the slow part of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, cast

from keepsaid import wiring
from keepsaid.config import load
from keepsaid.engine.text.passages import prefix_speaker
from keepsaid.ports import EmbeddedPassage, Embedder, EmbedderProbes, Embedding, ProbedEmbedder, Storage, VectorStorage
from keepsaid.types import Scope, SearchFilters

if TYPE_CHECKING:
    from pathlib import Path


class CachedEmbedder:
    """Caches all results of an embedder. `seconds` is the total time spent in it.

    >>> from keepsaid.testing import HashEmbedder
    >>> inner = HashEmbedder()
    >>> known = CachedEmbedder(inner)
    >>> known.embed(["tea"]) == known.embed(["tea"]), inner.calls
    (True, 1)
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._made: dict[tuple[str, bool], Embedding] = {}
        self.seconds = 0.0
        self.needs_timeout = getattr(inner, "needs_timeout", True)

    @property
    def name(self) -> str:
        """The name of the wrapped embedder: its vectors are the same."""
        return self._inner.name

    @property
    def probes(self) -> EmbedderProbes | None:
        """The probes of the wrapped embedder, if it has any."""
        return self._inner.probes if isinstance(self._inner, ProbedEmbedder) else None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return the cached embeddings of the texts, and embed the others."""
        start = perf_counter()
        new = [text for text in dict.fromkeys(texts) if (text, asking) not in self._made]
        if new:
            made = self._inner.embed(new, asking=asking)
            self._made |= {(text, asking): one for text, one in zip(new, made, strict=True)}
        self.seconds += perf_counter() - start
        return [self._made[text, asking] for text in texts]

    def learn(self, path: Path, owners: Sequence[str]) -> None:
        """Fill the cache with a store's vectors of these owners' messages."""
        storage = wiring.open_storage(load({"url": str(path), "durable": False}, {}))
        try:
            for owner in owners:
                self._learn(storage, storage, Scope(owner))
        finally:
            storage.close()

    def _learn(self, storage: Storage, vectors: VectorStorage, scope: Scope) -> None:
        numbers = storage.numbers(scope, SearchFilters())
        said = {seen.number: seen.message for seen in storage.look(scope, numbers)}
        for passage in vectors.passages(scope, self.name, numbers):
            message = said[passage.number]
            text = prefix_speaker(message.name, message.text[passage.start : passage.end])
            self._made[text, False] = _embedding(passage)


def embedder_for_spec(spec: str | None) -> Embedder | None:
    """Open the embedder that is named, or the one in the settings; None if there is none."""
    options = {"url": "memory://"} if spec is None else {"url": "memory://", "embedder": spec}
    return wiring.open_embedder(load(options, os.environ))


def _embedding(passage: EmbeddedPassage) -> Embedding:
    import numpy as np

    vector = np.frombuffer(passage.vector, "<f2").astype(np.float32)
    # The spans of tokens are needed for questions only.
    spans = ((0, 0),) * (len(passage.tokens) // passage.width if passage.width else 0)
    return Embedding(cast("Sequence[float]", vector), passage.tokens, passage.width, spans)
