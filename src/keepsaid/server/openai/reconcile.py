"""Find which messages of a request are new. Many clients send the whole history each time, some its end, some only the last.

The sent messages are compared with the stored conversation. If they match up to its end, the rest is new. If they match and
then differ, the client has changed the history: the turn continues after the last common message, on a new branch or an
existing one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from keepsaid.errors import NotFound
from keepsaid.memory.chat import Chat
from keepsaid.server.openai.chat_messages import text_of
from keepsaid.types import Message, MessageDraft

EXTRA_MESSAGES = 16
"""Stored messages read beyond twice the number sent, before all are read."""


class MatchingRun(NamedTuple):
    """A run of messages that were sent and are stored: where it starts in each, and its length."""

    sent: int = 0
    stored: int = 0
    length: int = 0


class KnownMessages(NamedTuple):
    """The stored messages by their index among those sent, the last of them, and the first new index.

    `has_branched` says that the conversation has continued after the last one, so that it must return to it.
    """

    messages: dict[int, Message]
    last: Message | None
    first_new: int
    has_branched: bool


Same = Callable[[Message, MessageDraft], bool]


def is_same_message(stored: Message, sent: MessageDraft) -> bool:
    """Whether a stored message is the one that was sent. Clients trim texts and reserialize the arguments of calls."""
    return (
        stored.role.value == sent.role
        and stored.text.strip() == text_of(sent).strip()
        and [call.id for call in stored.tool_calls] == [call.id for call in sent.tool_calls]
        and stored.tool_call_id == sent.tool_call_id
    )


def longest_run(stored: Sequence[Message], sent: Sequence[MessageDraft]) -> MatchingRun:
    """Find where the sent messages are in a conversation.

    A single message is new, unless it is the last one and unanswered. One equal message somewhere in the middle proves
    nothing, unless both begin with it.
    """
    if len(sent) == 1:
        return MatchingRun(0, len(stored) - 1, 1) if stored and is_same_message(stored[-1], sent[0]) else MatchingRun()
    best = MatchingRun()
    for at in range(len(stored)):
        length = _agreed(stored[at:], sent)
        proves = length > 1 or at == 0 or at + length == len(stored)
        if length and length >= best.length and proves:
            best = MatchingRun(0, at, length)
    return best if best.length else _at_the_end(stored, sent)


def _agreed(stored: Sequence[Message], sent: Sequence[MessageDraft]) -> int:
    length = 0
    while length < min(len(stored), len(sent)) and is_same_message(stored[length], sent[length]):
        length += 1
    return length


def _at_the_end(stored: Sequence[Message], sent: Sequence[MessageDraft]) -> MatchingRun:
    """Match at the end: a client may have reworded the beginning and still have the same end."""
    for begin in range(1, len(sent)):
        for length in range(min(len(stored), len(sent) - begin), 0, -1):
            if _agreed(stored[-length:], sent[begin : begin + length]) == length:
                return MatchingRun(begin, len(stored) - length, length)
    return MatchingRun()


def find_known_messages(chat: Chat, sent: Sequence[MessageDraft]) -> KnownMessages:
    """Find the messages of a request that are already stored."""
    if (again := _stored_retry(chat, sent[-1])) is not None:
        return KnownMessages({len(sent) - 1: again}, again, len(sent), has_branched=chat.messages(last=1)[-1].id != again.id)
    wanted = 1 if len(sent) == 1 else 2 * len(sent) + EXTRA_MESSAGES
    stored = chat.messages(last=wanted)
    run = longest_run(stored, sent)
    if len(sent) > 1 and len(stored) == wanted and run.stored + run.length < len(stored):
        stored = chat.messages()
        run = longest_run(stored, sent)
    if not run.length:
        return KnownMessages({}, stored[-1] if stored else None, 0, has_branched=False)
    found = {run.sent + step: stored[run.stored + step] for step in range(run.length)}
    new = run.sent + run.length
    if run.stored + run.length < len(stored):
        # A client that has changed the history may continue a branch that is not the active one.
        for message in _follow_branch(chat._tree()[0], found[new - 1], sent[new:]):  # pyright: ignore[reportPrivateUsage]
            found[new] = message
            new += 1
        return KnownMessages(found, found[new - 1], new, has_branched=True)
    return KnownMessages(found, stored[-1], new, has_branched=False)


def _stored_retry(chat: Chat, sent: MessageDraft) -> Message | None:
    """Return the message with the draft's id, if it is stored: the request is a retry."""
    try:
        return None if sent.id is None else chat.message(sent.id)
    except NotFound:
        return None


def _follow_branch(tree: Iterable[Message], last: Message, sent: Sequence[MessageDraft]) -> list[Message]:
    """Return the messages after `last` on the branch that matches what was sent; of several branches the newest."""
    found: list[Message] = []
    children: dict[int, list[Message]] = {}
    for message in tree:
        children.setdefault(message.parent, []).append(message)
    for draft in sent:
        matching = [one for one in children.get(last.seq, ()) if is_same_message(one, draft)]
        if not matching:
            break
        last = max(matching, key=lambda one: one.seq)
        found.append(last)
    return found
