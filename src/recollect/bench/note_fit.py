"""Fit the weights of the cues (`engine/facts/cues.py`) to labelled sentences, and cross-validate them.

Logistic regression with a Gaussian prior: 560 sentences are too few for 38 cues, and some cues occur in none of them. So a
weight is pulled towards what it should be by common sense (`PRIOR`), and leaves it as far as the sentences say so.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.bench.note_labels import LabelledSentence
from recollect.engine.facts import claims
from recollect.engine.facts.durable import cues_of, sentence_of
from recollect.engine.facts.plain import plain_kind

STRENGTH = 8.0
"""How strongly a weight is pulled to its prior: chosen by cross-validation among 4, 8 and 16, which differ little."""
STEPS = 50
FOLDS = 10
SHUFFLES = 5
"""Cross-validations whose mean score counts, each with other folds: the figures of a single one vary by two points."""
THRESHOLDS = tuple(step / 10 for step in range(-5, 21))
BIAS = "bias"
PRIOR = {
    BIAS: -1.5, "aside": 1.0, "my": 0.7, "close person": 0.8, "likes": 2.0, "likes this": -2.5, "habit": 1.0,
    "own habit": 1.0, "been doing": 0.8, "lately": 0.8, "trivial have": -1.0, "acquired": 1.2,
    "deed": 1.0, "plan": 1.2, "thought of": 0.6, "appointment": 1.0, "health": 1.6, "identity": 1.6, "pastime": 0.5,
    "work": 0.3, "ended": 1.5, "wonder": -1.0, "asks": -1.0, "will": -1.0, "think": -0.8, "feeling": -0.8, "passing": -2.0,
    "hedged": -2.0, "you": -0.8, "lets": -2.0, "name": 0.7, "number": 0.6, "short": -0.5, "long": 0.6,
    "starts with it": -1.5, "starts without I": 0.5,
}  # fmt: skip
"""What each weight would be without labels."""

Matrix = NDArray[np.float64]


def fit(sentences: Sequence[LabelledSentence]) -> dict[str, float]:
    """Return the weights, rounded to tenths, that some labelled sentences give."""
    features, labels = matrix(sentences)
    return dict(zip(PRIOR, (round(float(weight), 1) for weight in solve(features, labels)), strict=True))


class ThresholdFigures(NamedTuple):
    """Recall and precision in percent if sentences from this score on are kept, and whatever rules read."""

    threshold: float
    recall: float
    precision: float
    firm_recall: float
    firm_precision: float
    """The same without sentences whose label is borderline."""


def cross_validate(sentences: Sequence[LabelledSentence]) -> list[ThresholdFigures]:
    """Return what each threshold gives on sentences of conversations that the weights were not fitted to.

    The words of the cues were chosen while looking at half of these sentences, so the figures are too high.
    """
    features, labels, places = _candidates(sentences)
    scores = np.full(len(sentences), -np.inf)
    scores[places] = np.mean([_held_out(features, labels, _folds(sentences, places, n)) for n in range(SHUFFLES)], axis=0)
    scores[[place for place, one in enumerate(sentences) if _is_read(one)]] = np.inf
    notes = np.array([one.note for one in sentences])
    firm = np.array([not one.borderline for one in sentences])
    return [
        ThresholdFigures(least, *_figures(scores >= least, notes), *_figures((scores >= least)[firm], notes[firm]))
        for least in THRESHOLDS
    ]


def _is_read(sentence: LabelledSentence) -> bool:
    """Whether it becomes a fact whatever its score."""
    kept = sentence_of(sentence.message.text, sentence.start, sentence.end)
    if kept is not None and plain_kind(kept.text):
        return True
    found = claims(sentence.message, sentence.before)
    by_rules = (claim for claim in found if not claim.is_verbatim or claim.kind == "instruction")
    return any(claim.start < sentence.end and claim.end > sentence.start for claim in by_rules)


def _folds(sentences: Sequence[LabelledSentence], places: Sequence[int], shuffle: int) -> Matrix:
    """The fold of each sentence; those of one conversation are in the same."""
    names = (f"{shuffle} {sentences[place].conversation}" for place in places)
    return np.array([zlib.crc32(name.encode()) % FOLDS for name in names], dtype=np.float64)


def _held_out(features: Matrix, labels: Matrix, folds: Matrix) -> Matrix:
    scores = np.zeros(len(labels))
    for fold in range(FOLDS):
        here = folds == fold
        scores[here] = features[here] @ solve(features[~here], labels[~here])
    return scores


def _figures(noted: NDArray[np.bool_], notes: NDArray[np.bool_]) -> tuple[float, float]:
    hit = int((noted & notes).sum())
    return round(100 * hit / max(1, int(notes.sum())), 1), round(100 * hit / max(1, int(noted.sum())), 1)


def matrix(sentences: Sequence[LabelledSentence]) -> tuple[Matrix, Matrix]:
    """Return a row of cues for each sentence that may be kept, and which of them are worth a note."""
    features, labels, _ = _candidates(sentences)
    return features, labels


def _candidates(sentences: Sequence[LabelledSentence]) -> tuple[Matrix, Matrix, list[int]]:
    rows: list[list[float]] = []
    places: list[int] = []
    for place, one in enumerate(sentences):
        kept = sentence_of(one.message.text, one.start, one.end)
        if kept is not None and kept.is_own:
            cues = cues_of(kept)
            rows.append([float(name in cues or name == BIAS) for name in PRIOR])
            places.append(place)
    return np.array(rows), np.array([float(sentences[place].note) for place in places]), places


def solve(features: Matrix, labels: Matrix, strength: float = STRENGTH) -> Matrix:
    """Return the weights with the highest posterior probability, by Newton's method."""
    prior = np.array(list(PRIOR.values()))
    weights: Matrix = prior.copy()
    pull = np.diag([1e-6 if name == BIAS else strength for name in PRIOR])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (likely - labels) + pull @ (weights - prior)
        curvature = (features * (likely * (1 - likely))[:, None]).T @ features + pull
        step = np.linalg.solve(curvature, slope)
        weights = np.asarray(weights - step, dtype=np.float64)
        if np.abs(step).max() < 1e-9:
            break
    return weights
