"""What a conversation ends with, and how a turn that was broken off is made whole again.

A provider refuses a tool call without its result. Whoever died in the middle of a tool left such a call; nobody knows
whether its work was done, and that is what its result then says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.chat import Chat
from recollect.types import Message, Role, ToolCall

INTERRUPTED = "Error: interrupted: it may or may not have been done"

LOOKED_AT = 64
"""Messages at the end that are read first; more only if all of them are results of tools."""


def unanswered(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls at the end of a conversation that have no result.

    >>> call = Message("m1", "s1", 1, 0, Role.ASSISTANT, "", 0, 0, 0.0, False, {}, tool_calls=(ToolCall("c1", "weather"),))
    >>> [one.name for one in unanswered([call])]
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


def mend(chat: Chat) -> list[Message]:
    """Gives every call at the end of a conversation that has no result one that says so; returns what was added."""
    ends = ending(chat)
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
        for call in unanswered(ends)
    ]


def ending(chat: Chat) -> list[Message]:
    """The last messages of a conversation, back to one that is no result of a tool."""
    last = chat.messages(last=LOOKED_AT)
    if len(last) == LOOKED_AT and all(message.role is Role.TOOL for message in last):
        last = chat.messages()
    for place in range(len(last) - 1, -1, -1):
        if last[place].role is not Role.TOOL:
            return last[place:]
    return last
