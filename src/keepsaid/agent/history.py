"""The last messages of a conversation, and the repair of an interrupted turn.

Providers refuse a tool call without a result. A process that crashed while a tool ran leaves such a call. It is unknown
whether the tool did its work, and the result that is added says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from keepsaid.memory.chat import Chat
from keepsaid.types import Message, Role, ToolCall

INTERRUPTED = "Error: interrupted: it may or may not have been done"

TAIL_LENGTH = 64
"""Number of last messages that are read; all are read only if these are all tool results."""


def find_unanswered_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """Return the tool calls at the end of a conversation that have no result.

    >>> call = Message("m1", "s1", 1, 0, Role.ASSISTANT, "", 0, 0, 0.0, False, {}, tool_calls=(ToolCall("c1", "weather"),))
    >>> [one.name for one in find_unanswered_calls([call])]
    ['weather']
    """
    answered: Counter[str] = Counter()
    for message in reversed(messages):
        if message.role is Role.TOOL:
            answered[message.tool_call_id or ""] += 1
            continue
        missing: list[ToolCall] = []
        for call in message.tool_calls:
            answered[call.id] -= 1
            if answered[call.id] < 0:
                missing.append(call)
        return missing
    return []


def add_missing_results(chat: Chat) -> list[Message]:
    """Add a result to every tool call at the end of a conversation that has none; return the added messages."""
    ends = load_last_exchange(chat)
    private = any(message.private for message in ends if message.role is Role.ASSISTANT)
    return [
        chat.add(
            "tool",
            INTERRUPTED,
            tool_call_id=call.id,
            name=call.name,
            metadata={"failed": True, "interrupted": True},
            private=private or None,
        )
        for call in find_unanswered_calls(ends)
    ]


def load_last_exchange(chat: Chat) -> list[Message]:
    """Return the last messages of a conversation, starting with the last one that is not a tool result."""
    last = chat.messages(last=TAIL_LENGTH)
    if len(last) == TAIL_LENGTH and all(message.role is Role.TOOL for message in last):
        last = chat.messages()
    for place in range(len(last) - 1, -1, -1):
        if last[place].role is not Role.TOOL:
            return last[place:]
    return last
