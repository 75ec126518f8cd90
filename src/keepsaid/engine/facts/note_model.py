"""The note model: how likely a sentence is worth keeping, and of which kind, by its features.

Two regressions on the sentences labeled in `benchmarks/data/facts`, fitted by `python -m benchmarks notes --fit`
(docs/decisions/0020-facts-as-typed.md). Their weights are in `note_weights.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.note_weights import KINDS, WORTH

MIN_NOTE_SCORE = 0.2
"""Minimum log-odds of being worth keeping at which a sentence is kept (docs/decisions/0020-facts-as-typed.md)."""


CLEAR_MARGIN = 1.0
"""Minimum lead over the second most likely kind of a constraint or of who the user is. These are given in every prompt, so a
sentence is not one of them just because nothing else fits better."""

STANDING_KINDS: tuple[ClaimKind, ...] = ("constraint", "identity")
"""The kinds that need a clear lead."""


class LinearModel(NamedTuple):
    """A linear model: the weight that each feature adds to a score."""

    bias: float
    weights: Mapping[str, float]

    @classmethod
    def parse(cls, bias: float, features: Mapping[float, str]) -> LinearModel:
        """Return the model for features in the format of `note_weights.py`: by weight, with underscores for spaces.

        >>> LinearModel.parse(-1.0, {0.5: "my i_live", -0.5: "@you"}).score({"i live", "@you", "dog"})
        -1.0
        """
        named = ((feature, weight) for weight, some in features.items() for feature in some.split())
        return cls(bias, {feature.replace("_", " "): weight for feature, weight in named})

    def score(self, features: Collection[str]) -> float:
        """Return the score of a sentence with these features."""
        weights = self.weights
        return self.bias + sum([weights[feature] for feature in features if feature in weights])


def score_note(features: Collection[str]) -> float:
    """Return the log-odds that a sentence is worth keeping."""
    return _worth_model().score(features)


def predict_kind(features: Collection[str]) -> ClaimKind:
    """Return the most likely kind of a sentence worth keeping."""
    by_feature, biases = _kind_models()
    scores = dict(biases)
    for feature in features:
        for kind, weight in by_feature.get(feature, ()):
            scores[kind] += weight
    best, second, *_ = sorted(scores, key=scores.__getitem__, reverse=True)
    return second if best in STANDING_KINDS and scores[best] - scores[second] < CLEAR_MARGIN else best


@cache
def _worth_model() -> LinearModel:
    return LinearModel.parse(*WORTH)


@cache
def _kind_models() -> tuple[dict[str, list[tuple[ClaimKind, float]]], dict[ClaimKind, float]]:
    """Return the weights of each feature by kind, and the biases of the kinds."""
    by_feature: dict[str, list[tuple[ClaimKind, float]]] = {}
    for kind, written in KINDS.items():
        for feature, weight in LinearModel.parse(*written).weights.items():
            by_feature.setdefault(feature, []).append((kind, weight))
    return by_feature, {kind: bias for kind, (bias, _) in KINDS.items()}
