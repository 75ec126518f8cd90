"""How much of a prompt repeats the prefix of the previous one, which a provider's cache need not process again.

Each conversation is replayed turn by turn in a temporary store: a prompt is made for each user message, then the message and
the answer are saved, and notes are extracted as in production. Other ways to fit a conversation into a budget get the same
turns. Each way is counted from the turn at which it first has to leave something out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

from benchmarks.common.conversations import BenchmarkConversations, add_messages, open_new_store, owner_chat, question_time
from benchmarks.common.dataset import DataSetMessage, DataSetOutline, DataSetQuestion
from benchmarks.prompts.context_evidence import EvidenceFigures, count_evidence, per_cent
from benchmarks.prompts.window import SlidingWindow, chat_message, prompt_tokens
from benchmarks.search.recall import FigureDict, ProgressFunction
from keepsaid.engine.messages.intake import ROLES
from keepsaid.engine.prompt.chat_format import ChatMessageDict, TokenCountFunction, count_chat_message_tokens
from keepsaid.llm import tokens
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Role
from keepsaid.types.prompts import Context

BUDGET = 4_096
OURS, WINDOW = "keepsaid", "window"
PLENTY = 2
"""Other libraries get this many times as many of the newest messages as fit, since they drop older ones anyway."""

Encode = Callable[[str], Sequence[int]]
Trim = Callable[[Sequence[ChatMessageDict], int], list[ChatMessageDict]]
"""Trims a conversation, whose last message is the question, to a number of tokens."""


class ReplayTurn(NamedTuple):
    """A user message, and everything up to the next one."""

    question: DataSetMessage
    answer: list[DataSetMessage]


@dataclass(slots=True)
class PrefixFigures:
    """The tokens of a conversation's prompts, and how many of them repeat the previous prompt."""

    count: TokenCountFunction
    encode: Encode
    repeated: int = 0
    total: int = 0
    prompts: int = 0
    previous: list[ChatMessageDict] = field(default_factory=list[ChatMessageDict])
    full: bool = False
    """Whether something has been left out already."""

    def add(self, prompt: list[ChatMessageDict], *, full: bool) -> None:
        """Add the next prompt. Nothing is counted before the first full one."""
        self.full = self.full or full
        if self.full:
            self.repeated += shared_prefix_tokens(self.previous, prompt, self.count, self.encode)
            self.total += prompt_tokens(prompt, self.count)
            self.prompts += 1
        self.previous = prompt


def shared_prefix_tokens(
    before: Sequence[ChatMessageDict], after: Sequence[ChatMessageDict], count: TokenCountFunction, encode: Encode
) -> int:
    """Count the tokens of the common prefix of two prompts: all equal messages, and the beginning of the next.

    >>> count, encode = lambda text: len(text.split()), lambda text: text.split()
    >>> said = [{"role": "user", "content": "Tea or coffee?"}, {"role": "assistant", "content": "Tea, please"}]
    >>> shared_prefix_tokens(said, [said[0], {"role": "assistant", "content": "Tea, thanks"}], count, encode)
    8
    """
    same = list(takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    total = sum(count_chat_message_tokens(message, count) for message, _ in same)
    if len(same) < min(len(before), len(after)):
        total += _leading(before[len(same)], after[len(same)], encode)
    return total


def _leading(one: Mapping[str, Any], other: Mapping[str, Any], encode: Encode) -> int:
    texts = one.get("content"), other.get("content")
    if (
        one["role"] != other["role"]
        or one.get("name") != other.get("name")
        or not all(isinstance(text, str) for text in texts)
    ):
        return 0
    pairs = zip(encode(str(texts[0])), encode(str(texts[1])), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def split_turns(said: Sequence[DataSetMessage]) -> tuple[list[DataSetMessage], list[ReplayTurn]]:
    """Split messages into those before the first user message, and the turns.

    >>> roles = ("assistant", "user", "assistant", "user")
    >>> before, made = split_turns([DataSetMessage(str(place), role, "…") for place, role in enumerate(roles)])
    >>> len(before), [(turn.question.id, len(turn.answer)) for turn in made]
    (1, [('1', 1), ('3', 0)])
    """
    before: list[DataSetMessage] = []
    made: list[ReplayTurn] = []
    for one in said:
        if ROLES[one.role] is Role.USER:
            made.append(ReplayTurn(one, []))
        else:
            (made[-1].answer if made else before).append(one)
    return before, made


# -- replay of one conversation


@dataclass(slots=True)
class ReplayedConversation:
    """The figures of one replayed conversation: of each way of making prompts, and details of ours."""

    repeats: dict[str, PrefixFigures]
    compactions: int = 0
    spent: Counter[str] = field(default_factory=Counter[str])
    """Tokens of each section, over all prompts that count."""
    held: EvidenceFigures = field(default_factory=EvidenceFigures)
    """The evidence in prompts for questions after the last turn."""


def replay(
    talks: BenchmarkConversations,
    outline: DataSetOutline,
    questions: Iterable[DataSetQuestion],
    others: Mapping[str, Trim],
    tell: ProgressFunction,
    budget: int = BUDGET,
) -> FigureDict:
    """Replay every conversation, ask its questions at the end, and summarize."""
    asked = list(questions)
    total = sum(len(split_turns(said)[1]) for said in talks.said.values())
    made: list[ReplayedConversation] = []
    done = 0
    for owner, said in talks.said.items():
        with open_new_store(talks.embedder) as memory:
            one = ReplayedConversation({name: _repeats(memory) for name in (OURS, WINDOW, *others)})
            for _ in replay_conversation(memory, owner_chat(memory, owner), said, others, one, budget):
                done += 1
                tell("replaying", done, total)
            texts = {message.id: message.content for message in said}
            for question in (question for question in asked if question.owner == owner):
                context = owner_chat(memory, owner).context(
                    question.text, budget=budget, now=question_time(question, outline)
                )
                count_evidence(one.held, context, {id: texts[id] for id in question.evidence})
        made.append(one)
    return summary(made)


def replay_conversation(
    memory: Memory,
    chat: Chat,
    said: Sequence[DataSetMessage],
    others: Mapping[str, Trim],
    made: ReplayedConversation,
    budget: int,
) -> Iterator[None]:
    """Replay the turns of a conversation, and record every prompt. Yield after each turn."""
    before, talk = split_turns(said)
    add_messages(chat, before)
    history = [chat_message(one.role, one.content, one.name) for one in before]
    window = SlidingWindow(made.repeats[WINDOW].count)
    for message in history:
        window.add(message)
    beginning = ""
    for turn in talk:
        context = chat.context(turn.question.content, budget=budget, now=turn.question.created_at)
        full = _is_full(context)
        made.repeats[OURS].add(context.messages, full=full)
        if made.repeats[OURS].full:
            made.spent.update(context.sections)
        now_beginning = _beginning(context)
        made.compactions += full and now_beginning != beginning
        beginning = now_beginning
        asked = chat_message("user", turn.question.content, None)
        made.repeats[WINDOW].add(window.prompt(asked, budget), full=window.beginning(asked, budget) > 0)
        for name, trim in others.items():
            prompt = trim([*_plenty(history, made.repeats[name].count, budget), asked], budget)
            made.repeats[name].add(prompt, full=len(prompt) <= len(history))
        new = [turn.question, *turn.answer]
        add_messages(chat, new)
        for one in new:
            history.append(chat_message(one.role, one.content, one.name))
            window.add(history[-1])
        memory.maintain()
        yield


def _is_full(context: Context) -> bool:
    return any(item.kind == "messages" for item in context.dropped)


def _beginning(context: Context) -> str:
    """The first verbatim message. If it changes, the beginning of the prompt was rebuilt."""
    return next((item.id for item in context.items if item.section == "recent"), "")


def _plenty(history: Sequence[ChatMessageDict], count: TokenCountFunction, budget: int) -> Sequence[ChatMessageDict]:
    room = PLENTY * budget
    start = len(history)
    while start and room > 0:
        start -= 1
        room -= count_chat_message_tokens(history[start], count)
    return history[start:]


def _repeats(memory: Memory) -> PrefixFigures:
    return PrefixFigures(cache(tokens.counter_for(memory.tokenizer).count), encoder_for(memory.tokenizer))


@cache
def encoder_for(tokenizer: str) -> Encode:
    """Return a function that splits a text into the tokens that the counter of this name counts.

    >>> len(encoder_for("o200k_base")("Hello world"))
    2
    """
    import splintr

    made: Any = splintr.Tokenizer.from_pretrained(tokenizer)
    return made.encode_ordinary


# -- summary


def summary(made: Sequence[ReplayedConversation]) -> FigureDict:
    """Return shares in percent over all conversations, and our tokens of memories, so that omitting them is not rewarded."""
    shares = {name: repeated_share([one.repeats[name] for one in made]) for name in made[0].repeats}
    prompts = sum(one.repeats[OURS].prompts for one in made)
    spent = sum((one.spent for one in made), Counter[str]())
    return {
        "prefix_share": shares.pop(OURS),
        "window_prefix_share": shares.pop(WINDOW),
        "peers": shares,
        "prefix_evidence": per_cent([value for one in made for value in one.held.ours]),
        "prefix_turns": prompts,
        "new_tokens": new_tokens([one.repeats[OURS] for one in made]),
        "prefix_tokens": {section: round(tokens / prompts, 1) for section, tokens in spent.items()} if prompts else {},
        "compactions": round(sum(one.compactions for one in made) / len(made), 1),
    }


def repeated_share(some: Sequence[PrefixFigures]) -> float | None:
    """Return the percentage of tokens that repeat the previous prompt; None if nothing was ever left out."""
    total = sum(one.total for one in some)
    return round(100 * sum(one.repeated for one in some) / total, 2) if total else None


def new_tokens(some: Sequence[PrefixFigures]) -> float:
    """Return how many tokens of a prompt do not repeat the one before, on average.

    Unlike the share, it does not improve by making prompts longer.
    """
    prompts = sum(one.prompts for one in some)
    return round(sum(one.total - one.repeated for one in some) / prompts, 1) if prompts else 0.0
