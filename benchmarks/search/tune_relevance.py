"""Fits the relevance model (`engine.ranking.relevance`): how likely a candidate helps, given all ranking scores.

Two logistic regressions: whether a turn needs memories, where both classes weigh the same; and whether a candidate of a turn
that needs some helps, where every turn weighs the same within its set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from keepsaid.engine.ranking.relevance import CandidateModel, RelevanceModel, TurnModel
from keepsaid.engine.ranking.signals import SignalWeights

if TYPE_CHECKING:
    from benchmarks.search.tune import RankingCase, TuningSet

Column = NDArray[np.float64]
Row = tuple[float, ...]

SHOWN = 60
"""Only this many of the best candidates of a turn are used: no others become hits."""

SHRINKING = 1e-4
"""The penalty on a squared weight, when its feature is scaled to a standard deviation of one."""


def fit_relevance(sets: Sequence[TuningSet], weights: SignalWeights) -> RelevanceModel:
    """Fit the relevance model for these ranking weights. Without turns that need nothing, there is no turn model."""
    cases = [(case, 1 / (len(sets) * len(one.cases["tuning"]))) for one in sets for case in one.cases["tuning"]]
    nothing = [case for one in sets for case in one.nothing["tuning"] if case.messages]
    cases = [(case, weight) for case, weight in cases if case.messages]
    turns = [case for case, _ in cases]
    background = round(float(np.median([np.median(case.scores(weights)) for case in turns])), 1)
    candidate = CandidateModel(*_fit_candidates(cases, weights, background))
    turn = TurnModel(*fit_turns(turns, nothing, weights, background)) if nothing else None
    return RelevanceModel(candidate, turn, background)


def _fit_candidates(cases: Sequence[tuple[RankingCase, float]], weights: SignalWeights, background: float) -> list[float]:
    rows: list[Row] = []
    right: list[float] = []
    weigh: list[float] = []
    for case, weight in cases:
        scores = case.scores(weights)
        turn = case.statistics(scores, background)
        best = sorted(range(len(scores)), key=lambda at: -scores[at])[:SHOWN]
        lead = turn.best - turn.middle
        rows += [(scores[at], scores[at] - turn.best, lead, math.log1p(place)) for place, at in enumerate(best)]
        right += [float(case.messages[at].id in case.question.evidence) for at in best]
        weigh += [weight / len(best)] * len(best)
    return _logistic(rows, right, weigh)


def fit_turns(
    needing: Sequence[RankingCase], nothing: Sequence[RankingCase], weights: SignalWeights, background: float
) -> list[float]:
    """Fit the turn model on turns that need memories and on others; both classes weigh the same."""
    rows: list[Row] = []
    for case in (*needing, *nothing):
        turn = case.statistics(case.scores(weights), background)
        rows.append((turn.need, turn.best, turn.best - turn.middle))
    right = [1.0] * len(needing) + [0.0] * len(nothing)
    weigh = [0.5 / len(needing)] * len(needing) + [0.5 / len(nothing)] * len(nothing)
    return _logistic(rows, right, weigh)


def _logistic(rows: Sequence[Row], right: Sequence[float], weigh: Sequence[float]) -> list[float]:
    """Fit a logistic regression. Return its bias and weights, rounded as they are written to the source."""
    from benchmarks.search.tune import minimize

    features: Column = np.array(rows, np.float64)
    helps: Column = np.array(right, np.float64)
    weights: Column = np.array(weigh, np.float64) / sum(weigh)
    middle, spread = features.mean(0), features.std(0)
    spread = np.where(spread > 1e-6, spread, 1.0)
    scaled: Column = np.hstack([np.ones((len(helps), 1)), (features - middle) / spread])

    def loss(at: Column) -> tuple[float, Column]:
        odds = scaled @ at
        shrunk = np.concatenate([np.zeros(1), at[1:]])
        value = float(weights @ (np.logaddexp(0, odds) - helps * odds)) + SHRINKING * float(shrunk @ shrunk)
        return value, scaled.T @ (weights * (1 / (1 + np.exp(-odds)) - helps)) + 2 * SHRINKING * shrunk

    fitted = minimize(loss, np.zeros(1 + len(rows[0])))
    factors = fitted[1:] / spread
    return [round(float(fitted[0] - factors @ middle), 2), *(round(float(factor), 3) for factor in factors)]
