"""BERT's tokenizer, with the character span of each token.

splintr returns the same ids (a test compares them) but not their spans, and late interaction has to know which words
matched. The pieces of a word are cached, so most words are looked up: 30 words take 50 µs, the model 7 ms.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
MAX_WORD_LENGTH = 100
"""A word of more characters is unknown as a whole, by BERT's definition."""
FAR_TOO_LONG = 1000
"""Only this many characters of a word are read; even one with many accents, which do not count, is unknown by then."""

WORD, SPACE, ALONE = "w", " ", "p"
TOKEN = re.compile(f"{WORD}+|{ALONE}")

IDEOGRAPHS = (
    range(0x4E00, 0xA000), range(0x3400, 0x4DC0), range(0x20000, 0x2A6E0), range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820), range(0x2B820, 0x2CEB0), range(0xF900, 0xFB00), range(0x2F800, 0x2FA20),
)  # fmt: skip


UNPRINTED = ("Cc", "Cf", "Co", "Cs")


class TokenizedText(NamedTuple):
    """A text as the model sees it. `ids` begins and ends with a mark; `spans` are the character spans of those in
    between."""

    ids: list[int]
    spans: list[tuple[int, int]]


Pieces = tuple[tuple[int, int, int], ...]
"""The pieces of a word: ids, each with the start and end of its span."""


@lru_cache(4096)
def normalize_character(character: str) -> str:
    """Return a character without accents and in lower case; an empty string for one that is not printable.

    >>> normalize_character("É"), normalize_character("ﬁ"), normalize_character("\\u200b")
    ('e', 'ﬁ', '')
    """
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in UNPRINTED:
        return ""
    bare = (part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn")
    # Lowered one by one, because lowering a whole word treats a final sigma differently.
    return "".join(part.lower() for part in bare)


def _kind(character: str) -> str:
    plain = normalize_character(character)
    if any(ord(character) in block for block in IDEOGRAPHS):
        return ALONE
    if plain and plain.isspace():
        return SPACE
    return ALONE if any(map(_is_punctuation, plain)) else WORD


def _is_punctuation(character: str) -> bool:
    symbol = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return symbol or unicodedata.category(character)[0] == "P"


class _CharacterKinds(dict[int, str]):
    """A lazily filled table for `str.translate` that maps every character to the letter of its kind."""

    def __missing__(self, code: int) -> str:
        self[code] = kind = _kind(chr(code))
        return kind


class WordPieceTokenizer:
    """Splits text into the pieces of a vocabulary.

    >>> marks = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}
    >>> WordPieceTokenizer(marks | {"lis": 3, "##bon": 4, "!": 5}).encode("Lísbon!")
    TokenizedText(ids=[0, 3, 4, 5, 1], spans=[(0, 3), (3, 6), (6, 7)])
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._start, self._end, self._unknown = (vocabulary[mark] for mark in (START, END, UNKNOWN))
        self._kinds = _CharacterKinds()
        self._cached_split = lru_cache(50_000)(self._split)

    @classmethod
    def load(cls, path: Path) -> WordPieceTokenizer:
        """Load the vocabulary from a `tokenizer.json`."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(content["model"]["vocab"])

    def encode(self, text: str, limit: int = 256) -> TokenizedText:
        """Return the first `limit` tokens of the text, including the two marks."""
        ids, spans = [self._start], list[tuple[int, int]]()
        for found in TOKEN.finditer(text.translate(self._kinds)):
            start, end = found.span()
            word = text[start:end]
            # An overlong "word" is noise, such as base64; caching it would only waste memory.
            for id, first, last in self._cached_split(word) if len(word) <= MAX_WORD_LENGTH else self._split(word):
                ids.append(id)
                spans.append((start + first, start + last))
            if len(spans) >= limit - 2:
                break
        return TokenizedText([*ids[: limit - 1], self._end], spans[: limit - 2])

    def _split(self, word: str) -> Pieces:
        """Repeatedly take the longest known piece off the front. A word with an unknown rest is unknown as a whole."""
        plain, origin = list[str](), list[int]()
        for place, character in enumerate(word[:FAR_TOO_LONG]):
            part = normalize_character(character)
            plain += part
            origin += [place] * len(part)
        if not plain:
            return ()
        pieces: list[tuple[int, int, int]] = []
        start, text = 0, "".join(plain)
        while start < len(text) <= MAX_WORD_LENGTH:
            end = self._longest(text, start)
            if end == start:
                break
            id = self._vocabulary[_vocabulary_form(text, start, end)]
            pieces.append((id, origin[start], origin[end - 1] + 1))
            start = end
        return tuple(pieces) if start == len(text) else ((self._unknown, origin[0], origin[-1] + 1),)

    def _longest(self, text: str, start: int) -> int:
        """Return the end of the longest known piece that begins here; `start` itself if there is none."""
        ends = range(len(text), start, -1)
        return next((end for end in ends if _vocabulary_form(text, start, end) in self._vocabulary), start)


def _vocabulary_form(text: str, start: int, end: int) -> str:
    """Return a piece as the vocabulary spells it: marked with ## if it continues a word."""
    return f"##{text[start:end]}" if start else text[start:end]
