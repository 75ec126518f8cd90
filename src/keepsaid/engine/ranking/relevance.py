"""Estimate how likely a candidate helps a turn, on one scale for every turn, language and store.

It is the product of two likelihoods. One is the turn's: that it needs memories at all, and that there are any for it.
Thanks, small talk and self-contained tasks need none, and if nothing fits, no candidate stands out. The other is the
candidate's among those of its turn: how far it is below the best, and how many are better. Both are fitted by `python -m
benchmarks tune` on turns that need memories and on turns that do not (docs/decisions/0022-relevance.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LEAST_NEED = 0.15
"""A turn that is less likely than this to need memories gets none, whatever its candidates."""

SURENESS = 2
"""Power of the turn's likelihood in the product: if it is in doubt whether a turn needs memories, only outstanding
candidates are used."""

PADDING = 24
"""Number of candidates with the background score that are added to those of every turn."""

MOST_LOG_ODDS = 3.0
"""Maximum influence of a turn's own vector on its need, in both directions: strong matches must be able to outweigh it."""


FLOOR_BUDGET = 2_000
"""Budget up to which the minimum likelihood of the settings applies in full."""

LEAST_FLOOR = 1 / 16
"""Share of that minimum which applies in the largest prompts."""


def compute_lowest_likelihood(usual: float, budget: int) -> float:
    """Return the minimum likelihood of a memory in a prompt with this budget. A useless memory takes a smaller share of a
    larger prompt.

    >>> (compute_lowest_likelihood(0.008, 2_000), compute_lowest_likelihood(0.008, 4_000),
    ...  compute_lowest_likelihood(0.008, 120_000))
    (0.008, 0.002, 0.0005)
    """
    return usual * max(LEAST_FLOOR, min(1.0, FLOOR_BUDGET / max(1, budget)) ** 2)


class TurnModel(NamedTuple):
    """What each feature adds to the log-odds that a turn needs memories and has some."""

    bias: float
    need: float = 0.0
    """The log-odds, by the turn's own vector, that it benefits from memories."""
    best: float = 0.0
    """The ranking score of the best candidate."""
    lead: float = 0.0
    """How far that is above the score of the middle candidate."""


class CandidateModel(NamedTuple):
    """What each feature adds to the log-odds that a candidate helps a turn which needs memories."""

    bias: float
    score: float = 0.0
    """The candidate's ranking score."""
    below_best: float = 0.0
    """Its score minus the best candidate's: 0 for the best, negative for the others."""
    lead: float = 0.0
    """How far the best candidate's score is above that of the middle one."""
    place: float = 0.0
    """The logarithm of its rank among the candidates: of many that are equally good, few help."""


class RelevanceModel(NamedTuple):
    """The two parts of a likelihood. Without a turn model, every turn is assumed to need memories.

    `background` is the ranking score of a typical candidate that is unrelated to its turn: small stores have too few
    candidates to estimate it.
    """

    candidate: CandidateModel
    turn: TurnModel | None = None
    background: float = 0.0


class TurnStatistics(NamedTuple):
    """What a turn's candidates have in common: the scores they are compared with, and the turn's own need for memories."""

    best: float
    middle: float
    need: float

    @classmethod
    def of(cls, scores: Sequence[float], need: float, background: float) -> TurnStatistics:
        """Return the statistics from the scores of all candidates, and the log-odds that the turn needs memories.

        The middle is the median of the candidates' scores and some background scores.
        """
        ordered = sorted([*scores, *[background] * PADDING])
        need = max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, need))
        return cls(max(scores, default=background), ordered[len(ordered) // 2], need)


def compute_turn_likelihood(model: TurnModel, turn: TurnStatistics) -> float:
    """Return how likely a turn needs memories and has some among its candidates.

    >>> compute_turn_likelihood(TurnModel(bias=-5.0, best=0.5), TurnStatistics(10.0, 4.0, 0.0))
    0.5
    """
    lead = turn.best - turn.middle
    return _to_probability(model.bias + model.need * turn.need + model.best * turn.best + model.lead * lead)


def compute_likelihoods(model: RelevanceModel, scores: Sequence[float], turn: TurnStatistics) -> list[float]:
    """Return how likely each candidate helps, from 0 to 1, by its ranking score. `scores` are in the order of the ranking.

    >>> model = RelevanceModel(CandidateModel(bias=-5.0, score=1.0, place=-8.0))
    >>> [round(value, 2) for value in compute_likelihoods(model, [5.0, 5.0], TurnStatistics(5.0, 1.0, 0.0))]
    [0.5, 0.0]
    """
    needed = 1.0 if model.turn is None else compute_turn_likelihood(model.turn, turn)
    if needed < LEAST_NEED:
        return [0.0] * len(scores)
    parts = model.candidate
    shared = parts.bias + parts.lead * (turn.best - turn.middle)
    return [
        needed**SURENESS
        * _to_probability(
            shared + parts.score * score + parts.below_best * min(0.0, score - turn.best) + parts.place * math.log1p(place)
        )
        for place, score in enumerate(scores)
    ]


def _to_probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(min(700.0, -log_odds)))
