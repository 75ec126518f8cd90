"""How many facts come out of a data set, and whether what changed is told as it is now.

A question about something that changed has several messages of evidence; the newest of them holds the current value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.bench.dataset import Outline, Question, Said
from recollect.bench.recall import Tell
from recollect.bench.talks import asked_at, new_store, read, save, talk_of
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Fact

UPDATES = "knowledge-update"
"""The category of questions about something that changed."""

BUDGET = 4_096
EVERYTHING = 1_000_000


@dataclass(slots=True)
class Told:
    """Of questions about something that changed: how many there were, and what their prompts told."""

    questions: int = 0
    current: int = 0
    """The newest evidence is in the prompt, as a message or as a fact."""
    stale: int = 0
    """Older evidence is told as if it still held: as a current fact, or as a message without the newest beside it."""
    facts: dict[str, list[Fact]] = field(default_factory=dict[str, list[Fact]])


def run(source: Path, outline: Outline, owners: Sequence[str], embedder: str | None, tell: Tell) -> dict[str, Any]:
    """Facts per hundred messages of users; and for questions about changes, what a prompt of 4k tells."""
    talks = read(source, outline, owners, embedder, tell)
    told = Told()
    with new_store(talks.embedder) as memory:
        for owner, said in talks.said.items():
            save(talk_of(memory, owner), said)
        memory.maintain(progress=lambda done, total: tell("storing vectors", done, total))
        told.facts = {owner: memory.facts(owner=owner, history=True, limit=EVERYTHING) for owner in talks.said}
        order = {owner: {one.id: place for place, one in enumerate(said)} for owner, said in talks.said.items()}
        changes = [question for question in outline.questions if _is_about_change(question)]
        for number, question in enumerate(changes, 1):
            _judge(memory, question, outline, order[question.owner], told)
            tell("asking", number, len(changes))
    return _figures(told, talks.said)


def _is_about_change(question: Question) -> bool:
    return question.category == UPDATES and len(question.evidence) > 1


def _judge(memory: Memory, question: Question, outline: Outline, order: dict[str, int], told: Told) -> None:
    *older, newest = sorted(question.evidence, key=lambda message: order.get(message, 0))
    context = talk_of(memory, question.owner).context(question.text, budget=BUDGET, now=asked_at(question, outline))
    resting = {fact.id: set(fact.messages) for fact in told.facts[question.owner]}
    messages = {item.id: item.text for item in context.items if item.kind == "message"}
    facts = [resting.get(item.id, set[str]()) for item in context.items if item.kind == "fact"]
    current = newest in messages or any(newest in rests for rests in facts)
    told.questions += 1
    told.current += current
    as_fact = any(rests.intersection(older) and newest not in rests for rests in facts)
    told.stale += as_fact or (not current and any(_unmarked(context, id) for id in older if id in messages))


def _unmarked(context: Context, id: str) -> bool:
    """Whether a message is told without a word about what has changed since."""
    text = next(item.text for item in context.items if item.id == id)
    block = context.messages[-1]["content"]
    place = block.find(text[:60]) if isinstance(block, str) else -1
    return place < 0 or "(changed since:" not in block[place:].partition("\n- ")[0]


def _figures(told: Told, said: dict[str, list[Said]]) -> dict[str, Any]:
    users = sum(one.role == "user" for some in said.values() for one in some)
    facts = [fact for some in told.facts.values() for fact in some]
    figures: dict[str, Any] = {
        "user_messages": users,
        "facts": len(facts),
        "superseded": sum(not fact.is_current for fact in facts),
        "facts_per_100": round(100 * len(facts) / max(1, users), 1),
    }
    if told.questions:
        figures |= {
            "updates": told.questions,
            "updates_current_in_context": round(100 * told.current / told.questions, 1),
            "updates_stale_as_current": round(100 * told.stale / told.questions, 1),
        }
    return figures
