"""Fits the ranking models (`engine.ranking.models`) to data sets, on the tuning half of each.

A good ranking gives the messages that answer a question a large share of the total score: the cross entropy is minimized.
(Half of it for their sessions ranked both messages and sessions worse.) Then the relevance model is fitted, which estimates
how likely a candidate with a score helps, also on turns that need nothing (`benchmarks.search.tune_relevance`). The other
half is only measured, with the old and the new weights.
"""

from __future__ import annotations

import textwrap
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import dataset
from benchmarks.common.dataset import DataSetMessage, DataSetOutline, DataSetQuestion, OwnerMessages
from benchmarks.search import recall
from benchmarks.search.recall import Half, Mode, ProgressFunction
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.engine.follow_up import complete_question
from keepsaid.engine.messages.intake import ROLES
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.ranking.models import FULL, VECTORS, WORDS, RankingModel
from keepsaid.engine.ranking.relevance import TurnStatistics
from keepsaid.engine.ranking.selection import select_candidates
from keepsaid.engine.ranking.signals import RankedCandidate, SignalWeights, compute_signals
from keepsaid.errors import EmbedderError, InvalidInput
from keepsaid.index.local import LocalIndex
from keepsaid.ports import Embedder, Embedding, Storage
from keepsaid.services.search.question_embedding import QuestionEmbedder
from keepsaid.services.search.recent_embeddings import RecentEmbeddings
from keepsaid.services.search.searcher import MessageSearcher, SearchRequest, compute_candidate_limit
from keepsaid.types import Message, Scope, to_microseconds

Column = NDArray[np.float64]
Loss = Callable[[Column], tuple[float, Column]]
"""Returns a value to minimize, and its gradient."""

Kind = Literal["full", "vectors", "words"]
HALVES: tuple[Half, ...] = ("tuning", "held-out")
HEADLINES = (("message", "recall@10"), ("session", "any@5"), ("session", "all@5"))

FIXED = {"recent": 1.0, "user": 2.5, "assistant": 1.4, "speaker": 1.0, "phrase": 2.0, "importance": 0.3}
"""Weights that are set by hand. How old answers are, how important they look, and whether the user or the assistant gave
them depends on the data set, and a free fit would overfit the few available ones. Phrases are quoted in 9 of the 2,452
questions of LoCoMo and LongMemEval: too few to learn from."""

SHRINKING = 1e-3
"""The penalty on a squared weight, when its signal is scaled to a standard deviation of one."""

STEPS = 200
PRECISION = 1e-6
"""The fit ends when a step or the gradient is smaller than this."""
REMEMBERED = 20
"""The number of steps that the curvature is estimated from."""


class ModelRecipe(NamedTuple):
    """How a model's evidence is collected, and which signals it uses; those in `fixed` are not fitted."""

    present: RankingModel
    mode: Mode
    left_out: frozenset[str] = frozenset()
    fixed: Mapping[str, float] = FIXED

    @property
    def free(self) -> list[str]:
        """The signals whose weights are fitted."""
        return [name for name in SignalWeights._fields if name not in self.left_out and name not in self.fixed]


RECIPES: Mapping[Kind, ModelRecipe] = {
    # `usefulness` takes the place of `closeness`; the adapter was fitted with this weight to the same halves, so a fit
    # would make too much of it. Where every token is matched, the message's own words add nothing: fitted, they only took
    # back (-2.8) what `nearby_words` had gained, and the tuning halves were ranked no better. That a person said it is
    # worth 0.9 to the sets, which hold few echoes; more is set by hand, because answers repeat what they were told.
    "full": ModelRecipe(
        FULL,
        "full",
        frozenset({"words", "meaning", "closeness"}),
        {**FIXED, "stated": 1.5, "assistant": 5.0, "usefulness": 10.0},
    ),
    "vectors": ModelRecipe(VECTORS, "full", frozenset({"closeness", "usefulness"})),
    # Half the bonus for fresh messages is also set by hand.
    "words": ModelRecipe(
        WORDS,
        "words",
        frozenset({"meaning", "nearby_meaning", "conversation_meaning", "closeness", "usefulness", "statement"}),
        {**FIXED, "recent": 0.5},
    ),
}


class PlainVectorEmbedder:
    """An embedder without token vectors, so that questions are compared with the vectors of passages only."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The name of the wrapped embedder, whose stored vectors are used."""
        return self._inner.name

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """Return the plain vectors of the wrapped embedder."""
        return [Embedding(made.vector) for made in self._inner.embed(texts, asking=asking)]


# -- evidence


@dataclass(frozen=True, slots=True)
class RankingCase:
    """A question, and every message that may become a hit for it, with all its signals (columns as in `SignalWeights`)."""

    question: DataSetQuestion
    several: bool
    messages: Sequence[Message]
    table: NDArray[np.float32]
    need: float = 0.0

    def scores(self, weights: SignalWeights) -> list[float]:
        """The ranking score of every candidate."""
        return (self.table @ np.array(weights, np.float32)).tolist()

    def statistics(self, scores: Sequence[float], background: float) -> TurnStatistics:
        """What the candidates have in common, as a search sees it."""
        return TurnStatistics.of(scores, self.need, background)

    def ranked(self, weights: SignalWeights) -> list[RankedCandidate]:
        """The candidates as a search would show them, best first."""
        scores = self.scores(weights)
        order = sorted(range(len(scores)), key=lambda at: (scores[at], self.messages[at].created, self.messages[at].seq))
        best_first = (RankedCandidate(at, scores[at]) for at in reversed(order))
        return select_candidates(best_first, self.messages, len(scores), several=self.several)


@dataclass(frozen=True, slots=True)
class TuningSet:
    """A data set with its evidence, by half."""

    source: Path
    outline: DataSetOutline
    cases: Mapping[Half, list[RankingCase]]
    nothing: Mapping[Half, list[RankingCase]]
    """Turns that need nothing."""

    def figures(self, half: Half, weights: SignalWeights) -> dict[str, float]:
        """What these weights find in one half."""
        asked: list[recall.QuestionResult] = []
        for case in self.cases[half]:
            ranked = case.ranked(weights)
            messages = [case.messages[one.at].id for one in ranked]
            sessions = dict.fromkeys(case.messages[at].session for one in ranked for at in (one.at, *one.also))
            asked.append(recall.QuestionResult(case.question, messages, list(sessions), 0.0))
        levels = recall.summary(self.outline, asked)
        return {f"{level} {name}": levels[level].get(name, 0.0) for level, name in HEADLINES}


def collect_evidence(source: Path, kind: Kind, embedder: Embedder | None, tell: ProgressFunction) -> TuningSet:
    """Ask all questions of a data set in the store that `bench recall` keeps, and collect the evidence."""
    outline = dataset.read_outline(source)
    questions = [
        *recall.select_questions(outline),
        *(question for question in outline.questions if not _has_answer(question)),
    ]
    path = recall.kept_store_path(source)
    with recall.open_kept_store(path, embedder or "off") as memory:
        recall.load_conversations(memory, source, outline, {question.owner for question in questions}, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known: dict[tuple[str, str], Message] = {}
    cases: dict[Half, list[RankingCase]] = {half: [] for half in HALVES}
    nothing: dict[Half, list[RankingCase]] = {half: [] for half in HALVES}
    with closing(wiring.open_storage(load({"url": str(path), "durable": False}, {}))) as storage:
        asking = _recall(storage, PlainVectorEmbedder(embedder) if embedder and kind == "vectors" else embedder)
        for number, question in enumerate(questions, 1):
            case = _case(asking, outline, question, kind, known)
            (cases if _has_answer(question) else nothing)[recall.half_of(outline, question)].append(case)
            tell(f"asking about {source.stem}", number, len(questions))
    return TuningSet(source, outline, cases, nothing)


def _has_answer(question: DataSetQuestion) -> bool:
    return bool(question.evidence or question.evidence_sessions)


def _recall(storage: Storage, embedder: Embedder | None) -> MessageSearcher:
    if embedder is None:
        return MessageSearcher(storage)
    return MessageSearcher(
        storage,
        LocalIndex(storage),
        QuestionEmbedder(storage, embedder, lambda name: None, RecentEmbeddings(), patience=60.0),
    )


def _case(
    asking: MessageSearcher,
    outline: DataSetOutline,
    question: DataSetQuestion,
    kind: Kind,
    known: dict[tuple[str, str], Message],
) -> RankingCase:
    now = question.asked_at or outline.owners.get(question.owner, OwnerMessages()).last or datetime.now(UTC)
    text = (
        complete_question(question.text, [_message(said) for said in question.before]).text
        if question.before
        else question.text
    )
    meant = parse_query(text, now, plain=True)
    request = SearchRequest(
        text, Scope(question.owner), now, meant.filters, recall.DEPTH, mode=RECIPES[kind].mode, plain=True
    )
    evidence, fallbacks = asking.gather_evidence(meant, request, compute_candidate_limit(request.limit))
    if fallbacks:
        raise EmbedderError(fallbacks[0])
    if (evidence.has_tokens, evidence.has_meaning) != (kind == "full", kind != "words"):
        raise InvalidInput(f"the {kind} model needs an embedder" + " with token vectors" * (kind == "full"))
    messages = evidence.candidates.messages
    table = compute_signals(meant, evidence.candidates, to_microseconds(now)) if messages else {}
    columns = [table[name] if messages else np.zeros(0, np.float32) for name in SignalWeights._fields]
    may = [at for at, allowed in enumerate(evidence.find_allowed()) if allowed]
    # The same message answers many questions; it is kept once.
    shared = [known.setdefault((question.owner, messages[at].id), messages[at]) for at in may]
    table = np.stack(columns, axis=1)[may]
    return RankingCase(question, meant.wants_several, shared, table, evidence.need or 0.0)


def _message(said: DataSetMessage) -> Message:
    return Message(said.id, "before", 1, 0, ROLES[said.role], said.content, 0, 0, 0.0, False, {})


# -- fitting


class RowGroups:
    """Aggregates consecutive rows by group."""

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

        >>> RowGroups([2, 1]).log_sum(np.log([1.0, 3.0, 5.0])).round(3).tolist() == np.log([4.0, 5.0]).round(3).tolist()
        True
        """
        largest = np.maximum.reduceat(values, self._starts)
        return largest + np.log(self.sum(np.exp(values - self.spread(largest))))

    def cross_entropy(self, values: Column, wanted: Column) -> tuple[float, Column]:
        """Return the cross entropy of the softmax in each group and what is wanted there, and its gradient."""
        logs = values - self.spread(self.log_sum(values))
        return float(-wanted @ logs), np.exp(logs) * self.spread(self.sum(wanted)) - wanted


class TuningLoss:
    """The tuning halves of all sets, flattened: a row for each candidate. Each set weighs the same."""

    def __init__(self, sets: Sequence[TuningSet], recipe: ModelRecipe) -> None:
        halves = [[case for case in one.cases["tuning"] if case.messages] for one in sets]
        taught = [(case, one.outline, 1 / len(half)) for one, half in zip(sets, halves, strict=True) for case in half]
        tables = [np.concatenate([case.table for case in half]).astype(np.float64) for half in halves]
        table = np.concatenate(tables)
        self._fixed = table @ np.array([recipe.fixed.get(name, 0.0) for name in SignalWeights._fields])
        free = [SignalWeights._fields.index(name) for name in recipe.free]
        spread = np.mean([table.std(0) for table in tables], axis=0)[free]
        # A signal that never changes decides nothing, and gets no weight.
        self.spread = np.where(spread > 1e-6, spread, 1.0)
        self._rows = table[:, free] / self.spread
        self._questions = RowGroups([len(case.messages) for case, _, _ in taught])
        answers = [outline.answers(case.question) for case, outline, _ in taught]
        self._answers = np.concatenate([
            _shares([message.id in ids for message in case.messages], weight)
            for (case, _, weight), (ids, _) in zip(taught, answers, strict=True)
        ])  # fmt: skip

    def __call__(self, weights: Column) -> tuple[float, Column]:
        """Return the loss of these weights (of scaled signals), and its gradient."""
        badly, steep = self._questions.cross_entropy(self._rows @ weights + self._fixed, self._answers)
        return badly + SHRINKING * float(weights @ weights), self._rows.T @ steep + 2 * SHRINKING * weights


def fit_model(sets: Sequence[TuningSet], recipe: ModelRecipe) -> RankingModel:
    """Fit the model that ranks the tuning halves best, rounded as it is written to the source."""
    from benchmarks.search.tune_relevance import fit_relevance

    for one in sets:
        if not any(case.messages for case in one.cases["tuning"]):
            raise InvalidInput(f"{one.source}: no question of the tuning half finds anything, so there is nothing to learn")
    lessons = TuningLoss(sets, recipe)
    fitted = minimize(lessons, np.zeros(len(recipe.free))) / lessons.spread
    named = dict(zip(recipe.free, fitted.round(1).tolist(), strict=True))
    weights = SignalWeights(**{**recipe.fixed, **named})
    return RankingModel(weights, fit_relevance(sets, weights))


def minimize(loss: Loss, start: Column) -> Column:
    """Minimize a smooth function from a start (L-BFGS).

    >>> minimize(lambda at: (float((at - 3) @ (at - 3)), 2 * (at - 3)), np.zeros(2)).round(3).tolist()
    [3.0, 3.0]
    """
    at, (value, steep) = start, loss(start)
    walked: deque[tuple[Column, Column]] = deque(maxlen=REMEMBERED)
    for _ in range(STEPS):
        step = -_downhill(steep, walked)
        there, steep_there = loss(at + step)
        while there > value + 1e-4 * float(step @ steep):
            step = step / 2
            if np.abs(step).max() < PRECISION:
                return at
            there, steep_there = loss(at + step)
        bent = steep_there - steep
        at, value, steep = at + step, there, steep_there
        if np.abs(steep).max() < PRECISION:
            break
        if float(step @ bent) > 0:
            walked.append((step, bent))
    return at


def _downhill(steep: Column, walked: Sequence[tuple[Column, Column]]) -> Column:
    """The gradient times the inverse Hessian, as estimated from the last steps and changes of the gradient."""
    shares: list[float] = []
    for step, bent in reversed(walked):
        shares.append(float(step @ steep) / float(step @ bent))
        steep = steep - shares[-1] * bent
    if walked:
        step, bent = walked[-1]
        steep = steep * (float(step @ bent) / float(bent @ bent))
    for (step, bent), share in zip(walked, reversed(shares), strict=True):
        steep = steep + (share - float(bent @ steep) / float(step @ bent)) * step
    return steep


def _shares(wanted: Sequence[bool], weight: float) -> Column:
    """The weight, divided among the wanted rows."""
    return np.array(wanted, np.float64) * (weight / max(1, sum(wanted)))


# -- results


def run(
    sources: Sequence[Path],
    kind: Kind = "full",
    embedder: Embedder | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
) -> dict[str, Any]:
    """Fit a model, and compare it with the present one on both halves of every set."""
    recipe = RECIPES[kind]
    sets = [collect_evidence(source, kind, embedder if recipe.mode != "words" else None, tell) for source in sources]
    model = fit_model(sets, recipe)
    compared = {"present": recipe.present.weights, "fitted": model.weights}
    measured = [
        {"file": one.source.name}
        | {
            half: {"questions": len(one.cases[half])}
            | {name: one.figures(half, weights) for name, weights in compared.items()}
            for half in HALVES
            if one.cases[half]
        }
        for one in sets
    ]
    return {
        "model": kind,
        "weights": model.weights._asdict(),
        "candidate": model.relevance.candidate._asdict(),
        "turn": None if model.relevance.turn is None else model.relevance.turn._asdict(),
        "background": model.relevance.background,
        "sets": measured,
    }


def model_source(result: Mapping[str, Any]) -> str:
    """Return the fitted model as source code for `engine/ranking/models.py`.

    >>> weights = {"words": 1.5, "time": 0.0, "recent": 1.0}
    >>> print(model_source({"model": "words", "weights": weights, "turn": None,
    ...                "candidate": {"bias": -6.0, "score": 0.8}, "background": 12.5}))
    WORDS = RankingModel(
        SignalWeights(
            words=1.5, recent=1.0,
        ),
        RelevanceModel(
            CandidateModel(bias=-6.0, score=0.8),
            background=12.5,
        ),
    )  # fmt: skip
    """
    inner = textwrap.fill(f"{_arguments(result['weights'])},", 125, initial_indent=" " * 8, subsequent_indent=" " * 8)
    parts = [f"        CandidateModel({_arguments(result['candidate'])}),"]
    if result["turn"] is not None:
        parts.append(f"        TurnModel({_arguments(result['turn'])}),")
    parts.append(f"        background={result['background']},")
    head = [f"{result['model'].upper()} = RankingModel(", "    SignalWeights(", inner, "    ),", "    RelevanceModel("]
    return "\n".join([*head, *parts, "    ),", ")  # fmt: skip"])


def _arguments(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items() if value)


def table(result: Mapping[str, Any]) -> str:
    """Format the figures of both models, in percent."""
    names = [f"{level} {name}" for level, name in HEADLINES]
    lines = [f"{'':45}" + "".join(f"{name:>19}" for name in names)]
    for one in result["sets"]:
        for half in (half for half in HALVES if half in one):
            title = f"{one['file']}, {half}, {one[half]['questions']:,} questions"
            rows = {which: "".join(f"{one[half][which][name]:>19.1f}" for name in names) for which in ("present", "fitted")}
            lines += [title, *(f"  {which:43}{row}" for which, row in rows.items())]
    return "\n".join(lines)
