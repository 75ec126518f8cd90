"""BM25 over one owner's own statistics, so that nobody's words change anybody else's scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

K1 = 1.2
B = 0.75


class Statistics(NamedTuple):
    """How many messages an owner has, and how many tokens they are: the message's own token count is its length here."""

    messages: int
    tokens: int


def rarity(statistics: Statistics, frequency: int) -> float:
    """What finding a term is worth that so many of the owner's messages have (its IDF).

    >>> rarity(Statistics(100, 1000), 1) > rarity(Statistics(100, 1000), 50)
    True
    """
    return math.log(1 + (statistics.messages - frequency + 0.5) / (frequency + 0.5))


def score(terms: Sequence[str], tokens: int, worth: Mapping[str, float], statistics: Statistics) -> float:
    """How well a message with these terms answers a query whose terms are worth so much.

    >>> score(["sister", "lisbon"], 2, {"sister": 1.0}, Statistics(1, 2))
    1.0
    """
    counts = Counter(terms)
    average = statistics.tokens / max(1, statistics.messages)
    dampening = K1 * (1 - B + B * tokens / max(average, 1e-9))
    return sum(
        value * counts[term] * (K1 + 1) / (counts[term] + dampening) for term, value in worth.items() if term in counts
    )
