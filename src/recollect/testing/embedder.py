"""An embedder without a model: quick, deterministic, and good enough to find texts that share words."""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections.abc import Sequence

from recollect.ports import Embedding

_WORDS = re.compile(r"\w+")


class HashEmbedder:
    """Stands in for a real model in tests: every word gives its text's vector a push in a direction of its own.

    With `tokens` every word also has a vector of 16 bytes. `calls` counts the texts that were embedded.

    >>> embedder = HashEmbedder()
    >>> tea, cup, rain = (item.vector for item in embedder.embed(["a cup of tea", "the cup of tea", "rain"]))
    >>> closeness = lambda one, other: sum(x * y for x, y in zip(one, other))
    >>> closeness(tea, cup) > 0.6 > closeness(tea, rain)
    True
    """

    width = 16

    def __init__(self, dimensions: int = 64, *, tokens: bool = False) -> None:
        self.dimensions = dimensions
        self.tokens = tokens
        self.calls = 0

    @property
    def name(self) -> str:
        """What made the vectors."""
        return f"hash-{self.dimensions}{'-tokens' if self.tokens else ''}"

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """One embedding for each text, the same for questions as for what was said."""
        self.calls += len(texts)
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Embedding:
        words = list(_WORDS.finditer(text))
        digests = [hashlib.shake_128(word[0].lower().encode()).digest(self.dimensions) for word in words]
        sums = [sum(column) for column in zip(*([byte - 127.5 for byte in digest] for digest in digests), strict=True)]
        length = math.sqrt(sum(x * x for x in sums))
        vector = [x / length for x in sums] if length else [1.0] + [0.0] * (self.dimensions - 1)
        if not self.tokens:
            return Embedding(vector)
        rows = b"".join(_row(hashlib.shake_128(word[0].lower().encode()).digest(self.width)) for word in words)
        return Embedding(vector, rows, self.width, [word.span() for word in words])


def _row(digest: bytes) -> bytes:
    """A direction as a token's vector: of length 127, in int8."""
    pushes = [byte - 127.5 for byte in digest]
    length = math.sqrt(sum(x * x for x in pushes))
    return struct.pack(f"{len(pushes)}b", *(round(127 * x / length) for x in pushes))
