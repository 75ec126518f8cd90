"""Convert words to index terms: stemmed by the rules of a language, then without accents."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, cast

import Stemmer

from keepsaid.engine.languages.folding import fold_accents
from keepsaid.engine.languages.registry import language_tables

MAX_WORD_LENGTH = 64
"""Characters. Longer runs without a space are hashes, keys or encoded data, and are cut to this length."""
STEMS_KEPT = 50_000


class StemCache(dict[str, str]):
    """A cache of stems by word. Words repeat often, and a lookup is seven times as fast as stemming."""

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._stemmer: Any = cast(Any, Stemmer).Stemmer(algorithm)

    def __missing__(self, word: str) -> str:
        with self._lock:  # Snowball's stemmers keep state between calls
            stem: str = self._stemmer.stemWord(word[:MAX_WORD_LENGTH])
        # After stemming: the rules of a language need its accents.
        stem = stem if stem.isascii() else fold_accents(stem)
        if len(word) <= MAX_WORD_LENGTH:
            if len(self) >= STEMS_KEPT:
                self.clear()
            self[word] = stem
        return stem


ENGLISH_STEMS = StemCache("english")


@cache
def find_stems(language: str | None) -> StemCache:
    """Return the stem cache of a language, given by its code; the English one if the language has no stemmer.

    >>> find_stems("de")["häusern"], find_stems("ja") is ENGLISH_STEMS
    ('haus', True)
    """
    table = None if language is None or language == "en" else language_tables().get(language)
    return StemCache(table.stemmer) if table and table.stemmer else ENGLISH_STEMS
