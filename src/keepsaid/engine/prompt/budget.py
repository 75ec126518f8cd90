"""How the tokens of a prompt are divided: strategies, presets, and the share of each section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from keepsaid.config import PRESETS, STRATEGIES
from keepsaid.errors import InvalidInput

WINDOW, SUMMARY, HYBRID = "window", "summary", "hybrid"
MIN_BUDGET = 16

QUESTION_SHARE, QUESTION_MOST = 8, 256
"""An eighth of the budget, up to a maximum, is reserved for the question. The rest must not depend on its length, or the
head of the prompt would change with every turn."""


MEMORY_LEAST, MEMORY_SHARE, MEMORY_MOST = 800, 6, 8_000
"""Tokens for memories by default: a sixth of the budget, within these limits."""

AROUND = 40
"""Tokens of the block around a summary, so that a summary of the maximum length need not be shortened."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum of each section of a prompt: tokens and, for what is found, also the number of entries. `min_score` is the
    lowest score, from 0 to 1, of a passage or a document chunk; 0 means the limit in the settings. Without a number,
    `memory` is a sixth of the budget, but at least 800 tokens and at most 8,000.

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
"""One of this many parts of the tokens for memories is lent to the conversation: most turns need less than half of them."""


class SectionBudgets(NamedTuple):
    """The maximum tokens of each section. The conversation may use part of the tokens for memories, which are then not
    available to them."""

    profile: int
    summary: int
    memory: int
    documents: int
    recent: int


def memory_tokens(budget: int) -> int:
    """Return the tokens for memories in a prompt with this budget.

    >>> memory_tokens(4_096), memory_tokens(120_000), memory_tokens(24_000)
    (800, 8000, 4000)
    """
    return min(MEMORY_MOST, max(MEMORY_LEAST, budget // MEMORY_SHARE))


def allocate_section_budgets(free: int, limits: Limits, strategy: str, *, documents: bool) -> SectionBudgets:
    """Divide the tokens that the system prompt, the question and the pinned messages leave. Small budgets favour what was
    found, large ones the conversation.

    >>> allocate_section_budgets(3_700, Limits(), "hybrid", documents=False)
    SectionBudgets(profile=300, summary=440, memory=800, documents=0, recent=2560)
    >>> allocate_section_budgets(400, Limits(), "hybrid", documents=False)
    SectionBudgets(profile=50, summary=70, memory=175, documents=0, recent=105)
    """
    free = max(0, free)
    profile = min(limits.profile, free // 8) if strategy != WINDOW else 0
    free -= profile
    summary = min(limits.summary + AROUND, free // 5) if strategy != WINDOW and limits.summary else 0
    most = memory_tokens(free) if limits.memory is None else limits.memory
    memory = min(most, free // 2) if strategy == HYBRID else 0
    chunks = min(limits.documents, free // 4) if documents and strategy == HYBRID else 0
    lent = min(memory // LENT_SHARE, max(0, free // 2 - memory))
    return SectionBudgets(profile, summary, memory, chunks, free - summary - memory - chunks + lent)


def resolve_budget(wanted: int | str) -> int:
    """Return a budget in tokens, from a number or the name of a preset.

    >>> resolve_budget("128k"), resolve_budget(8000)
    (120000, 8000)
    """
    if isinstance(wanted, str):
        if wanted not in PRESETS:
            raise InvalidInput(f"unknown preset {wanted!r}: use {', '.join(PRESETS)}, or a number of tokens")
        return PRESETS[wanted]
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < MIN_BUDGET:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a budget is a number of tokens, at least {MIN_BUDGET}, not {wanted!r}")
    return wanted


def resolve_strategy(name: str) -> str:
    """Return a strategy by any of its names.

    >>> resolve_strategy("summarization")
    'summary'
    """
    if name not in STRATEGIES:
        raise InvalidInput(f"unknown strategy {name!r}: use one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
