"""Fits how likely a candidate helps a turn (`engine.relevance`), given its ranking score and the others'.

Two logistic regressions: of turns, whether they need memories, where both kinds weigh the same; and of the candidates of
turns that need some, whether each helps, where every turn weighs the same within its set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recollect.engine.rank import Weights
from recollect.engine.relevance import CandidateModel, RelevanceModel, TurnModel

if TYPE_CHECKING:
    from recollect.bench.tune import Case, Set

Column = NDArray[np.float64]
Row = tuple[float, ...]

SHOWN = 60
"""Only so many of the best candidates of a turn are looked at: no others become hits."""

SHRINKING = 1e-4
"""What a weight costs, squared, when its feature is scaled to a spread of one and all examples weigh one together."""


def fit_relevance(sets: Sequence[Set], weights: Weights) -> RelevanceModel:
    """The relevance model for these ranking weights; without turns that need nothing, every turn is taken to need some."""
    cases = [(case, 1 / (len(sets) * len(one.cases["tuning"]))) for one in sets for case in one.cases["tuning"]]
    nothing = [case for one in sets for case in one.nothing["tuning"] if case.messages]
    cases = [(case, weight) for case, weight in cases if case.messages]
    turns = [case for case, _ in cases]
    background = round(float(np.median([np.median(case.scores(weights)) for case in turns])), 1)
    candidate = CandidateModel(*_fit_candidates(cases, weights, background))
    turn = TurnModel(*fit_turns(turns, nothing, weights, background)) if nothing else None
    return RelevanceModel(candidate, turn, background)


def _fit_candidates(cases: Sequence[tuple[Case, float]], weights: Weights, background: float) -> list[float]:
    rows: list[Row] = []
    right: list[float] = []
    weigh: list[float] = []
    for case, weight in cases:
        scores = case.scores(weights)
        turn = case.statistics(scores, background)
        best = sorted(range(len(scores)), key=lambda at: -scores[at])[:SHOWN]
        rows += [(scores[at], scores[at] - turn.best, turn.best - turn.middle) for at in best]
        right += [float(case.messages[at].id in case.question.evidence) for at in best]
        weigh += [weight / len(best)] * len(best)
    return _logistic(rows, right, weigh)


def fit_turns(needing: Sequence[Case], nothing: Sequence[Case], weights: Weights, background: float) -> list[float]:
    """The weights of a turn's model: of turns that need memories and of others, both weighing the same."""
    rows: list[Row] = []
    for case in (*needing, *nothing):
        turn = case.statistics(case.scores(weights), background)
        rows.append((turn.need, turn.best, turn.best - turn.middle))
    right = [1.0] * len(needing) + [0.0] * len(nothing)
    weigh = [0.5 / len(needing)] * len(needing) + [0.5 / len(nothing)] * len(nothing)
    return _logistic(rows, right, weigh)


def _logistic(rows: Sequence[Row], right: Sequence[float], weigh: Sequence[float]) -> list[float]:
    """Bias and weights of a logistic regression, rounded as they will be written down."""
    from recollect.bench.tune import minimum

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

    fitted = minimum(loss, np.zeros(1 + len(rows[0])))
    factors = fitted[1:] / spread
    return [round(float(fitted[0] - factors @ middle), 2), *(round(float(factor), 3) for factor in factors)]
