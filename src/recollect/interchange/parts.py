"""Pieces of a message in the shapes that chat programs share: text, images, files, and calls of tools."""

from __future__ import annotations

from typing import Any

from recollect.interchange.nouns import Tally
from recollect.interchange.values import Record, detail, digest, first, json_text, listed, name_of, record, text_of
from recollect.types import Part, ToolCall

REASONING = "passages of reasoning"
INLINED = "files that were written into the export"
LONGEST_ADDRESS = 8192
_TEXTS = frozenset(("text", "input_text", "output_text", "refusal", "summary_text", "audio_transcription"))
_REASONING = frozenset(("thinking", "think", "reasoning", "redacted_thinking", "reasoning_content", "thoughts"))
_CALLS = frozenset(("tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use"))
_FILES = ("image", "audio", "video", "file", "document", "attachment", "media", "asset")
_NAMED = ("filename", "file_name", "name", "title")
_ADDRESSED = ("url", "uri", "path", "asset_pointer", "file_id", "file_uuid", "id", "uuid", "filepath")
_TYPED = ("mime_type", "mimeType", "media_type", "image_mimetype", "file_type", "content_type")


def parts_of(content: object, tally: Tally) -> list[Part]:
    """The parts of a message's content, which is a text or a list of blocks. Reasoning is counted and left out; calls of
    tools are read elsewhere (`calls_of`).

    >>> [part.kind for part in parts_of([{"type": "text", "text": "See"}, {"type": "image_url", "image_url": "x"}], Tally())]
    ['text', 'image']
    """
    blocks = listed(content) or [content]
    found = (part_of(block, tally) for block in blocks)
    return [part for part in found if part is not None]


def part_of(block: object, tally: Tally) -> Part | None:
    """One block of content, or None where there is nothing to keep.

    >>> part_of({"type": "file", "file": {"filename": "a.pdf", "file_id": "f1"}}, Tally())
    Part(kind='file', text=None, uri='f1', media_type=None, name='a.pdf', data=None)
    """
    fields = record(block)
    if not fields:
        text = text_of(block, tally)
        return Part("text", text) if text else None
    kind = text_of(first(fields, "type", "block_type"), tally).lower()
    if kind in _REASONING:
        tally.skip(REASONING)
        return None
    if kind in _CALLS:
        return None
    if kind in _TEXTS or not kind:
        value = fields.get("text", fields.get("refusal"))
        text = text_of(first(record(value), "value", "text") or value, tally)
        return Part("text", text) if text else None
    if any(word in kind for word in _FILES):
        return file_of(fields, _kind_of_file(kind), tally) or _other(kind, fields, tally)
    return _other(kind, fields, tally)


def _kind_of_file(kind: str) -> str:
    for known in ("image", "audio", "video"):
        if known in kind:
            return known
    return "file"


def file_of(fields: Record, kind: str, tally: Tally) -> Part | None:
    """A reference to a file, from whichever of the usual fields there are. The bytes of a file that is written into the
    export are left out, and counted: a memory is no store of files."""
    inner = next((record(value) for value in fields.values() if _has_place(value)), fields)
    plain = next((value for key, value in fields.items() if key.endswith("_url") and isinstance(value, str)), None)
    place = text_of(plain or first(inner, *_ADDRESSED), tally)
    name = name_of(first(inner, *_NAMED), tally)
    media_type = text_of(first(inner, *_TYPED), tally) or None
    if place.startswith("data:") or len(place) > LONGEST_ADDRESS:
        tally.skip(INLINED)
        media_type = place[5:100].partition(";")[0] if place.startswith("data:") else media_type
        return Part(kind, None, None, media_type, name)
    if not place and not name:
        return None
    return Part(kind, None, place or None, media_type, name)


def _has_place(value: Any) -> bool:
    return first(record(value), *_ADDRESSED, *_NAMED) is not None


def _other(kind: str, fields: Record, tally: Tally) -> Part | None:
    """A block that nobody knows: its text with what it is called, else its data."""
    text = text_of(first(fields, "text", "content", "value", "error"), tally)
    if text:
        called = (text_of(fields.get(key), tally) for key in ("title", "url"))
        return Part("text", "\n".join(filter(None, (*called, text))))
    data = detail({key: value for key, value in fields.items() if key not in ("type", "block_type")}, tally)
    return Part(name_of(kind, tally) or "data", data=data) if data else None


def files_of(files: object, tally: Tally) -> list[Part]:
    """The files that come with a message; text that was taken out of one is kept with it.

    >>> files_of([{"file_name": "notes.txt", "extracted_content": "Buy milk."}], Tally())[0].text
    'Buy milk.'
    """
    found: dict[tuple[str | None, str | None], Part] = {}
    for file in map(record, listed(files)):
        kind = _kind_of_file(text_of(first(file, "type", "file_type", "file_kind", "mime_type", "mimeType"), tally).lower())
        part = file_of(file, kind, tally) or Part(kind)
        text = text_of(_text_in_file(file), tally) or None
        if text or part.uri or part.name or part.media_type:
            found.setdefault((part.name, part.uri), Part(kind, text, part.uri, part.media_type, part.name))
    return list(found.values())


def _text_in_file(file: Record) -> Any:
    data = record(record(file.get("file")).get("data"))
    return first(file, "extracted_content", "text") or data.get("content")


def calls_of(calls: object, owner: str, tally: Tally) -> tuple[ToolCall, ...]:
    """Calls of tools, in any of the usual shapes. One without an id gets one made of `owner`.

    >>> calls_of([{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}], "m1", Tally())
    (ToolCall(id='c1', name='weather', arguments='{}'),)
    >>> calls_of([{"name": "weather", "args": {"city": "Lisbon"}}], "m1", Tally())
    (ToolCall(id='m1:call:1', name='weather', arguments='{"city": "Lisbon"}'),)
    """
    found = (call_of(call, f"{owner}:call:{place}", tally) for place, call in enumerate(listed(calls), 1))
    return tuple(call for call in found if call is not None)


def call_of(call: object, id: str, tally: Tally) -> ToolCall | None:
    """One call of a tool; None where nothing says which tool."""
    fields = record(call)
    inner = record(first(fields, "function", "tool_call")) or fields
    name = name_of(first(inner, "name", "tool_name"), tally)
    if name is None:
        return None
    given = name_of(first(fields, "id", "call_id", "tool_call_id") or first(inner, "id", "call_id"), tally)
    arguments = first(inner, "arguments", "args", "input", "tool_kwargs", "kwargs", "parameters")
    return ToolCall(given or name_of(id, tally) or digest(id), name, json_text(arguments, tally))


def called_within(content: object, owner: str, tally: Tally) -> tuple[ToolCall, ...]:
    """The calls that stand among the blocks of a content."""
    blocks = (record(block) for block in listed(content))
    calls = [block for block in blocks if text_of(first(block, "type", "block_type"), tally) in _CALLS]
    return calls_of(calls, owner, tally)
