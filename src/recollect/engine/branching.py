"""Ways through a conversation that went several: what leads to a message, what goes on from it, what was said in its stead.

Messages come with their `seq` and `parent`, by growing `seq`; nothing follows something that was said after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.types import Message


def upwards(messages: Iterable[Message], seq: int) -> Iterator[Message]:
    """A message and those that lead to it, back to the beginning or as far as they are known.

    >>> from recollect.types import Role
    >>> tea, milk = (Message(id, "s", seq, seq - 1, Role.USER, id, 1, 0, 0.0, False, {}) for seq, id in ((1, "a"), (2, "b")))
    >>> [message.id for message in upwards([tea, milk], 2)]
    ['b', 'a']
    """
    known = {message.seq: message for message in messages}
    while seq in known:
        yield known[seq]
        seq = known[seq].parent


def newest_end(messages: Iterable[Message], start: Message) -> Message:
    """The newest of what goes on from a message; itself, if nothing does.

    >>> from recollect.types import Role
    >>> talk = [Message(str(seq), "s", seq, up, Role.USER, "", 1, 0, 0.0, False, {}) for seq, up in ((1, 0), (2, 1), (3, 0))]
    >>> newest_end(talk, talk[0]).id
    '2'
    """
    below, end = {start.seq}, start
    for message in messages:
        if message.parent in below and message.seq > start.seq:
            below.add(message.seq)
            end = message
    return end


def alternatives(messages: Iterable[Message], leaf: str | None) -> dict[str, tuple[str, ...]]:
    """For each message on the way to a leaf beside which something else was said: all that was said there, oldest first.

    >>> from recollect.types import Role
    >>> talk = [Message(str(seq), "s", seq, up, Role.USER, "", 1, 0, 0.0, False, {}) for seq, up in ((1, 0), (2, 1), (3, 1))]
    >>> alternatives(talk, "3")
    {'3': ('2', '3')}
    """
    known = list(messages)
    beside: dict[int, list[str]] = {}
    for message in known:
        beside.setdefault(message.parent, []).append(message.id)
    end = next((message.seq for message in known if message.id == leaf), 0)
    path = list(upwards(known, end))[::-1]
    return {one.id: tuple(beside[one.parent]) for one in path if len(beside[one.parent]) > 1}
