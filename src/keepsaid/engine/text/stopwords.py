"""Stop words, which carry no meaning for a search: articles, pronouns, auxiliaries, prepositions, question words.

They are compared as index terms, so `STOP_TERMS` holds their stems. Words with another, relevant meaning are not in the list
("won", "may", "last"), nor are words that are only frequent: their document frequency covers that. A word is a stop word
only in its own language: "die" is one in German, and a verb in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from keepsaid.engine.languages.en import STOP_WORDS
from keepsaid.engine.languages.registry import LATIN_LANGUAGES, language_tables
from keepsaid.engine.text.terms import terms

__all__ = ["STOP_TERMS", "STOP_WORDS", "content_words", "find_content_spans", "stop_terms"]

STOP_TERMS = frozenset(terms(STOP_WORDS))
"""The English stop words as terms of the keyword index."""


@cache
def stop_terms(language: str | None) -> frozenset[str]:
    """Return the stop words of a language as terms of the keyword index; the English ones if the language is unknown.

    Texts in non-Latin scripts often contain English words, so their stop words include the English ones.

    >>> "die" in stop_terms("de"), "die" in stop_terms("en"), "です" in stop_terms("ja")
    (True, False, True)
    """
    table = language_tables().get(language or "en")
    if table is None or table.code == "en":
        return STOP_TERMS
    # In languages without spaces, every entry already is a term.
    words = frozenset(table.stop_words.split() if table.stemmer is None else terms(table.stop_words, table.code))
    return words if table.code in LATIN_LANGUAGES else words | STOP_TERMS


def content_words(words: Iterable[str], language: str | None = None) -> list[str]:
    """Return the index terms that are not stop words, each once, in order. `language` is the language of their text.

    >>> content_words(terms("Where does my sister live, and whose sister is she?"))
    ['sister', 'live']
    >>> content_words(terms("Wo wohnt die Schwester?", "de"), "de")
    ['wohnt', 'schwest']
    """
    stops = STOP_TERMS if language is None else stop_terms(language)
    return list(dict.fromkeys(word for word in words if word not in stops))


_WORD = re.compile(r"\w+")


def find_content_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the indexes of the spans, given in order, that are in words other than stop words; all if none is.

    >>> find_content_spans("Where is she?", [(0, 5), (6, 8), (9, 12), (12, 13)])
    [0, 1, 2, 3]
    >>> find_content_spans("my sister!", [(0, 2), (3, 6), (6, 9), (9, 10)])
    [1, 2]
    """
    words = [match.span() for match in _WORD.finditer(text) if content_words(terms(match[0]))]
    found: list[int] = []
    at = 0
    for place, (start, end) in enumerate(spans):
        while at < len(words) and words[at][1] <= start:
            at += 1
        if at < len(words) and words[at][0] < end:
            found.append(place)
    return found or list(range(len(spans)))
