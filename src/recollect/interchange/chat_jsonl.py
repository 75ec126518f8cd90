"""Chats as OpenAI's interface takes them, one in a line (`{"messages": […]}`), or one message in a line; also as a list."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any, BinaryIO, cast

from recollect.interchange.assemble import NO_MESSAGES, Head
from recollect.interchange.linear import lined_up, message_id
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.records import Told, converted, parsed
from recollect.interchange.source import Piece, reading
from recollect.interchange.split import LARGEST_ELEMENT, Element, Splitter
from recollect.interchange.stream import Utf8Stream
from recollect.interchange.values import Record, details, digest, first, listed, moment_of, name_of, record

SOURCE = "chat-jsonl"
_LISTS = ("messages", "conversations", "conversation", "chat", "dialog", "dialogue")
"""What the list of messages is called; `conversations` is ShareGPT's word."""


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file. A line that is no JSON costs only itself."""
    with reading(piece.name):
        elements = _lines if _has_lines(piece) else _elements
        with closing(Utf8Stream(piece.open(), told)) as stream:
            loose: list[Record] = []
            for element in elements(cast(Any, stream), piece.name):
                made = converted(element, piece.name, tally, lambda key, value, tally: _convert(key, value, loose, tally))
                if made is not None:
                    yield made
    if loose:
        # The file is one conversation, which may go on: its first message names it.
        made = _conversation({"id": f"{SOURCE}-{digest(loose[0])}"}, loose, tally)
        if made is not None:
            yield made


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation: a line of the file.

    >>> made = convert(None, {"messages": [{"role": "user", "content": "Hi"}]}, Tally())
    >>> [(node.draft.role, node.draft.content) for node in made.nodes]
    [('user', 'Hi')]
    """
    return _convert(key, value, [], tally)


def _convert(key: str | None, value: Any, loose: list[Record], tally: Tally) -> Conversation | None:
    fields = record(value)
    messages = next((listed(fields.get(name)) for name in _LISTS if listed(fields.get(name))), listed(value))
    if messages:
        named = name_of(first(fields, "id", "conversation_id", "session_id", "custom_id"), tally)
        return _conversation({**fields, "id": named or f"{SOURCE}-{digest(value)}"}, messages, tally)
    if "role" in fields or "from" in fields:
        loose.append(fields)
    else:
        tally.skip(NO_MESSAGES)
    return None


def _conversation(fields: Record, messages: list[Any], tally: Tally) -> Conversation | None:
    id = str(fields["id"])
    named = [(message_id(id, _shaped(message), place, tally), _shaped(message)) for place, message in enumerate(messages)]
    head = Head(
        id,
        SOURCE,
        first(fields, "title", "name"),
        moment_of(first(fields, "created_at", "created", "timestamp", "create_time")),
        moment_of(first(fields, "updated_at", "update_time")),
        metadata=details(tally, model=fields.get("model")),
    )
    return lined_up(head, named, tally)


def _shaped(message: Any) -> Record:
    """The message in OpenAI's shape; ShareGPT's has other words for the same."""
    fields = record(message)
    if "from" in fields and "role" not in fields:
        return {**fields, "role": fields["from"], "content": fields.get("value", fields.get("content"))}
    return fields


def _has_lines(piece: Piece) -> bool:
    """Whether the file has a value in each line, and not one value over many."""
    with closing(Utf8Stream(piece.open())) as stream:
        lines = _lines(cast(Any, stream), piece.name)
        beginning = next(lines, None)
        if beginning is None or beginning.data is None or not beginning.data.startswith(b"{"):
            return False
        try:
            parsed(beginning.data, Tally())
        except ValueError:
            following = next(lines, None)
            return following is not None and (following.data or b"").startswith(b"{")
    return True


def _elements(stream: BinaryIO, name: str) -> Iterator[Element]:
    """The elements of a list. A list of messages is one conversation, so that they come one by one here as well."""
    return Splitter(stream, name).documents()


def _lines(stream: BinaryIO, name: str) -> Iterator[Element]:
    """The lines that are not empty. One that is too long is not held in memory to its end."""

    start, buffered = 0, io.BufferedReader(cast(Any, stream), 1 << 20)
    while line := buffered.readline(LARGEST_ELEMENT):
        data: bytes | None = line.strip()
        size = len(line)
        while not line.endswith(b"\n") and (line := buffered.readline(LARGEST_ELEMENT)):
            data, size = None, size + len(line)
        if data is None or data:
            yield Element(None, start, data)
        start += size
