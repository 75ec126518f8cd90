"""Chat messages as callers send them, as messages to be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from recollect.interchange.openai_parts import parts_of
from recollect.types import Draft, Part, ToolCall

Fields = Mapping[str, Any]


class Speech(NamedTuple):
    """What a request says: the system prompt of its turn, if it has one, and the messages of the conversation."""

    system: str | None
    messages: list[Fields]


def speech_of(messages: Sequence[Fields]) -> Speech:
    """System and developer messages apart from what was said.

    >>> speech_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]).system
    'Be brief.'
    """
    system = [text_of(draft_of(message)) for message in messages if message["role"] in ("system", "developer")]
    said = [message for message in messages if message["role"] not in ("system", "developer")]
    return Speech("\n\n".join(system) if system else None, said)


def draft_of(message: Fields) -> Draft:
    """A chat message as it is saved.

    >>> draft_of({"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "there"}]}).content
    'Hi\\nthere'
    """
    role = "system" if message["role"] == "developer" else message["role"]
    body = message.get("content") or message.get("refusal") or ""
    if not isinstance(body, str):
        parts = parts_of(body, "text")
        plain = not isinstance(parts, str) and all(part.kind == "text" for part in parts)
        body = "\n".join(part.text or "" for part in parts if isinstance(part, Part)) if plain else parts
    calls = tuple(_call(call) for call in message.get("tool_calls") or ())
    return Draft(role, body, None, calls, message.get("tool_call_id"), message.get("name"))


def text_of(draft: Draft) -> str:
    """The text that a draft will have."""
    if isinstance(draft.content, str):
        return draft.content
    return "\n".join(part.text for part in draft.content if part.text)


def _call(call: Fields) -> ToolCall:
    """A call of a function; or of a tool that takes plain text, whose input is kept as its arguments."""
    function, custom = _fields(call.get("function")), _fields(call.get("custom"))
    name = function.get("name") or custom.get("name") or "unnamed"
    return ToolCall(call["id"], str(name), str(function.get("arguments") or custom.get("input") or "{}"))


def _fields(value: Any) -> Fields:
    return cast("Fields", value) if isinstance(value, dict) else {}
