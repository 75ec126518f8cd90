"""First step of compiling: chooses which messages of the conversation go into a prompt.

The system prompt and the question are always included, then pinned messages, then the newest exchanges, from a start that
rarely moves. So the caller knows which messages are included, and which summary is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from keepsaid.engine.prompt.budget import (
    QUESTION_MOST,
    QUESTION_SHARE,
    WINDOW,
    Limits,
    SectionBudgets,
    allocate_section_budgets,
    memory_tokens,
)
from keepsaid.engine.prompt.chat_format import (
    ANSWER_START_TOKENS,
    TokenCountFunction,
    count_chat_message_tokens,
    to_chat_message,
)
from keepsaid.engine.prompt.exchanges import OmittedMessage, flatten_exchanges, group_exchanges
from keepsaid.engine.prompt.shorten import shorten_text
from keepsaid.engine.prompt.window_start import advance_window_start, find_window_start
from keepsaid.errors import BudgetTooSmall
from keepsaid.ports import VisibleMessage
from keepsaid.types import Message, Role
from keepsaid.types.prompts import PromptItem

Exchange = tuple[VisibleMessage, ...]
MessageTokenFunction = Callable[[Message], int]

ALIGNED_WITHIN = 4
"""Exchanges that the start may move on, to a message of the user."""

BEFORE = "before the verbatim part"
TIGHT = "budget tight: only the newest messages, shortened if need be"


@dataclass(frozen=True, slots=True)
class PromptPlanOptions:
    """What is wanted: a budget, a strategy, limits, and token counters."""

    budget: int
    count_tokens: TokenCountFunction
    count_message_tokens: MessageTokenFunction
    """Returns the tokens of a stored message in a prompt."""
    strategy: str = "hybrid"
    limits: Limits = field(default_factory=Limits)
    documents: bool = False
    """Whether there are documents to search."""
    last: int | None = None
    """With the strategy `window`: the number of messages, instead of as many as fit."""


@dataclass(frozen=True, slots=True)
class ConversationExcerpt:
    """The conversation as far as it was read."""

    system: str
    question: VisibleMessage
    tail: Sequence[VisibleMessage]
    """The newest messages before the question."""
    total_tokens: int
    """Tokens of all messages before the question, read or not, as counted when they were saved."""
    pinned: Sequence[Exchange] = ()
    """Exchanges with a pinned message from before the tail."""
    after: Sequence[VisibleMessage] = ()
    """Messages after the question: tool calls made for it, and their results."""


class PromptExchange(NamedTuple):
    """An exchange in the prompt. `texts` has the replacements of texts that were shortened (to `limit` tokens)."""

    messages: Exchange
    tokens: int
    texts: tuple[str | None, ...] = ()
    limit: int = 0


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The messages of a conversation that go into a prompt."""

    options: PromptPlanOptions
    conversation: ConversationExcerpt
    section_budgets: SectionBudgets
    pinned: list[PromptExchange]
    recent: list[PromptExchange]
    after: list[PromptExchange]
    used_tokens: int
    """Tokens of everything planned: system prompt, question, pinned messages, conversation."""
    question_tokens: int
    system_tokens: int
    dropped: list[PromptItem]
    fallbacks: list[str]
    last_older_seq: int
    """The `seq` of the last message that is too old for the verbatim part; 0 if there is none."""

    @property
    def included_numbers(self) -> set[int]:
        """The numbers of the included messages."""
        units = (exchange.messages for exchange in (*self.pinned, *self.recent, *self.after))
        return {self.conversation.question.number, *(seen.number for unit in units for seen in unit)}

    @property
    def free_tokens(self) -> int:
        """Tokens that are still free."""
        return self.options.budget - self.used_tokens


def plan_conversation(talk: ConversationExcerpt, order: PromptPlanOptions) -> PromptPlan:
    """Choose which messages of the conversation go in. Raise `BudgetTooSmall` if system prompt and question do not fit."""
    system = count_chat_message_tokens({"role": "system", "content": talk.system}, order.count_tokens) if talk.system else 0
    question = order.count_message_tokens(talk.question.message)
    spent = ANSWER_START_TOKENS + system + question
    if spent > order.budget:
        raise BudgetTooSmall(spent, order.budget)
    dropped: list[PromptItem] = []
    fallbacks: list[str] = []
    before, later = group_exchanges(talk.tail), group_exchanges(talk.after, may_end_open=True)
    dropped += [_to_omitted_item(cut, order) for cut in (*before.broken, *later.broken)]
    after = _take_newest(later.whole, order, order.budget - spent, dropped, fallbacks, "step of this turn that did not fit")
    spent += sum_exchange_tokens(after)
    pins = [*talk.pinned, *(unit for unit in before.whole if _is_pinned(unit))]
    pinned = _fit_pinned(pins, order, order.budget - spent, dropped)
    # The share of each section must not depend on anything that changes from turn to turn.
    aside = min(QUESTION_MOST, order.budget // QUESTION_SHARE)
    free = order.budget - ANSWER_START_TOKENS - system - aside - sum_exchange_tokens(pinned)
    memory = memory_tokens(order.budget) if order.limits.memory is None else order.limits.memory
    shares = allocate_section_budgets(free, replace(order.limits, memory=memory), order.strategy, documents=order.documents)
    hard = order.budget - spent - sum_exchange_tokens(pinned)
    recent = _choose_recent(before.whole, talk, order, min(shares.recent, hard), dropped, fallbacks)
    inside = {seen.number for exchange in recent for seen in exchange.messages}
    pinned = [exchange for exchange in pinned if exchange.messages[0].number not in inside]
    spent += sum_exchange_tokens(pinned) + sum_exchange_tokens(recent)
    older = _describe_older(talk, inside, pinned)
    last = _find_last_older_seq(talk, recent) if older else 0
    if older:
        dropped.append(replace(older, id=f"{older.id}–{last}"))
    return PromptPlan(order, talk, shares, pinned, recent, after, spent, question, system, dropped, fallbacks, last)


def _choose_recent(
    whole: Sequence[Exchange],
    talk: ConversationExcerpt,
    order: PromptPlanOptions,
    room: int,
    dropped: list[PromptItem],
    fallbacks: list[str],
) -> list[PromptExchange]:
    """Return the newest exchanges, from a start on the grid. If not even the last fits after it, return the part of it that
    fits."""
    if order.strategy == WINDOW and order.last is not None:
        return _take_newest(_take_last(whole, order.last), order, room, dropped, fallbacks, "")
    exchanges = [PromptExchange(unit, sum(order.count_message_tokens(seen.message) for seen in unit)) for unit in whole]
    start = find_window_start(talk.total_tokens, room)
    cumulated = talk.total_tokens - sum(seen.message.tokens for seen in talk.tail)
    places: dict[int, int] = {}
    for seen in talk.tail:
        places[seen.number] = cumulated
        cumulated += seen.message.tokens
    while True:
        fitting = [one for one in exchanges if places[one.messages[0].number] >= start]
        if sum_exchange_tokens(fitting) <= room or not fitting:
            break
        start = advance_window_start(start, room)
    if not fitting and exchanges:
        return _take_newest(whole[-1:], order, room, dropped, fallbacks, "")
    return _align_to_user(fitting) if start else fitting


def _align_to_user(exchanges: list[PromptExchange]) -> list[PromptExchange]:
    """Begin with a message of the user, if one is near: an answer without its question is useless."""
    for skipped, one in enumerate(exchanges[:ALIGNED_WITHIN]):
        if one.messages[0].message.role is Role.USER:
            return exchanges[skipped:]
    return exchanges


def _take_last(whole: Sequence[Exchange], messages: int) -> list[Exchange]:
    chosen: list[Exchange] = []
    for unit in reversed(whole):
        messages -= len(unit)
        if messages < 0:
            break
        chosen.append(unit)
    return chosen[::-1]


def _take_newest(
    whole: Sequence[Exchange], order: PromptPlanOptions, room: int, dropped: list[PromptItem], fallbacks: list[str], why: str
) -> list[PromptExchange]:
    """Return as many of the newest exchanges as there is room for; the very last one is shortened if necessary."""
    chosen: list[PromptExchange] = []
    for unit in reversed(whole):
        tokens = sum(order.count_message_tokens(seen.message) for seen in unit)
        if tokens <= room:
            chosen.append(PromptExchange(unit, tokens))
        elif not chosen and (short := _shorten_exchange(unit, order, room)):
            chosen.append(short)
            fallbacks.append(TIGHT)
            dropped += [
                _to_item(
                    "recent", seen, order.count_message_tokens(seen.message), "shortened to fit the budget", whole=False
                )
                for seen, text in zip(unit, short.texts, strict=True)
                if text is not None
            ]
        else:
            break
        room -= chosen[-1].tokens
    if why:
        left = whole[: len(whole) - len(chosen)]
        dropped += [
            _to_item("recent", seen, order.count_message_tokens(seen.message), why) for seen in flatten_exchanges(left)
        ]
    return chosen[::-1]


def _shorten_exchange(unit: Exchange, order: PromptPlanOptions, room: int) -> PromptExchange | None:
    """Return an exchange with its longest texts cut in the middle, all to the same length."""
    messages = [seen.message for seen in unit]
    sizes = [order.count_tokens(message.text) for message in messages]
    around = sum(order.count_message_tokens(message) for message in messages) - sum(sizes)
    limit = _find_cut_length(sizes, room - around)
    texts: list[str | None] = []
    for message, size in zip(messages, sizes, strict=True):
        cut = shorten_text(message.text, limit, order.count_tokens) if size > limit and not message.parts else None
        if size > limit and cut is None:
            return None
        texts.append(cut)
    tokens = sum(
        order.count_message_tokens(message)
        if text is None
        else count_chat_message_tokens(to_chat_message(message, text), order.count_tokens)
        for message, text in zip(messages, texts, strict=True)
    )
    return PromptExchange(unit, tokens, tuple(texts), limit) if tokens <= room else None


def _find_cut_length(sizes: Sequence[int], room: int) -> int:
    """Return the length to which texts of these sizes must be cut so that all of them fit; at least 0.

    >>> _find_cut_length([10, 500, 900], 410), _find_cut_length([10, 20], 100)
    (200, 20)
    """
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(0, share)
        left -= size
    return max(sizes, default=0)


def _fit_pinned(
    pins: Sequence[Exchange], order: PromptPlanOptions, room: int, dropped: list[PromptItem]
) -> list[PromptExchange]:
    chosen: list[PromptExchange] = []
    for unit in reversed(pins):
        tokens = sum(order.count_message_tokens(seen.message) for seen in unit)
        if tokens <= room:
            chosen.append(PromptExchange(unit, tokens))
            room -= tokens
        else:
            dropped += [
                _to_item("pinned", seen, order.count_message_tokens(seen.message), "a pin that did not fit the budget")
                for seen in unit
                if seen.message.pinned
            ]
    return chosen[::-1]


def _is_pinned(unit: Exchange) -> bool:
    return any(seen.message.pinned for seen in unit)


def _describe_older(talk: ConversationExcerpt, inside: set[int], pinned: Sequence[PromptExchange]) -> PromptItem | None:
    """Return one item for all messages, read or not, that are too old for the verbatim part."""
    kept = {seen.number for exchange in pinned for seen in exchange.messages}
    read = [seen for seen in takewhile(lambda seen: seen.number not in inside, talk.tail) if seen.number not in kept]
    unread = talk.total_tokens - sum(seen.message.tokens for seen in talk.tail)
    if not read and unread <= 0:
        return None
    first = 1 if unread > 0 else read[0].message.seq
    tokens = max(0, unread) + sum(seen.message.tokens for seen in read)
    return PromptItem("recent", "messages", str(first), tokens, BEFORE, session=talk.question.message.session)


def _find_last_older_seq(talk: ConversationExcerpt, recent: Sequence[PromptExchange]) -> int:
    """Return the `seq` of the message before the verbatim part."""
    if recent:
        return recent[0].messages[0].message.parent
    return talk.tail[-1].message.seq if talk.tail else talk.question.message.parent


def _to_omitted_item(cut: OmittedMessage, order: PromptPlanOptions) -> PromptItem:
    return _to_item("recent", cut.seen, order.count_message_tokens(cut.seen.message), cut.reason)


def _to_item(section: str, seen: VisibleMessage, tokens: int, reason: str, *, whole: bool = True) -> PromptItem:
    message = seen.message
    return PromptItem(
        section, "message", message.id, tokens, reason, message.text[:100], session=message.session, at=message.created,
        whole=whole,
    )  # fmt: skip


def sum_exchange_tokens(exchanges: Iterable[PromptExchange]) -> int:
    """Return the tokens of some exchanges in a prompt."""
    return sum(one.tokens for one in exchanges)
