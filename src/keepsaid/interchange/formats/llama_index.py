"""LlamaIndex's SimpleChatStore: a list of messages for each key."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from keepsaid.errors import ImportProblem
from keepsaid.interchange.assemble import ConversationHeader
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.json_split import MAX_ELEMENT_BYTES
from keepsaid.interchange.openai_messages import build_linear_conversation
from keepsaid.interchange.records import ByteProgress, read_conversations
from keepsaid.interchange.source import ImportFile, translated_read_errors
from keepsaid.interchange.stream import Utf8Stream, read_beginning
from keepsaid.interchange.values import JsonObject, as_list, as_object, digest, first_value, name_of

NO_LIST = "conversations without a list of messages"
_BYTES = ("image", "audio", "video", "data")
"""The keys of a block under which it may have a file's bytes, as text."""


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file, one for each key of the store."""
    return read_conversations(_unwrap(piece), tally, on_read, convert, [], ["store"])


def _unwrap(piece: ImportFile) -> ImportFile:
    """Unwrap the JSON of older versions, which wrote it inside one JSON string."""
    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open())) as stream:
        if not read_beginning(stream, 16).lstrip().startswith(b'"'):
            return piece
    with translated_read_errors(piece.name), closing(Utf8Stream(piece.open())) as stream:
        try:
            inner = json.loads(read_beginning(stream, MAX_ELEMENT_BYTES), strict=False)
        except ValueError as error:
            raise ImportProblem(f"{piece.name} is not valid JSON: {error}") from None
    return piece._replace(open=lambda: io.BytesIO(str(inner).encode(errors="replace")))


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation: the messages of a key. They have no ids or times; ids are derived from their positions.

    >>> made = convert("user1", [{"role": "user", "blocks": [{"block_type": "text", "text": "Hi"}]}], ImportTally())
    >>> made.id, [(node.id, node.draft.content) for node in made.nodes]
    ('user1', [('user1:0', 'Hi')])
    """
    messages = as_list(value)
    if not messages:
        tally.skip(NO_LIST)
        return None
    id = name_of(key, tally) or f"llama-index-{digest(messages[0])}"
    named = [(f"{id}:{place}", _to_openai_form(as_object(message))) for place, message in enumerate(messages)]
    return build_linear_conversation(ConversationHeader(id, "llama-index"), named, tally)


def _to_openai_form(message: JsonObject) -> JsonObject:
    """Convert a message to OpenAI's form: its model-specific fields are in `additional_kwargs`."""
    extra = as_object(message.get("additional_kwargs"))
    blocks = [_block(block) for block in as_list(message.get("blocks"))]
    return {
        "role": message.get("role"),
        "content": blocks or message.get("content"),
        "tool_calls": first_value(extra, "tool_calls") or message.get("tool_calls"),
        "tool_call_id": first_value(extra, "tool_call_id"),
        "name": first_value(extra, "name"),
        "model": first_value(extra, "model"),
    }


def _block(block: Any) -> Any:
    """Convert a block to the keys that other programs use."""
    fields = as_object(block)
    if not fields:
        return block
    kind = fields.get("block_type")
    if kind == "tool_call":
        return {"type": "tool_use", "id": fields.get("tool_call_id"), "name": fields.get("tool_name"), **_arguments(fields)}
    if any(isinstance(fields.get(key), str) and fields[key] for key in _BYTES):
        return {"type": kind, "name": fields.get("title"), "url": first_value(fields, "url", "path") or "data:"}
    return {**fields, "type": kind}


def _arguments(fields: JsonObject) -> JsonObject:
    return {"input": fields.get("tool_kwargs")}
