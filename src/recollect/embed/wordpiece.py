"""BERT's tokenizer, with the characters that each token stands for.

splintr gives the same ids (a test compares them) but not where in the text they come from, and late interaction has to know
which words matched. A word's pieces are kept, so most of a text is looked up: 30 words take 50 µs, the model 7 ms.
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
LONGEST_WORD = 100
"""A word of more characters is unknown as a whole, by BERT's definition."""
FAR_TOO_LONG = 1000
"""Nobody looks further into a word than this; even one with many accents, which do not count, is unknown by then."""

WORD, SPACE, ALONE = "w", " ", "p"
TOKEN = re.compile(f"{WORD}+|{ALONE}")

IDEOGRAPHS = (
    range(0x4E00, 0xA000), range(0x3400, 0x4DC0), range(0x20000, 0x2A6E0), range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820), range(0x2B820, 0x2CEB0), range(0xF900, 0xFB00), range(0x2F800, 0x2FA20),
)  # fmt: skip


UNPRINTED = ("Cc", "Cf", "Co", "Cs")


class Tokens(NamedTuple):
    """A text as the model sees it. `ids` begins and ends with a mark; `spans` has the characters of those in between."""

    ids: list[int]
    spans: list[tuple[int, int]]


Pieces = tuple[tuple[int, int, int], ...]
"""Of one word: ids, each with its first character and the one behind its last."""


@lru_cache(4096)
def normal(character: str) -> str:
    """A character without accents and in lower case; nothing for one that is not printed.

    >>> normal("É"), normal("ﬁ"), normal("\\u200b")
    ('e', 'ﬁ', '')
    """
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in UNPRINTED:
        return ""
    bare = (part for part in unicodedata.normalize("NFD", character) if unicodedata.category(part) != "Mn")
    # One by one: a final sigma has no rule of its own here.
    return "".join(part.lower() for part in bare)


def _kind(character: str) -> str:
    plain = normal(character)
    if any(ord(character) in block for block in IDEOGRAPHS):
        return ALONE
    if plain and plain.isspace():
        return SPACE
    return ALONE if any(map(_is_punctuation, plain)) else WORD


def _is_punctuation(character: str) -> bool:
    symbol = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return symbol or unicodedata.category(character)[0] == "P"


class _Kinds(dict[int, str]):
    """A table for `str.translate` that fills itself: every character becomes the letter of its kind."""

    def __missing__(self, code: int) -> str:
        self[code] = kind = _kind(chr(code))
        return kind


class WordPiece:
    """Splits text into the pieces of a vocabulary.

    >>> marks = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}
    >>> WordPiece(marks | {"lis": 3, "##bon": 4, "!": 5}).encode("Lísbon!")
    Tokens(ids=[0, 3, 4, 5, 1], spans=[(0, 3), (3, 6), (6, 7)])
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._start, self._end, self._unknown = (vocabulary[mark] for mark in (START, END, UNKNOWN))
        self._kinds = _Kinds()
        self._known = lru_cache(50_000)(self._split)

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Reads the vocabulary out of a `tokenizer.json`."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(content["model"]["vocab"])

    def encode(self, text: str, limit: int = 256) -> Tokens:
        """The first `limit` tokens of the text, the two marks included."""
        ids, spans = [self._start], list[tuple[int, int]]()
        for found in TOKEN.finditer(text.translate(self._kinds)):
            start, end = found.span()
            word = text[start:end]
            # An overlong "word" is noise, such as base64; keeping it would only fill the memory.
            for id, first, behind in self._known(word) if len(word) <= LONGEST_WORD else self._split(word):
                ids.append(id)
                spans.append((start + first, start + behind))
            if len(spans) >= limit - 2:
                break
        return Tokens([*ids[: limit - 1], self._end], spans[: limit - 2])

    def _split(self, word: str) -> Pieces:
        """Takes the longest known piece off the front again and again; a word with a rest that is not known is unknown."""
        plain, origin = list[str](), list[int]()
        for place, character in enumerate(word[:FAR_TOO_LONG]):
            part = normal(character)
            plain += part
            origin += [place] * len(part)
        if not plain:
            return ()
        pieces: list[tuple[int, int, int]] = []
        start, text = 0, "".join(plain)
        while start < len(text) <= LONGEST_WORD:
            end = self._longest(text, start)
            if end == start:
                break
            id = self._vocabulary[_spelling(text, start, end)]
            pieces.append((id, origin[start], origin[end - 1] + 1))
            start = end
        return tuple(pieces) if start == len(text) else ((self._unknown, origin[0], origin[-1] + 1),)

    def _longest(self, text: str, start: int) -> int:
        """Where the longest known piece that begins here ends; `start` itself if there is none."""
        ends = range(len(text), start, -1)
        return next((end for end in ends if _spelling(text, start, end) in self._vocabulary), start)


def _spelling(text: str, start: int, end: int) -> str:
    """A piece as the vocabulary writes it: marked when it goes on with a word."""
    return f"##{text[start:end]}" if start else text[start:end]
