"""LlamaIndex's SimpleChatStore: a list of messages for each key."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from recollect.errors import ImportProblem
from recollect.interchange.assemble import Head
from recollect.interchange.linear import lined_up
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.records import Told, conversations
from recollect.interchange.source import Piece, reading
from recollect.interchange.split import LARGEST_ELEMENT
from recollect.interchange.stream import Utf8Stream, beginning
from recollect.interchange.values import Record, digest, first, listed, name_of, record

NO_LIST = "conversations without a list of messages"
_BYTES = ("image", "audio", "video", "data")
"""Where a block has a file's bytes, as text."""


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file, one for each key of the store."""
    return conversations(_unwrapped(piece), tally, told, convert, [], ["store"])


def _unwrapped(piece: Piece) -> Piece:
    """Older versions wrote their JSON as one string of JSON; it is taken out as a whole."""
    with reading(piece.name), closing(Utf8Stream(piece.open())) as stream:
        if not beginning(stream, 16).lstrip().startswith(b'"'):
            return piece
    with reading(piece.name), closing(Utf8Stream(piece.open())) as stream:
        try:
            inner = json.loads(beginning(stream, LARGEST_ELEMENT), strict=False)
        except ValueError as error:
            raise ImportProblem(f"{piece.name} is not valid JSON: {error}") from None
    return piece._replace(open=lambda: io.BytesIO(str(inner).encode(errors="replace")))


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation: the messages of a key. They have no ids and no times; their places name them.

    >>> made = convert("user1", [{"role": "user", "blocks": [{"block_type": "text", "text": "Hi"}]}], Tally())
    >>> made.id, [(node.id, node.draft.content) for node in made.nodes]
    ('user1', [('user1:0', 'Hi')])
    """
    messages = listed(value)
    if not messages:
        tally.skip(NO_LIST)
        return None
    id = name_of(key, tally) or f"llama-index-{digest(messages[0])}"
    named = [(f"{id}:{place}", _shaped(record(message))) for place, message in enumerate(messages)]
    return lined_up(Head(id, "llama-index"), named, tally)


def _shaped(message: Record) -> Record:
    """The message in OpenAI's shape: what is particular to a model is kept apart."""
    extra = record(message.get("additional_kwargs"))
    blocks = [_block(block) for block in listed(message.get("blocks"))]
    return {
        "role": message.get("role"),
        "content": blocks or message.get("content"),
        "tool_calls": first(extra, "tool_calls") or message.get("tool_calls"),
        "tool_call_id": first(extra, "tool_call_id"),
        "name": first(extra, "name"),
        "model": first(extra, "model"),
    }


def _block(block: Any) -> Any:
    """A block under the names that others use."""
    fields = record(block)
    if not fields:
        return block
    kind = fields.get("block_type")
    if kind == "tool_call":
        return {"type": "tool_use", "id": fields.get("tool_call_id"), "name": fields.get("tool_name"), **_arguments(fields)}
    if any(isinstance(fields.get(key), str) and fields[key] for key in _BYTES):
        return {"type": kind, "name": fields.get("title"), "url": first(fields, "url", "path") or "data:"}
    return {**fields, "type": kind}


def _arguments(fields: Record) -> Record:
    return {"input": fields.get("tool_kwargs")}
