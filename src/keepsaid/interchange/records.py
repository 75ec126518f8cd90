"""Read the conversations of a JSON file. Each is converted separately, so that a broken one does not affect others."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from typing import Any, cast

from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.json_outline import outline_keys
from keepsaid.interchange.json_split import MAX_ELEMENT_BYTES, JsonElement, JsonSplitter
from keepsaid.interchange.source import ImportFile, translated_read_errors
from keepsaid.interchange.stream import Utf8Stream, read_beginning
from keepsaid.interchange.values import add_warning, as_object, first_value, name_of

UNREADABLE = "conversations that cannot be read"
REPAIRED_BYTES = "conversations with bytes that are not UTF-8"
HEAD_BYTES = 256 * 1024
"""Bytes read to see whether a file's list of conversations is wrapped in an object."""
MIN_STREAMED_BYTES = 8 * 1024 * 1024
"""Above this number of bytes, a value is parsed without decoding it first, which would take up to five times the memory."""
WRAPPERS = ("conversations", "chats", "data", "items", "results")
"""The usual keys of the list of conversations if it is wrapped in an object."""
ByteProgress = Callable[[int], None]
"""Called with the number of bytes read."""
ConversationConverter = Callable[[str | None, Any, ImportTally], Conversation | None]
"""Converts a key (if there is one) and a value to a conversation."""


def read_conversations(
    piece: ImportFile,
    tally: ImportTally,
    on_read: ByteProgress,
    convert: ConversationConverter,
    own: Collection[str],
    wrappers: Iterable[str] = WRAPPERS,
) -> Iterator[Conversation]:
    """Convert every conversation of a file: each element of a list; the object itself if it has one of the `own` keys;
    otherwise the list under one of `wrappers`."""
    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open())) as stream:
        keys = outline_keys(read_beginning(stream, HEAD_BYTES)).outer
    within = None if keys & set(own) else next((key for key in wrappers if key in keys), None)
    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open(), on_read)) as stream:
        for element in JsonSplitter(cast(Any, stream), piece.name).documents(within):
            made = convert_element(element, piece.name, tally, convert)
            if made is not None:
                yield made


def convert_element(
    element: JsonElement, name: str, tally: ImportTally, convert: ConversationConverter
) -> Conversation | None:
    """Convert one conversation; return None if that fails, and count and report it."""
    where = f"{name}, at byte {element.start:,}"
    if element.data is None:
        tally.skip(UNREADABLE)
        add_warning(
            tally,
            f"a conversation has more than {MAX_ELEMENT_BYTES >> 20} MiB or too many parts,"
            f" or is nested too deeply: {where}",
        )
        return None
    try:
        value = parse_json(element.data, tally)
    except ValueError as error:
        tally.skip(UNREADABLE)
        add_warning(tally, f"a conversation is not valid JSON: {where}: {error}")
        return None
    try:
        return convert(element.key, value, tally)
    except Exception as error:
        id = name_of(first_value(as_object(value), "id", "conversation_id", "uuid", "conversationId"), ImportTally())
        tally.skip(UNREADABLE)
        add_warning(tally, f"conversation {id or element.key or ''}: {type(error).__name__}: {error}: {where}")
        return None


def parse_json(data: bytes, tally: ImportTally) -> Any:
    """Parse JSON. Bytes that are not UTF-8 are replaced, and counted.

    >>> parse_json(b'{"a": 1}', ImportTally())
    {'a': 1}
    """
    if len(data) > MIN_STREAMED_BYTES and b"\\ud" not in data and b"\\uD" not in data:
        try:
            return _parse_incrementally(data)
        except ValueError:
            pass  # the standard parser accepts more, and has better errors
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        tally.repair(REPAIRED_BYTES)
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        return _parse_incrementally(data)


def _parse_incrementally(data: bytes) -> Any:
    """Parse incrementally: without decoding everything first, and for any depth of nesting."""
    import ijson  # pyright: ignore[reportMissingTypeStubs]

    try:
        return next(cast(Any, ijson).items(io.BytesIO(data), "", use_float=True))
    except cast(Any, ijson).JSONError as error:
        raise ValueError(str(error)) from None
