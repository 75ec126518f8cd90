"""The prompt of a proxied turn: what the memory gives, with what the caller sent put back in as he sent it.

The memory's own prompt has texts, pictures and tool calls. Whatever else a caller's messages have (sound, files, hints for
caches, fields that nobody here knows) is not ours to lose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.engine.compile.chat_format import as_chat
from recollect.interchange.openai_parts import chat_content
from recollect.prompt import Context
from recollect.types import Message

Fields = Mapping[str, Any]
OWN = ("pinned", "recent")
"""The sections of a prompt that are messages of the conversation itself."""


def completed(
    context: Context, question: str, sent: Mapping[str, Fields], stored: Callable[[str], Message]
) -> list[dict[str, Any]]:
    """The messages of a prompt. `question` is the id of the message that is answered, `sent` what the caller sent, by the
    ids of the messages that it is stored as; `stored` looks one of them up."""
    messages = context.messages
    told = [item.id for item in context.items if item.kind == "message" and item.section in OWN]
    first = len(messages) - len(told) - 1
    # The question is the last thing that a user says; what tools answered for it comes behind.
    asked = max(place for place, message in enumerate(messages) if message["role"] == "user") - first
    ids = [*told[:asked], question, *told[asked:]]
    return [*messages[:first], *(_known(*one, sent, stored) for one in zip(messages[first:], ids, strict=True))]


def _known(made: dict[str, Any], id: str, sent: Mapping[str, Fields], stored: Callable[[str], Message]) -> dict[str, Any]:
    if id not in sent and not isinstance(made["content"], list):
        return made
    return _restored(made, stored(id), sent.get(id))


def _restored(made: dict[str, Any], stored: Message, sent: Fields | None) -> dict[str, Any]:
    """One message as it was sent; where the prompt says it in other words (shortened, or with memories before it), those
    words, and the rest as it was sent."""
    original = dict(sent) if sent is not None else _from_parts(made, stored)
    if made == as_chat(stored):
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
