"""The last step of a search: of the ranked messages, the ones to show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.engine.rank import Ranked
from recollect.types import Message

SAME_TALK = 0.4
"""What each earlier hit from the same conversation costs where a question asks for several things: they are seldom all
said in one."""


def select(ranked: Iterable[Ranked], messages: Sequence[Message], limit: int, *, several: bool = False) -> list[Ranked]:
    """The best `limit` of them: what was said twice is shown once, and with `several` conversations take turns."""
    chosen: list[Ranked] = []
    seen: set[tuple[str, str]] = set()
    for one in ranked:
        if len(chosen) == limit and not several:
            break
        message = messages[one.at]
        said = (message.role, " ".join(message.text.split()).casefold())
        if said not in seen:
            seen.add(said)
            chosen.append(one)
    return _taking_turns(chosen, messages)[:limit] if several else chosen


def _taking_turns(ranked: Sequence[Ranked], messages: Sequence[Message]) -> list[Ranked]:
    hits: Counter[str] = Counter()
    scores: list[tuple[float, int]] = []
    for place, one in enumerate(ranked):
        talk = messages[one.at].session
        scores.append((one.score - SAME_TALK * hits[talk], -place))
        hits[talk] += 1
    return [Ranked(ranked[-place].at, score) for score, place in sorted(scores, reverse=True)]


def likelihood(score: float, middle: float, slope: float) -> float:
    """A score from 0 to 1: how likely a message with this ranking score is an answer.

    >>> likelihood(5.0, middle=5.0, slope=1.0)
    0.5
    """
    return 1 / (1 + math.exp(min(700.0, -slope * (score - middle))))
