"""A turn of a conversation whose model is asked for somebody else: what he says is saved and answered from memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote

from recollect.agent.sources import sources
from recollect.chat import Chat
from recollect.config import Settings
from recollect.engine.redact.censor import Censor
from recollect.errors import BudgetTooSmall, InvalidInput
from recollect.interchange.openai_items import new_id
from recollect.memory import Memory
from recollect.prompt import Context
from recollect.server.openai.answers import Reading
from recollect.server.openai.prompts import completed
from recollect.server.openai.reconcile import Known, known
from recollect.server.openai.speech import draft_of, speech_of
from recollect.types import Draft, Message, Role

Fields = Mapping[str, Any]
PREFIX = "conv_"
SAFE = " !\"#$&'()*+,/:;<=>?@[]^`{|}~"
"""What may stand in a header as it is; the rest is percent-encoded."""
NOBODY_ASKS = "there is no message of a user to answer"
OUR_ID = 32
"""Digits of an id that this house made itself."""


class Turn(NamedTuple):
    """A turn that was begun: all is saved but the answer."""

    chat: Chat
    last: Message
    question: Message
    context: Context
    messages: list[dict[str, Any]]
    began: float

    def headers(self) -> dict[str, str]:
        """What the caller is told of it."""
        told = {
            "Recollect-Conversation": quote(self.chat.id, safe=SAFE),
            "Recollect-Used": str(len(sources(self.context))),
            "Recollect-Tokens": str(self.context.tokens),
        }
        return told if self.context.receipt_id is None else told | {"Recollect-Receipt": self.context.receipt_id}

    def save(self, reading: Reading, otherwise: str) -> str:
        """Saves the answer, or what came of it, behind what it answers; tells how it ended. `otherwise` is how, where the
        endpoint has not said so."""
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
        draft = Draft(
            "assistant", answer.text, new_id("msg"), answer.tool_calls, metadata=metadata, private=private
        )  # fmt: skip
        self.chat.add_many([draft], after=self.last.id)
        return finish


class Asking(NamedTuple):
    """Who asks what, in which conversation. `new_id` makes ids: of a conversation that has none yet, and of messages."""

    owner: str
    conversation: str | None
    messages: Sequence[Fields]
    new_id: Callable[[str], str]


def begun(memory: Memory, settings: Settings, asking: Asking) -> Turn:
    """Begins a turn: saves what is new, and has the prompt made."""
    began = time.monotonic()
    speech = speech_of(asking.messages)
    if not speech.messages:
        raise InvalidInput(NOBODY_ASKS)
    censor = Censor(settings.redact_stored)
    drafts = [
        replace(censor.draft(draft_of(message)), id=asking.new_id(f"msg_{place}"))
        for place, message in enumerate(speech.messages)
    ]
    chat = _opened(memory, asking, drafts)
    found = known(chat, drafts)
    asked = _asked_before(chat, found, drafts)
    after = found.last.id if found.moved and found.last is not None else None
    saved = chat.add_many(drafts[found.new :], after=after)
    if after is not None and not saved:
        chat.switch(after)
    places = found.messages | dict(zip(range(found.new, len(drafts)), saved, strict=True))
    last = saved[-1] if saved else found.last
    question = asked or next(one for _, one in sorted(places.items(), reverse=True) if one.role is Role.USER)
    assert last is not None
    context = _context(chat, speech.system)
    # What was sent still has what is to be removed before sending.
    if settings.redact_sent:
        return Turn(chat, last, question, context, context.messages, began)
    sent = {message.id: speech.messages[place] for place, message in places.items()}
    return Turn(chat, last, question, context, completed(context, question.id, sent, chat.message), began)


def _opened(memory: Memory, asking: Asking, drafts: Sequence[Draft]) -> Chat:
    """The conversation. One of the caller's own naming begins when it is first named; ids of ours must be known."""
    conversation, asks = asking.conversation, any(draft.role == "user" for draft in drafts)
    if conversation is None:
        if not asks:
            raise InvalidInput(NOBODY_ASKS)
        return memory.chat(owner=asking.owner, session=asking.new_id("conv"), create=True)
    ours = conversation.startswith(PREFIX) or (len(conversation) == OUR_ID and _is_hexadecimal(conversation))
    return memory.chat(owner=asking.owner, session=conversation, create=asks and not ours)


def _asked_before(chat: Chat, found: Known, drafts: Sequence[Draft]) -> Message | None:
    """What the user said last in what is stored, if the request itself has nothing of his; an error if nobody has said
    anything, then or now."""
    roles = [message.role.value for message in found.messages.values()] + [draft.role for draft in drafts[found.new :]]
    if "user" in roles:
        return None
    last = found.last
    asked = None if last is None else chat._asked(last.id)  # pyright: ignore[reportPrivateUsage]  # as for a turn of ours
    if asked is None:
        raise InvalidInput(NOBODY_ASKS)
    return asked


def _is_hexadecimal(text: str) -> bool:
    return all(character in "0123456789abcdef" for character in text)


def _context(chat: Chat, system: str | None) -> Context:
    """The prompt within the budget of the settings, or within what the caller's own words need."""
    try:
        return chat.context(system=system)
    except BudgetTooSmall as error:
        return chat.context(system=system, budget=error.needed)
