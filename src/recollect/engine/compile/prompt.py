"""The second step of the compiler: the summary, what was found for the turn, and the whole counted as it stands.

What changes rarely comes first: system prompt and summary, pins, the conversation. What was found for this turn stands
before the question, in its message, so the head stays the same to the byte from turn to turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from recollect.engine.compile.chat_format import ANSWER_BEGINS, ChatMessage, as_chat, cost
from recollect.engine.compile.layout import DOCUMENTS, FACTS, RECALLED, TITLES, TOOLS, Entry, memory_block, summary_block
from recollect.engine.compile.plan import Plan, Told, tokens_of
from recollect.prompt import Item, Sections
from recollect.types import Message


class Offer(NamedTuple):
    """Something found, as it would stand in the prompt, and where it came from. `reference` is for the receipt."""

    entry: Entry
    item: Item
    reference: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A prompt, counted, and what it was made of."""

    messages: list[ChatMessage]
    sections: Sections
    tokens: int
    items: list[Item]
    dropped: list[Item]
    taken: list[Offer]
    refused: list[Offer]
    summary: str
    fallbacks: list[str]


def compiled(plan: Plan, summary: str = "", offers: Sequence[Offer] = ()) -> Compiled:
    """The prompt: what was planned, the summary, and as much of what was found as fits, best first in each section."""
    order, talk = plan.order, plan.talk
    dropped = list(plan.dropped)
    if summary and cost(_system(talk.system, summary), order.count) - plan.system_tokens > plan.left:
        dropped.append(Item("summary", "summary", "", order.count(summary), "the summary did not fit the budget"))
        summary = ""
    taken, refused = _within_limits(plan, offers)
    while True:
        messages = assembled(parts_of(plan, summary, [offer.entry for offer in taken]))
        sections, tokens = _counted(plan, messages, summary, taken)
        if tokens <= order.budget or not taken:
            break
        worst = _least_needed(taken)
        refused.append(_refused(taken.pop(worst), "did not fit the budget"))
    dropped += [offer.item for offer in refused]
    items = [offer.item for offer in taken]
    return Compiled(messages, sections, tokens, items, dropped, taken, refused, summary, list(plan.fallbacks))


def _within_limits(plan: Plan, offers: Sequence[Offer]) -> tuple[list[Offer], list[Offer]]:
    """What each section may have, by number and by tokens."""
    limits, order = plan.order.limits, plan.order
    most = {FACTS: limits.facts, TOOLS: limits.tools, RECALLED: limits.recalled, DOCUMENTS: limits.chunks}
    left = {"memory": min(plan.rooms.memory, plan.left), "documents": min(plan.rooms.documents, plan.left)}
    taken: list[Offer] = []
    refused: list[Offer] = []
    titled: set[str] = set()
    for section in TITLES:
        room = "documents" if section == DOCUMENTS else "memory"
        for offer in (offer for offer in offers if offer.entry.section == section):
            tokens = 1 + order.count(offer.entry.line)
            needed = tokens if section in titled else tokens + 1 + order.count(TITLES[section])
            if most[section] <= 0:
                refused.append(_refused(offer, "more than this section may have"))
            elif needed > left[room]:
                refused.append(_refused(offer, "did not fit its section's tokens"))
            else:
                taken.append(offer._replace(item=replace(offer.item, tokens=tokens)))
                most[section] -= 1
                left[room] -= needed
                titled.add(section)
    return taken, refused


def _refused(offer: Offer, why: str) -> Offer:
    reason = offer.item.reason
    return offer._replace(item=replace(offer.item, reason=f"{reason}; {why}" if reason else why))


def _least_needed(taken: Sequence[Offer]) -> int:
    """The place of what can best be missed: the last one recalled, then documents, tools and facts."""
    for section in (RECALLED, DOCUMENTS, TOOLS, FACTS):
        places = [at for at, offer in enumerate(taken) if offer.entry.section == section]
        if places:
            return places[-1]
    raise AssertionError("nothing was taken")


class Parts(NamedTuple):
    """The pieces of a prompt in their order; a text stands in place of a message's own where it was shortened."""

    system: str
    summary: str
    head: Sequence[tuple[Message, str | None]]
    entries: Sequence[Entry]
    question: Message
    after: Sequence[tuple[Message, str | None]]


def parts_of(plan: Plan, summary: str, entries: Sequence[Entry]) -> Parts:
    """A plan with what was added to it."""
    head = [*_said(plan.pinned), *_said(plan.recent)]
    return Parts(plan.talk.system, summary, head, entries, plan.talk.question.message, _said(plan.after))


def _said(told: Iterable[Told]) -> list[tuple[Message, str | None]]:
    return [
        (seen.message, text)
        for one in told
        for seen, text in zip(one.unit, one.texts or (None,) * len(one.unit), strict=True)
    ]


def assembled(parts: Parts) -> list[ChatMessage]:
    """The messages of a prompt. Compiling and replaying both end here, so they cannot differ."""
    messages = [_system(parts.system, parts.summary)] if parts.system or parts.summary else []
    messages += [as_chat(message, text) for message, text in parts.head]
    block = memory_block(parts.entries)
    messages.append(as_chat(parts.question, f"{block}{parts.question.text}" if block else None))
    messages += [as_chat(message, text) for message, text in parts.after]
    return messages


def _system(system: str, summary: str) -> ChatMessage:
    blocks = [system, summary_block(summary)] if summary else [system]
    return {"role": "system", "content": "\n\n".join(block for block in blocks if block)}


def _counted(plan: Plan, messages: Sequence[ChatMessage], summary: str, taken: Sequence[Offer]) -> tuple[Sections, int]:
    """The tokens of each section, and of all. What is new is counted as it stands; what was planned was counted already."""
    count = plan.order.count
    system = cost(messages[0], count) if plan.talk.system or summary else 0
    question = messages[len(messages) - 1 - sum(len(told.unit) for told in plan.after)]
    asked = cost(question, count) if taken else plan.question_tokens
    found = dict.fromkeys(TITLES, 0)
    for offer in taken:
        found[offer.entry.section] += offer.item.tokens
    around = asked - plan.question_tokens - sum(found.values())
    sections = {
        "system": plan.system_tokens,
        "summary": system - plan.system_tokens,
        "pinned": tokens_of(plan.pinned),
        "recent": tokens_of(plan.recent) + tokens_of(plan.after),
        **found,
        "question": plan.question_tokens,
        "format": ANSWER_BEGINS + around,
    }
    return Sections({name: tokens for name, tokens in sections.items() if tokens}), sum(sections.values())
