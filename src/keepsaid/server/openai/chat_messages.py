"""Convert chat messages of requests into drafts to save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from keepsaid.interchange.formats.openai_parts import parts_of
from keepsaid.types import ContentPart, MessageDraft, ToolCall

Fields = Mapping[str, Any]


class SplitMessages(NamedTuple):
    """The messages of a request: the system prompt of its turn, if any, and those of the conversation."""

    system: str | None
    messages: list[Fields]


def split_messages(messages: Sequence[Fields]) -> SplitMessages:
    """Separate system and developer messages from the rest.

    >>> split_messages([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]).system
    'Be brief.'
    """
    system = [text_of(draft_of(message)) for message in messages if message["role"] in ("system", "developer")]
    spoken = [message for message in messages if message["role"] not in ("system", "developer")]
    return SplitMessages("\n\n".join(system) if system else None, spoken)


def draft_of(message: Fields) -> MessageDraft:
    """Convert a chat message into a draft.

    >>> draft_of({"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "there"}]}).content
    'Hi\\nthere'
    """
    role = "system" if message["role"] == "developer" else message["role"]
    body = message.get("content") or message.get("refusal") or ""
    if not isinstance(body, str):
        parts = parts_of(body, "text")
        plain = not isinstance(parts, str) and all(part.kind == "text" for part in parts)
        body = "\n".join(part.text or "" for part in parts if isinstance(part, ContentPart)) if plain else parts
    calls = tuple(_call(call) for call in message.get("tool_calls") or ())
    return MessageDraft(role, body, None, calls, message.get("tool_call_id"), message.get("name"))


def text_of(draft: MessageDraft) -> str:
    """Return the text of a draft."""
    if isinstance(draft.content, str):
        return draft.content
    return "\n".join(part.text for part in draft.content if part.text)


def _call(call: Fields) -> ToolCall:
    """Convert a function call, or the call of a plain-text tool, whose input is saved as arguments."""
    function, custom = _fields(call.get("function")), _fields(call.get("custom"))
    name = function.get("name") or custom.get("name") or "unnamed"
    return ToolCall(call["id"], str(name), str(function.get("arguments") or custom.get("input") or "{}"))


def _fields(value: Any) -> Fields:
    return cast("Fields", value) if isinstance(value, dict) else {}
