"""What of a request is new. Many clients send the whole history each time, some the end of it, some the last message alone.

What was sent is laid beside the conversation as it is stored. Where both agree up to the end, the rest is new. Where they
agree and then part, the client has changed the history: it goes on behind the last message that they have in common, on a
branch of its own, or on one that is there already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from recollect.chat import Chat
from recollect.errors import NotFound
from recollect.server.openai.speech import text_of
from recollect.types import Draft, Message

MORE = 16
"""Messages that are read beyond twice as many as were sent, before all are."""


class Run(NamedTuple):
    """A stretch of messages that were sent and are stored: where it begins in either, and how long it is."""

    sent: int = 0
    stored: int = 0
    length: int = 0


class Known(NamedTuple):
    """What was found stored: the messages by their places among those sent, the last of them, and the first new place.

    `moved` says that the conversation has gone on behind the last one, so that it must go back to it.
    """

    messages: dict[int, Message]
    last: Message | None
    new: int
    moved: bool


Same = Callable[[Message, Draft], bool]


def same(stored: Message, sent: Draft) -> bool:
    """Whether a stored message is the one that was sent. Clients trim texts, and write the arguments of calls anew."""
    return (
        stored.role.value == sent.role
        and stored.text.strip() == text_of(sent).strip()
        and [call.id for call in stored.tool_calls] == [call.id for call in sent.tool_calls]
        and stored.tool_call_id == sent.tool_call_id
    )


def longest_run(stored: Sequence[Message], sent: Sequence[Draft]) -> Run:
    """Where what was sent stands in a conversation.

    A message alone is something new, unless it is the last one, which nobody has answered. One message that is the same
    somewhere in the middle proves nothing, unless both begin with it.
    """
    if len(sent) == 1:
        return Run(0, len(stored) - 1, 1) if stored and same(stored[-1], sent[0]) else Run()
    best = Run()
    for at in range(len(stored)):
        length = _agreed(stored[at:], sent)
        proves = length > 1 or at == 0 or at + length == len(stored)
        if length and length >= best.length and proves:
            best = Run(0, at, length)
    return best if best.length else _at_the_end(stored, sent)


def _agreed(stored: Sequence[Message], sent: Sequence[Draft]) -> int:
    length = 0
    while length < min(len(stored), len(sent)) and same(stored[length], sent[length]):
        length += 1
    return length


def _at_the_end(stored: Sequence[Message], sent: Sequence[Draft]) -> Run:
    """A client that tells the beginning in its own words may still know the end."""
    for begin in range(1, len(sent)):
        for length in range(min(len(stored), len(sent) - begin), 0, -1):
            if _agreed(stored[-length:], sent[begin : begin + length]) == length:
                return Run(begin, len(stored) - length, length)
    return Run()


def known(chat: Chat, sent: Sequence[Draft]) -> Known:
    """What of a request is stored already."""
    if (again := _said_before(chat, sent[-1])) is not None:
        return Known({len(sent) - 1: again}, again, len(sent), moved=chat.messages(last=1)[-1].id != again.id)
    wanted = 1 if len(sent) == 1 else 2 * len(sent) + MORE
    stored = chat.messages(last=wanted)
    run = longest_run(stored, sent)
    if len(sent) > 1 and len(stored) == wanted and run.stored + run.length < len(stored):
        stored = chat.messages()
        run = longest_run(stored, sent)
    if not run.length:
        return Known({}, stored[-1] if stored else None, 0, moved=False)
    found = {run.sent + step: stored[run.stored + step] for step in range(run.length)}
    new = run.sent + run.length
    if run.stored + run.length < len(stored):
        # Only who has changed the history may know a branch that is not the active one.
        for message in _onward(chat._tree()[0], found[new - 1], sent[new:]):  # pyright: ignore[reportPrivateUsage]
            found[new] = message
            new += 1
        return Known(found, found[new - 1], new, moved=True)
    return Known(found, stored[-1], new, moved=False)


def _said_before(chat: Chat, sent: Draft) -> Message | None:
    """A message of this very id: the request is sent once more."""
    try:
        return None if sent.id is None else chat.message(sent.id)
    except NotFound:
        return None


def _onward(tree: Iterable[Message], last: Message, sent: Sequence[Draft]) -> list[Message]:
    """The messages of a branch that says what was sent, behind one that is known; of several the newest."""
    found: list[Message] = []
    behind: dict[int, list[Message]] = {}
    for message in tree:
        behind.setdefault(message.parent, []).append(message)
    for draft in sent:
        fitting = [one for one in behind.get(last.seq, ()) if same(one, draft)]
        if not fitting:
            break
        last = max(fitting, key=lambda one: one.seq)
        found.append(last)
    return found
