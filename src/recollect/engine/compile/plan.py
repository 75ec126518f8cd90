"""The first step of the compiler: what of the conversation itself goes into a prompt.

The system prompt and the question always, then pins, then the newest units, from a beginning that rarely moves. Whoever
calls then knows what is told already, and which summary is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from recollect.engine.compile.budget import QUESTION_MOST, QUESTION_SHARE, WINDOW, Limits, Rooms, memory_tokens, rooms
from recollect.engine.compile.chat_format import ANSWER_BEGINS, Count, as_chat, cost
from recollect.engine.compile.shorten import shortened
from recollect.engine.compile.units import Cut, flat, units
from recollect.engine.compile.waterline import beginning, next_beginning
from recollect.errors import BudgetTooSmall
from recollect.ports import Seen
from recollect.prompt import Item
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
        units = (told.unit for told in (*self.pinned, *self.recent, *self.after))
        return {self.talk.question.number, *(seen.number for unit in units for seen in unit)}

    @property
    def left(self) -> int:
        """Tokens that are still free."""
        return self.order.budget - self.spent


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
    spent += tokens_of(after)
    pins = [*talk.pinned, *(unit for unit in before.whole if _is_pinned(unit))]
    pinned = _pins_that_fit(pins, order, order.budget - spent, dropped)
    # The share of each section depends on nothing that changes from turn to turn.
    aside = min(QUESTION_MOST, order.budget // QUESTION_SHARE)
    free = order.budget - ANSWER_BEGINS - system - aside - tokens_of(pinned)
    memory = memory_tokens(order.budget) if order.limits.memory is None else order.limits.memory
    shares = rooms(free, replace(order.limits, memory=memory), order.strategy, documents=order.documents)
    hard = order.budget - spent - tokens_of(pinned)
    recent = _recent(before.whole, talk, order, min(shares.recent, hard), dropped, fallbacks)
    inside = {seen.number for told in recent for seen in told.unit}
    pinned = [told for told in pinned if told.unit[0].number not in inside]
    spent += tokens_of(pinned) + tokens_of(recent)
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
        if tokens_of(behind) <= room or not behind:
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
    """A unit with its longest texts cut in the middle, all to the same length."""
    messages = [seen.message for seen in unit]
    sizes = [order.count(message.text) for message in messages]
    around = sum(order.measure(message) for message in messages) - sum(sizes)
    limit = _level(sizes, room - around)
    texts: list[str | None] = []
    for message, size in zip(messages, sizes, strict=True):
        cut = shortened(message.text, limit, order.count) if size > limit and not message.parts else None
        if size > limit and cut is None:
            return None
        texts.append(cut)
    tokens = sum(
        order.measure(message) if text is None else cost(as_chat(message, text), order.count)
        for message, text in zip(messages, texts, strict=True)
    )
    return Told(unit, tokens, tuple(texts), limit) if tokens <= room else None


def _level(sizes: Sequence[int], room: int) -> int:
    """The length to which texts of these sizes must be cut so that all of them fit; nothing below zero.

    >>> _level([10, 500, 900], 410), _level([10, 20], 100)
    (200, 20)
    """
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(0, share)
        left -= size
    return max(sizes, default=0)


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


def tokens_of(told: Iterable[Told]) -> int:
    """The tokens of units in a prompt."""
    return sum(one.tokens for one in told)
