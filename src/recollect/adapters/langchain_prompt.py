"""A prompt in LangChain's messages: those that were given, where they are told as they were, and all that is remembered in
the system message. So the messages are the agent's own, with ids, thoughts and signatures, and nothing was put into them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.adapters.common import missing

try:
    from langchain_core.messages import BaseMessage, SystemMessage, convert_to_messages
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_messages import to_message
from recollect.chat import Chat
from recollect.errors import InvalidInput, NotFound
from recollect.prompt import Context, Item
from recollect.types import Message, Role

MOVED = 8
"""Tokens that what was found may cost more in the system message than before the question."""

FOUND = ("facts", "tools", "recalled", "documents")
TOLD = ("pinned", "recent")
"""Sections of a prompt: what was found for its question, and what is told of the conversation."""


class Prompt(NamedTuple):
    """What a model is told."""

    system: str
    messages: list[BaseMessage]


def prompt_for(chat: Chat, **how: Any) -> Prompt:
    """The prompt for the last thing that the user said. Where he said nothing, or erased it, it is what else there is."""
    try:
        context, is_asked = _context(chat, None, how), True
    except InvalidInput:
        if any(message.role is Role.USER for message in chat.messages()):
            raise
        context, is_asked = _context(chat, "", how), False
    has_head = context.messages[0]["role"] == "system"
    head = [context.messages[0]["content"]] if has_head else []
    told = context.messages[1:] if has_head else context.messages
    asked = max(at for at, message in enumerate(told) if message["role"] == "user")
    found = _found(context, told[asked]).strip()
    messages = _messages(chat, context, told, asked)
    if not is_asked:
        del messages[asked]
    return Prompt("\n\n".join([*head, found] if found else head), messages)


def _context(chat: Chat, question: str | None, how: Mapping[str, Any]) -> Context:
    context = chat.context(question, **how)
    if not _was_found(context) or context.tokens + MOVED <= context.budget:
        return context
    tighter: dict[str, Any] = {**how, "budget": context.budget - MOVED}
    return chat.context(question, **tighter)


def with_prompt(given: SystemMessage | None, prompt: Prompt) -> SystemMessage | None:
    """The agent's system message, with what the prompt adds to it."""
    if not prompt.system:
        return given
    if given is None or not prompt.system.startswith(given.text):
        return SystemMessage(prompt.system)
    if isinstance(given.content, str):
        return given.model_copy(update={"content": prompt.system})
    added = prompt.system[len(given.text) :]
    blocks = [{"type": "text", "text": added}] if added else []
    return given.model_copy(update={"content": [*given.content, *blocks]})


def _was_found(context: Context) -> bool:
    return any(section in context.sections for section in FOUND)


def _found(context: Context, asked: Mapping[str, Any]) -> str:
    """What was found for the question, which stands before it."""
    if not _was_found(context):
        return ""
    content: Any = asked["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return text.removesuffix(context.question)


def _messages(chat: Chat, context: Context, told: list[dict[str, Any]], asked: int) -> list[BaseMessage]:
    items = [item for item in context.items if item.section in TOLD]
    stored = {message.id: message for message in chat.messages(last=2 * len(told))}
    question = next((one for one in reversed(stored.values()) if one.role is Role.USER), None)
    originals = [_original(chat, stored, item) for item in items]
    originals.insert(asked, question if question is not None and question.text == context.question else None)
    if context.redacted or len(originals) != len(told):
        originals = [None] * len(told)
    # What something was removed of, or what was shortened, is not told in its own words.
    return [
        convert_to_messages([one])[0] if original is None else to_message(original)
        for one, original in zip(_asked_plainly(context, told, asked), originals, strict=True)
    ]


def _original(chat: Chat, stored: Mapping[str, Message], item: Item) -> Message | None:
    """The message that an item stands for, if it is told whole."""
    if not item.whole:
        return None
    try:
        return stored.get(item.id) or chat.message(item.id)
    except NotFound:
        return None


def _asked_plainly(context: Context, told: list[dict[str, Any]], asked: int) -> list[dict[str, Any]]:
    """The messages of a prompt, with nothing but the question in that of the question."""
    if not _was_found(context):
        return told
    content: Any = told[asked]["content"]
    plain = context.question if isinstance(content, str) else [{"type": "text", "text": context.question}, *content[1:]]
    return [*told[:asked], {**told[asked], "content": plain}, *told[asked + 1 :]]
