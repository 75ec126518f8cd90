"""How much of a prompt repeats the beginning of the one before it: what a provider's cache need not read again.

Each conversation is held once more, turn by turn, in a store of its own: before each thing that the user says a prompt is
made, then it is saved with the answer, and notes are taken as in real life. Other ways to fit a conversation into a budget
are given the same turns. Each is counted from the turn on at which it first has to leave something out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

from recollect import tokens
from recollect.bench.context_evidence import Held, judge, per_cent
from recollect.bench.dataset import Outline, Question, Said
from recollect.bench.recall import Result, Tell
from recollect.bench.talks import Talks, asked_at, new_store, save, talk_of
from recollect.bench.window import SlidingWindow, as_said, tokens_of
from recollect.chat import Chat
from recollect.engine.compile.chat_format import ChatMessage, Count, cost
from recollect.engine.intake import ROLES
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.types import Role

BUDGET = 4_096
OURS, WINDOW = "recollect", "window"
PLENTY = 2
"""Others are given so many times as many of the newest messages as fit: what is older they leave out anyway."""

Encode = Callable[[str], Sequence[int]]
Trim = Callable[[Sequence[ChatMessage], int], list[ChatMessage]]
"""Fits a conversation, whose last message is the question, into a number of tokens."""


class Turn(NamedTuple):
    """Something the user says, and everything up to when the user speaks again."""

    question: Said
    answer: list[Said]


@dataclass(slots=True)
class Repeats:
    """The tokens of a conversation's prompts, and how many of them repeat the prompt before."""

    count: Count
    encode: Encode
    repeated: int = 0
    total: int = 0
    prompts: int = 0
    previous: list[ChatMessage] = field(default_factory=list[ChatMessage])
    full: bool = False
    """Whether something had to be left out already."""

    def add(self, prompt: list[ChatMessage], *, full: bool) -> None:
        """Enters the next prompt; nothing is counted before the first that is full."""
        self.full = self.full or full
        if self.full:
            self.repeated += common(self.previous, prompt, self.count, self.encode)
            self.total += tokens_of(prompt, self.count)
            self.prompts += 1
        self.previous = prompt


def common(before: Sequence[ChatMessage], after: Sequence[ChatMessage], count: Count, encode: Encode) -> int:
    """The tokens with which both prompts begin: of all messages that are the same, and of the beginning of the next.

    >>> count, encode = lambda text: len(text.split()), lambda text: text.split()
    >>> said = [{"role": "user", "content": "Tea or coffee?"}, {"role": "assistant", "content": "Tea, please"}]
    >>> common(said, [said[0], {"role": "assistant", "content": "Tea, thanks"}], count, encode)
    8
    """
    same = list(takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    total = sum(cost(message, count) for message, _ in same)
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


def turns(said: Sequence[Said]) -> tuple[list[Said], list[Turn]]:
    """What was said before the user spoke for the first time, and the turns.

    >>> roles = ("assistant", "user", "assistant", "user")
    >>> before, made = turns([Said(str(place), role, "…") for place, role in enumerate(roles)])
    >>> len(before), [(turn.question.id, len(turn.answer)) for turn in made]
    (1, [('1', 1), ('3', 0)])
    """
    before: list[Said] = []
    made: list[Turn] = []
    for one in said:
        if ROLES[one.role] is Role.USER:
            made.append(Turn(one, []))
        else:
            (made[-1].answer if made else before).append(one)
    return before, made


# -- one conversation again


@dataclass(slots=True)
class Replayed:
    """One conversation, held again: what each way made of it, and what ours was like."""

    repeats: dict[str, Repeats]
    compactions: int = 0
    spent: Counter[str] = field(default_factory=Counter[str])
    """Tokens of each section, over all prompts that count."""
    held: Held = field(default_factory=Held)
    """What prompts hold of the evidence, asked after the last turn."""


def replay(
    talks: Talks,
    outline: Outline,
    questions: Iterable[Question],
    others: Mapping[str, Trim],
    tell: Tell,
    budget: int = BUDGET,
) -> Result:
    """Holds every conversation again, asks its questions at the end, and sums up."""
    asked = list(questions)
    total = sum(len(turns(said)[1]) for said in talks.said.values())
    made: list[Replayed] = []
    done = 0
    for owner, said in talks.said.items():
        with new_store(talks.embedder) as memory:
            one = Replayed({name: _repeats(memory) for name in (OURS, WINDOW, *others)})
            for _ in conversation(memory, talk_of(memory, owner), said, others, one, budget):
                done += 1
                tell("replaying", done, total)
            texts = {message.id: message.content for message in said}
            for question in (question for question in asked if question.owner == owner):
                context = talk_of(memory, owner).context(question.text, budget=budget, now=asked_at(question, outline))
                judge(one.held, context, {id: texts[id] for id in question.evidence})
        made.append(one)
    return summary(made)


def conversation(
    memory: Memory, chat: Chat, said: Sequence[Said], others: Mapping[str, Trim], made: Replayed, budget: int
) -> Iterator[None]:
    """Goes through the turns of a conversation, and enters every prompt."""
    before, talk = turns(said)
    save(chat, before)
    history = [as_said(one.role, one.content, one.name) for one in before]
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
        asked = as_said("user", turn.question.content, None)
        made.repeats[WINDOW].add(window.prompt(asked, budget), full=window.beginning(asked, budget) > 0)
        for name, trim in others.items():
            prompt = trim([*_plenty(history, made.repeats[name].count, budget), asked], budget)
            made.repeats[name].add(prompt, full=len(prompt) <= len(history))
        new = [turn.question, *turn.answer]
        save(chat, new)
        for one in new:
            history.append(as_said(one.role, one.content, one.name))
            window.add(history[-1])
        memory.maintain()
        yield


def _is_full(context: Context) -> bool:
    return any(item.kind == "messages" for item in context.dropped)


def _beginning(context: Context) -> str:
    """The message that the verbatim part begins with: when it is another one, the head of the prompt was made anew."""
    return next((item.id for item in context.items if item.section == "recent"), "")


def _plenty(history: Sequence[ChatMessage], count: Count, budget: int) -> Sequence[ChatMessage]:
    room = PLENTY * budget
    start = len(history)
    while start and room > 0:
        start -= 1
        room -= cost(history[start], count)
    return history[start:]


def _repeats(memory: Memory) -> Repeats:
    return Repeats(cache(tokens.counter_for(memory.tokenizer).count), encoder(memory.tokenizer))


@cache
def encoder(tokenizer: str) -> Encode:
    """What cuts a text into the tokens that the counter of this name counts.

    >>> len(encoder("o200k_base")("Hello world"))
    2
    """
    import splintr

    made: Any = splintr.Tokenizer.from_pretrained(tokenizer)
    return made.encode_ordinary


# -- all together


def summary(made: Sequence[Replayed]) -> Result:
    """Shares in per cent, over all conversations; and what ours spent on memories, so that nothing is won by giving none."""
    shares = {name: share([one.repeats[name] for one in made]) for name in made[0].repeats}
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


def share(some: Sequence[Repeats]) -> float | None:
    """The per cent of all tokens that repeat the prompt before; None if nothing ever had to be left out."""
    total = sum(one.total for one in some)
    return round(100 * sum(one.repeated for one in some) / total, 2) if total else None


def new_tokens(some: Sequence[Repeats]) -> float:
    """Return how many tokens of a prompt do not repeat the one before, on average.

    Unlike the share, it does not get better by making prompts longer.
    """
    prompts = sum(one.prompts for one in some)
    return round(sum(one.total - one.repeated for one in some) / prompts, 1) if prompts else 0.0
