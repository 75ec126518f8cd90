"""Paths through a branched conversation: what leads to a message, what follows it, what its alternatives are.

Messages have a `seq` and a `parent` and are passed by increasing `seq`. A message never precedes its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepsaid.types import Message


def walk_to_root(messages: Iterable[Message], seq: int) -> Iterator[Message]:
    """Yield a message and those that lead to it, back to the first one that is known.

    >>> from keepsaid.types import Role
    >>> tea, milk = (Message(id, "s", seq, seq - 1, Role.USER, id, 1, 0, 0.0, False, {}) for seq, id in ((1, "a"), (2, "b")))
    >>> [message.id for message in walk_to_root([tea, milk], 2)]
    ['b', 'a']
    """
    known = {message.seq: message for message in messages}
    while seq in known:
        yield known[seq]
        seq = known[seq].parent


def find_newest_leaf(messages: Iterable[Message], start: Message) -> Message:
    """Return the newest message that follows a message; the message itself if there is none.

    >>> from keepsaid.types import Role
    >>> talk = [Message(str(seq), "s", seq, up, Role.USER, "", 1, 0, 0.0, False, {}) for seq, up in ((1, 0), (2, 1), (3, 0))]
    >>> find_newest_leaf(talk, talk[0]).id
    '2'
    """
    below, end = {start.seq}, start
    for message in messages:
        if message.parent in below and message.seq > start.seq:
            below.add(message.seq)
            end = message
    return end


def find_alternatives(messages: Iterable[Message], leaf: str | None) -> dict[str, tuple[str, ...]]:
    """Return, for each message with siblings on the path to a leaf, the ids of all siblings, oldest first.

    >>> from keepsaid.types import Role
    >>> talk = [Message(str(seq), "s", seq, up, Role.USER, "", 1, 0, 0.0, False, {}) for seq, up in ((1, 0), (2, 1), (3, 1))]
    >>> find_alternatives(talk, "3")
    {'3': ('2', '3')}
    """
    known = list(messages)
    beside: dict[int, list[str]] = {}
    for message in known:
        beside.setdefault(message.parent, []).append(message.id)
    end = next((message.seq for message in known if message.id == leaf), 0)
    path = list(walk_to_root(known, end))[::-1]
    return {one.id: tuple(beside[one.parent]) for one in path if len(beside[one.parent]) > 1}
