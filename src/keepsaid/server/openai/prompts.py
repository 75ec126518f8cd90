"""The prompt of a proxied turn: the prompt from memory, with the caller's messages restored as they were sent.

The memory's own prompt has text, images and tool calls. Everything else in a caller's messages (audio, files, cache hints,
unknown fields) must not be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from keepsaid.engine.prompt.chat_format import to_chat_message
from keepsaid.interchange.formats.openai_parts import chat_content
from keepsaid.types import Message
from keepsaid.types.prompts import Context

Fields = Mapping[str, Any]
CONVERSATION_SECTIONS = ("pinned", "recent")
"""The sections of a prompt that are messages of the conversation itself."""


def restore_messages(
    context: Context, question: str, sent: Mapping[str, Fields], stored: Callable[[str], Message]
) -> list[dict[str, Any]]:
    """Return the messages of a prompt. `question` is the id of the message to answer, `sent` has the caller's messages by
    the ids they are stored under, and `stored` looks up a stored message."""
    messages = context.messages
    included = [item.id for item in context.items if item.kind == "message" and item.section in CONVERSATION_SECTIONS]
    first = len(messages) - len(included) - 1
    # The question is the last user message; tool results for it come after it.
    question_index = max(place for place, message in enumerate(messages) if message["role"] == "user") - first
    ids = [*included[:question_index], question, *included[question_index:]]
    return [*messages[:first], *(_final(*one, sent, stored) for one in zip(messages[first:], ids, strict=True))]


def _final(made: dict[str, Any], id: str, sent: Mapping[str, Fields], stored: Callable[[str], Message]) -> dict[str, Any]:
    if id not in sent and not isinstance(made["content"], list):
        return made
    return _restored(made, stored(id), sent.get(id))


def _restored(made: dict[str, Any], stored: Message, sent: Fields | None) -> dict[str, Any]:
    """Return a message as it was sent. If the prompt has another text for it (shortened, or with memories before it), use
    that text and keep the rest as it was sent."""
    original = dict(sent) if sent is not None else _from_parts(made, stored)
    if made == to_chat_message(stored):
        return original
    content: Any = original.get("content")
    if not isinstance(content, list):
        return {**original, "content": made["content"]}
    words = made["content"] if isinstance(made["content"], str) else made["content"][0]["text"]
    rest: list[Any] = [one for one in content if one.get("type") != "text"]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return {**original, "content": [{"type": "text", "text": words}, *rest]}


def _from_parts(made: dict[str, Any], stored: Message) -> dict[str, Any]:
    contents = [chat_content(part) for part in stored.parts]
    if all(part.kind in ("text", "image") for part in stored.parts) or None in contents:
        return made
    return {**made, "content": contents}
