"""A conversation in units: what a prompt has wholly or not at all.

A tool call and its results are one unit, since a provider refuses either without the other. What is broken in itself (a
result without its call, a call that was never answered, an empty message) is no unit, and is listed as cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.ports import Seen
from recollect.types import Message, Role

NO_CALL = "a tool result without its call"
NO_RESULT = "a tool call without its result"
SAID_TWICE = "a second result for the same tool call"
EMPTY = "empty"


class Cut(NamedTuple):
    """A message that is left out, and why."""

    seen: Seen
    reason: str


class Units(NamedTuple):
    """What is whole, in order, and what is not."""

    whole: list[tuple[Seen, ...]]
    broken: list[Cut]


def units(messages: Sequence[Seen], *, may_end_open: bool = False) -> Units:
    """The units of a conversation. `may_end_open` lets the very last message be a tool call that waits for its result."""
    whole: list[tuple[Seen, ...]] = []
    broken: list[Cut] = []
    at = 0
    while at < len(messages):
        seen = messages[at]
        at += 1
        if seen.message.tool_calls:
            results, behind = _results(messages, at, broken, seen.message)
            missing = len(seen.message.tool_calls) - len(results)
            if not missing or (may_end_open and at == len(messages)):
                whole.append((seen, *results))
            else:
                broken.extend(Cut(one, NO_RESULT) for one in (seen, *results))
            at = behind
        elif seen.message.role is Role.TOOL:
            broken.append(Cut(seen, NO_CALL))
        elif seen.message.parts or seen.message.text.strip():
            whole.append((seen,))
        else:
            broken.append(Cut(seen, EMPTY))
    return Units(whole, broken)


def _results(messages: Sequence[Seen], at: int, broken: list[Cut], call: Message) -> tuple[list[Seen], int]:
    """The results that follow a call, and where the conversation goes on behind them."""
    wanted = Counter(one.id for one in call.tool_calls)
    known = set(wanted)
    results: list[Seen] = []
    while at < len(messages) and messages[at].message.role is Role.TOOL:
        id = messages[at].message.tool_call_id or ""
        if wanted[id] > 0:
            wanted[id] -= 1
            results.append(messages[at])
        else:
            broken.append(Cut(messages[at], SAID_TWICE if id in known else NO_CALL))
        at += 1
    return results, at


def flat(some: Iterable[tuple[Seen, ...]]) -> list[Seen]:
    """The messages of units, in order.

    >>> flat([])
    []
    """
    return [seen for unit in some for seen in unit]
