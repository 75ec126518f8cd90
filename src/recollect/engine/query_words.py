"""The words of a question, each with the index terms under which it may be found.

Storage is asked for all of the terms. What it finds is then put together by word, so that a word with five alternatives
counts once: a message is worth what its best alternative is worth, and a word is as rare as its most frequent alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.engine import bm25
from recollect.engine.languages import detect_language
from recollect.engine.stopwords import stop_terms
from recollect.engine.terms import term_alternatives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


def query_words(text: str, language: str | None, *, may_be_empty: bool = False) -> list[tuple[str, ...]]:
    """Return for each word of a question that is not a stop word its alternatives, the likeliest first. If all are stop
    words, they are what is looked for.

    >>> query_words("Where do my sisters live?", "en")
    [('sister',), ('live',)]
    >>> query_words("wo wohnen meine Schwestern", "de")
    [('wohn', 'wohnen'), ('schwest', 'schwestern')]
    """
    words = term_alternatives(text, language)
    stops = stop_terms(language)
    kept = [word for word in words if word[0] not in stops]
    return merge_words(kept if kept or may_be_empty else words)


def search_terms(text: str) -> tuple[str, ...]:
    """Return every term by which a question's words may be found; nothing if all of them are stop words.

    >>> search_terms("Where do my sisters live?"), search_terms("where?")
    (('sister', 'live'), ())
    """
    return flatten_alternatives(query_words(text, detect_language(text), may_be_empty=True))


def merge_words(words: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the words with those joined that share a term, in the order of their first terms.

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


def word_worth(words: Iterable[Sequence[str]], worth: Mapping[str, float]) -> dict[str, float]:
    """Return for every term what finding its word is worth: as much as finding its most frequent alternative.

    An alternative that no message has would be worth most.

    >>> word_worth([("hund", "hunde"), ("katz",)], {"hund": 2.0, "hunde": 5.0, "katz": 3.0})
    {'hund': 2.0, 'hunde': 2.0, 'katz': 3.0}
    """
    return {term: min(worth[one] for one in word) for word in words for term in word}


def best_alternatives(table: Matrix, words: Sequence[Sequence[str]], worth: Mapping[str, float]) -> Matrix:
    """Return words × messages, the share of a perfect match that each word adds, from terms × messages, what each term adds
    to the score.

    >>> import numpy as np
    >>> table = np.array([[0.0, 2.0], [5.0, 0.0], [3.0, 3.0]], np.float32)
    >>> worth = {"hund": 2.0, "hunde": 5.0, "katz": 3.0}
    >>> best_alternatives(table, [("hund", "hunde"), ("katz",)], worth).astype(float).round(2).tolist()
    [[0.18, 0.18], [0.27, 0.27]]
    """
    import numpy as np

    if all(len(word) == 1 for word in words):
        return table / max(bm25.perfect(worth), 1e-9)
    alike = word_worth(words, worth)
    scale = np.array([alike[term] / max(worth[term], 1e-9) for term in alike], np.float32)
    starts = np.cumsum([0] + [len(word) for word in words[:-1]])
    best: Matrix = np.maximum.reduceat(table * scale[:, None], starts, axis=0)
    return best / np.float32(max(bm25.perfect({word[0]: alike[word[0]] for word in words}), 1e-9))
