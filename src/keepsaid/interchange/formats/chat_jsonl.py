"""Chats in the form of OpenAI's API, one per line (`{"messages": […]}`) or one message per line; also as a list."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any, BinaryIO, cast

from keepsaid.interchange.assemble import NO_MESSAGES, ConversationHeader
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.json_split import MAX_ELEMENT_BYTES, JsonElement, JsonSplitter
from keepsaid.interchange.openai_messages import build_linear_conversation, message_id
from keepsaid.interchange.records import ByteProgress, convert_element, parse_json
from keepsaid.interchange.source import ImportFile, translated_read_errors
from keepsaid.interchange.stream import Utf8Stream
from keepsaid.interchange.values import JsonObject, as_list, as_object, datetime_of, details, digest, first_value, name_of

SOURCE = "chat-jsonl"
_LISTS = ("messages", "conversations", "conversation", "chat", "dialog", "dialogue")
"""The possible keys of the list of messages; `conversations` is ShareGPT's."""


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file. A line that is not valid JSON does not affect others."""
    with translated_read_errors(piece.name):
        elements = _lines if _has_lines(piece) else _elements
        with closing(Utf8Stream(piece.open(), on_read)) as stream:
            loose: list[JsonObject] = []
            for element in elements(cast(Any, stream), piece.name):
                made = convert_element(
                    element, piece.name, tally, lambda key, value, tally: _convert(key, value, loose, tally)
                )
                if made is not None:
                    yield made
    if loose:
        # The file is one conversation, which may grow between exports: derive its id from the first message.
        made = _conversation({"id": f"{SOURCE}-{digest(loose[0])}"}, loose, tally)
        if made is not None:
            yield made


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation: a line of the file.

    >>> made = convert(None, {"messages": [{"role": "user", "content": "Hi"}]}, ImportTally())
    >>> [(node.draft.role, node.draft.content) for node in made.nodes]
    [('user', 'Hi')]
    """
    return _convert(key, value, [], tally)


def _convert(key: str | None, value: Any, loose: list[JsonObject], tally: ImportTally) -> Conversation | None:
    fields = as_object(value)
    messages = next((as_list(fields.get(name)) for name in _LISTS if as_list(fields.get(name))), as_list(value))
    if messages:
        named = name_of(first_value(fields, "id", "conversation_id", "session_id", "custom_id"), tally)
        return _conversation({**fields, "id": named or f"{SOURCE}-{digest(value)}"}, messages, tally)
    if "role" in fields or "from" in fields:
        loose.append(fields)
    else:
        tally.skip(NO_MESSAGES)
    return None


def _conversation(fields: JsonObject, messages: list[Any], tally: ImportTally) -> Conversation | None:
    id = str(fields["id"])
    named = [
        (message_id(id, _to_openai_form(message), place, tally), _to_openai_form(message))
        for place, message in enumerate(messages)
    ]
    head = ConversationHeader(
        id,
        SOURCE,
        first_value(fields, "title", "name"),
        datetime_of(first_value(fields, "created_at", "created", "timestamp", "create_time")),
        datetime_of(first_value(fields, "updated_at", "update_time")),
        metadata=details(tally, model=fields.get("model")),
    )
    return build_linear_conversation(head, named, tally)


def _to_openai_form(message: Any) -> JsonObject:
    """Convert a message to OpenAI's form; ShareGPT uses other keys."""
    fields = as_object(message)
    if "from" in fields and "role" not in fields:
        return {**fields, "role": fields["from"], "content": fields.get("value", fields.get("content"))}
    return fields


def _has_lines(piece: ImportFile) -> bool:
    """Whether the file has one value per line, and not one value over several lines."""
    with closing(Utf8Stream(piece.open())) as stream:
        lines = _lines(cast(Any, stream), piece.name)
        beginning = next(lines, None)
        if beginning is None or beginning.data is None or not beginning.data.startswith(b"{"):
            return False
        try:
            parse_json(beginning.data, ImportTally())
        except ValueError:
            following = next(lines, None)
            return following is not None and (following.data or b"").startswith(b"{")
    return True


def _elements(stream: BinaryIO, name: str) -> Iterator[JsonElement]:
    """The elements of a list. In a list of messages, each element is a message of one conversation."""
    return JsonSplitter(stream, name).documents()


def _lines(stream: BinaryIO, name: str) -> Iterator[JsonElement]:
    """The lines that are not empty. A line that is too long is not held in memory completely."""

    start, buffered = 0, io.BufferedReader(cast(Any, stream), 1 << 20)
    while line := buffered.readline(MAX_ELEMENT_BYTES):
        data: bytes | None = line.strip()
        size = len(line)
        while not line.endswith(b"\n") and (line := buffered.readline(MAX_ELEMENT_BYTES)):
            data, size = None, size + len(line)
        if data is None or data:
            yield JsonElement(None, start, data)
        start += size
