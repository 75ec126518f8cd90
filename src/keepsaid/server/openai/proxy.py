"""A proxied turn: the caller's messages are saved, and the prompt for the model is built from memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote

from keepsaid.agent.sources import list_sources
from keepsaid.config import Settings
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.errors import BudgetTooSmall, InvalidInput
from keepsaid.interchange.formats.openai_items import new_id
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.server.openai.answers import AnswerCollector
from keepsaid.server.openai.chat_messages import draft_of, split_messages
from keepsaid.server.openai.prompts import restore_messages
from keepsaid.server.openai.reconcile import KnownMessages, find_known_messages
from keepsaid.types import Message, MessageDraft, Role
from keepsaid.types.prompts import Context

Fields = Mapping[str, Any]
CONVERSATION_PREFIX = "conv_"
SAFE_IN_HEADER = " !\"#$&'()*+,/:;<=>?@[]^`{|}~"
"""Characters that a header may contain as they are; others are percent-encoded."""
NO_USER_MESSAGE = "there is no user message to answer"
GENERATED_ID_LENGTH = 32
"""Length of an id that Keepsaid generated."""


class ProxyTurn(NamedTuple):
    """A turn in progress: everything is saved except the answer."""

    chat: Chat
    last: Message
    question: Message
    context: Context
    messages: list[dict[str, Any]]
    began: float

    def headers(self) -> dict[str, str]:
        """Return the response headers that describe the turn."""
        headers = {
            "Keepsaid-Conversation": quote(self.chat.id, safe=SAFE_IN_HEADER),
            "Keepsaid-Used": str(len(list_sources(self.context))),
            "Keepsaid-Tokens": str(self.context.tokens),
        }
        return headers if self.context.receipt_id is None else headers | {"Keepsaid-Receipt": self.context.receipt_id}

    def save(self, reading: AnswerCollector, otherwise: str) -> str:
        """Save the complete or partial answer after the last message, and return its finish reason. `otherwise` is the
        reason if the endpoint gave none."""
        answer = reading.completion()
        finish = answer.finish or otherwise
        if not answer.text.strip() and not answer.tool_calls:
            return finish
        metadata = {
            "model": answer.model,
            "duration_ms": round(1000 * (time.monotonic() - self.began)),
            "prompt_tokens": answer.prompt_tokens,
            "answer_tokens": answer.answer_tokens,
            "finish": finish,
            "receipt": self.context.receipt_id,
        }
        private = True if self.question.private else None
        draft = MessageDraft(
            "assistant", answer.text, new_id("msg"), answer.tool_calls, metadata=metadata, private=private
        )  # fmt: skip
        self.chat.add_many([draft], after=self.last.id)
        return finish


class ProxyRequest(NamedTuple):
    """A request: owner, conversation and messages. `new_id` creates ids for a new conversation and for messages."""

    owner: str
    conversation: str | None
    messages: Sequence[Fields]
    new_id: Callable[[str], str]


def begin_turn(memory: Memory, settings: Settings, asking: ProxyRequest) -> ProxyTurn:
    """Begin a turn: save the new messages and build the prompt."""
    began = time.monotonic()
    speech = split_messages(asking.messages)
    if not speech.messages:
        raise InvalidInput(NO_USER_MESSAGE)
    censor = PersonalDataRedactor(settings.redact_stored)
    drafts = [
        replace(censor.draft(draft_of(message)), id=asking.new_id(f"msg_{place}"))
        for place, message in enumerate(speech.messages)
    ]
    chat = _open_chat(memory, asking, drafts)
    found = find_known_messages(chat, drafts)
    asked = _asked_before(chat, found, drafts)
    after = found.last.id if found.has_branched and found.last is not None else None
    saved = chat.add_many(drafts[found.first_new :], after=after)
    if after is not None and not saved:
        chat.switch(after)
    places = found.messages | dict(zip(range(found.first_new, len(drafts)), saved, strict=True))
    last = saved[-1] if saved else found.last
    question = asked or next(one for _, one in sorted(places.items(), reverse=True) if one.role is Role.USER)
    assert last is not None
    context = _build_context(chat, speech.system)
    # The original messages still contain what must be redacted before sending.
    if settings.redact_sent:
        return ProxyTurn(chat, last, question, context, context.messages, began)
    sent = {message.id: speech.messages[place] for place, message in places.items()}
    return ProxyTurn(chat, last, question, context, restore_messages(context, question.id, sent, chat.message), began)


def _open_chat(memory: Memory, asking: ProxyRequest, drafts: Sequence[MessageDraft]) -> Chat:
    """Open the conversation. A name chosen by the caller creates one at first use; a generated id must exist."""
    conversation, has_user_message = asking.conversation, any(draft.role == "user" for draft in drafts)
    if conversation is None:
        if not has_user_message:
            raise InvalidInput(NO_USER_MESSAGE)
        return memory.chat(owner=asking.owner, session=asking.new_id("conv"), create=True)
    is_generated = conversation.startswith(CONVERSATION_PREFIX) or (
        len(conversation) == GENERATED_ID_LENGTH and _is_hexadecimal(conversation)
    )
    return memory.chat(owner=asking.owner, session=conversation, create=has_user_message and not is_generated)


def _asked_before(chat: Chat, found: KnownMessages, drafts: Sequence[MessageDraft]) -> Message | None:
    """Return the last stored user message if the request has none, otherwise None. Raise if there is no user message at
    all."""
    roles = [message.role.value for message in found.messages.values()] + [draft.role for draft in drafts[found.first_new :]]
    if "user" in roles:
        return None
    last = found.last
    asked = None if last is None else chat._asked(last.id)  # pyright: ignore[reportPrivateUsage]  # as the library does
    if asked is None:
        raise InvalidInput(NO_USER_MESSAGE)
    return asked


def _is_hexadecimal(text: str) -> bool:
    return all(character in "0123456789abcdef" for character in text)


def _build_context(chat: Chat, system: str | None) -> Context:
    """Build the prompt within the configured budget, or within a larger one if the caller's messages need it."""
    try:
        return chat.context(system=system)
    except BudgetTooSmall as error:
        return chat.context(system=system, budget=error.needed)
