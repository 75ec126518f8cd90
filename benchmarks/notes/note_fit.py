"""Fit the note model (`engine/facts/note_model.py`) to labelled sentences, and cross-validate it.

Two regressions with a penalty on large weights: a logistic one for whether a sentence is worth a note, and a multinomial one
for its kind. Features are binary, so a row is a list of feature numbers.
"""

from __future__ import annotations

import textwrap
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.notes.note_labels import LabelledSentence
from benchmarks.search.tune import minimize
from keepsaid.engine.facts import extract_claims
from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.note_model import LinearModel
from keepsaid.engine.facts.plain_statements import plain_kind
from keepsaid.engine.facts.sentence_features import extract_features, trim_sentence_at

SHRINKING, KIND_SHRINKING = 5.0, 1.0
"""The penalty on half a squared weight, in units of a sentence's loss."""
CUE_SCALE = 3.0
"""Cues are curated groups of phrases, so the penalty on their weights is lower."""
MIN_SENTENCES = 5
"""The minimum of labeled sentences with a feature."""
MIN_WEIGHT, MIN_KIND_WEIGHT = 0.1, 0.2
"""Smaller weights are not written to the source."""
PRIOR = {"@hedged": -2.0, "@lets": -2.0, "@passing": -2.0, "@praises": -2.0}
"""Prior weights of cues that few labeled sentences have."""
BORDERLINE = 0.5
"""The weight of a sentence with a borderline label."""
FOLDS = 10
THRESHOLDS = tuple(step / 10 for step in range(-5, 11))
READ = "@read"
"""The feature of sentences that rules read: these are noted whatever the model says, so its weight is not written."""

Column = NDArray[np.float64]
Features = Collection[str]


class NoteModel(NamedTuple):
    """The fitted weights of both regressions."""

    worth: LinearModel
    kinds: Mapping[ClaimKind, LinearModel]


class ThresholdFigures(NamedTuple):
    """Recall and precision in percent if sentences with at least this score are kept, and all that rules read."""

    threshold: float
    recall: float
    precision: float
    firm_recall: float
    firm_precision: float
    """The same without sentences whose label is borderline."""


class _Rows:
    """The features of each sentence, as numbers of known features, flattened."""

    def __init__(self, rows: Sequence[Features], names: Sequence[str]) -> None:
        self.names = names
        numbers = {name: number for number, name in enumerate(names)}
        known = [[numbers[feature] for feature in row if feature in numbers] for row in rows]
        self._lengths = np.array([len(row) for row in known], np.intp)
        self._features = np.array([number for row in known for number in row], np.intp)
        self._sentences = np.repeat(np.arange(len(rows)), self._lengths)
        self._scale = np.array([CUE_SCALE if name.startswith("@") else 1.0 for name in names])

    def scores(self, weights: Column) -> Column:
        """The sum of the weights of each sentence's features; weights and sums may have several columns."""
        sums = np.zeros((len(self._lengths), *weights.shape[1:]))
        np.add.at(sums, self._sentences, self.scaled(weights)[self._features])
        return sums

    def slope(self, errors: Column) -> Column:
        """The sum of the errors of all sentences that have a feature, for each feature."""
        sums = np.zeros((len(self.names), *errors.shape[1:]))
        np.add.at(sums, self._features, errors[self._sentences])
        return self.scaled(sums)

    def scaled(self, weights: Column) -> Column:
        """Scale fitted weights to their effect in a sentence."""
        return (weights.T * self._scale).T

    def model(self, bias: float, weights: Column, least: float) -> LinearModel:
        """The weights that are large enough to matter, in tenths."""
        rounded = zip(self.names, self.scaled(weights).round(1).tolist(), strict=True)
        return LinearModel(round(bias, 1), {name: weight for name, weight in rounded if abs(weight) >= least})


def fit(sentences: Sequence[LabelledSentence]) -> NoteModel:
    """Fit the model to labeled sentences."""
    examples = [(one, row) for one in sentences if (row := _row(one)) is not None]
    positive = [(one, row) for one, row in examples if one.note]
    return NoteModel(_fit_worth(examples), _fit_kinds(positive))


def _row(sentence: LabelledSentence) -> Features | None:
    """The features of a sentence that may be kept; None for others."""
    kept = trim_sentence_at(sentence.message.text, sentence.start, sentence.end)
    if kept is None or not kept.is_own:
        return None
    return extract_features(kept) | ({READ} if _is_read(sentence) else set())


Examples = Sequence[tuple[LabelledSentence, Features]]


def _fit_worth(examples: Examples) -> LinearModel:
    rows = _Rows([row for _, row in examples], _frequent(examples))
    labels = np.array([one.note for one, _ in examples], np.float64)
    counts = np.array([BORDERLINE if one.borderline else 1.0 for one, _ in examples])
    prior = np.array([PRIOR.get(name, 0.0) / CUE_SCALE for name in rows.names])

    def loss(at: Column) -> tuple[float, Column]:
        odds = at[0] + rows.scores(at[1:])
        errors = counts * ((1 + np.tanh(odds / 2)) / 2 - labels)
        away = at[1:] - prior
        value = float(counts @ (np.logaddexp(0, odds) - labels * odds)) + SHRINKING / 2 * float(away @ away)
        return value, np.concatenate([[errors.sum()], rows.slope(errors) + SHRINKING * away])

    fitted = minimize(loss, np.concatenate([[0.0], prior]))
    return rows.model(float(fitted[0]), fitted[1:], MIN_WEIGHT)


def _fit_kinds(examples: Examples) -> dict[ClaimKind, LinearModel]:
    rows = _Rows([row for _, row in examples], [name for name in _frequent(examples) if name != READ])
    kinds = sorted({one.kind for one, _ in examples})
    right = np.array([[one.kind == kind for kind in kinds] for one, _ in examples], np.float64).reshape(-1, len(kinds))
    shape = (1 + len(rows.names), len(kinds))

    def loss(flat: Column) -> tuple[float, Column]:
        at = flat.reshape(shape)
        scores = at[0] + rows.scores(at[1:])
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        errors = np.exp(logs) - right
        value = float(-(right * logs).sum()) + KIND_SHRINKING / 2 * float((at[1:] ** 2).sum())
        return value, np.concatenate([errors.sum(0)[None], rows.slope(errors) + KIND_SHRINKING * at[1:]]).ravel()

    fitted = minimize(loss, np.zeros(shape[0] * shape[1])).reshape(shape) if kinds else np.zeros(shape)
    return {
        cast("ClaimKind", kind): rows.model(float(fitted[0, column]), fitted[1:, column], MIN_KIND_WEIGHT)
        for column, kind in enumerate(kinds)
    }


def _frequent(examples: Examples) -> list[str]:
    counts = Counter(feature for _, row in examples for feature in row)
    return sorted(PRIOR.keys() | {feature for feature, count in counts.items() if count >= MIN_SENTENCES})


# -- cross-validation


def cross_validate(sentences: Sequence[LabelledSentence]) -> list[ThresholdFigures]:
    """Return the figures of each threshold on sentences of conversations that the weights were not fitted to.

    The phrases of the cues were chosen while looking at a few hundred of these sentences, so the figures are a little high.
    """
    rows = [_row(one) for one in sentences]
    folds = np.array([zlib.crc32((one.conversation or one.text).encode()) % FOLDS for one in sentences])
    scores = np.full(len(sentences), -np.inf)
    for fold in range(FOLDS):
        taught = [(one, row) for one, row, at in zip(sentences, rows, folds, strict=True) if row is not None and at != fold]
        model = _fit_worth(taught)
        for place in np.flatnonzero(folds == fold).tolist():
            if (row := rows[place]) is not None:
                scores[place] = model.score(row)
    scores[[place for place, one in enumerate(sentences) if _is_read(one)]] = np.inf
    notes = np.array([one.note for one in sentences])
    firm = np.array([not one.borderline for one in sentences])
    return [
        ThresholdFigures(least, *_figures(scores >= least, notes), *_figures((scores >= least)[firm], notes[firm]))
        for least in THRESHOLDS
    ]


def _is_read(sentence: LabelledSentence) -> bool:
    """Whether it becomes a fact whatever its score."""
    kept = trim_sentence_at(sentence.message.text, sentence.start, sentence.end)
    if kept is not None and plain_kind(kept.text):
        return True
    found = extract_claims(sentence.message, sentence.before)
    by_rules = (claim for claim in found if not claim.is_verbatim or claim.kind == "instruction")
    return any(claim.start < sentence.end and claim.end > sentence.start for claim in by_rules)


def _figures(noted: NDArray[np.bool_], notes: NDArray[np.bool_]) -> tuple[float, float]:
    hit = int((noted & notes).sum())
    return round(100 * hit / max(1, int(notes.sum())), 1), round(100 * hit / max(1, int(noted.sum())), 1)


# -- source code


def source_of(model: NoteModel) -> str:
    """Return the fitted model as the text of `engine/facts/note_weights.py`."""
    kinds = [f'    "{kind}": {_written(one, "    ")},' for kind, one in model.kinds.items()]
    return "\n".join([
        '"""The weights of the note model: features by what they add. Made by `python -m benchmarks notes --fit`."""',
        "",
        "from keepsaid.types import FactKind",
        "",
        "Written = tuple[float, dict[float, str]]",
        '"""A bias, and features by weight; an underscore is a space."""',
        "",
        f"WORTH: Written = {_written(model.worth, '')}",
        "",
        "KINDS: dict[FactKind, Written] = {",
        *kinds,
        "}",
        "",
    ])  # fmt: skip


def _written(model: LinearModel, margin: str) -> str:
    by_weight: dict[float, list[str]] = {}
    for feature, weight in sorted(model.weights.items()):
        if feature != READ:
            by_weight.setdefault(weight, []).append(feature.replace(" ", "_"))
    inner = margin + " " * 8
    lines = ["(", f"{margin}    {model.bias},", f"{margin}    {{"]
    for weight in sorted(by_weight, reverse=True):
        parts = textwrap.wrap(" ".join(by_weight[weight]), 105, break_long_words=False, break_on_hyphens=False)
        if len(parts) == 1:
            lines.append(f'{inner}{weight}: "{parts[0]}",')
        else:
            quoted = [f'{inner}    "{part} "' for part in parts[:-1]] + [f'{inner}    "{parts[-1]}"']
            lines += [f"{inner}{weight}: (", *quoted, f"{inner}),"]
    return "\n".join([*lines, f"{margin}    }},", f"{margin})"])
