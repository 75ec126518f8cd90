"""Split one framework message into several stored messages: each tool result is a message of its own.

The fields of the framework message besides its contents are kept in the metadata of the first stored message, as the
adapter's envelope. The envelopes of the others say which message they are `of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, cast

from keepsaid.types import ADAPTER_FIELDS, Message, MessageDraft

Piece = TypeVar("Piece")


def split_at_results(pieces: Iterable[Piece], is_result: Callable[[Piece], object]) -> list[list[Piece]]:
    """Split the pieces of a framework message into those of each stored message.

    >>> split_at_results(["Look:", "a cat", "result 1", "result 2", "Well?"], lambda piece: piece.startswith("result"))
    [['Look:', 'a cat'], ['result 1'], ['result 2'], ['Well?']]
    """
    found: list[list[Piece]] = []
    for piece in pieces:
        if found and not is_result(piece) and not is_result(found[-1][-1]):
            found[-1].append(piece)
        else:
            found.append([piece])
    return found


def attach_envelope(draft: MessageDraft, name: str, mark: Mapping[str, Any], when: datetime | None = None) -> MessageDraft:
    """Return the draft with an adapter's envelope in its metadata, and with a creation time.

    >>> attach_envelope(MessageDraft("user", "Hi"), "mine", {"of": 3}).metadata
    {'adapters': {'mine': {'of': 3}}}
    """
    metadata = dict(draft.metadata or {})
    return replace(
        draft, metadata={**metadata, ADAPTER_FIELDS: {**metadata.get(ADAPTER_FIELDS, {}), name: dict(mark)}}, created_at=when
    )


def read_envelope(message: Message, name: str) -> dict[str, Any]:
    """Return an adapter's envelope from a message's metadata, or an empty one. Users may write any metadata, so callers must
    not rely on the types of its values."""
    by_adapter: Any = message.metadata.get(ADAPTER_FIELDS)
    mark = cast("dict[str, Any]", by_adapter).get(name) if isinstance(by_adapter, dict) else None
    return cast("dict[str, Any]", mark) if isinstance(mark, dict) else {}


def group_messages(
    messages: Iterable[Message], goes_on: Callable[[Sequence[Message], Message], bool]
) -> list[list[Message]]:
    """Group stored messages that form one framework message; `goes_on` tells whether the next message continues a group."""
    found: list[list[Message]] = []
    for message in messages:
        if found and goes_on(found[-1], message):
            found[-1].append(message)
        else:
            found.append([message])
    return found
