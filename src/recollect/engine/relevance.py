"""Relevance: how likely a candidate helps a turn, on one scale for every turn, language and store.

It is the product of two likelihoods. One is the turn's: that it needs memories at all, and that there are any for it.
Thanks, small talk and self-contained tasks need none, and where nothing fits, no candidate stands out. The other is the
candidate's among those of its turn: how far it is below the best. Both are fitted by `recollect bench tune` on turns that
need memories and on turns that do not (docs/decisions/0022-relevance.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LEAST_NEED = 0.2
"""A turn that is less likely than this to need memories gets none, however its candidates compare with each other."""

SURENESS = 2
"""The power of the turn's likelihood in the product: where it is in doubt whether a turn needs memories, it gets only what
stands out."""

PADDING = 24
"""Candidates that score as the background does, put to those of every turn."""

MOST_LOG_ODDS = 3.0
"""What a turn's own vector may say for or against its need, at the most: strong matches must be able to outweigh it."""


FLOOR_BUDGET = 2_000
"""The budget up to which a memory must be as likely to help as the settings say."""

LEAST_FLOOR = 1 / 16
"""The share of that which is asked for in the largest prompts."""


def lowest_likelihood(usual: float, budget: int) -> float:
    """How likely a memory must help to stand in a prompt with this budget. One that turns out useless costs a larger prompt
    a smaller share of its tokens.

    >>> lowest_likelihood(0.008, 2_000), lowest_likelihood(0.008, 4_000), lowest_likelihood(0.008, 120_000)
    (0.008, 0.002, 0.0005)
    """
    return usual * max(LEAST_FLOOR, min(1.0, FLOOR_BUDGET / max(1, budget)) ** 2)


class TurnModel(NamedTuple):
    """What each feature adds to the log-odds that a turn needs memories and has some."""

    bias: float
    need: float = 0.0
    """The log-odds, by the turn's own vector, that it can do with memories."""
    best: float = 0.0
    """The best candidate's ranking score."""
    lead: float = 0.0
    """How far that stands above the middle candidate's."""


class CandidateModel(NamedTuple):
    """What each feature adds to the log-odds that a candidate helps a turn which needs memories."""

    bias: float
    score: float = 0.0
    """The candidate's ranking score."""
    below_best: float = 0.0
    """How far it is above the best candidate's: never more than 0."""
    lead: float = 0.0
    """How far the best candidate's stands above the middle one's."""


class RelevanceModel(NamedTuple):
    """The two parts of a likelihood; without a turn's, every turn is taken to need memories.

    `background` is the ranking score of a typical candidate that has nothing to do with its turn: small stores have too few
    candidates to tell.
    """

    candidate: CandidateModel
    turn: TurnModel | None = None
    background: float = 0.0


class TurnStatistics(NamedTuple):
    """What a turn's candidates have in common: the scores they are compared with, and what the turn itself tells."""

    best: float
    middle: float
    need: float

    @classmethod
    def of(cls, scores: Sequence[float], need: float, background: float) -> TurnStatistics:
        """From the scores of all candidates, and the log-odds that the turn needs memories.

        The middle is that of the candidates and of some that score as the background does.
        """
        ordered = sorted([*scores, *[background] * PADDING])
        need = max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, need))
        return cls(max(scores, default=background), ordered[len(ordered) // 2], need)


def turn_likelihood(model: TurnModel, turn: TurnStatistics) -> float:
    """How likely a turn needs memories and has some among its candidates.

    >>> turn_likelihood(TurnModel(bias=-5.0, best=0.5), TurnStatistics(10.0, 4.0, 0.0))
    0.5
    """
    lead = turn.best - turn.middle
    return _share(model.bias + model.need * turn.need + model.best * turn.best + model.lead * lead)


def likelihood(model: RelevanceModel, score: float, turn: TurnStatistics) -> float:
    """How likely a candidate with this ranking score helps, from 0 to 1.

    >>> model = RelevanceModel(CandidateModel(bias=-5.0, score=1.0))
    >>> likelihood(model, 5.0, TurnStatistics(5.0, 1.0, 0.0))
    0.5
    """
    needed = 1.0 if model.turn is None else turn_likelihood(model.turn, turn)
    if needed < LEAST_NEED:
        return 0.0
    parts = model.candidate
    odds = parts.bias + parts.score * score + parts.below_best * min(0.0, score - turn.best)
    return needed**SURENESS * _share(odds + parts.lead * (turn.best - turn.middle))


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(min(700.0, -log_odds)))
