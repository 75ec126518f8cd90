"""What a prompt holds of what it should: at each budget, whether all that answers a question is wholly inside."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from recollect import tokens
from recollect.bench.dataset import Outline, Question, Said
from recollect.bench.recall import Result, Tell
from recollect.bench.talks import Talks, asked_at, new_store, save, talk_of
from recollect.bench.window import SlidingWindow, as_said, asked
from recollect.engine.compile.layout import tame
from recollect.prompt import Context


@dataclass(slots=True)
class Held:
    """For each question whether its answer is wholly in the prompt; and what prompts were like."""

    ours: list[bool] = field(default_factory=list[bool])
    window: list[bool] = field(default_factory=list[bool])
    missed: Counter[str] = field(default_factory=Counter[str])
    """Messages that were not wholly in, by why."""
    spent: Counter[str] = field(default_factory=Counter[str])
    """Tokens of each section, over all prompts."""


# -- the questions


def sample(questions: Sequence[Question], count: int | None) -> list[Question]:
    """So many of the questions that have evidence: always the same ones, and not the first.

    >>> few = sample([Question("u1", str(number), "?", ("m1",)) for number in range(100)], 3)
    >>> len(few), few == sorted(few, key=lambda question: int(question.id))
    (3, True)
    """
    labelled = [question for question in questions if question.evidence]
    if count is None or count >= len(labelled):
        return labelled
    chosen = sorted(labelled, key=lambda question: hashlib.sha256(f"{question.owner} {question.id}".encode()).digest())
    kept = {(question.owner, question.id) for question in chosen[:count]}
    return [question for question in labelled if (question.owner, question.id) in kept]


def evidence(
    talks: Talks, outline: Outline, questions: Sequence[Question], budgets: Iterable[int], tell: Tell
) -> dict[int, Held]:
    """Loads every conversation, takes notes, and asks every question at every budget."""
    made = {budget: Held() for budget in budgets}
    with new_store(talks.embedder) as memory:
        for number, (owner, said) in enumerate(talks.said.items(), 1):
            save(talk_of(memory, owner), said)
            tell("loading", number, len(talks.said))
        memory.maintain(progress=lambda done, total: tell("storing vectors", done, total))
        windows = {owner: Window(memory.tokenizer, said) for owner, said in talks.said.items()}
        for number, question in enumerate(questions, 1):
            chat, window = talk_of(memory, question.owner), windows[question.owner]
            now = asked_at(question, outline)
            for budget, held in made.items():
                context = chat.context(question.text, budget=budget, now=now)
                judge(held, context, {id: window.texts[id] for id in question.evidence})
                held.window.append(window.holds(question, budget))
            tell("asking", number, len(questions))
    return made


class Window:
    """A sliding window over an owner's whole conversation."""

    def __init__(self, tokenizer: str, said: Sequence[Said]) -> None:
        self._window = SlidingWindow(tokens.counter_for(tokenizer).count)
        self._places = {one.id: place for place, one in enumerate(said)}
        self.texts = {one.id: one.content for one in said}
        for one in said:
            self._window.add(as_said(one.role, one.content, one.name))

    def holds(self, question: Question, budget: int) -> bool:
        """Whether all evidence is among the messages that fit."""
        beginning = self._window.beginning(asked(question.text), budget)
        return all(self._places[id] >= beginning for id in question.evidence)


def judge(held: Held, context: Context, wanted: Mapping[str, str]) -> None:
    """Enters what a prompt holds of the messages that are wanted, by id, with their texts."""
    missing = {id: why for id, text in wanted.items() if (why := why_missing(context, id, text))}
    held.ours.append(not missing)
    held.missed.update(missing.values())
    held.spent.update(context.sections)


def why_missing(context: Context, id: str, text: str) -> str:
    """Why a message is not wholly in a prompt; empty if it is. Said to be in is not enough: its text must be there."""
    inside = [item for item in context.items if item.kind == "message" and item.id == id]
    if any(item.whole for item in inside):
        return "" if shows(context.messages, text) else "said to be in, but is not"
    if inside:
        return "only a passage of it"
    reasons = [item.reason for item in context.dropped if item.kind == "message" and item.id == id]
    return reasons[-1].rpartition("; ")[2] if reasons else "not found"


def shows(messages: Sequence[Mapping[str, Any]], text: str) -> bool:
    """Whether a text stands in one of the messages, whatever its white space: lines of a memory block are indented.

    >>> shows([{"role": "user", "content": "- [1 May] Dear\\n  Ann, hello"}], "Dear\\nAnn")
    True
    """
    squeezed = " ".join(tame(text).split())
    plain = " ".join(text.split())
    contents = [" ".join(str(message.get("content") or "").split()) for message in messages]
    return any(plain in content or squeezed in content for content in contents)


# -- the figures


def summary(questions: Sequence[Question], made: Mapping[int, Held], names: Mapping[int, str]) -> Result:
    """Per cent of the questions whose evidence is wholly in, at each budget: all, and by category."""
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
    """How many of a hundred are true.

    >>> per_cent([True, False, False])
    33.33
    """
    return round(100 * fmean(values), 2) if values else 0.0
