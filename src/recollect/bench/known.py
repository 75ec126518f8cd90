"""An embedder that embeds nothing twice, and can begin with the vectors of a store: embedding is the slow part of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, cast

from recollect import wiring
from recollect.config import load
from recollect.engine.passages import spoken
from recollect.ports import Embedder, Embedding, Passage, Probes, Probing, Storage, Vectors
from recollect.types import Filters, Scope

if TYPE_CHECKING:
    from pathlib import Path


class Known:
    """Any embedder, with all that it ever made kept at hand. `seconds` is how long was spent in it.

    >>> from recollect.testing import HashEmbedder
    >>> inner = HashEmbedder()
    >>> known = Known(inner)
    >>> known.embed(["tea"]) == known.embed(["tea"]), inner.calls
    (True, 1)
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._made: dict[tuple[str, bool], Embedding] = {}
        self.seconds = 0.0

    @property
    def name(self) -> str:
        """The name of the embedder inside: its vectors are the same."""
        return self._inner.name

    @property
    def probes(self) -> Probes | None:
        """Those of the embedder inside, if it has any."""
        return self._inner.probes if isinstance(self._inner, Probing) else None

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """What the embedder inside makes of the texts, now or before."""
        start = perf_counter()
        new = [text for text in dict.fromkeys(texts) if (text, asking) not in self._made]
        if new:
            made = self._inner.embed(new, asking=asking)
            self._made |= {(text, asking): one for text, one in zip(new, made, strict=True)}
        self.seconds += perf_counter() - start
        return [self._made[text, asking] for text in texts]

    def learn(self, path: Path, owners: Sequence[str]) -> None:
        """Takes over the vectors that a store has of these owners' messages."""
        storage = wiring.open_storage(load({"url": str(path), "durable": False}, {}))
        try:
            assert isinstance(storage, Vectors)
            for owner in owners:
                self._learn(storage, storage, Scope(owner))
        finally:
            storage.close()

    def _learn(self, storage: Storage, vectors: Vectors, scope: Scope) -> None:
        numbers = storage.numbers(scope, Filters())
        said = {seen.number: seen.message for seen in storage.look(scope, numbers)}
        for passage in vectors.passages(scope, self.name, numbers):
            message = said[passage.number]
            text = spoken(message.name, message.text[passage.start : passage.end])
            self._made[text, False] = _embedding(passage)


def embedder_of(spec: str | None) -> Embedder | None:
    """The embedder that is named, or that the settings name; None if there is none."""
    options = {"url": "memory://"} if spec is None else {"url": "memory://", "embedder": spec}
    return wiring.open_embedder(load(options, os.environ))


def _embedding(passage: Passage) -> Embedding:
    import numpy as np

    vector = np.frombuffer(passage.vector, "<f2").astype(np.float32)
    # Which characters a token stands for is of interest in questions only.
    spans = ((0, 0),) * (len(passage.tokens) // passage.width if passage.width else 0)
    return Embedding(cast("Sequence[float]", vector), passage.tokens, passage.width, spans)
