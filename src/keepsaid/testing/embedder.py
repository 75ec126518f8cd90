"""An embedder without a model: fast, deterministic, and good enough to find texts that share words."""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections.abc import Sequence

from keepsaid.ports import Embedding

_WORDS = re.compile(r"\w+")


class HashEmbedder:
    """Replaces a real model in tests: a text's vector is the sum of one fixed direction for each of its words.

    With `tokens`, every word also has a vector of 16 bytes. `calls` counts the embedded texts.

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
        """The name of the generation."""
        return f"hash-{self.dimensions}{'-tokens' if self.tokens else ''}"

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text. Questions and messages are embedded in the same way."""
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
    """Return a word's direction as a token vector of length 127 in int8."""
    values = [byte - 127.5 for byte in digest]
    length = math.sqrt(sum(x * x for x in values))
    return struct.pack(f"{len(values)}b", *(round(127 * x / length) for x in values))
