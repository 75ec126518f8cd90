"""Messages in the format of chat-completions APIs, and their token counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from keepsaid.engine.messages.intake import MESSAGE_OVERHEAD
from keepsaid.types import ContentPart, Message, Role

TokenCountFunction = Callable[[str], int]
ChatMessageDict = dict[str, Any]

ANSWER_START_TOKENS = 3
"""Tokens that start the answer after the last message."""

IMAGE_TOKENS = 1_105
"""Tokens of a large image with the providers that publish a price. An unknown size must not overflow the budget."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def to_chat_message(message: Message, text: str | None = None) -> ChatMessageDict:
    """Return a message in the format of a provider. `text` replaces its text: a shortened one, or one with memories before
    it.

    >>> from keepsaid.engine.messages.intake import to_message
    >>> to_chat_message(Message("m", "s", 1, 0, Role.TOOL, "21 °C", 5, 0, 0.0, False, {}, tool_call_id="call_1"))
    {'role': 'tool', 'tool_call_id': 'call_1', 'content': '21 °C'}
    """
    role = message.role
    if role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": _content(message, text)}
    chat: ChatMessageDict = {"role": role.value, "content": _content(message, text)}
    if message.name is not None and _NAME.fullmatch(message.name):
        chat["name"] = message.name
    if message.tool_calls:
        chat["content"] = chat["content"] or None
        chat["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return chat


def _content(message: Message, text: str | None) -> str | list[dict[str, Any]]:
    if not any(part.kind != "text" for part in message.parts):
        return message.text if text is None else text
    parts = [_to_content_part(part) for part in message.parts if text is None or part.kind != "text"]
    return parts if text is None else [{"type": "text", "text": text}, *parts]


def _to_content_part(part: ContentPart) -> dict[str, Any]:
    if part.kind == "text":
        return {"type": "text", "text": part.text or ""}
    if part.kind == "image" and part.uri:
        return {"type": "image_url", "image_url": {"url": part.uri}}
    details = ", ".join(value for value in (part.name, part.media_type, part.uri, part.text) if value)
    return {"type": "text", "text": f"[{part.kind}: {details}]"}


def count_chat_message_tokens(chat: Mapping[str, Any], count: TokenCountFunction) -> int:
    """Return the tokens of one message in a prompt: its content, role, name, ids and tool calls, and the format around them.

    >>> count_chat_message_tokens({"role": "user", "content": "Hello there"}, lambda text: len(text.split()))
    6
    """
    content: Any = chat.get("content")
    parts: Any = () if isinstance(content, str) else content or ()
    total = (
        MESSAGE_OVERHEAD
        + sum(_count_part_tokens(part, count) for part in parts)
        + (count(content) if isinstance(content, str) else 0)
    )
    if "name" in chat:
        total += 1 + count(chat["name"])
    if "tool_call_id" in chat:
        total += count(chat["tool_call_id"])
    for call in chat.get("tool_calls", ()):
        function = call["function"]
        total += MESSAGE_OVERHEAD + count(call["id"]) + count(function["name"]) + count(function["arguments"])
    return total


def _count_part_tokens(part: Mapping[str, Any], count: TokenCountFunction) -> int:
    return IMAGE_TOKENS if part["type"] == "image_url" else 1 + count(part["text"])


def count_stored_message_tokens(message: Message, count: TokenCountFunction) -> int:
    """Return the same for a stored message, whose text was counted by the same tokenizer when it was saved."""
    if message.parts:
        return count_chat_message_tokens(to_chat_message(message), count)
    total = message.tokens
    if message.role is Role.TOOL:
        total += count(message.tool_call_id or "")
    elif message.name is not None and _NAME.fullmatch(message.name):
        total += 1 + count(message.name)
    return total
