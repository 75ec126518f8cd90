"""BM25 with the statistics of one owner, so that the messages of one owner never change the scores of another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

K1 = 1.2
B = 0.75

SMOOTHING_MESSAGES = 20
"""Assumed further messages without any of the words. In a store of three messages, two with a word say little about how rare
it is, and a word in none of them must not outweigh all others."""

SINGLE_OCCURRENCE_SHARE = 1 / (K1 + 1)
"""Share of a perfect score that a message of average length gets if it has every term of the query once."""


class CorpusStatistics(NamedTuple):
    """How many messages an owner has, and how many tokens. The token count of a message is its length here."""

    messages: int
    tokens: int

    @property
    def average(self) -> float:
        """Average tokens of a message."""
        return self.tokens / max(1, self.messages)


def compute_idf(statistics: CorpusStatistics, frequency: int) -> float:
    """Return the inverse document frequency of a term that occurs in `frequency` of the owner's messages.

    >>> compute_idf(CorpusStatistics(100, 1000), 1) > compute_idf(CorpusStatistics(100, 1000), 50)
    True
    """
    return math.log(1 + (SMOOTHING_MESSAGES + statistics.messages - frequency + 0.5) / (frequency + 0.5))


def count_document_frequencies(bags: Iterable[Sequence[str]], terms: Iterable[str]) -> Counter[str]:
    """Return in how many messages, given by their terms, each of these terms occurs. Each message is read once.

    >>> count_document_frequencies([["sister", "moved", "sister"], ["sister"]], ["sister", "lisbon"])
    Counter({'sister': 2})
    """
    wanted = frozenset(terms)
    return Counter(term for bag in bags for term in wanted.intersection(bag))


def score_terms(terms: Sequence[str], tokens: int, worth: Mapping[str, float], average: float) -> tuple[float, ...]:
    """Return what each term of a query adds to the score of a message with these terms; their sum is its score.

    `worth` has the IDF of each term, `average` the average tokens of the owner's messages.

    >>> score_terms(["sister", "lisbon"], 2, {"sister": 1.0, "live": 2.0}, 2.0)
    (1.0, 0.0)
    """
    found = [term for term in terms if term in worth]
    if not found:
        return (0.0,) * len(worth)
    dampening = K1 * (1 - B + B * tokens / max(average, 1e-9))
    return tuple([
        value * count * (K1 + 1) / (count + dampening) if (count := found.count(term)) else 0.0
        for term, value in worth.items()
    ])  # fmt: skip


def compute_maximum_score(worth: Mapping[str, float]) -> float:
    """Return the upper limit of the score: that of every term of the query repeated endlessly.

    >>> compute_maximum_score({"sister": 1.0, "live": 2.0})
    6.6000000000000005
    """
    return (K1 + 1) * sum(worth.values())
