"""Conversations of every awkward kind, from a random generator: what the compiler must get right whatever comes."""

from itertools import cycle, islice
from random import Random
from typing import NamedTuple

from keepsaid.engine.messages.intake import count_content_tokens
from keepsaid.engine.prompt import ConversationExcerpt, PromptCandidate, PromptPlanOptions
from keepsaid.engine.prompt.block_texts import TITLES, MemoryBlockEntry
from keepsaid.engine.prompt.budget import STRATEGIES, Limits
from keepsaid.engine.prompt.chat_format import count_stored_message_tokens
from keepsaid.engine.prompt.exchanges import group_exchanges
from keepsaid.llm.tokens import counter_for
from keepsaid.ports import VisibleMessage
from keepsaid.types import ContentPart, Message, Role, ToolCall
from keepsaid.types.prompts import PromptItem

COUNTER = counter_for("o200k_base")
WORDS = [*"the sister moved to Lisbon in May 2026 – ok? 日本 émigré </memory> <summary> {} `rm -rf` 4,711 🦊".split(), "\n"]


class Case(NamedTuple):
    """One prompt to compile."""

    talk: ConversationExcerpt
    order: PromptPlanOptions
    path: list[VisibleMessage]
    """The whole conversation before the question."""
    summary: str
    offers: list[PromptCandidate]


def text(random: Random, longest: int = 60) -> str:
    length = random.choice((0, 1, 3, 8, 20, longest))
    if random.random() > 0.97:
        length = random.choice((400, 2_000))
    # One number chooses the words: Hypothesis is slow to draw them one by one.
    first = random.randrange(len(WORDS))
    return " ".join(islice(cycle(WORDS), first, first + length))


def case(random: Random) -> Case:
    """A conversation, and what is asked of the compiler."""
    path = conversation(random)
    asked = message(random, len(path) + 1, Role.USER, text(random) or "Why?")
    after = steps(random, len(path) + 2) if random.random() < 0.3 else []
    read = random.randint(0, len(path)) if random.random() < 0.3 else 0
    tail = path[read:]
    pinned = group_exchanges(
        [seen for seen in path[:read] if not seen.message.tool_calls and seen.message.role != Role.TOOL]
    ).whole
    talk = ConversationExcerpt(
        text(random, 30) if random.random() < 0.7 else "",
        VisibleMessage(len(path) + 1, asked),
        tail,
        sum(seen.message.tokens for seen in path),
        [unit for unit in pinned if unit[0].message.pinned],
        after,
    )
    order = PromptPlanOptions(
        random.choice((20, 50, 100, 200, 512, 1_000, 4_000, 8_000)),
        COUNTER.count,
        lambda one: count_stored_message_tokens(one, COUNTER.count),
        random.choice(tuple(set(STRATEGIES.values()))),
        Limits(*(random.choice((0, most // 4, most)) for most in (400, 800, 1_000, 3, 2, 20, 3))),
        documents=random.random() < 0.5,
        last=random.choice((None, None, 1, 5, 10)),
    )
    return Case(talk, order, path, text(random), [offer(random, number) for number in range(random.choice((0, 3, 30)))])


def conversation(random: Random) -> list[VisibleMessage]:
    made: list[VisibleMessage] = []
    for _ in range(random.choice((0, 1, 2, 5, 12, 40))):
        kind = random.random()
        if kind < 0.5:
            role = Role.SYSTEM if random.random() > 0.98 else random.choice((Role.USER, Role.ASSISTANT))
            made.append(VisibleMessage(len(made) + 1, message(random, len(made) + 1, role, text(random))))
        elif kind < 0.9:
            made += steps(random, len(made) + 1)
        else:
            # A result that nothing asked for.
            result = message(random, len(made) + 1, Role.TOOL, text(random), id=random.choice(("c0", "zz", None)))
            made.append(VisibleMessage(result.seq, result))
    return made


def steps(random: Random, first: int) -> list[VisibleMessage]:
    """Parallel tool calls; results missing, doubled, out of order, or after another message."""
    calls = [ToolCall(f"c{random.randint(0, 3)}", "look", text(random, 10)) for _ in range(random.choice((1, 1, 2, 4)))]
    made = [message(random, first, Role.ASSISTANT, text(random, 8), calls=calls)]
    results = [call.id for call in calls]
    if random.random() < 0.3:
        results = results[: random.randint(0, len(results))]
    if random.random() < 0.2:
        results += random.choices(results or ["c0"], k=1)
    random.shuffle(results)
    for id in results:
        if random.random() < 0.1:
            made.append(message(random, first + len(made), Role.USER, text(random)))
        made.append(message(random, first + len(made), Role.TOOL, text(random), id=id))
    return [VisibleMessage(one.seq, one) for one in made]


def message(random: Random, seq: int, role: Role, said: str, *, calls=(), id: str | None = None) -> Message:
    parts = ()
    if role == Role.USER and random.random() < 0.05:
        parts = (ContentPart("text", said), ContentPart("image", uri="https://example.org/cat.png"))
    tokens = count_content_tokens(COUNTER, said, parts, tuple(calls))
    name = random.choice(("Ana", "Dr. Ångström")) if random.random() < 0.1 else None
    pinned = random.random() < 0.1
    return Message(
        f"m{seq}", "s", seq, seq - 1, role, said, tokens, seq * 10**9, 0.5, pinned, {}, parts, tuple(calls), id, name
    )  # fmt: skip


def offer(random: Random, number: int) -> PromptCandidate:
    section = random.choice(tuple(TITLES))
    line = f"- [1 Jan 1970] {text(random)}"
    return PromptCandidate(
        MemoryBlockEntry(section, number, line),
        PromptItem(section, "message", f"f{number}", 0, "why", score=random.random()),
    )
