"""Parts of a message in the forms that chat programs share: text, images, files and tool calls."""

from __future__ import annotations

from typing import Any

from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.values import (
    JsonObject,
    as_list,
    as_object,
    detail,
    digest,
    first_value,
    json_text,
    name_of,
    text_of,
)
from keepsaid.types import ContentPart, ToolCall

REASONING = "passages of reasoning"
INLINE_FILES = "files that were written into the export"
MAX_ADDRESS_LENGTH = 8192
_TEXTS = frozenset(("text", "input_text", "output_text", "refusal", "summary_text", "audio_transcription"))
_REASONING = frozenset(("thinking", "think", "reasoning", "redacted_thinking", "reasoning_content", "thoughts"))
_CALLS = frozenset(("tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use"))
_FILES = ("image", "audio", "video", "file", "document", "attachment", "media", "asset")
_NAMED = ("filename", "file_name", "name", "title")
_ADDRESSED = ("url", "uri", "path", "asset_pointer", "file_id", "file_uuid", "id", "uuid", "filepath")
_TYPED = ("mime_type", "mimeType", "media_type", "image_mimetype", "file_type", "content_type")


def parts_of(content: object, tally: ImportTally) -> list[ContentPart]:
    """Convert a message's content, a text or a list of blocks, to parts. Reasoning is counted and left out; `calls_of` reads
    tool calls.

    >>> content = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": "x"}]
    >>> [part.kind for part in parts_of(content, ImportTally())]
    ['text', 'image']
    """
    blocks = as_list(content) or [content]
    found = (part_of(block, tally) for block in blocks)
    return [part for part in found if part is not None]


def part_of(block: object, tally: ImportTally) -> ContentPart | None:
    """Convert one block of content; None if there is nothing to store.

    >>> part_of({"type": "file", "file": {"filename": "a.pdf", "file_id": "f1"}}, ImportTally())
    ContentPart(kind='file', text=None, uri='f1', media_type=None, name='a.pdf', data=None)
    """
    fields = as_object(block)
    if not fields:
        text = text_of(block, tally)
        return ContentPart("text", text) if text else None
    kind = text_of(first_value(fields, "type", "block_type"), tally).lower()
    if kind in _REASONING:
        tally.skip(REASONING)
        return None
    if kind in _CALLS:
        return None
    if kind in _TEXTS or not kind:
        value = fields.get("text", fields.get("refusal"))
        text = text_of(first_value(as_object(value), "value", "text") or value, tally)
        return ContentPart("text", text) if text else None
    if any(word in kind for word in _FILES):
        return file_of(fields, _kind_of_file(kind), tally) or _other(kind, fields, tally)
    return _other(kind, fields, tally)


def _kind_of_file(kind: str) -> str:
    for known in ("image", "audio", "video"):
        if known in kind:
            return known
    return "file"


def file_of(fields: JsonObject, kind: str, tally: ImportTally) -> ContentPart | None:
    """A reference to a file, from any of the usual fields. The bytes of files that are embedded in the export are left out,
    and counted: this is not a file store."""
    inner = next((as_object(value) for value in fields.values() if _is_file_reference(value)), fields)
    plain = next((value for key, value in fields.items() if key.endswith("_url") and isinstance(value, str)), None)
    place = text_of(plain or first_value(inner, *_ADDRESSED), tally)
    name = name_of(first_value(inner, *_NAMED), tally)
    media_type = text_of(first_value(inner, *_TYPED), tally) or None
    if place.startswith("data:") or len(place) > MAX_ADDRESS_LENGTH:
        tally.skip(INLINE_FILES)
        media_type = place[5:100].partition(";")[0] if place.startswith("data:") else media_type
        return ContentPart(kind, None, None, media_type, name)
    if not place and not name:
        return None
    return ContentPart(kind, None, place or None, media_type, name)


def _is_file_reference(value: Any) -> bool:
    return first_value(as_object(value), *_ADDRESSED, *_NAMED) is not None


def _other(kind: str, fields: JsonObject, tally: ImportTally) -> ContentPart | None:
    """Convert a block of an unknown type: its text with title and URL, or its data."""
    text = text_of(first_value(fields, "text", "content", "value", "error"), tally)
    if text:
        called = (text_of(fields.get(key), tally) for key in ("title", "url"))
        return ContentPart("text", "\n".join(filter(None, (*called, text))))
    data = detail({key: value for key, value in fields.items() if key not in ("type", "block_type")}, tally)
    return ContentPart(name_of(kind, tally) or "data", data=data) if data else None


def files_of(files: object, tally: ImportTally) -> list[ContentPart]:
    """The files attached to a message, with the text extracted from them.

    >>> files_of([{"file_name": "notes.txt", "extracted_content": "Buy milk."}], ImportTally())[0].text
    'Buy milk.'
    """
    found: dict[tuple[str | None, str | None], ContentPart] = {}
    for file in map(as_object, as_list(files)):
        kind = _kind_of_file(
            text_of(first_value(file, "type", "file_type", "file_kind", "mime_type", "mimeType"), tally).lower()
        )
        part = file_of(file, kind, tally) or ContentPart(kind)
        text = text_of(_text_in_file(file), tally) or None
        if text or part.uri or part.name or part.media_type:
            found.setdefault((part.name, part.uri), ContentPart(kind, text, part.uri, part.media_type, part.name))
    return list(found.values())


def _text_in_file(file: JsonObject) -> Any:
    data = as_object(as_object(file.get("file")).get("data"))
    return first_value(file, "extracted_content", "text") or data.get("content")


def calls_of(calls: object, owner: str, tally: ImportTally) -> tuple[ToolCall, ...]:
    """Convert tool calls from any of the usual forms. A call without an id gets one derived from `owner`.

    >>> calls_of([{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}], "m1", ImportTally())
    (ToolCall(id='c1', name='weather', arguments='{}'),)
    >>> calls_of([{"name": "weather", "args": {"city": "Lisbon"}}], "m1", ImportTally())
    (ToolCall(id='m1:call:1', name='weather', arguments='{"city": "Lisbon"}'),)
    """
    found = (call_of(call, f"{owner}:call:{place}", tally) for place, call in enumerate(as_list(calls), 1))
    return tuple(call for call in found if call is not None)


def call_of(call: object, id: str, tally: ImportTally) -> ToolCall | None:
    """Convert one tool call; None if the tool has no name."""
    fields = as_object(call)
    inner = as_object(first_value(fields, "function", "tool_call")) or fields
    name = name_of(first_value(inner, "name", "tool_name"), tally)
    if name is None:
        return None
    given = name_of(first_value(fields, "id", "call_id", "tool_call_id") or first_value(inner, "id", "call_id"), tally)
    arguments = first_value(inner, "arguments", "args", "input", "tool_kwargs", "kwargs", "parameters")
    return ToolCall(given or name_of(id, tally) or digest(id), name, json_text(arguments, tally))


def calls_in_content(content: object, owner: str, tally: ImportTally) -> tuple[ToolCall, ...]:
    """The tool calls among the blocks of a content."""
    blocks = (as_object(block) for block in as_list(content))
    calls = [block for block in blocks if text_of(first_value(block, "type", "block_type"), tally) in _CALLS]
    return calls_of(calls, owner, tally)
