"""Words that say nothing about what is looked for: articles, pronouns, auxiliaries, prepositions, question words.

They are compared as index terms, so `STOP_TERMS` holds their stems. Words that have another, telling meaning stay out of
the list ("won", "may", "last"), and so does anything that is merely frequent: its rarity already says so. A word is a stop
word in its own language only: "die" is one in German, and a verb in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from recollect.engine.languages.en import STOP_WORDS
from recollect.engine.languages.registry import LATIN, language_tables
from recollect.engine.terms import terms

__all__ = ["STOP_TERMS", "STOP_WORDS", "stop_terms", "telling", "telling_spans"]

STOP_TERMS = frozenset(terms(STOP_WORDS))
"""The English stop words as the keyword index would have them."""


@cache
def stop_terms(language: str | None) -> frozenset[str]:
    """The stop words of a language as the keyword index would have them; the English ones if it is unknown.

    Texts in other scripts than Latin have English words among theirs, so the English stop words are among those.

    >>> "die" in stop_terms("de"), "die" in stop_terms("en"), "です" in stop_terms("ja")
    (True, False, True)
    """
    table = language_tables().get(language or "en")
    if table is None or table.code == "en":
        return STOP_TERMS
    # Of languages without spaces every entry is a term as it stands.
    words = frozenset(table.stop_words.split() if table.stemmer is None else terms(table.stop_words, table.code))
    return words if table.code in LATIN else words | STOP_TERMS


def telling(words: Iterable[str], language: str | None = None) -> list[str]:
    """The index terms that are not stop words, each once, in order; `language` is that of the text they are from.

    >>> telling(terms("Where does my sister live, and whose sister is she?"))
    ['sister', 'live']
    >>> telling(terms("Wo wohnt die Schwester?", "de"), "de")
    ['wohnt', 'schwest']
    """
    stops = STOP_TERMS if language is None else stop_terms(language)
    return list(dict.fromkeys(word for word in words if word not in stops))


_WORD = re.compile(r"\w+")


def telling_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Which of these pieces of a text, given in order, lie in words that are not stop words; all, if none does.

    >>> telling_spans("Where is she?", [(0, 5), (6, 8), (9, 12), (12, 13)])
    [0, 1, 2, 3]
    >>> telling_spans("my sister!", [(0, 2), (3, 6), (6, 9), (9, 10)])
    [1, 2]
    """
    words = [match.span() for match in _WORD.finditer(text) if telling(terms(match[0]))]
    found: list[int] = []
    at = 0
    for place, (start, end) in enumerate(spans):
        while at < len(words) and words[at][1] <= start:
            at += 1
        if at < len(words) and words[at][0] < end:
            found.append(place)
    return found or list(range(len(spans)))
