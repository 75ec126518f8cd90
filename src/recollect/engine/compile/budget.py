"""Who gets how much of a prompt: strategies, presets, and the share of each section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from recollect.config import PRESETS, STRATEGIES
from recollect.errors import InvalidInput

WINDOW, SUMMARY, HYBRID = "window", "summary", "hybrid"
SMALLEST = 16

QUESTION_SHARE, QUESTION_MOST = 8, 256
"""The eighth part of a budget, but not more than so many tokens, is set aside for the question: the rest must not depend on
how long it is, or the head of the prompt would change with every turn."""


MEMORY_LEAST, MEMORY_SHARE, MEMORY_MOST = 800, 6, 8_000
"""Tokens for memories where nothing else is set: a sixth of the budget, within these limits."""

AROUND = 40
"""Tokens of what stands around a summary: with them, one as long as its limit need not be shortened."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that each section of a prompt may take: tokens, and for what is found also how many. `min_score` is the
    lowest score, from 0 to 1, of a passage or a piece of a document; 0 leaves that to the settings. Without a number for
    `memory`, it is a sixth of the budget, but at least 800 tokens and at most 8,000.

    >>> Limits(memory=300, recalled=5).facts
    3
    """

    summary: int = 400
    memory: int | None = None
    documents: int = 1_000
    facts: int = 3
    tools: int = 2
    recalled: int = 60
    chunks: int = 3
    min_score: float = 0.0
    profile: int = 300


LENT_SHARE = 2
"""One of so many parts of the room for memories is lent to the conversation: most turns need less than half of it."""


class Rooms(NamedTuple):
    """The most tokens that each section may have. The conversation is lent part of the memories' room: what it takes of
    that, they do not get."""

    profile: int
    summary: int
    memory: int
    documents: int
    recent: int


def memory_tokens(budget: int) -> int:
    """The tokens for memories in a prompt with this budget.

    >>> memory_tokens(4_096), memory_tokens(120_000), memory_tokens(24_000)
    (800, 8000, 4000)
    """
    return min(MEMORY_MOST, max(MEMORY_LEAST, budget // MEMORY_SHARE))


def rooms(free: int, limits: Limits, strategy: str, *, documents: bool) -> Rooms:
    """Shares what the system prompt, the question and the pins leave. Small budgets go to what was found, large ones to the
    conversation itself.

    >>> rooms(3_700, Limits(), "hybrid", documents=False)
    Rooms(profile=300, summary=440, memory=800, documents=0, recent=2560)
    >>> rooms(400, Limits(), "hybrid", documents=False)
    Rooms(profile=50, summary=70, memory=175, documents=0, recent=105)
    """
    free = max(0, free)
    profile = min(limits.profile, free // 8) if strategy != WINDOW else 0
    free -= profile
    summary = min(limits.summary + AROUND, free // 5) if strategy != WINDOW and limits.summary else 0
    most = memory_tokens(free) if limits.memory is None else limits.memory
    memory = min(most, free // 2) if strategy == HYBRID else 0
    shelf = min(limits.documents, free // 4) if documents and strategy == HYBRID else 0
    lent = min(memory // LENT_SHARE, max(0, free // 2 - memory))
    return Rooms(profile, summary, memory, shelf, free - summary - memory - shelf + lent)


def budget_of(wanted: int | str) -> int:
    """A budget in tokens, from a number or a preset's name.

    >>> budget_of("128k"), budget_of(8000)
    (120000, 8000)
    """
    if isinstance(wanted, str):
        if wanted not in PRESETS:
            raise InvalidInput(f"unknown preset {wanted!r}; known are {', '.join(PRESETS)}, or a number of tokens")
        return PRESETS[wanted]
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < SMALLEST:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a budget is a number of tokens, at least {SMALLEST}, not {wanted!r}")
    return wanted


def strategy_of(name: str) -> str:
    """A strategy by any of its names.

    >>> strategy_of("summarization")
    'summary'
    """
    if name not in STRATEGIES:
        raise InvalidInput(f"unknown strategy {name!r}; known are {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
