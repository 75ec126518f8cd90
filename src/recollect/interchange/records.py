"""The conversations of a file of JSON: each is parsed and converted by itself, so that a broken one costs only itself."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from typing import Any, cast

from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.outline import outline
from recollect.interchange.source import Piece, reading
from recollect.interchange.split import LARGEST_ELEMENT, Element, Splitter
from recollect.interchange.stream import Utf8Stream, beginning
from recollect.interchange.values import first, name_of, record, warn

UNREADABLE = "conversations that cannot be read"
MENDED_BYTES = "conversations with bytes that are not UTF-8"
HEAD = 256 * 1024
"""Bytes that show whether a file's list of conversations is wrapped into an object."""
LARGE = 8 * 1024 * 1024
"""Bytes from which a value is not decoded as a whole before it is parsed: that would take up to five times as much."""
WRAPPERS = ("conversations", "chats", "data", "items", "results")
"""What the list of conversations is called where it is wrapped into an object."""
Told = Callable[[int], None]
"""Hears how many bytes were read."""
Convert = Callable[[str | None, Any, Tally], Conversation | None]
"""Makes a conversation of a key (if it has one) and a value."""


def conversations(
    piece: Piece, tally: Tally, told: Told, convert: Convert, own: Collection[str], wrappers: Iterable[str] = WRAPPERS
) -> Iterator[Conversation]:
    """What `convert` makes of every conversation of the file: of the elements of its list, of the object that it is, or, if
    the object has none of a conversation's `own` keys, of those that are wrapped into it."""
    with reading(piece.name), closing(Utf8Stream(piece.open())) as stream:
        keys = outline(beginning(stream, HEAD)).outer
    within = None if keys & set(own) else next((key for key in wrappers if key in keys), None)
    with reading(piece.name), closing(Utf8Stream(piece.open(), told)) as stream:
        for element in Splitter(cast(Any, stream), piece.name).documents(within):
            made = converted(element, piece.name, tally, convert)
            if made is not None:
                yield made


def converted(element: Element, name: str, tally: Tally, convert: Convert) -> Conversation | None:
    """One conversation, or None: then it is counted and told why."""
    where = f"{name}, at byte {element.start:,}"
    if element.data is None:
        tally.skip(UNREADABLE)
        warn(tally, f"a conversation has more than {LARGEST_ELEMENT >> 20} MiB, or is nested too deeply: {where}")
        return None
    try:
        value = parsed(element.data, tally)
    except ValueError as error:
        tally.skip(UNREADABLE)
        warn(tally, f"a conversation is no valid JSON: {where}: {error}")
        return None
    try:
        return convert(element.key, value, tally)
    except Exception as error:
        id = name_of(first(record(value), "id", "conversation_id", "uuid", "conversationId"), Tally())
        tally.skip(UNREADABLE)
        warn(tally, f"conversation {id or element.key or ''}: {type(error).__name__}: {error}: {where}")
        return None


def parsed(data: bytes, tally: Tally) -> Any:
    """The value of some JSON. Bytes that are not UTF-8 are replaced, and counted.

    >>> parsed(b'{"a": 1}', Tally())
    {'a': 1}
    """
    if len(data) > LARGE and b"\\ud" not in data and b"\\uD" not in data:
        try:
            return _piecewise(data)
        except ValueError:
            pass  # the plain parser says what is wrong, and reads more
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        tally.mend(MENDED_BYTES)
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        return _piecewise(data)


def _piecewise(data: bytes) -> Any:
    """The value, built without decoding all of it first, and however deeply it is nested."""
    import ijson  # pyright: ignore[reportMissingTypeStubs]

    try:
        return next(cast(Any, ijson).items(io.BytesIO(data), "", use_float=True))
    except cast(Any, ijson).JSONError as error:
        raise ValueError(str(error)) from None
