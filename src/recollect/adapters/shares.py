"""What a framework says in one message, and we in several: every result of a tool is a message of its own.

What the whole has beyond its contents is kept beside the first of ours, as the door's mark; the others say there which one
they are `of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, cast

from recollect.types import DOORS, Draft, Message

Piece = TypeVar("Piece")


def shares(pieces: Iterable[Piece], is_result: Callable[[Piece], object]) -> list[list[Piece]]:
    """What each message has of these pieces.

    >>> shares(["Look:", "a cat", "result 1", "result 2", "Well?"], lambda piece: piece.startswith("result"))
    [['Look:', 'a cat'], ['result 1'], ['result 2'], ['Well?']]
    """
    found: list[list[Piece]] = []
    for piece in pieces:
        if found and not is_result(piece) and not is_result(found[-1][-1]):
            found[-1].append(piece)
        else:
            found.append([piece])
    return found


def marked(draft: Draft, name: str, mark: Mapping[str, Any], when: datetime | None = None) -> Draft:
    """A draft with a door's mark beside it, and of its time.

    >>> marked(Draft("user", "Hi"), "mine", {"of": 3}).metadata
    {'doors': {'mine': {'of': 3}}}
    """
    metadata = dict(draft.metadata or {})
    return replace(draft, metadata={**metadata, DOORS: {**metadata.get(DOORS, {}), name: dict(mark)}}, created_at=when)


def mark_of(message: Message, name: str) -> dict[str, Any]:
    """A door's mark beside a message; an empty one where there is none. Metadata is its owner's to write: what is in a mark
    need not be ours."""
    doors: Any = message.metadata.get(DOORS)
    mark = cast("dict[str, Any]", doors).get(name) if isinstance(doors, dict) else None
    return cast("dict[str, Any]", mark) if isinstance(mark, dict) else {}


def groups(messages: Iterable[Message], goes_on: Callable[[Sequence[Message], Message], bool]) -> list[list[Message]]:
    """Messages that are one for a framework, together: `goes_on` says whether a group goes on with the next message."""
    found: list[list[Message]] = []
    for message in messages:
        if found and goes_on(found[-1], message):
            found[-1].append(message)
        else:
            found.append([message])
    return found
