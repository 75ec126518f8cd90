"""How many facts are extracted from a data set, and whether prompts give the current value of what changed.

A question about something that changed has several messages of evidence; the newest of them has the current value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.common.conversations import add_messages, open_new_store, owner_chat, question_time, read_owner_conversations
from benchmarks.common.dataset import DataSetMessage, DataSetOutline, DataSetQuestion
from benchmarks.search.recall import ProgressFunction
from keepsaid.memory import Memory
from keepsaid.types import Fact
from keepsaid.types.prompts import Context

UPDATES = "knowledge-update"
"""The category of questions about something that changed."""

BUDGET = 4_096
EVERYTHING = 1_000_000


@dataclass(slots=True)
class UpdateFigures:
    """Counts of questions about something that changed, and of what their prompts contain."""

    questions: int = 0
    current: int = 0
    """The newest evidence is in the prompt, as a message or as a fact."""
    stale: int = 0
    """Older evidence is presented as current: as a current fact, or as a message without the newest one."""
    facts: dict[str, list[Fact]] = field(default_factory=dict[str, list[Fact]])


def run(
    source: Path, outline: DataSetOutline, owners: Sequence[str], embedder: str | None, tell: ProgressFunction
) -> dict[str, Any]:
    """Return the facts per hundred user messages, and for questions about changes, what a prompt of 4k contains."""
    talks = read_owner_conversations(source, outline, owners, embedder, tell)
    told = UpdateFigures()
    with open_new_store(talks.embedder) as memory:
        for owner, said in talks.said.items():
            add_messages(owner_chat(memory, owner), said)
        memory.maintain(progress=lambda done, total: tell("storing vectors", done, total))
        told.facts = {owner: memory.facts(owner=owner, history=True, limit=EVERYTHING) for owner in talks.said}
        order = {owner: {one.id: place for place, one in enumerate(said)} for owner, said in talks.said.items()}
        changes = [question for question in outline.questions if _is_about_change(question)]
        for number, question in enumerate(changes, 1):
            _judge(memory, question, outline, order[question.owner], told)
            tell("asking", number, len(changes))
    return _figures(told, talks.said)


def _is_about_change(question: DataSetQuestion) -> bool:
    return question.category == UPDATES and len(question.evidence) > 1


def _judge(
    memory: Memory, question: DataSetQuestion, outline: DataSetOutline, order: dict[str, int], told: UpdateFigures
) -> None:
    *older, newest = sorted(question.evidence, key=lambda message: order.get(message, 0))
    context = owner_chat(memory, question.owner).context(question.text, budget=BUDGET, now=question_time(question, outline))
    resting = {fact.id: set(fact.messages) for fact in told.facts[question.owner]}
    messages = {item.id: item.text for item in context.items if item.kind == "message"}
    facts = [resting.get(item.id, set[str]()) for item in context.items if item.kind == "fact"]
    current = newest in messages or any(newest in rests for rests in facts)
    told.questions += 1
    told.current += current
    as_fact = any(rests.intersection(older) and newest not in rests for rests in facts)
    told.stale += as_fact or (not current and any(_unmarked(context, id) for id in older if id in messages))


def _unmarked(context: Context, id: str) -> bool:
    """Whether a message is in the prompt without a note that it has changed since."""
    text = next(item.text for item in context.items if item.id == id)
    block = context.messages[-1]["content"]
    place = block.find(text[:60]) if isinstance(block, str) else -1
    return place < 0 or "(changed since:" not in block[place:].partition("\n- ")[0]


def _figures(told: UpdateFigures, said: dict[str, list[DataSetMessage]]) -> dict[str, Any]:
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
