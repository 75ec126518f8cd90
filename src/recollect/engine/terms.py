"""Text to index terms: one rule for writing the keyword index, for asking it, and for scoring what it finds.

Words are lower-cased, freed of accents and stemmed (English Snowball; words of other languages mostly pass unchanged). Runs
of scripts that do not put spaces between words give single characters and overlapping pairs, so that Chinese and Japanese
are found by any part of a word. On LoCoMo, BM25 over these terms finds 63.5 % of the evidence in ten messages; without
stemming 58.9 % (docs/decisions/0002-keyword-index.md).
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, cast

import Stemmer

VERSION = "2"
"""Goes into every store; an index made by another version is rebuilt when the store is opened."""

LONGEST = 64
"""Longer runs without a space are hashes, keys or encoded data; they are cut to this length."""

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af\u1100-\u11ff"  # Hangul, whose particles cling to the word
)
_RUNS = re.compile(f"([{UNSPACED}]+)")
_WORDS = re.compile(r"\w+")
_PUNCTUATION = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == "_"))
_SPACES = bytes.maketrans(_PUNCTUATION, b" " * len(_PUNCTUATION))
_PUNCTUATION_MARKS = frozenset(_PUNCTUATION.decode("ascii"))
STEMS_KEPT = 50_000


class _Stems(dict[str, str]):
    """Stems by word. People use the same words again and again, and a look-up is seven times as fast as stemming."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._stemmer: Any = cast(Any, Stemmer).Stemmer("english")

    def __missing__(self, word: str) -> str:
        with self._lock:  # Snowball's stemmers keep state between calls
            stem: str = self._stemmer.stemWord(word[:LONGEST])
        if len(word) <= LONGEST:
            if len(self) >= STEMS_KEPT:
                self.clear()
            self[word] = stem
        return stem


_stems = _Stems()


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, repetitions included.

    >>> terms("My sisters moved to Lisbon; São Paulo was too far.")
    ['my', 'sister', 'move', 'to', 'lisbon', 'sao', 'paulo', 'was', 'too', 'far']
    >>> terms("東京タワー")[:4]
    ['東', '東京', '京', '京タ']
    """
    if text.isascii():
        return list(map(_stems.__getitem__, ascii_words(text.lower())))
    found: list[str] = []
    for number, piece in enumerate(_RUNS.split(_plain(text))):
        if number % 2:
            found.extend(_pairs(piece))
        elif piece:
            found.extend(map(_stems.__getitem__, _WORDS.findall(piece)))
    return found


def may_have(text: str, wanted: Sequence[str]) -> bool:
    """Whether it is worth looking for these terms in a text: False if it surely has none of them, at a tenth of the cost.

    >>> may_have("We went hiking.", ["hike"]), may_have("We went hiking.", ["sister"])
    (True, False)
    """
    if not text.isascii():
        return True
    lowered = text.lower()
    return any(_beginning(term) in lowered for term in wanted)


def _beginning(term: str) -> str:
    """How every word of a term begins: stemming changes its end, and of what is left at most the last letter."""
    if term in ("die", "lie", "tie"):  # dying, lying, tying
        return term[0]
    return term[:-1] if len(term) > 2 else term


def ascii_words(text: str) -> list[str]:
    """The words of a text, parted at ASCII punctuation: a third of the time of a regular expression.

    >>> ascii_words("don't forget")
    ['don', 't', 'forget']
    """
    if text.isascii():
        return text.encode().translate(_SPACES).decode("ascii").split()
    return _replaced(text, _PUNCTUATION_MARKS.intersection(text), " ").split()


def _plain(text: str) -> str:
    """Compatibility forms folded, lower case, accents taken off."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    # Kana voicing marks combine too, but tell words apart: composing puts those back together.
    marks = {mark for mark in set(decomposed) if unicodedata.combining(mark) and mark not in "\u3099\u309a"}
    return unicodedata.normalize("NFKC", _replaced(decomposed, marks, ""))


def _replaced(text: str, marks: Iterable[str], by: str) -> str:
    """A text with other characters in place of some: three times as fast as `str.translate`, where it is not ASCII."""
    for mark in marks:
        text = text.replace(mark, by)
    return text


def _pairs(run: str) -> list[str]:
    found: list[str] = []
    for index, character in enumerate(run):
        found.append(character)
        if index + 1 < len(run):
            found.append(run[index : index + 2])
    return found
