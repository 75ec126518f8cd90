"""Who gets how much of a prompt: strategies, profiles, and the share of each section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from recollect.config import PROFILES, STRATEGIES
from recollect.errors import InvalidInput

WINDOW, SUMMARY, HYBRID = "window", "summary", "hybrid"
SMALLEST = 16

QUESTION_SHARE, QUESTION_MOST = 8, 256
"""The eighth part of a budget, but not more than so many tokens, is set aside for the question: the rest must not depend on
how long it is, or the head of the prompt would change with every turn."""


AROUND = 40
"""Tokens of what stands around a summary: with them, one as long as its limit need not be shortened."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that each section of a prompt may take: tokens, and for what is found also how many. `min_score` is the
    lowest score, from 0 to 1, of a passage or a piece of a document; 0 leaves that to the settings.

    >>> Limits(memory=300, recalled=5).facts
    3
    """

    summary: int = 400
    memory: int = 800
    documents: int = 1_000
    facts: int = 3
    tools: int = 2
    recalled: int = 20
    chunks: int = 3
    min_score: float = 0.0


class Rooms(NamedTuple):
    """Tokens set aside for each section."""

    summary: int
    memory: int
    documents: int
    recent: int


def rooms(free: int, limits: Limits, strategy: str, *, documents: bool) -> Rooms:
    """Shares what the system prompt, the question and the pins leave. Small budgets go to what was found, large ones to the
    conversation itself.

    >>> rooms(3_700, Limits(), "hybrid", documents=False)
    Rooms(summary=440, memory=800, documents=0, recent=2460)
    >>> rooms(400, Limits(), "hybrid", documents=False)
    Rooms(summary=80, memory=200, documents=0, recent=120)
    """
    free = max(0, free)
    summary = min(limits.summary + AROUND, free // 5) if strategy != WINDOW and limits.summary else 0
    memory = min(limits.memory, free // 2) if strategy == HYBRID else 0
    shelf = min(limits.documents, free // 4) if documents and strategy == HYBRID else 0
    return Rooms(summary, memory, shelf, free - summary - memory - shelf)


def budget_of(wanted: int | str) -> int:
    """A budget in tokens, from a number or a profile's name.

    >>> budget_of("128k"), budget_of(8000)
    (120000, 8000)
    """
    if isinstance(wanted, str):
        if wanted not in PROFILES:
            raise InvalidInput(f"unknown profile {wanted!r}; known are {', '.join(PROFILES)}, or a number of tokens")
        return PROFILES[wanted]
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
