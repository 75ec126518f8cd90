"""The words of a question, each with the index terms under which it may be found.

Storage searches for all of the terms. The results are then combined by word, so that a word with five alternatives counts
once: a message gets the score of its best alternative, and a word is as rare as its most frequent alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from keepsaid.engine.languages import detect_language
from keepsaid.engine.ranking import bm25
from keepsaid.engine.text.stopwords import stop_terms
from keepsaid.engine.text.terms import term_alternatives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


MAX_CHARACTERS_PER_END = 2_000
"""Characters at either end of a long query that are parsed. A question is before or after pasted text."""

MAX_WORDS = 512
"""Maximum words of a query. The ends of a long text exceed it only if they are a list or have no spaces."""


def find_query_words(text: str, language: str | None, *, may_be_empty: bool = False) -> list[tuple[str, ...]]:
    """Return the alternatives of each word of a question that is not a stop word, the likeliest first.

    If all words are stop words, they are returned, unless `may_be_empty`.

    >>> find_query_words("Where do my sisters live?", "en")
    [('sister',), ('live',)]
    >>> find_query_words("wo wohnen meine Schwestern", "de")
    [('wohn', 'wohnen'), ('schwest', 'schwestern')]
    """
    words = term_alternatives(text, language)
    stops = stop_terms(language)
    kept = [word for word in words if word[0] not in stops]
    return merge_words(_first_and_last(kept if kept or may_be_empty else words))


def _first_and_last(words: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return words if len(words) <= MAX_WORDS else [*words[: MAX_WORDS // 2], *words[-MAX_WORDS // 2 :]]


def find_search_terms(text: str) -> tuple[str, ...]:
    """Return every term by which the words of a question may be found; none if all words are stop words.

    >>> find_search_terms("Where do my sisters live?"), find_search_terms("where?")
    (('sister', 'live'), ())
    """
    text = keep_ends(text)
    return flatten_alternatives(find_query_words(text, detect_language(text), may_be_empty=True))


def keep_ends(text: str) -> str:
    """Return a text, or the beginning and the end of a long one, without partial words at the cuts.

    >>> keep_ends(" where? "), len(keep_ends("word " * 10_000))
    ('where?', 4001)
    """
    text = text.strip()
    if len(text) <= 2 * MAX_CHARACTERS_PER_END:
        return text
    head, tail = text[:MAX_CHARACTERS_PER_END], text[-MAX_CHARACTERS_PER_END:]
    return f"{_LAST_WORD.sub('', head)}\n{_FIRST_WORD.sub('', tail)}".strip()


_LAST_WORD = re.compile(r"\s\S{1,64}\Z")
_FIRST_WORD = re.compile(r"\A\S{1,64}\s")


def merge_words(words: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the words, merging those that share a term, in the order of their first terms.

    >>> merge_words([("hund", "hunde"), ("katz",), ("hunde", "hund")])
    [('hund', 'hunde'), ('katz',)]
    """
    words = list(dict.fromkeys(words))
    if all(len(word) == 1 for word in words):
        return words
    merged: dict[int, tuple[str, ...]] = {}
    places: dict[str, int] = {}
    for number, word in enumerate(words):
        shared = sorted({places[term] for term in word if term in places})
        place = shared[0] if shared else number
        merged[place] = tuple(dict.fromkeys(term for one in (*(merged.pop(at) for at in shared), word) for term in one))
        places |= dict.fromkeys(merged[place], place)
    return [merged[place] for place in sorted(merged)]


def flatten_alternatives(words: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return every term of these words once, in order.

    >>> flatten_alternatives([("hund", "hunde"), ("katz",)])
    ('hund', 'hunde', 'katz')
    """
    return tuple(dict.fromkeys(term for word in words for term in word))


def weigh_words(words: Iterable[Sequence[str]], worth: Mapping[str, float]) -> dict[str, float]:
    """Return for every term the weight of its word, which is that of its most frequent alternative.

    Otherwise an alternative that no message has would get the highest weight.

    >>> weigh_words([("hund", "hunde"), ("katz",)], {"hund": 2.0, "hunde": 5.0, "katz": 3.0})
    {'hund': 2.0, 'hunde': 2.0, 'katz': 3.0}
    """
    return {term: min(worth[one] for one in word) for word in words for term in word}


def best_alternatives(table: Matrix, words: Sequence[Sequence[str]], worth: Mapping[str, float]) -> Matrix:
    """Return the share of a perfect match that each word adds (words × messages), from the score of each term (terms ×
    messages).

    >>> import numpy as np
    >>> table = np.array([[0.0, 2.0], [5.0, 0.0], [3.0, 3.0]], np.float32)
    >>> worth = {"hund": 2.0, "hunde": 5.0, "katz": 3.0}
    >>> best_alternatives(table, [("hund", "hunde"), ("katz",)], worth).astype(float).round(2).tolist()
    [[0.18, 0.18], [0.27, 0.27]]
    """
    import numpy as np

    if all(len(word) == 1 for word in words):
        return table / max(bm25.compute_maximum_score(worth), 1e-9)
    alike = weigh_words(words, worth)
    scale = np.array([alike[term] / max(worth[term], 1e-9) for term in alike], np.float32)
    starts = np.cumsum([0] + [len(word) for word in words[:-1]])
    best: Matrix = np.maximum.reduceat(table * scale[:, None], starts, axis=0)
    return best / np.float32(max(bm25.compute_maximum_score({word[0]: alike[word[0]] for word in words}), 1e-9))
