"""Exchanges: the parts of a conversation that a prompt contains whole or not at all.

A tool call and its results are one exchange, since a provider refuses either without the other. Broken messages (a result
without its call, a call without results, an empty message) belong to no exchange and are listed as omitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from keepsaid.ports import VisibleMessage
from keepsaid.types import Message, Role

NO_CALL = "a tool result without its call"
NO_RESULT = "a tool call without its result"
SECOND_RESULT = "a second result for the same tool call"
EMPTY = "empty"


class OmittedMessage(NamedTuple):
    """A message that is left out, and why."""

    seen: VisibleMessage
    reason: str


class ConversationExchanges(NamedTuple):
    """The complete exchanges, in order, and the messages left out."""

    whole: list[tuple[VisibleMessage, ...]]
    broken: list[OmittedMessage]


def group_exchanges(messages: Sequence[VisibleMessage], *, may_end_open: bool = False) -> ConversationExchanges:
    """Group a conversation into exchanges. With `may_end_open`, the very last message may be a tool call without its
    result."""
    whole: list[tuple[VisibleMessage, ...]] = []
    broken: list[OmittedMessage] = []
    at = 0
    while at < len(messages):
        seen = messages[at]
        at += 1
        if seen.message.tool_calls:
            results, end = _take_results(messages, at, broken, seen.message)
            missing = len(seen.message.tool_calls) - len(results)
            if not missing or (may_end_open and at == len(messages)):
                whole.append((seen, *results))
            else:
                broken.extend(OmittedMessage(one, NO_RESULT) for one in (seen, *results))
            at = end
        elif seen.message.role is Role.TOOL:
            broken.append(OmittedMessage(seen, NO_CALL))
        elif seen.message.parts or seen.message.text.strip():
            whole.append((seen,))
        else:
            broken.append(OmittedMessage(seen, EMPTY))
    return ConversationExchanges(whole, broken)


def _take_results(
    messages: Sequence[VisibleMessage], at: int, broken: list[OmittedMessage], call: Message
) -> tuple[list[VisibleMessage], int]:
    """Return the results that follow a call, and the index of the next message."""
    wanted = Counter(one.id for one in call.tool_calls)
    known = set(wanted)
    results: list[VisibleMessage] = []
    while at < len(messages) and messages[at].message.role is Role.TOOL:
        id = messages[at].message.tool_call_id or ""
        if wanted[id] > 0:
            wanted[id] -= 1
            results.append(messages[at])
        else:
            broken.append(OmittedMessage(messages[at], SECOND_RESULT if id in known else NO_CALL))
        at += 1
    return results, at


def flatten_exchanges(some: Iterable[tuple[VisibleMessage, ...]]) -> list[VisibleMessage]:
    """Return the messages of exchanges, in order.

    >>> flatten_exchanges([])
    []
    """
    return [seen for unit in some for seen in unit]
