"""Translate Pydantic AI's messages, as JSON, to drafts, and stored messages back, without I/O.

A Pydantic AI request has parts of several speakers (the system, the user, tools), so it becomes several stored messages.
Each has one part with a speaker, and the parts without one before it. Their ids start with the id of their entry, by which
they are joined again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, cast

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from keepsaid.adapters.common import find_original, keep_original_if_lossy, strip_adapter_data
from keepsaid.engine.redaction import redact
from keepsaid.types import ADAPTER_FIELDS, ContentPart, Message, MessageDraft, Role, ToolCall

ADAPTER = "pydantic_ai"
JsonObject = dict[str, Any]

SPEAKERS = {
    "system-prompt": "system", "retry-feedback": "system", "user-prompt": "user", "speech": "user", "tool-return": "tool",
}  # fmt: skip
"""The role of each part kind of a request that has a speaker."""

LINK_KINDS = {"image-url": "image", "audio-url": "audio", "video-url": "video", "document-url": "file"}
LINK_KIND_BY_PART = {kind: link for link, kind in LINK_KINDS.items()}
TEXT_KINDS = ("text-content", "structured-content")
REQUIRED_FIELDS = {
    **dict.fromkeys(LINK_KINDS, ("url",)), **dict.fromkeys(TEXT_KINDS, ("content",)),
    "binary": ("data", "media_type"), "uploaded-file": ("file_id", "provider_name"), "cache-point": ("ttl",),
}  # fmt: skip
"""Kinds of Pydantic AI's content items with their required string fields; a tool's own data may also have a `kind`."""

REDACTED_PARTS = ("user-prompt", "tool-return", "retry-feedback", "speech", "text", "tool-call")
"""Parts whose text is redacted. The model's reasoning is signed and stays unchanged."""

_NUMBERED = re.compile(r"(.+)/\d+")
_DATA = re.compile(r"data:([^;,]*)[^,]*;base64,(.*)", re.DOTALL)


def drafts_of(message: ModelMessage, entry: str) -> list[MessageDraft]:
    """Return a message as drafts, one per speaker; the last one has the id of the entry."""
    chunks = _pieces(message)
    ids = [f"{entry}/{index}" for index in range(len(chunks) - 1)] + [entry]
    drafts = [replace(draft_of(chunk), id=id) for chunk, id in zip(chunks, ids, strict=True)]
    return [
        keep_original_if_lossy(draft, chunk, to_plain_message, ADAPTER) for draft, chunk in zip(drafts, chunks, strict=True)
    ]


def is_stored(message: ModelMessage, stored: Iterable[Message]) -> bool:
    """Whether a message is stored: its last piece equals one of the stored messages."""
    end = draft_of(_pieces(message)[-1])
    return any(_is_stored_as(end, one) for one in stored)


def redact_message(message: ModelMessage, kinds: Collection[str]) -> ModelMessage:
    """Redact personal data of these kinds in a message, as in prompts."""
    whole = _to_json(message)
    parts = [_redact_part(part, kinds) if part["part_kind"] in REDACTED_PARTS else part for part in whole["parts"]]
    return message if parts == whole["parts"] else _validate([{**whole, "parts": parts}])


def entries_of(messages: Iterable[Message]) -> Iterator[tuple[str, ModelMessage]]:
    """Yield stored messages as Pydantic AI messages, each with the id of its entry. Unnamed tool results get the tool's name
    from their call."""
    names: dict[str, str] = {}
    for _, group in groupby(messages, entry_of):
        said = list(group)
        names |= {call.id: call.name for message in said for call in message.tool_calls}
        # If the last of them was erased or edited, the entry has another id.
        yield (
            said[-1].id,
            _join_pieces(
                [_original_or_fields(message, names) for message in said], [_from_fields(message, names) for message in said]
            ),
        )


def messages_of(drafts: Iterable[MessageDraft]) -> list[ModelMessage]:
    """Return drafts as Pydantic AI messages, one for each."""
    names: dict[str, str] = {}
    found: list[ModelMessage] = []
    for draft in drafts:
        names |= {call.id: call.name for call in draft.tool_calls}
        found.append(_validate([_from_fields(draft, names)]))
    return found


# -- to drafts


def draft_of(chunk: JsonObject) -> MessageDraft:
    """Return a response, or a piece of a request with one speaker, as a draft."""
    draft = _response(chunk) if chunk["kind"] == "response" else _request(chunk)
    return replace(draft, metadata=cast("JsonObject | None", chunk.get("metadata")) or None)


def _is_stored_as(said: MessageDraft, stored: Message) -> bool:
    """Whether a stored message has the same time and content as a draft. If it was redacted, only role and time count."""
    if said.role != stored.role.value or said.created_at not in (None, stored.created_at):
        return False
    return "redacted" in stored.metadata or (said.content, said.tool_calls) == (stored.content, stored.tool_calls)


def _to_json(message: ModelMessage) -> JsonObject:
    return ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]


def _pieces(message: ModelMessage) -> list[JsonObject]:
    """Split a message into pieces with one speaker each."""
    whole = _to_json(message)
    return [whole] if whole["kind"] == "response" else _chunks(whole)


def _chunks(request: JsonObject) -> list[JsonObject]:
    """Split a request into pieces. The last one has the other fields of the request."""
    pieces: list[list[JsonObject]] = [[]]
    for part in cast("list[JsonObject]", request["parts"]):
        if _has_speaker(pieces[-1]) and part["part_kind"] in SPEAKERS:
            pieces.append([])
        pieces[-1].append(part)
    return [{"kind": "request", "parts": parts} for parts in pieces[:-1]] + [{**request, "parts": pieces[-1]}]


def _has_speaker(parts: Sequence[JsonObject]) -> bool:
    return any(part["part_kind"] in SPEAKERS for part in parts)


def _request(chunk: JsonObject) -> MessageDraft:
    parts = cast("list[JsonObject]", chunk["parts"])
    spoken = next((part for part in parts if part["part_kind"] in SPEAKERS), None)
    if spoken is None:
        return MessageDraft("system", tuple(ContentPart(part["part_kind"], data=part) for part in parts))
    role, at = SPEAKERS[spoken["part_kind"]], _timestamp(spoken)
    if spoken["part_kind"] == "speech":
        return MessageDraft(role, tuple(_speech(spoken)), created_at=at)
    content = _content(spoken["content"])
    if role == "tool":
        return MessageDraft(
            role, content, tool_call_id=spoken["tool_call_id"], name=spoken["tool_name"] or None, created_at=at
        )
    return MessageDraft(role, content, created_at=at)


def _response(chunk: JsonObject) -> MessageDraft:
    parts: list[ContentPart] = []
    calls: list[ToolCall] = []
    for part in cast("list[JsonObject]", chunk["parts"]):
        if part["part_kind"] == "tool-call":
            calls.append(ToolCall(part["tool_call_id"], part["tool_name"], _arguments(part["args"])))
        else:
            parts += _response_parts(part)
    return MessageDraft("assistant", _simplify_parts(parts), tool_calls=tuple(calls), created_at=_timestamp(chunk))


def _response_parts(part: JsonObject) -> list[ContentPart]:
    """Return a part of a response that is not a tool call. Reasoning is kept as data, not as text."""
    kind = cast(str, part["part_kind"])
    if kind == "text":
        return [ContentPart("text", part["content"])]
    if kind == "thinking":
        return [ContentPart("reasoning", data=part)]
    if kind == "file":
        return [_media_part(part["content"])]
    return _speech(part) if kind == "speech" else [ContentPart(kind, data=part)]


def _speech(part: JsonObject) -> list[ContentPart]:
    words = [ContentPart("text", part["transcript"])] if part.get("transcript") else []
    return [*words, _media_part(part["audio"])] if part.get("audio") else words


def _content(content: Any) -> str | tuple[ContentPart, ...]:
    if isinstance(content, str):
        return content
    items = cast("list[Any]", content) if isinstance(content, list) else [content]
    if not any(isinstance(item, str) or _kind(item) for item in items):
        return json.dumps(content, ensure_ascii=False)  # what a tool returned as data
    return _simplify_parts([_item(item) for item in items])


def _kind(item: Any) -> str:
    """Return the kind of a content item; empty if it is a tool's own data."""
    fields = cast("JsonObject", item) if isinstance(item, dict) else {}
    kind = str(fields.get("kind"))
    return (
        kind if kind in REQUIRED_FIELDS and all(isinstance(fields.get(name), str) for name in REQUIRED_FIELDS[kind]) else ""
    )


def _item(item: Any) -> ContentPart:
    kind = _kind(item)
    if kind in TEXT_KINDS:
        return ContentPart("text", item["content"])
    if kind in LINK_KINDS or kind == "binary":
        return _media_part(item)
    if kind:
        return ContentPart(kind, data=item)
    return ContentPart("text", item if isinstance(item, str) else json.dumps(item, ensure_ascii=False))


def _media_part(item: JsonObject) -> ContentPart:
    media_type = cast("str | None", item.get("media_type"))
    if item["kind"] == "binary":
        kind = (media_type or "").split("/")[0]
        kind = kind if kind in LINK_KIND_BY_PART else "file"
        # Pydantic AI uses URL-safe base64.
        content = cast(str, item["data"]).translate({ord("-"): "+", ord("_"): "/"})
        return ContentPart(kind, uri=f"data:{media_type};base64,{content}", media_type=media_type)
    return ContentPart(LINK_KINDS[item["kind"]], uri=item["url"], media_type=media_type)


def _simplify_parts(parts: Sequence[ContentPart]) -> str | tuple[ContentPart, ...]:
    if not parts:
        return ""
    if len(parts) == 1 and parts[0].kind == "text":
        return parts[0].text or ""
    return tuple(parts)


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments or {}, ensure_ascii=False)


def _timestamp(fields: Mapping[str, Any]) -> datetime | None:
    timestamp = fields.get("timestamp")
    return None if timestamp is None else datetime.fromisoformat(timestamp)


def _redact_part(part: JsonObject, kinds: Collection[str]) -> JsonObject:
    """Redact personal data of these kinds in a part of a message."""
    words = {name: _redact_text(part[name], kinds) for name in ("args", "transcript") if part.get(name)}
    return {**part, **words, **({"content": _redact_content(part["content"], kinds)} if "content" in part else {})}


def _redact_content(content: Any, kinds: Collection[str]) -> Any:
    items = cast("list[Any]", content) if isinstance(content, list) else [content]
    if not any(isinstance(item, str) or _kind(item) for item in items):
        return _redact_text(content, kinds)
    made = [_redact_item(item, kinds) for item in items]
    return made if isinstance(content, list) else made[0]


def _redact_item(item: Any, kinds: Collection[str]) -> Any:
    kind = _kind(item)
    if kind in TEXT_KINDS:
        return {**item, "content": redact(item["content"], kinds).text}
    return item if kind else _redact_text(item, kinds)


def _redact_text(value: Any, kinds: Collection[str]) -> Any:
    """Redact a text or data. Data in which something is redacted becomes text; otherwise the value is unchanged."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    made = redact(text, kinds).text
    return value if made == text else made


# -- to Pydantic AI


def to_plain_message(message: Message) -> JsonObject:
    """Return a message in Pydantic AI's format, from its fields alone."""
    return _from_fields(message, {})


def _original_or_fields(message: Message, names: Mapping[str, str]) -> JsonObject:
    """Return the original of a message if it still has the same content; else the message from its fields."""
    return find_original(message, ADAPTER, draft_of) or _from_fields(message, names)


def _join_pieces(originals: list[JsonObject], from_fields: list[JsonObject]) -> ModelMessage:
    """Join the pieces of an entry to one message. Use the messages from fields if the originals are invalid: users may write
    any metadata."""
    try:
        return _validate(originals)
    except ValidationError:
        return _validate(from_fields)


def _validate(pieces: list[JsonObject]) -> ModelMessage:
    whole = {**pieces[-1], "parts": [part for piece in pieces for part in piece["parts"]]}
    # Validate as JSON: only in JSON mode are bytes base64.
    return ModelMessagesTypeAdapter.validate_json(json.dumps([whole]))[0]


def _from_fields(message: Message | MessageDraft, names: Mapping[str, str]) -> JsonObject:
    at = {} if message.created_at is None else {"timestamp": message.created_at.isoformat()}
    rest = {**at, "metadata": strip_adapter_data(message.metadata) or None}
    role = Role(message.role)
    if role is Role.ASSISTANT:
        return {"kind": "response", "parts": [*_answer_parts(message.content), *_calls(message.tool_calls)], **rest}
    if role is Role.TOOL:
        call = message.tool_call_id or ""
        part = {"part_kind": "tool-return", "tool_name": message.name or names.get(call, "tool"), "tool_call_id": call}
        part["content"] = _to_content(message.content)
    elif role is Role.USER:
        part = {"part_kind": "user-prompt", "content": _to_content(message.content)}
    else:
        part = {"part_kind": "system-prompt", "content": _words(message.content)}
    return {"kind": "request", "parts": [{**part, **at}], **rest}


def _to_content(content: str | tuple[ContentPart, ...]) -> Any:
    if isinstance(content, str):
        return content
    return [item for part in content if (item := _to_item(part)) is not None]


def _to_item(part: ContentPart) -> Any:
    """Return a part in Pydantic AI's format; None for unsupported parts."""
    if part.kind in LINK_KIND_BY_PART and part.uri is not None:
        if (data := _DATA.fullmatch(part.uri)) is not None:
            return {"kind": "binary", "data": data[2], "media_type": part.media_type or data[1] or "text/plain"}
        return {"kind": LINK_KIND_BY_PART[part.kind], "url": part.uri, "media_type": part.media_type}
    return part.text


def _answer_parts(content: str | tuple[ContentPart, ...]) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"part_kind": "text", "content": content}] if content else []
    found: list[JsonObject] = []
    for part in content:
        item = _to_item(part)
        if isinstance(item, dict):
            # A response may contain a file, but not a link to one.
            whole = cast("JsonObject", item)
            binary = whole["kind"] == "binary"
            link = f"[{part.kind}: {part.uri}]"
            found.append({"part_kind": "file", "content": whole} if binary else {"part_kind": "text", "content": link})
        elif item:
            found.append({"part_kind": "text", "content": item})
    return found


def _calls(calls: Iterable[ToolCall]) -> list[JsonObject]:
    return [
        {"part_kind": "tool-call", "tool_name": call.name, "args": call.arguments, "tool_call_id": call.id} for call in calls
    ]


def _words(content: str | tuple[ContentPart, ...]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content if part.text)


def entry_of(message: Message) -> str:
    """Return the id of a message's entry, derived from its own id if this adapter saved it."""
    by_adapter: Any = message.metadata.get(ADAPTER_FIELDS)
    numbered = _NUMBERED.fullmatch(message.id)
    return numbered[1] if numbered is not None and isinstance(by_adapter, dict) and ADAPTER in by_adapter else message.id
