"""The second step of the compiler: profile, summary, what was found for the turn, and the whole counted as it stands.

What changes rarely comes first: system prompt, profile and summary, pins, the conversation. What was found for this turn
stands before the question, in its message, so the head stays the same to the byte from turn to turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from recollect.engine.compile.chat_format import ANSWER_BEGINS, ChatMessage, as_chat, cost
from recollect.engine.compile.layout import (
    DOCUMENTS,
    FACTS,
    RECALLED,
    TITLES,
    TOOLS,
    Entry,
    memory_block,
    profile_block,
    summary_block,
)
from recollect.engine.compile.plan import Plan, Told, tokens_of
from recollect.engine.compile.profile import ProfileEntry, ProfileSelection, in_group_order, lines_of, stored_id
from recollect.engine.repeated import says_more
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
    profile: list[ProfileEntry]
    """What stands in the profile, in the order it stands there."""


NO_PROFILE = ProfileSelection()


def compiled(
    plan: Plan,
    summary: str = "",
    offers: Sequence[Offer] = (),
    selection: ProfileSelection = NO_PROFILE,
    *,
    asks_when: bool = False,
) -> Compiled:
    """The prompt: what was planned, profile and summary, and as much of what was found as fits, best first in each
    section. Messages that only repeat the profile are left out, unless `asks_when`: only they tell when it was said."""
    order, talk = plan.order, plan.talk
    dropped = list(plan.dropped)
    profile = _profile_that_fits(plan, selection, dropped)
    lines = [entry.line for entry in profile]
    if summary and cost(_system(talk.system, lines, summary), order.count) - plan.system_tokens > plan.left:
        dropped.append(Item("summary", "summary", "", order.count(summary), "the summary did not fit the budget"))
        summary = ""
    repeated = [] if asks_when else _repeated(offers, profile)
    taken, refused = _within_limits(plan, [offer for offer in offers if offer not in repeated])
    refused += [_refused(offer, "the profile says so") for offer in repeated]
    while True:
        messages = assembled(parts_of(plan, summary, [offer.entry for offer in taken], lines))
        sections, tokens = _counted(plan, messages, lines, summary, taken)
        if tokens <= order.budget or not taken:
            break
        worst = _least_needed(taken)
        refused.append(_refused(taken.pop(worst), "did not fit the budget"))
    dropped += [offer.item for offer in refused]
    items = [*(_profile_item(entry, entry.reason) for entry in profile), *(offer.item for offer in taken)]
    fallbacks = list(plan.fallbacks)
    return Compiled(messages, sections, tokens, items, dropped, taken, refused, summary, fallbacks, profile)


def _profile_that_fits(plan: Plan, selection: ProfileSelection, dropped: list[Item]) -> list[ProfileEntry]:
    """The profile, without its least needed entries where a long question leaves no room for them."""
    entries, left_out = list(selection.taken), list(selection.left_out)
    system, count = plan.talk.system, plan.order.count
    while entries and cost(_system(system, lines_of(entries), ""), count) - plan.system_tokens > plan.left:
        left_out.insert(0, entries.pop())
    dropped += [_profile_item(entry, f"{entry.reason}; did not fit the profile's tokens") for entry in left_out]
    return in_group_order(entries)


def _profile_item(entry: ProfileEntry, reason: str) -> Item:
    fact = entry.fact
    id = stored_id(fact)
    return Item("profile", "fact", id, entry.tokens, reason, fact.text, session=fact.session, at=fact.valid_from)


def _repeated(offers: Sequence[Offer], profile: Sequence[ProfileEntry]) -> list[Offer]:
    """The messages that say no more than the lines of the profile which were made of them."""
    in_profile: dict[int, list[str]] = {}
    for entry in profile:
        for source in entry.fact.sources:
            in_profile.setdefault(source.number, []).append(entry.fact.text)
    return [
        offer
        for offer in offers
        if offer.item.kind == "message"
        and not offer.item.changed
        and "pool" not in offer.reference
        and not says_more(offer.item.text, in_profile.get(offer.reference.get("number", 0), []))
    ]


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
    profile: Sequence[str] = ()
    """The lines of the profile."""


def parts_of(plan: Plan, summary: str, entries: Sequence[Entry], profile: Sequence[str] = ()) -> Parts:
    """A plan with what was added to it."""
    head = [*_said(plan.pinned), *_said(plan.recent)]
    return Parts(plan.talk.system, summary, head, entries, plan.talk.question.message, _said(plan.after), profile)


def _said(told: Iterable[Told]) -> list[tuple[Message, str | None]]:
    return [
        (seen.message, text)
        for one in told
        for seen, text in zip(one.unit, one.texts or (None,) * len(one.unit), strict=True)
    ]


def assembled(parts: Parts) -> list[ChatMessage]:
    """The messages of a prompt. Compiling and replaying both end here, so they cannot differ."""
    has_system = parts.system or parts.profile or parts.summary
    messages = [_system(parts.system, parts.profile, parts.summary)] if has_system else []
    messages += [as_chat(message, text) for message, text in parts.head]
    block = memory_block(parts.entries)
    messages.append(as_chat(parts.question, f"{block}{parts.question.text}" if block else None))
    messages += [as_chat(message, text) for message, text in parts.after]
    return messages


def _system(system: str, profile: Sequence[str], summary: str) -> ChatMessage:
    blocks = [system, profile_block(profile), summary_block(summary) if summary else ""]
    return {"role": "system", "content": "\n\n".join(block for block in blocks if block)}


def _counted(
    plan: Plan, messages: Sequence[ChatMessage], profile: Sequence[str], summary: str, taken: Sequence[Offer]
) -> tuple[Sections, int]:
    """The tokens of each section, and of all. What is new is counted as it stands; what was planned was counted already."""
    count = plan.order.count
    known = cost(_system(plan.talk.system, profile, ""), count) if profile else plan.system_tokens
    system = cost(messages[0], count) if summary else known
    question = messages[len(messages) - 1 - sum(len(told.unit) for told in plan.after)]
    asked = cost(question, count) if taken else plan.question_tokens
    found = dict.fromkeys(TITLES, 0)
    for offer in taken:
        found[offer.entry.section] += offer.item.tokens
    around = asked - plan.question_tokens - sum(found.values())
    sections = {
        "system": plan.system_tokens,
        "profile": known - plan.system_tokens,
        "summary": system - known,
        "pinned": tokens_of(plan.pinned),
        "recent": tokens_of(plan.recent) + tokens_of(plan.after),
        **found,
        "question": plan.question_tokens,
        "format": ANSWER_BEGINS + around,
    }
    return Sections({name: tokens for name, tokens in sections.items() if tokens}), sum(sections.values())
