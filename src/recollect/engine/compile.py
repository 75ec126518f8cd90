"""The compiler: from a conversation and what was found to the prompt that fits a budget. Pure, and in two steps.

`plan` settles what of the conversation itself goes in: the system prompt and the question always, then pins, then the newest
units, from a beginning that rarely moves. Whoever calls then knows what is told already, and which summary is wanted.
`compiled` adds the summary and what was found, and counts the whole.

What changes rarely comes first: system prompt and summary, pins, the conversation. What was found for this turn stands
before the question, in its message, so the head stays the same to the byte from turn to turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple

from recollect.engine.budget import QUESTION_MOST, QUESTION_SHARE, WINDOW, Limits, Rooms, rooms
from recollect.engine.chat_format import ANSWER_BEGINS, ChatMessage, Count, as_chat, cost
from recollect.engine.layout import DOCUMENTS, FACTS, RECALLED, TITLES, TOOLS, Entry, memory_block, summary_block
from recollect.engine.shorten import shortened
from recollect.engine.units import Cut, flat, units
from recollect.engine.waterline import beginning, next_beginning
from recollect.errors import BudgetTooSmall
from recollect.ports import Seen
from recollect.prompt import Item, Sections
from recollect.types import Message, Role

Unit = tuple[Seen, ...]
Measure = Callable[[Message], int]

ALIGNED_WITHIN = 4
"""Units that the beginning may move on to stand at something the user said."""

BEFORE = "before the verbatim part"
TIGHT = "budget tight: only the newest messages, shortened if need be"


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted: a budget, a strategy, limits, and how to count."""

    budget: int
    count: Count
    measure: Measure
    """Tokens of a saved message in a prompt."""
    strategy: str = "hybrid"
    limits: Limits = field(default_factory=Limits)
    documents: bool = False
    """Whether there are documents to find anything in."""
    last: int | None = None
    """With the strategy `window`: so many messages, instead of as many as fit."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation as far as it was read."""

    system: str
    question: Seen
    tail: Sequence[Seen]
    """The newest messages before the question."""
    total: int
    """Tokens of all messages before the question, read or not, as they were counted when they were saved."""
    pinned: Sequence[Unit] = ()
    """Units with a pin from before the tail."""
    after: Sequence[Seen] = ()
    """Messages behind the question: tools that were called for it."""


class Told(NamedTuple):
    """A unit in the prompt; `texts` has what stands in place of a message's text where it was shortened (to `limit`)."""

    unit: Unit
    tokens: int
    texts: tuple[str | None, ...] = ()
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a conversation goes in."""

    order: Order
    talk: Talk
    rooms: Rooms
    pinned: list[Told]
    recent: list[Told]
    after: list[Told]
    spent: int
    """Tokens of all that is settled: system prompt, question, pins, conversation."""
    question_tokens: int
    system_tokens: int
    dropped: list[Item]
    fallbacks: list[str]
    older: int
    """The `seq` of the last message that is too old to be told word for word; 0 if none is."""

    @property
    def told(self) -> set[int]:
        """The numbers of the messages that are in."""
        return {seen.number for told in (*self.pinned, *self.recent, *self.after) for seen in told.unit}

    @property
    def left(self) -> int:
        """Tokens that are still free."""
        return self.order.budget - self.spent


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


# -- first step: the conversation


def plan(talk: Talk, order: Order) -> Plan:
    """Settles what of the conversation goes in. `BudgetTooSmall` if system prompt and question do not fit."""
    system = cost({"role": "system", "content": talk.system}, order.count) if talk.system else 0
    question = order.measure(talk.question.message)
    spent = ANSWER_BEGINS + system + question
    if spent > order.budget:
        raise BudgetTooSmall(spent, order.budget)
    dropped: list[Item] = []
    fallbacks: list[str] = []
    before, behind = units(talk.tail), units(talk.after, may_end_open=True)
    dropped += [_cut(cut, order) for cut in (*before.broken, *behind.broken)]
    after = _newest(behind.whole, order, order.budget - spent, dropped, fallbacks, "step of this turn that did not fit")
    spent += _sum(after)
    pins = [*talk.pinned, *(unit for unit in before.whole if _is_pinned(unit))]
    pinned = _pins_that_fit(pins, order, order.budget - spent, dropped)
    # The share of each section depends on nothing that changes from turn to turn.
    aside = min(QUESTION_MOST, order.budget // QUESTION_SHARE)
    free = order.budget - ANSWER_BEGINS - system - aside - _sum(pinned)
    shares = rooms(free, order.limits, order.strategy, documents=order.documents)
    hard = order.budget - spent - _sum(pinned)
    recent = _recent(before.whole, talk, order, min(shares.recent, hard), dropped, fallbacks)
    inside = {seen.number for told in recent for seen in told.unit}
    pinned = [told for told in pinned if told.unit[0].number not in inside]
    spent += _sum(pinned) + _sum(recent)
    older = _older(talk, inside, pinned)
    last = _last_older(talk, recent) if older else 0
    if older:
        dropped.append(replace(older, id=f"{older.id}–{last}"))
    return Plan(order, talk, shares, pinned, recent, after, spent, question, system, dropped, fallbacks, last)


def _recent(
    whole: Sequence[Unit], talk: Talk, order: Order, room: int, dropped: list[Item], fallbacks: list[str]
) -> list[Told]:
    """The newest units, from a beginning on the grid; if not even the last fits behind it, what of it can be shown."""
    if order.strategy == WINDOW and order.last is not None:
        return _newest(_last(whole, order.last), order, room, dropped, fallbacks, "")
    told = [Told(unit, sum(order.measure(seen.message) for seen in unit)) for unit in whole]
    start = beginning(talk.total, room)
    cumulated = talk.total - sum(seen.message.tokens for seen in talk.tail)
    places: dict[int, int] = {}
    for seen in talk.tail:
        places[seen.number] = cumulated
        cumulated += seen.message.tokens
    while True:
        behind = [one for one in told if places[one.unit[0].number] >= start]
        if _sum(behind) <= room or not behind:
            break
        start = next_beginning(start, room)
    if not behind and told:
        return _newest(whole[-1:], order, room, dropped, fallbacks, "")
    return _aligned(behind) if start else behind


def _aligned(told: list[Told]) -> list[Told]:
    """Begins with something the user said, if that is near: an answer without its question helps nobody."""
    for skipped, one in enumerate(told[:ALIGNED_WITHIN]):
        if one.unit[0].message.role is Role.USER:
            return told[skipped:]
    return told


def _last(whole: Sequence[Unit], messages: int) -> list[Unit]:
    chosen: list[Unit] = []
    for unit in reversed(whole):
        messages -= len(unit)
        if messages < 0:
            break
        chosen.append(unit)
    return chosen[::-1]


def _newest(
    whole: Sequence[Unit], order: Order, room: int, dropped: list[Item], fallbacks: list[str], why: str
) -> list[Told]:
    """As many of the newest units as there is room for; the very last one shortened if it must be."""
    chosen: list[Told] = []
    for unit in reversed(whole):
        tokens = sum(order.measure(seen.message) for seen in unit)
        if tokens <= room:
            chosen.append(Told(unit, tokens))
        elif not chosen and (short := _shortened(unit, order, room)):
            chosen.append(short)
            fallbacks.append(TIGHT)
            dropped += [
                _item("recent", seen, order.measure(seen.message), "shortened to fit the budget", whole=False)
                for seen, text in zip(unit, short.texts, strict=True)
                if text is not None
            ]
        else:
            break
        room -= chosen[-1].tokens
    if why:
        left = whole[: len(whole) - len(chosen)]
        dropped += [_item("recent", seen, order.measure(seen.message), why) for seen in flat(left)]
    return chosen[::-1]


def _shortened(unit: Unit, order: Order, room: int) -> Told | None:
    """A unit with its longest text cut in the middle."""
    longest = max(range(len(unit)), key=lambda at: unit[at].message.tokens)
    message = unit[longest].message
    if message.parts:
        return None
    others = sum(order.measure(seen.message) for at, seen in enumerate(unit) if at != longest)
    limit = room - others - (order.measure(message) - order.count(message.text))
    text = shortened(message.text, limit, order.count)
    if text is None:
        return None
    texts = tuple(text if at == longest else None for at in range(len(unit)))
    tokens = others + cost(as_chat(message, text), order.count)
    return Told(unit, tokens, texts, limit) if tokens <= room else None


def _pins_that_fit(pins: Sequence[Unit], order: Order, room: int, dropped: list[Item]) -> list[Told]:
    chosen: list[Told] = []
    for unit in reversed(pins):
        tokens = sum(order.measure(seen.message) for seen in unit)
        if tokens <= room:
            chosen.append(Told(unit, tokens))
            room -= tokens
        else:
            dropped += [
                _item("pinned", seen, order.measure(seen.message), "a pin that did not fit the budget")
                for seen in unit
                if seen.message.pinned
            ]
    return chosen[::-1]


def _is_pinned(unit: Unit) -> bool:
    return any(seen.message.pinned for seen in unit)


def _older(talk: Talk, inside: set[int], pinned: Sequence[Told]) -> Item | None:
    """One line for all messages, read or not, that are too old to be told word for word."""
    kept = {seen.number for told in pinned for seen in told.unit}
    read = [seen for seen in takewhile(lambda seen: seen.number not in inside, talk.tail) if seen.number not in kept]
    unread = talk.total - sum(seen.message.tokens for seen in talk.tail)
    if not read and unread <= 0:
        return None
    first = 1 if unread > 0 else read[0].message.seq
    tokens = max(0, unread) + sum(seen.message.tokens for seen in read)
    return Item("recent", "messages", str(first), tokens, BEFORE, session=talk.question.message.session)


def _last_older(talk: Talk, recent: Sequence[Told]) -> int:
    """The `seq` of the message before the verbatim part."""
    if recent:
        return recent[0].unit[0].message.parent
    return talk.tail[-1].message.seq if talk.tail else talk.question.message.parent


def _cut(cut: Cut, order: Order) -> Item:
    return _item("recent", cut.seen, order.measure(cut.seen.message), cut.reason)


def _item(section: str, seen: Seen, tokens: int, reason: str, *, whole: bool = True) -> Item:
    message = seen.message
    return Item(
        section, "message", message.id, tokens, reason, message.text[:100], session=message.session, at=message.created,
        whole=whole,
    )  # fmt: skip


def _sum(told: Iterable[Told]) -> int:
    return sum(one.tokens for one in told)


# -- second step: the summary, and what was found


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
        "pinned": _sum(plan.pinned),
        "recent": _sum(plan.recent) + _sum(plan.after),
        **found,
        "question": plan.question_tokens,
        "format": ANSWER_BEGINS + around,
    }
    return Sections({name: tokens for name, tokens in sections.items() if tokens}), sum(sections.values())
