"""Second step of compiling: adds profile, summary and what was found for the turn, and counts the whole prompt.

What rarely changes comes first: system prompt, profile and summary, pinned messages, the conversation. What was found for
this turn is placed before the question, in the same message, so the head of the prompt is identical from turn to turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from keepsaid.engine.prompt.block_texts import (
    DOCUMENTS,
    FACTS,
    RECALLED,
    TITLES,
    TOOLS,
    MemoryBlockEntry,
    day_heading,
    memory_block,
    profile_block,
    summary_block,
)
from keepsaid.engine.prompt.chat_format import (
    ANSWER_START_TOKENS,
    ChatMessageDict,
    count_chat_message_tokens,
    to_chat_message,
)
from keepsaid.engine.prompt.conversation_plan import PromptExchange, PromptPlan, sum_exchange_tokens
from keepsaid.engine.prompt.profile import ProfileEntry, ProfileSelection, list_profile_lines, sort_by_group, stored_id
from keepsaid.engine.ranking.repeats import has_new_content_words
from keepsaid.types import Message
from keepsaid.types.prompts import PromptItem, SectionTokens


class PromptCandidate(NamedTuple):
    """Something found, as it would appear in the prompt, and where it came from. `reference` is for the receipt."""

    entry: MemoryBlockEntry
    item: PromptItem
    reference: Mapping[str, Any] = {}
    sources: frozenset[int] = frozenset()
    """The numbers of the messages from which a fact was derived."""


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """A prompt with its token counts, and what it contains."""

    messages: list[ChatMessageDict]
    sections: SectionTokens
    tokens: int
    items: list[PromptItem]
    dropped: list[PromptItem]
    taken: list[PromptCandidate]
    refused: list[PromptCandidate]
    summary: str
    fallbacks: list[str]
    profile: list[ProfileEntry]
    """The entries of the profile, in their order there."""


NO_PROFILE = ProfileSelection()


def compile_prompt(
    plan: PromptPlan,
    summary: str = "",
    offers: Sequence[PromptCandidate] = (),
    selection: ProfileSelection = NO_PROFILE,
    *,
    asks_when: bool = False,
) -> CompiledPrompt:
    """Return the prompt: the planned conversation, profile and summary, and as much of what was found as fits, best first in
    each section. Messages that only repeat the profile are left
    out; with `asks_when` they stay, since the profile does not say when it was said."""
    order, talk = plan.options, plan.conversation
    dropped = list(plan.dropped)
    profile = _fit_profile(plan, selection, dropped)
    lines = [entry.line for entry in profile]
    if (
        summary
        and count_chat_message_tokens(_build_system_message(talk.system, lines, summary), order.count_tokens)
        - plan.system_tokens
        > plan.free_tokens
    ):
        dropped.append(
            PromptItem("summary", "summary", "", order.count_tokens(summary), "the summary did not fit the budget")
        )
        summary = ""
    repeated = _find_profile_facts(offers, profile) + ([] if asks_when else _find_repeated(offers, profile))
    offers = [offer for offer in offers if offer not in repeated]
    taken, refused = _apply_limits(plan, offers)
    if quoted := _find_quoted_facts(taken):
        taken, refused = _apply_limits(plan, [offer for offer in offers if offer.item.id not in quoted])
        refused += [_refuse(offer, "a recalled message says so") for offer in offers if offer.item.id in quoted]
    refused += [_refuse(offer, "the profile says so") for offer in repeated]
    while True:
        messages = assemble_messages(build_prompt_parts(plan, summary, [offer.entry for offer in taken], lines))
        sections, tokens = _count_sections(plan, messages, lines, summary, taken)
        if tokens <= order.budget or not taken:
            break
        worst = _find_least_needed(taken)
        refused.append(_refuse(taken.pop(worst), "did not fit the budget"))
    dropped += [offer.item for offer in refused]
    items = [*(_to_profile_item(entry, entry.reason) for entry in profile), *(offer.item for offer in taken)]
    fallbacks = list(plan.fallbacks)
    return CompiledPrompt(messages, sections, tokens, items, dropped, taken, refused, summary, fallbacks, profile)


def _fit_profile(plan: PromptPlan, selection: ProfileSelection, dropped: list[PromptItem]) -> list[ProfileEntry]:
    """Return the profile, without its least needed entries if a long question leaves no room for them."""
    entries, left_out = list(selection.taken), list(selection.left_out)
    system, count = plan.conversation.system, plan.options.count_tokens
    while (
        entries
        and count_chat_message_tokens(_build_system_message(system, list_profile_lines(entries), ""), count)
        - plan.system_tokens
        > plan.free_tokens
    ):
        left_out.insert(0, entries.pop())
    dropped += [_to_profile_item(entry, f"{entry.reason}; did not fit the profile's tokens") for entry in left_out]
    return sort_by_group(entries)


def _to_profile_item(entry: ProfileEntry, reason: str) -> PromptItem:
    fact = entry.fact
    id = stored_id(fact)
    return PromptItem("profile", "fact", id, entry.tokens, reason, fact.text, session=fact.session, at=fact.valid_from)


def _find_repeated(offers: Sequence[PromptCandidate], profile: Sequence[ProfileEntry]) -> list[PromptCandidate]:
    """Return the messages that say no more than the profile lines derived from them."""
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
        and not has_new_content_words(offer.item.text, in_profile.get(offer.reference.get("number", 0), []))
    ]


def _find_profile_facts(offers: Sequence[PromptCandidate], profile: Sequence[ProfileEntry]) -> list[PromptCandidate]:
    """Return the facts that are lines of the profile. Their ids differ if a fact was stored while this prompt was built."""
    in_profile = {(source.number, entry.fact.text) for entry in profile for source in entry.fact.sources}
    return [
        offer
        for offer in offers
        if offer.item.kind == "fact"
        and "pool" not in offer.reference
        and any((number, offer.item.text) in in_profile for number in offer.sources)
    ]


def _find_quoted_facts(taken: Sequence[PromptCandidate]) -> set[str]:
    """Return the ids of facts that say no more than a message from which they were derived and which is included, too."""
    own = (offer for offer in taken if offer.item.kind == "message" and "pool" not in offer.reference)
    messages = {offer.reference["number"]: offer for offer in own if "number" in offer.reference}
    return {
        offer.item.id
        for offer in taken
        if offer.item.kind == "fact"
        for number in offer.sources.intersection(messages)
        if not messages[number].item.changed and not has_new_content_words(offer.item.text, [messages[number].item.text])
    }


def _apply_limits(
    plan: PromptPlan, offers: Sequence[PromptCandidate]
) -> tuple[list[PromptCandidate], list[PromptCandidate]]:
    """Apply the limits of each section, by number and by tokens. Return the candidates that fit and those that do not."""
    limits, order = plan.options.limits, plan.options
    most = {FACTS: limits.facts, TOOLS: limits.tools, RECALLED: limits.recalled, DOCUMENTS: limits.chunks}
    left = {
        "memory": min(plan.section_budgets.memory, plan.free_tokens),
        "documents": min(plan.section_budgets.documents, plan.free_tokens),
    }
    taken: list[PromptCandidate] = []
    refused: list[PromptCandidate] = []
    headed: set[str] = set()
    for section, title in TITLES.items():
        room = "documents" if section == DOCUMENTS else "memory"
        for offer in (offer for offer in offers if offer.entry.section == section):
            heading = day_heading(offer.entry)
            lines = [offer.entry.line] if not heading or heading in headed else [heading, offer.entry.line]
            tokens = sum(1 + order.count_tokens(line) for line in lines)
            needed = tokens if title in headed else tokens + 1 + order.count_tokens(title)
            if most[section] <= 0:
                refused.append(_refuse(offer, "more than this section may have"))
            elif needed > left[room]:
                refused.append(_refuse(offer, "did not fit its section's tokens"))
            else:
                taken.append(offer._replace(item=replace(offer.item, tokens=tokens)))
                most[section] -= 1
                left[room] -= needed
                headed |= {title, heading}
    return taken, refused


def _refuse(offer: PromptCandidate, why: str) -> PromptCandidate:
    reason = offer.item.reason
    return offer._replace(item=replace(offer.item, reason=f"{reason}; {why}" if reason else why))


def _find_least_needed(taken: Sequence[PromptCandidate]) -> int:
    """Return the index of the candidate that can best be left out: the last one recalled, then documents, tools and
    facts."""
    for section in (RECALLED, DOCUMENTS, TOOLS, FACTS):
        places = [at for at, offer in enumerate(taken) if offer.entry.section == section]
        if places:
            return places[-1]
    raise AssertionError("there are no candidates")


class PromptParts(NamedTuple):
    """The parts of a prompt in their order. A text replaces that of its message if it was shortened."""

    system: str
    summary: str
    head: Sequence[tuple[Message, str | None]]
    entries: Sequence[MemoryBlockEntry]
    question: Message
    after: Sequence[tuple[Message, str | None]]
    profile: Sequence[str] = ()
    """The lines of the profile."""


def build_prompt_parts(
    plan: PromptPlan, summary: str, entries: Sequence[MemoryBlockEntry], profile: Sequence[str] = ()
) -> PromptParts:
    """Return the parts of a planned prompt with what was added to it."""
    head = [*_list_messages(plan.pinned), *_list_messages(plan.recent)]
    return PromptParts(
        plan.conversation.system,
        summary,
        head,
        entries,
        plan.conversation.question.message,
        _list_messages(plan.after),
        profile,
    )


def _list_messages(exchanges: Iterable[PromptExchange]) -> list[tuple[Message, str | None]]:
    return [
        (seen.message, text)
        for one in exchanges
        for seen, text in zip(one.messages, one.texts or (None,) * len(one.messages), strict=True)
    ]


def assemble_messages(parts: PromptParts) -> list[ChatMessageDict]:
    """Return the messages of a prompt. Compiling and replaying both use this function, so they cannot differ."""
    has_system = parts.system or parts.profile or parts.summary
    messages = [_build_system_message(parts.system, parts.profile, parts.summary)] if has_system else []
    messages += [to_chat_message(message, text) for message, text in parts.head]
    block = memory_block(parts.entries)
    messages.append(to_chat_message(parts.question, f"{block}{parts.question.text}" if block else None))
    messages += [to_chat_message(message, text) for message, text in parts.after]
    return messages


def _build_system_message(system: str, profile: Sequence[str], summary: str) -> ChatMessageDict:
    blocks = [system, profile_block(profile), summary_block(summary) if summary else ""]
    return {"role": "system", "content": "\n\n".join(block for block in blocks if block)}


def _count_sections(
    plan: PromptPlan,
    messages: Sequence[ChatMessageDict],
    profile: Sequence[str],
    summary: str,
    taken: Sequence[PromptCandidate],
) -> tuple[SectionTokens, int]:
    """Return the tokens of each section, and of all. Only new text is counted; the plan has the other counts."""
    count = plan.options.count_tokens
    known = (
        count_chat_message_tokens(_build_system_message(plan.conversation.system, profile, ""), count)
        if profile
        else plan.system_tokens
    )
    system = count_chat_message_tokens(messages[0], count) if summary else known
    question = messages[len(messages) - 1 - sum(len(exchange.messages) for exchange in plan.after)]
    asked = count_chat_message_tokens(question, count) if taken else plan.question_tokens
    found = dict.fromkeys(TITLES, 0)
    for offer in taken:
        found[offer.entry.section] += offer.item.tokens
    around = asked - plan.question_tokens - sum(found.values())
    sections = {
        "system": plan.system_tokens,
        "profile": known - plan.system_tokens,
        "summary": system - known,
        "pinned": sum_exchange_tokens(plan.pinned),
        "recent": sum_exchange_tokens(plan.recent) + sum_exchange_tokens(plan.after),
        **found,
        "question": plan.question_tokens,
        "format": ANSWER_START_TOKENS + around,
    }
    return SectionTokens({name: tokens for name, tokens in sections.items() if tokens}), sum(sections.values())
