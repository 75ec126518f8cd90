"""The evidence in prompts: at each budget, whether everything that answers a question is wholly inside."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from benchmarks.common.conversations import BenchmarkConversations, add_messages, open_new_store, owner_chat, question_time
from benchmarks.common.dataset import DataSetMessage, DataSetOutline, DataSetQuestion
from benchmarks.prompts.window import SlidingWindow, chat_message, question_message
from benchmarks.search.recall import FigureDict, ProgressFunction
from keepsaid.engine.prompt.block_texts import escape_block_text
from keepsaid.llm import tokens
from keepsaid.types.prompts import Context


@dataclass(slots=True)
class EvidenceFigures:
    """For each question whether its evidence is wholly in the prompt, and statistics of the prompts."""

    ours: list[bool] = field(default_factory=list[bool])
    window: list[bool] = field(default_factory=list[bool])
    missed: Counter[str] = field(default_factory=Counter[str])
    """Messages that were not wholly in the prompt, by reason."""
    spent: Counter[str] = field(default_factory=Counter[str])
    """Tokens of each section, over all prompts."""


# -- the questions


def sample_questions(questions: Sequence[DataSetQuestion], count: int | None) -> list[DataSetQuestion]:
    """Return a sample of the questions that have evidence: always the same ones, and not the first.

    >>> few = sample_questions([DataSetQuestion("u1", str(number), "?", ("m1",)) for number in range(100)], 3)
    >>> len(few), few == sorted(few, key=lambda question: int(question.id))
    (3, True)
    """
    labelled = [question for question in questions if question.evidence]
    if count is None or count >= len(labelled):
        return labelled
    chosen = sorted(labelled, key=lambda question: hashlib.sha256(f"{question.owner} {question.id}".encode()).digest())
    kept = {(question.owner, question.id) for question in chosen[:count]}
    return [question for question in labelled if (question.owner, question.id) in kept]


def measure_evidence(
    talks: BenchmarkConversations,
    outline: DataSetOutline,
    questions: Sequence[DataSetQuestion],
    budgets: Iterable[int],
    tell: ProgressFunction,
) -> dict[int, EvidenceFigures]:
    """Load every conversation, extract notes, and ask every question at every budget."""
    made = {budget: EvidenceFigures() for budget in budgets}
    with open_new_store(talks.embedder) as memory:
        for number, (owner, said) in enumerate(talks.said.items(), 1):
            add_messages(owner_chat(memory, owner), said)
            tell("loading", number, len(talks.said))
        memory.maintain(progress=lambda done, total: tell("storing vectors", done, total))
        windows = {owner: OwnerWindow(memory.tokenizer, said) for owner, said in talks.said.items()}
        for number, question in enumerate(questions, 1):
            chat, window = owner_chat(memory, question.owner), windows[question.owner]
            now = question_time(question, outline)
            for budget, held in made.items():
                context = chat.context(question.text, budget=budget, now=now)
                count_evidence(held, context, {id: window.texts[id] for id in question.evidence})
                held.window.append(window.holds(question, budget))
            tell("asking", number, len(questions))
    return made


class OwnerWindow:
    """A sliding window over an owner's whole conversation."""

    def __init__(self, tokenizer: str, said: Sequence[DataSetMessage]) -> None:
        self._window = SlidingWindow(tokens.counter_for(tokenizer).count)
        self._places = {one.id: place for place, one in enumerate(said)}
        self.texts = {one.id: one.content for one in said}
        for one in said:
            self._window.add(chat_message(one.role, one.content, one.name))

    def holds(self, question: DataSetQuestion, budget: int) -> bool:
        """Whether all evidence is among the messages that fit into the window."""
        beginning = self._window.beginning(question_message(question.text), budget)
        return all(self._places[id] >= beginning for id in question.evidence)


def count_evidence(held: EvidenceFigures, context: Context, wanted: Mapping[str, str]) -> None:
    """Record which of the wanted messages (texts by id) are in a prompt."""
    missing = {id: why for id, text in wanted.items() if (why := why_missing(context, id, text))}
    held.ours.append(not missing)
    held.missed.update(missing.values())
    held.spent.update(context.sections)


def why_missing(context: Context, id: str, text: str) -> str:
    """Return why a message is not wholly in a prompt; empty if it is. Its text must be there, not only its id."""
    inside = [item for item in context.items if item.kind == "message" and item.id == id]
    if any(item.whole for item in inside):
        return "" if contains_text(context.messages, text) else "said to be in, but is not"
    if inside:
        return "only a passage of it"
    reasons = [item.reason for item in context.dropped if item.kind == "message" and item.id == id]
    return reasons[-1].rpartition("; ")[2] if reasons else "not found"


def contains_text(messages: Sequence[Mapping[str, Any]], text: str) -> bool:
    """Whether a text is in one of the messages, ignoring white space, because lines of a memory block are indented.

    >>> contains_text([{"role": "user", "content": "- [1 May] Dear\\n  Ann, hello"}], "Dear\\nAnn")
    True
    """
    squeezed = " ".join(escape_block_text(text).split())
    plain = " ".join(text.split())
    contents = [" ".join(str(message.get("content") or "").split()) for message in messages]
    return any(plain in content or squeezed in content for content in contents)


# -- the figures


def summary(
    questions: Sequence[DataSetQuestion], made: Mapping[int, EvidenceFigures], names: Mapping[int, str]
) -> FigureDict:
    """Return the percentage of questions whose evidence is wholly in the prompt, at each budget: of all, and by category."""
    groups: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        groups.setdefault(question.category or "none", []).append(place)
    return {
        "evidence_at": {names[budget]: per_cent(held.ours) for budget, held in made.items()},
        "window_evidence_at": {names[budget]: per_cent(held.window) for budget, held in made.items()},
        "evidence_by_category": {
            group: {
                "questions": len(places),
                "evidence_at": {names[budget]: _some(held.ours, places) for budget, held in made.items()},
                "window_evidence_at": {names[budget]: _some(held.window, places) for budget, held in made.items()},
            }
            for group, places in sorted(groups.items())
        },
        "missed_at": {names[budget]: dict(held.missed.most_common()) for budget, held in made.items()},
        "tokens_at": {
            names[budget]: {section: round(spent / len(questions), 1) for section, spent in held.spent.items()}
            for budget, held in made.items()
        },
    }


def _some(values: Sequence[bool], places: Collection[int]) -> float:
    return per_cent([values[place] for place in places])


def per_cent(values: Sequence[bool]) -> float:
    """Return the percentage of true values.

    >>> per_cent([True, False, False])
    33.33
    """
    return round(100 * fmean(values), 2) if values else 0.0
