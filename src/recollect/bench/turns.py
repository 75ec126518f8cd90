"""What prompts of new conversations hold of what they should, for turns of every kind and language.

Each case is a turn in a conversation of its own. What counts is whether every message that it needs, or a fact made of it,
is in the prompt; and for turns that need nothing, how many tokens of memories they were given all the same. In the same
stores, the best five and the best ten hits are given always, as simpler systems do, and a sliding window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from recollect.bench import dataset, recall, worlds
from recollect.bench.context_evidence import per_cent
from recollect.bench.dataset import Outline, Question
from recollect.bench.known import Known, embedder_of
from recollect.bench.recall import Half, Result, Tell
from recollect.bench.talks import asked_at, new_store, save
from recollect.engine.compile.layout import message_line
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Message

BUDGET = 2_000
OURS = "recollect"
ALWAYS = {"best five": 5, "best ten": 10}
WINDOW = "sliding window"

FOUND = ("facts", "recalled", "tools", "documents")
"""Sections with what was found for a turn."""
PROFILE = "profile"


class Given(NamedTuple):
    """What a turn was given: whether all that it needs was there, and the tokens of memories."""

    holds: bool
    tokens: int
    profile: int = 0
    stale: bool = False
    """Whether it was also told what is no longer so, without a word that it has changed."""


@dataclass(slots=True)
class Judged:
    """Every case with what each way of making prompts gave it."""

    questions: list[Question] = field(default_factory=list[Question])
    given: dict[str, list[Given]] = field(default_factory=dict[str, list[Given]])

    def enter(self, question: Question, given: Mapping[str, Given]) -> None:
        """Adds a case."""
        self.questions.append(question)
        for way, one in given.items():
            self.given.setdefault(way, []).append(one)


def source_file(path: Path) -> Path:
    """The data set in the neutral form; worlds in a folder are converted to a file in the cache first."""
    if path.is_file():
        return path
    target = recall.cache() / "turns.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    dataset.write(target, worlds.convert(path))
    return target


def run(
    path: Path,
    *,
    half: Half = "all",
    budget: int = BUDGET,
    embedder: str | None = None,
    tell: Tell = lambda what, done, total: None,
    watch: Callable[[Question, Context, Given], None] = lambda question, context, given: None,
) -> Judged:
    """Fills a store, takes notes, and makes a prompt for every turn."""
    source = source_file(path)
    outline = dataset.outline(source)
    questions = [one for one in outline.questions if half in ("all", recall.half_of(outline, one))]
    owners = list(dict.fromkeys(question.owner for question in questions))
    known = _vectors(source, outline, owners, embedder, tell)
    judged = Judged()
    with new_store(known) as memory:
        recall.load(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("taking notes", done, total))
        facts = {owner: _sources(memory, owner) for owner in owners}
        for number, question in enumerate(questions, 1):
            context, given = _prompted(memory, outline, question, facts[question.owner], budget)
            watch(question, context, given)
            searched = _always(memory, outline, question)
            judged.enter(question, {OURS: given, **searched, WINDOW: Given(not question.evidence, 0)})
            tell("asking", number, len(questions))
    return judged


def _vectors(source: Path, outline: Outline, owners: Sequence[str], spec: str | None, tell: Tell) -> Known | None:
    """The vectors of everything, taken from a store that is kept between runs."""
    inner = embedder_of(spec)
    if inner is None:
        return None
    known = Known(inner)
    kept = recall.kept_at(source, spec)
    with recall.open_kept(kept, inner) as memory:
        recall.load(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known.learn(kept, owners)
    return known


def _sources(memory: Memory, owner: str) -> dict[str, tuple[str, ...]]:
    """The messages that each fact of an owner rests on."""
    return {fact.id: fact.messages for fact in memory.facts(owner=owner, history=True, limit=1_000_000)}


def _prompted(
    memory: Memory, outline: Outline, question: Question, facts: Mapping[str, tuple[str, ...]], budget: int
) -> tuple[Context, Given]:
    """Our prompt for a turn, in a conversation that is deleted afterwards."""
    chat = memory.chat(owner=question.owner, session=f"case {question.id}", create=True)
    save(chat, question.before)
    context = chat.context(question.text, budget=budget, now=asked_at(question, outline))
    chat.delete()
    inside = set(_messages_in(context, facts))
    tokens = sum(context.sections.get(section, 0) for section in FOUND)
    stale = any(_is_told_as_current(context, id) for id in question.stale)
    return context, Given(inside.issuperset(question.evidence), tokens, context.sections.get(PROFILE, 0), stale)


def _messages_in(context: Context, facts: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    """The messages that are wholly in a prompt, or that a fact in it was made of."""
    for item in context.items:
        if item.kind == "message" and item.whole:
            yield item.id
        elif item.kind == "fact":
            yield from facts.get(item.id, ())


def _is_told_as_current(context: Context, id: str) -> bool:
    return any(item.kind == "message" and item.id == id and not item.changed for item in context.items)


def _always(memory: Memory, outline: Outline, question: Question) -> dict[str, Given]:
    """The best hits of a plain search, however good they are."""
    most = max(ALWAYS.values())
    hits = memory.search(
        question.text, owner=question.owner, limit=most, min_score=0, plain=True, now=asked_at(question, outline)
    )
    found = [hit.message for hit in hits]
    return {
        way: Given({one.id for one in found[:count]}.issuperset(question.evidence), _tokens(memory, found[:count]))
        for way, count in ALWAYS.items()
    }


def _tokens(memory: Memory, messages: Sequence[Message]) -> int:
    from recollect import tokens

    count = tokens.counter_for(memory.tokenizer).count
    return sum(1 + count(message_line(message, None)) for message in messages)


# -- the figures


def summary(judged: Judged) -> Result:
    """Shares in per cent and tokens on average, of all cases, and by kind and language. Turns in another language than what
    was said are apart."""
    needing = [place for place, question in enumerate(judged.questions) if question.evidence]
    needs = [place for place in needing if judged.questions[place].category != worlds.CROSSLINGUAL]
    crosslingual = [place for place in needing if place not in needs]
    nothing = [place for place, question in enumerate(judged.questions) if not question.evidence]
    stale = [place for place, question in enumerate(judged.questions) if question.stale]
    kinds = sorted({judged.questions[place].category or "none" for place in needs})
    languages = sorted({judged.questions[place].language or "en" for place in needs})
    return {
        "cases": len(needs),
        "cases_nothing": len(nothing),
        "evidence": {way: _share(given, needs) for way, given in judged.given.items()},
        "tokens": {way: _tokens_spent(given, needs) for way, given in judged.given.items()},
        "profile_tokens": round(fmean(one.profile for one in judged.given[OURS]), 1) if judged.questions else 0.0,
        "nothing_tokens": {way: _tokens_spent(given, nothing) for way, given in judged.given.items()},
        "nothing_any": {
            way: per_cent([given[place].tokens > 0 for place in nothing]) for way, given in judged.given.items()
        },
        "crosslingual_cases": len(crosslingual),
        "crosslingual_evidence": {way: _share(given, crosslingual) for way, given in judged.given.items()},
        "stale_cases": len(stale),
        "stale_told": per_cent([judged.given[OURS][place].stale for place in stale]),
        "by_kind": {kind: _group(judged, needs, lambda one, kind=kind: (one.category or "none") == kind) for kind in kinds},
        "by_language": {
            code: _group(judged, needs, lambda one, code=code: (one.language or "en") == code) for code in languages
        },
    }


def _group(judged: Judged, places: Sequence[int], among: Callable[[Question], bool]) -> Result:
    chosen = [place for place in places if among(judged.questions[place])]
    return {"cases": len(chosen), "evidence": {way: _share(given, chosen) for way, given in judged.given.items()}}


def _share(given: Sequence[Given], places: Sequence[int]) -> float:
    return per_cent([given[place].holds for place in places])


def _tokens_spent(given: Sequence[Given], places: Sequence[int]) -> float:
    return round(fmean(given[place].tokens for place in places), 1) if places else 0.0
