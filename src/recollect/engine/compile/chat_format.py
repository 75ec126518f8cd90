"""Messages in the shape that chat-completions APIs take, and what they cost there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from recollect.engine.intake import OVERHEAD
from recollect.types import Message, Part, Role

Count = Callable[[str], int]
ChatMessage = dict[str, Any]

ANSWER_BEGINS = 3
"""Tokens that open the answer behind the last message."""

PICTURE = 1_105
"""Tokens that a large picture costs with the providers that publish a price. What is not known must not overflow."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def as_chat(message: Message, text: str | None = None) -> ChatMessage:
    """A message as a provider takes it; `text` says it in other words (a shortened one, or one with memories before it).

    >>> from recollect.engine.intake import to_message
    >>> as_chat(Message("m", "s", 1, 0, Role.TOOL, "21 °C", 5, 0, 0.0, False, {}, tool_call_id="call_1"))
    {'role': 'tool', 'tool_call_id': 'call_1', 'content': '21 °C'}
    """
    role = message.role
    if role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": _content(message, text)}
    made: ChatMessage = {"role": role.value, "content": _content(message, text)}
    if message.name is not None and _NAME.fullmatch(message.name):
        made["name"] = message.name
    if message.tool_calls:
        made["content"] = made["content"] or None
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return made


def _content(message: Message, text: str | None) -> str | list[dict[str, Any]]:
    if not any(part.kind != "text" for part in message.parts):
        return message.text if text is None else text
    parts = [_part(part) for part in message.parts if text is None or part.kind != "text"]
    return parts if text is None else [{"type": "text", "text": text}, *parts]


def _part(part: Part) -> dict[str, Any]:
    if part.kind == "text":
        return {"type": "text", "text": part.text or ""}
    if part.kind == "image" and part.uri:
        return {"type": "image_url", "image_url": {"url": part.uri}}
    said = ", ".join(value for value in (part.name, part.media_type, part.uri, part.text) if value)
    return {"type": "text", "text": f"[{part.kind}: {said}]"}


def cost(chat: Mapping[str, Any], count: Count) -> int:
    """The tokens of one message in a prompt: its content, role, name, ids and tool calls, and the format around them.

    >>> cost({"role": "user", "content": "Hello there"}, lambda text: len(text.split()))
    6
    """
    content: Any = chat.get("content")
    parts: Any = () if isinstance(content, str) else content or ()
    total = OVERHEAD + sum(_part_cost(part, count) for part in parts) + (count(content) if isinstance(content, str) else 0)
    if "name" in chat:
        total += 1 + count(chat["name"])
    if "tool_call_id" in chat:
        total += count(chat["tool_call_id"])
    for call in chat.get("tool_calls", ()):
        function = call["function"]
        total += OVERHEAD + count(call["id"]) + count(function["name"]) + count(function["arguments"])
    return total


def _part_cost(part: Mapping[str, Any], count: Count) -> int:
    return PICTURE if part["type"] == "image_url" else 1 + count(part["text"])


def stored_cost(message: Message, count: Count) -> int:
    """The same for a message whose text was counted when it was saved, by the same tokenizer."""
    if message.parts:
        return cost(as_chat(message), count)
    total = message.tokens
    if message.role is Role.TOOL:
        total += count(message.tool_call_id or "")
    elif message.name is not None and _NAME.fullmatch(message.name):
        total += 1 + count(message.name)
    return total
