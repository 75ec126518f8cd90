"""Fits the weights of the ranking (`engine.rank`) to data sets, on the tuning half of each.

A good ranking gives the messages that answer a question, and their sessions, a large share of the whole: what is made small
is the cross entropy of both, half and half. Then it is fitted what a score means: how likely a message with it is an answer.
The other half is only measured, with the weights as they were and as they came out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect import wiring
from recollect.asking import Asker
from recollect.bench import dataset, recall
from recollect.bench.dataset import Memories, Outline, Question
from recollect.bench.recall import Half, Mode, Tell
from recollect.config import load
from recollect.engine.query import understand
from recollect.engine.rank import FULL, VECTORS, WORDS, Profile, Ranked, Weights, signals
from recollect.engine.select import select
from recollect.errors import EmbedderError, InvalidInput
from recollect.index.local import LocalIndex
from recollect.ports import Embedder, Embedding, Storage, Vectors
from recollect.recall import Recall, Request
from recollect.types import Message, Scope, microseconds

Column = NDArray[np.float64]
Loss = Callable[[Column], tuple[float, Column]]
"""A value to be made small, and its gradient."""

Kind = Literal["full", "vectors", "words"]
HALVES: tuple[Half, ...] = ("tuning", "held-out")
HEADLINES = (("message", "recall@10"), ("session", "any@5"), ("session", "all@5"))

FIXED = {"recent": 1.0, "user": 2.5, "assistant": 1.4, "phrase": 2.0, "importance": 0.3}
"""Weights that are set by hand. How old an answer is, and whether the user or the assistant gave it, is a habit of a data set:
a free fit would learn that from the few there are. And none of them has quoted phrases or messages marked as important."""

SHOWN = 20
"""A score's meaning is fitted to so many of the best candidates, because only those become hits."""

SHARPNESS = 2.0
"""A session scores as the soft maximum of its messages: the larger this is, the more its best one decides."""

SHRINKING = 1e-3
"""What a weight costs, squared, when its signal is scaled to a spread of one: what helps little stays small."""


class Recipe(NamedTuple):
    """How a profile's evidence is got, and which signals it uses; those in `fixed` are not fitted."""

    present: Profile
    mode: Mode
    left_out: frozenset[str] = frozenset()
    fixed: Mapping[str, float] = FIXED

    @property
    def free(self) -> list[str]:
        """The signals whose weights are fitted."""
        return [name for name in Weights._fields if name not in self.left_out and name not in self.fixed]


RECIPES: Mapping[Kind, Recipe] = {
    # Where every token is matched, the message's own words say nothing more: their weight came out near zero.
    "full": Recipe(FULL, "full", frozenset({"words"})),
    "vectors": Recipe(VECTORS, "full"),
    # With fewer signals the sums are smaller, and the same bonus would count for more.
    "words": Recipe(WORDS, "words", frozenset({"meaning", "nearby_meaning", "talk_meaning"}), {**FIXED, "recent": 0.5}),
}


class WithoutTokens:
    """An embedder whose questions have one vector and no more, so that they are compared with those of passages only."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The name of the embedder inside, whose stored vectors are used."""
        return self._inner.name

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """The plain vectors of the embedder inside."""
        return [Embedding(made.vector) for made in self._inner.embed(texts, asking=asking)]


# -- evidence


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and every message that may become a hit for it, with all its signals (columns as in `Weights`)."""

    question: Question
    several: bool
    messages: Sequence[Message]
    table: NDArray[np.float32]

    def ranked(self, weights: Weights) -> list[Ranked]:
        """The candidates as a search would show them, best first."""
        scores: list[float] = (self.table @ np.array(weights, np.float32)).tolist()
        order = sorted(range(len(scores)), key=lambda at: (scores[at], self.messages[at].created, self.messages[at].seq))
        best_first = (Ranked(at, scores[at]) for at in reversed(order))
        return select(best_first, self.messages, len(scores), several=self.several)


@dataclass(frozen=True, slots=True)
class Set:
    """A data set with its evidence, by half."""

    source: Path
    outline: Outline
    cases: Mapping[Half, list[Case]]

    def figures(self, half: Half, weights: Weights) -> dict[str, float]:
        """What these weights find in one half."""
        asked: list[recall.Asked] = []
        for case in self.cases[half]:
            found = [case.messages[one.at] for one in case.ranked(weights)]
            sessions = list(dict.fromkeys(message.session for message in found))
            asked.append(recall.Asked(case.question, [message.id for message in found], sessions, 0.0))
        levels = recall.summary(self.outline, asked)
        return {f"{level} {name}": levels[level].get(name, 0.0) for level, name in HEADLINES}


def collect(source: Path, kind: Kind, embedder: Embedder | None, tell: Tell) -> Set:
    """Asks all questions of a data set, in the store that `bench recall` keeps of it, and takes down the evidence."""
    outline = dataset.outline(source)
    questions = recall.select(outline)
    path = recall.kept_at(source)
    with recall.open_kept(path, embedder or "off") as memory:
        recall.load(memory, source, outline, {question.owner for question in questions}, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known: dict[tuple[str, str], Message] = {}
    cases: dict[Half, list[Case]] = {half: [] for half in HALVES}
    with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
        asking = _recall(storage, WithoutTokens(embedder) if embedder and kind == "vectors" else embedder)
        for number, question in enumerate(questions, 1):
            case = _case(asking, outline, question, RECIPES[kind].mode, known)
            cases[recall.half_of(outline, question)].append(case)
            tell(f"asking about {source.stem}", number, len(questions))
    return Set(source, outline, cases)


def _recall(storage: Storage, embedder: Embedder | None) -> Recall:
    if embedder is None:
        return Recall(storage)
    assert isinstance(storage, Vectors)
    return Recall(storage, LocalIndex(storage), Asker(storage, embedder, lambda name: None, patience=60.0))


def _case(asking: Recall, outline: Outline, question: Question, mode: Mode, known: dict[tuple[str, str], Message]) -> Case:
    now = question.asked_at or outline.owners.get(question.owner, Memories()).last or datetime.now(UTC)
    meant = understand(question.text, now)
    request = Request(question.text, Scope(question.owner), now, meant.filters, recall.DEPTH, mode=mode)
    evidence, fallbacks = asking.gather(meant, request)
    if fallbacks:
        raise EmbedderError(fallbacks[0])
    messages = evidence.candidates.messages
    table = signals(meant, evidence.candidates, microseconds(now)) if messages else {}
    columns = [table[name] if messages else np.zeros(0, np.float32) for name in Weights._fields]
    may = [at for at in range(len(messages)) if evidence.allows(at)]
    # The same message answers many questions; it is kept once.
    shared = [known.setdefault((question.owner, messages[at].id), messages[at]) for at in may]
    return Case(question, meant.wants_several, shared, np.stack(columns, axis=1)[may])


# -- fitting


class Groups:
    """Rows that lie together in groups: from rows to groups, and back."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self._lengths = np.array(lengths)
        self._starts = np.cumsum(self._lengths) - self._lengths

    def sum(self, values: Column) -> Column:
        """The sum of each group."""
        return np.add.reduceat(values, self._starts)

    def spread(self, values: Column) -> Column:
        """Each group's value, for each of its rows."""
        return np.repeat(values, self._lengths)

    def log_sum(self, values: Column) -> Column:
        """log Σ exp of each group.

        >>> Groups([2, 1]).log_sum(np.log([1.0, 3.0, 5.0])).round(3).tolist() == np.log([4.0, 5.0]).round(3).tolist()
        True
        """
        largest = np.maximum.reduceat(values, self._starts)
        return largest + np.log(self.sum(np.exp(values - self.spread(largest))))

    def cross_entropy(self, values: Column, wanted: Column) -> tuple[float, Column]:
        """How far the softmax of the values in each group is from what is wanted there; and its gradient."""
        logs = values - self.spread(self.log_sum(values))
        return float(-wanted @ logs), np.exp(logs) * self.spread(self.sum(wanted)) - wanted


class Lessons:
    """The tuning halves of all sets, flattened: a row for each candidate. Each set weighs the same."""

    def __init__(self, sets: Sequence[Set], recipe: Recipe) -> None:
        taught = [(case, one.outline, 1 / len(one.cases["tuning"])) for one in sets for case in one.cases["tuning"]]
        taught = [entry for entry in taught if entry[0].messages]
        table = np.concatenate([case.table for case, _, _ in taught]).astype(np.float64)
        self._fixed = table @ np.array([recipe.fixed.get(name, 0.0) for name in Weights._fields])
        free = table[:, [Weights._fields.index(name) for name in recipe.free]]
        self.spread = np.maximum(free.std(0), 1e-6)
        self._rows = free / self.spread
        talks = [_runs([message.session for message in case.messages]) for case, _, _ in taught]
        self._questions = Groups([len(case.messages) for case, _, _ in taught])
        self._talks = Groups([length for runs in talks for _, length in runs])
        self._talks_of_questions = Groups([len(runs) for runs in talks])
        answers = [outline.answers(case.question) for case, outline, _ in taught]
        self._answers = np.concatenate([
            _shares([message.id in ids for message in case.messages], weight)
            for (case, _, weight), (ids, _) in zip(taught, answers, strict=True)
        ])  # fmt: skip
        self._answering_talks = np.concatenate([
            _shares([talk in sessions for talk, _ in runs], weight)
            for (_, _, weight), (_, sessions), runs in zip(taught, answers, talks, strict=True)
        ])  # fmt: skip

    def __call__(self, weights: Column) -> tuple[float, Column]:
        """How badly these weights (of scaled signals) rank, and the gradient."""
        scores = self._rows @ weights + self._fixed
        badly, steep = self._questions.cross_entropy(scores, self._answers)
        tops = self._talks.log_sum(SHARPNESS * scores) / SHARPNESS
        talks_badly, talks_steep = self._talks_of_questions.cross_entropy(tops, self._answering_talks)
        steep = steep + self._talks.spread(talks_steep) * np.exp(SHARPNESS * (scores - self._talks.spread(tops)))
        value = (badly + talks_badly) / 2 + SHRINKING * float(weights @ weights)
        return value, self._rows.T @ steep / 2 + 2 * SHRINKING * weights


def fit(sets: Sequence[Set], recipe: Recipe) -> Profile:
    """The profile that ranks the tuning halves best, rounded as it will be written down."""
    for one in sets:
        if not any(case.messages for case in one.cases["tuning"]):
            raise InvalidInput(f"{one.source}: no question of the tuning half finds anything, so there is nothing to learn")
    lessons = Lessons(sets, recipe)
    fitted = minimum(lessons, np.zeros(len(recipe.free))) / lessons.spread
    named = dict(zip(recipe.free, fitted.round(1).tolist(), strict=True))
    weights = Weights(**{**recipe.fixed, **named})
    return Profile(weights, *calibrated(sets, weights))


def calibrated(sets: Sequence[Set], weights: Weights) -> tuple[float, float]:
    """`middle` and `slope`: what a score says about how likely a message is an answer, where it was among the best."""
    shown = [
        (one.score, case.messages[one.at].id in case.question.evidence, set_.source)
        for set_ in sets
        for case in set_.cases["tuning"]
        if case.question.evidence  # else nobody said which messages answer
        for one in case.ranked(weights)[:SHOWN]
    ]
    sources = [source for _, _, source in shown]
    scores = np.array([score for score, _, _ in shown])
    signs = np.array([1.0 if answers else -1.0 for _, answers, _ in shown])
    weight = np.array([1 / sources.count(source) for source in set(sources)])  # placeholder
    return 0.0, 0.0
