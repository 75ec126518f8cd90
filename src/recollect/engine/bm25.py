"""BM25 over one owner's own statistics, so that nobody's words change anybody else's scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

K1 = 1.2
B = 0.75

UNSAID = 20
"""As if so many more messages had been said, without any of the words: in a store of three, that two have a word says little
about how rare it is, and one that none has must not outweigh all others."""

ONCE = 1 / (K1 + 1)
"""The share of a perfect score that a message of average length has with every term of the query once."""


class Statistics(NamedTuple):
    """How many messages an owner has, and how many tokens they are: the message's own token count is its length here."""

    messages: int
    tokens: int

    @property
    def average(self) -> float:
        """Tokens in a message."""
        return self.tokens / max(1, self.messages)


def rarity(statistics: Statistics, frequency: int) -> float:
    """What finding a term is worth that so many of the owner's messages have (its IDF).

    >>> rarity(Statistics(100, 1000), 1) > rarity(Statistics(100, 1000), 50)
    True
    """
    return math.log(1 + (UNSAID + statistics.messages - frequency + 0.5) / (frequency + 0.5))


def parts(terms: Sequence[str], tokens: int, worth: Mapping[str, float], average: float) -> tuple[float, ...]:
    """What each term of a query, worth so much, adds to the score of a message with these terms; their sum is its score.

    `average` is how many tokens the owner's messages have.

    >>> parts(["sister", "lisbon"], 2, {"sister": 1.0, "live": 2.0}, 2.0)
    (1.0, 0.0)
    """
    counts = dict.fromkeys(worth, 0)
    for term in terms:
        if term in counts:
            counts[term] += 1
    dampening = K1 * (1 - B + B * tokens / max(average, 1e-9))
    return tuple(
        value * count * (K1 + 1) / (count + dampening) if count else 0.0
        for value, count in zip(worth.values(), counts.values(), strict=True)
    )


def perfect(worth: Mapping[str, float]) -> float:
    """The score that no message can reach: every term of the query, again and again.

    >>> perfect({"sister": 1.0, "live": 2.0})
    6.6000000000000005
    """
    return (K1 + 1) * sum(worth.values())
