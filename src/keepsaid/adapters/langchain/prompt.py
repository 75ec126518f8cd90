"""Build prompts of LangChain messages. Everything retrieved from memory goes into the system message, so that the other
messages stay the agent's own, with their ids, reasoning and signatures, wherever the prompt has them unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from keepsaid.adapters.common import missing_extra

try:
    from langchain_core.messages import BaseMessage, SystemMessage, convert_to_messages
except ImportError:
    raise missing_extra("LangChain", "langchain") from None

from keepsaid.adapters.langchain.messages import to_message
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, Role
from keepsaid.types.prompts import Context, PromptItem

MOVE_TOKENS = 8
"""Extra tokens that found items may take in the system message, compared to before the question."""

FOUND_SECTIONS = ("facts", "tools", "recalled", "documents")
CONVERSATION_SECTIONS = ("pinned", "recent")
"""Sections of a prompt: what was found for its question, and messages of the conversation."""


class ModelPrompt(NamedTuple):
    """The system text and the messages for a model."""

    system: str
    messages: list[BaseMessage]


def build_prompt(chat: Chat, **how: Any) -> ModelPrompt:
    """Return the prompt for the last user message. Without one, because there is none or it was erased, return a prompt with
    the rest."""
    try:
        context, is_asked = _context(chat, None, how), True
    except InvalidInput:
        if any(message.role is Role.USER for message in chat.messages()):
            raise
        context, is_asked = _context(chat, "", how), False
    has_head = context.messages[0]["role"] == "system"
    head = [context.messages[0]["content"]] if has_head else []
    path = context.messages[1:] if has_head else context.messages
    question_index = max(at for at, message in enumerate(path) if message["role"] == "user")
    found = _found_text(context, path[question_index]).strip()
    messages = _messages(chat, context, path, question_index)
    if not is_asked:
        del messages[question_index]
    return ModelPrompt("\n\n".join([*head, found] if found else head), messages)


def _context(chat: Chat, question: str | None, how: Mapping[str, Any]) -> Context:
    context = chat.context(question, **how)
    if not _has_found_items(context) or context.tokens + MOVE_TOKENS <= context.budget:
        return context
    tighter: dict[str, Any] = {**how, "budget": context.budget - MOVE_TOKENS}
    return chat.context(question, **tighter)


def extend_system_message(given: SystemMessage | None, prompt: ModelPrompt) -> SystemMessage | None:
    """Return the agent's system message with the additions of the prompt."""
    if not prompt.system:
        return given
    if given is None or not prompt.system.startswith(given.text):
        return SystemMessage(prompt.system)
    if isinstance(given.content, str):
        return given.model_copy(update={"content": prompt.system})
    added = prompt.system[len(given.text) :]
    blocks = [{"type": "text", "text": added}] if added else []
    return given.model_copy(update={"content": [*given.content, *blocks]})


def _has_found_items(context: Context) -> bool:
    return any(section in context.sections for section in FOUND_SECTIONS)


def _found_text(context: Context, question_message: Mapping[str, Any]) -> str:
    """Return what was found for the question; the prompt has it before the question, in the same message."""
    if not _has_found_items(context):
        return ""
    content: Any = question_message["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return text.removesuffix(context.question)


def _messages(chat: Chat, context: Context, path: list[dict[str, Any]], question_index: int) -> list[BaseMessage]:
    items = [item for item in context.items if item.section in CONVERSATION_SECTIONS]
    stored = {message.id: message for message in chat.messages(last=2 * len(path))}
    question = next((one for one in reversed(stored.values()) if one.role is Role.USER), None)
    originals = [_original(chat, stored, item) for item in items]
    originals.insert(question_index, question if question is not None and question.text == context.question else None)
    if context.redacted or len(originals) != len(path):
        originals = [None] * len(path)
    # Redacted or shortened messages are not replaced by their originals.
    return [
        convert_to_messages([one])[0] if original is None else to_message(original)
        for one, original in zip(_with_bare_question(context, path, question_index), originals, strict=True)
    ]


def _original(chat: Chat, stored: Mapping[str, Message], item: PromptItem) -> Message | None:
    """Return the stored message of an item, if the prompt has it in full."""
    if not item.whole:
        return None
    try:
        return stored.get(item.id) or chat.message(item.id)
    except NotFound:
        return None


def _with_bare_question(context: Context, path: list[dict[str, Any]], question_index: int) -> list[dict[str, Any]]:
    """Return the messages of a prompt, with only the question in the question's message."""
    if not _has_found_items(context):
        return path
    content: Any = path[question_index]["content"]
    plain = context.question if isinstance(content, str) else [{"type": "text", "text": context.question}, *content[1:]]
    return [*path[:question_index], {**path[question_index], "content": plain}, *path[question_index + 1 :]]
