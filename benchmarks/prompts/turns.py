"""The evidence in prompts of new conversations, for turns of every kind and language.

Each case is a turn in a new conversation. It counts whether every message that it needs, or a fact extracted from it, is in
the prompt, and how many tokens of memories turns get that need nothing. For comparison, the best five and the best ten hits
of a search are always used, as simpler systems do, and a sliding window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.common import dataset
from benchmarks.common.cached_embedder import CachedEmbedder, embedder_for_spec
from benchmarks.common.conversations import add_messages, open_new_store, question_time
from benchmarks.common.dataset import DataSetOutline, DataSetQuestion
from benchmarks.prompts import worlds
from benchmarks.prompts.context_evidence import per_cent
from benchmarks.search import recall
from benchmarks.search.recall import FigureDict, Half, ProgressFunction
from keepsaid.engine.prompt.block_texts import RECALLED, MemoryBlockEntry, message_line, section_lines
from keepsaid.memory import Memory
from keepsaid.types import Message
from keepsaid.types.prompts import Context

BUDGET = 2_000
OURS = "keepsaid"
ALWAYS = {"best five": 5, "best ten": 10}
WINDOW = "sliding window"

FOUND = ("facts", "recalled", "tools", "documents")
"""The sections with memories found for a turn."""
PROFILE = "profile"


class PromptOutcome(NamedTuple):
    """What a prompt contains for a turn: whether all evidence, and how many tokens of memories."""

    holds: bool
    tokens: int
    profile: int = 0
    stale: bool = False
    """Whether it also contains outdated messages that are not marked as changed."""


@dataclass(slots=True)
class TurnResults:
    """Every case, with the outcome of each way of making prompts."""

    questions: list[DataSetQuestion] = field(default_factory=list[DataSetQuestion])
    given: dict[str, list[PromptOutcome]] = field(default_factory=dict[str, list[PromptOutcome]])

    def add(self, question: DataSetQuestion, given: Mapping[str, PromptOutcome]) -> None:
        """Add a case."""
        self.questions.append(question)
        for way, one in given.items():
            self.given.setdefault(way, []).append(one)


def source_file(path: Path) -> Path:
    """Return the data set in the neutral form. Worlds in a folder are converted to a file in the cache."""
    if path.is_file():
        return path
    target = recall.cache_folder() / "turns.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    dataset.write_records(target, worlds.convert(path))
    return target


def run(
    path: Path,
    *,
    half: Half = "all",
    budget: int = BUDGET,
    embedder: str | None = None,
    tell: ProgressFunction = lambda what, done, total: None,
    watch: Callable[[DataSetQuestion, Context, PromptOutcome], None] = lambda question, context, given: None,
) -> TurnResults:
    """Fill a store, extract notes, and make a prompt for every turn."""
    source = source_file(path)
    outline = dataset.read_outline(source)
    questions = [one for one in outline.questions if half in ("all", recall.half_of(outline, one))]
    owners = list(dict.fromkeys(question.owner for question in questions))
    known = _vectors(source, outline, owners, embedder, tell)
    judged = TurnResults()
    with open_new_store(known) as memory:
        recall.load_conversations(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("taking notes", done, total))
        facts = {owner: _sources(memory, owner) for owner in owners}
        for number, question in enumerate(questions, 1):
            context, given = _prompted(memory, outline, question, facts[question.owner], budget)
            watch(question, context, given)
            searched = _always(memory, outline, question)
            judged.add(question, {OURS: given, **searched, WINDOW: PromptOutcome(not question.evidence, 0)})
            tell("asking", number, len(questions))
    return judged


def _vectors(
    source: Path, outline: DataSetOutline, owners: Sequence[str], spec: str | None, tell: ProgressFunction
) -> CachedEmbedder | None:
    """Return an embedder with the vectors of all messages, from a store that is kept between runs."""
    inner = embedder_for_spec(spec)
    if inner is None:
        return None
    known = CachedEmbedder(inner)
    kept = recall.kept_store_path(source, spec)
    with recall.open_kept_store(kept, inner) as memory:
        recall.load_conversations(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known.learn(kept, owners)
    return known


def _sources(memory: Memory, owner: str) -> dict[str, tuple[str, ...]]:
    """Return the source messages of each fact of an owner."""
    return {fact.id: fact.messages for fact in memory.facts(owner=owner, history=True, limit=1_000_000)}


def _prompted(
    memory: Memory, outline: DataSetOutline, question: DataSetQuestion, facts: Mapping[str, tuple[str, ...]], budget: int
) -> tuple[Context, PromptOutcome]:
    """Make our prompt for a turn, in a conversation that is deleted afterwards."""
    chat = memory.chat(owner=question.owner, session=f"case {question.id}", create=True)
    add_messages(chat, question.before)
    context = chat.context(question.text, budget=budget, now=question_time(question, outline))
    chat.delete()
    inside = set(_messages_in(context, facts))
    tokens = sum(context.sections.get(section, 0) for section in FOUND)
    stale = any(_is_told_as_current(context, id) for id in question.stale)
    return context, PromptOutcome(inside.issuperset(question.evidence), tokens, context.sections.get(PROFILE, 0), stale)


def _messages_in(context: Context, facts: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    """Yield the messages that are wholly in a prompt, or that are a source of a fact in it."""
    for item in context.items:
        if item.kind == "message" and item.whole:
            yield item.id
        elif item.kind == "fact":
            yield from facts.get(item.id, ())


def _is_told_as_current(context: Context, id: str) -> bool:
    return any(item.kind == "message" and item.id == id and not item.changed for item in context.items)


def _always(memory: Memory, outline: DataSetOutline, question: DataSetQuestion) -> dict[str, PromptOutcome]:
    """Return the outcomes of always using the best hits of a plain search."""
    most = max(ALWAYS.values())
    hits = memory.search(
        question.text, owner=question.owner, limit=most, min_score=0, plain=True, now=question_time(question, outline)
    )
    found = [hit.message for hit in hits]
    return {
        way: PromptOutcome({one.id for one in found[:count]}.issuperset(question.evidence), _tokens(memory, found[:count]))
        for way, count in ALWAYS.items()
    }


def _tokens(memory: Memory, messages: Sequence[Message]) -> int:
    from keepsaid.llm import tokens

    count = tokens.counter_for(memory.tokenizer).count
    lines = section_lines(MemoryBlockEntry(RECALLED, message.created, message_line(message, None)) for message in messages)
    return sum(1 + count(line) for line in lines)


# -- the figures


def summary(judged: TurnResults) -> FigureDict:
    """Return shares in percent and average tokens, of all cases, and by kind and language. Turns in another language than
    the messages are counted separately."""
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


def _group(judged: TurnResults, places: Sequence[int], among: Callable[[DataSetQuestion], bool]) -> FigureDict:
    chosen = [place for place in places if among(judged.questions[place])]
    return {"cases": len(chosen), "evidence": {way: _share(given, chosen) for way, given in judged.given.items()}}


def _share(given: Sequence[PromptOutcome], places: Sequence[int]) -> float:
    return per_cent([given[place].holds for place in places])


def _tokens_spent(given: Sequence[PromptOutcome], places: Sequence[int]) -> float:
    return round(fmean(given[place].tokens for place in places), 1) if places else 0.0
