"""Translate Google ADK's events to drafts, and stored messages back, without I/O.

An event becomes one message; one with the results of several tools becomes several, each with the role `tool`. The other
fields of an event are kept with its first message under `ENVELOPE`; there, the other messages name the event that they are
`of`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from google.adk.events.event import Event
from google.genai import types
from pydantic import BaseModel, ValidationError

from keepsaid.adapters.common import find_original, keep_original_if_lossy, strip_adapter_data
from keepsaid.adapters.message_pieces import attach_envelope, group_messages, read_envelope, split_at_results
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

ADAPTER = "google-adk"
ENVELOPE = "google-adk-event"

MEDIA = ("image", "audio", "video")


# -- to drafts


def drafts_of(event: Event) -> list[MessageDraft]:
    """Return an event as drafts: one, or one per tool result."""
    rest: dict[str, Any] = {**to_plain_json(event), "author": event.author, "invocation_id": event.invocation_id}
    own = rest.pop("custom_metadata", None)
    if own is not None and (not own or strip_adapter_data(own) != own):
        rest["custom_metadata"], own = own, None
    when = datetime.fromtimestamp(event.timestamp, UTC)
    cut = _contents(event.content)
    if not cut:
        rest["content"] = rest.get("content")
        return [attach_envelope(_contentless_draft(event, own), ENVELOPE, rest, when)]
    rest.pop("content", None)
    drafts = [_lossless_draft(share, event.author, None if number else own) for number, share in enumerate(cut)]
    return [
        attach_envelope(draft, ENVELOPE, {"of": event.id} if number else rest, when) for number, draft in enumerate(drafts)
    ]


def to_plain_json(model: BaseModel) -> dict[str, Any]:
    """Return a framework model as JSON, without empty and default fields."""
    # After a round trip, user data is plain JSON, so that only the framework's own fields are left out.
    read = type(model).model_validate_json(model.model_dump_json())
    return json.loads(read.model_dump_json(exclude_none=True, exclude_defaults=True))


def _contents(content: types.Content | None) -> list[types.Content]:
    """Split a content into those of each message."""
    if content is None:
        return []
    cut = split_at_results(content.parts or (), lambda part: part.function_response)
    return [types.Content(role=content.role, parts=parts) for parts in cut]


def _contentless_draft(event: Event, own: Mapping[str, Any] | None) -> MessageDraft:
    """Return the draft for an event without content: a state change or a speech transcription."""
    heard, spoken = event.input_transcription, event.output_transcription
    if heard and heard.text:
        return MessageDraft("user", heard.text, metadata=own)
    text = spoken.text if spoken and spoken.text else ""
    by_user = event.author == "user" and not text
    return MessageDraft("user" if by_user else "assistant", text, name=_speaker(event.author), metadata=own)


def _lossless_draft(share: types.Content, author: str, own: Mapping[str, Any] | None) -> MessageDraft:
    def there(original: Mapping[str, Any]) -> MessageDraft:
        return _draft(types.Content.model_validate_json(json.dumps(original)), author, own)

    original = to_plain_json(share)
    return keep_original_if_lossy(there(original), original, lambda message: to_plain_json(content_of(message)), ADAPTER)


def _draft(share: types.Content, author: str, own: Mapping[str, Any] | None) -> MessageDraft:
    parts = share.parts or []
    if parts and parts[0].function_response:
        return _result(parts[0].function_response, own)
    by_user = share.role == "user" or (share.role != "model" and author == "user")
    pieces = tuple(_to_part(part) for part in parts if not part.function_call)
    bare = len(pieces) == 1 and pieces[0].kind == "text" and pieces[0].data is None
    return MessageDraft(
        "user" if by_user else "assistant",
        pieces[0].text or "" if bare else pieces or "",
        tool_calls=_calls([part.function_call for part in parts if part.function_call]),
        name=None if by_user else _speaker(author),
        metadata=own,
    )


def _speaker(author: str) -> str | None:
    return author if author and author != "user" else None


def _calls(calls: Sequence[types.FunctionCall]) -> tuple[ToolCall, ...]:
    # A call without an id is answered by its function's name, so that is its id.
    return tuple(
        ToolCall(call.id or call.name or "function", call.name or "function", json.dumps(call.args or {}, default=str))
        for call in calls
    )


def _result(result: types.FunctionResponse, own: Mapping[str, Any] | None) -> MessageDraft:
    answer = result.response or {}
    only = answer.get("result") if len(answer) == 1 else None
    text = only if isinstance(only, str) else json.dumps(answer, ensure_ascii=False, default=str)
    name = result.name or None
    return MessageDraft("tool", text, tool_call_id=result.id or name or "function", name=name, metadata=own)


def _to_part(part: types.Part) -> ContentPart:
    whole = to_plain_json(part)
    if part.thought:
        return ContentPart("reasoning", data=whole)
    if part.text is not None:
        return ContentPart("text", part.text, data=_without(whole, "text"))
    if part.inline_data and part.inline_data.data is not None:
        media, blob = part.inline_data.mime_type or "application/octet-stream", part.inline_data
        uri = f"data:{media};base64,{base64.b64encode(part.inline_data.data).decode()}"
        return ContentPart(_kind(media), None, uri, blob.mime_type, blob.display_name, _without(whole, "inline_data"))
    if part.file_data and part.file_data.file_uri:
        file, uri = part.file_data, part.file_data.file_uri
        return ContentPart(_kind(file.mime_type), None, uri, file.mime_type, file.display_name, _without(whole, "file_data"))
    return ContentPart(next(iter(whole), "empty"), data=whole)


def _without(whole: Mapping[str, Any], *names: str) -> dict[str, Any] | None:
    return {name: value for name, value in whole.items() if name not in names} or None


def _kind(media_type: str | None) -> str:
    kind = (media_type or "").partition("/")[0]
    return kind if kind in MEDIA else "file"


# -- to events


def begins_event(message: Message) -> bool:
    """Whether a message is the first one of its event."""
    return "of" not in read_envelope(message, ENVELOPE)


def events_of(messages: Iterable[Message], agent: str) -> list[Event]:
    """Return messages as events, in order. `agent` is the author of assistant messages from other adapters."""
    ordered = list(messages)
    tools = {call.id: call.name for message in ordered for call in message.tool_calls}
    return [_event(group, agent, tools) for group in group_messages(ordered, _goes_on)]


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    of = read_envelope(message, ENVELOPE).get("of")
    return of is not None and of == _event_id(group[0])


def _event(group: Sequence[Message], agent: str, tools: Mapping[str, str]) -> Event:
    first = group[0]
    known: dict[str, Any] = {
        "id": _event_id(first),
        "invocation_id": first.id,
        "author": "user" if first.role is Role.USER else "system" if first.role is Role.SYSTEM else agent,
        "timestamp": first.created / 1e6,
    }
    if first.role is Role.ASSISTANT and first.name:
        known["author"] = first.name
    if own := strip_adapter_data(first.metadata):
        known["custom_metadata"] = own
    rest = {name: value for name, value in read_envelope(first, ENVELOPE).items() if name != "of"}
    try:
        event = Event.model_validate_json(json.dumps({**known, **rest}))
    except ValidationError:  # users may write any metadata: it need not come from this adapter
        event, rest = Event.model_validate(known), {}
    if "content" not in rest:
        event.content = _content(group, event.author, tools)
    return event


def _content(group: Sequence[Message], author: str, tools: Mapping[str, str]) -> types.Content:
    role, parts = None, list[types.Part]()
    for message in group:
        own = strip_adapter_data(message.metadata) or None

        def there(original: Mapping[str, Any], own: Mapping[str, Any] | None = own) -> MessageDraft:
            return _draft(types.Content.model_validate_json(json.dumps(original)), author, own)

        original = find_original(message, ADAPTER, there)
        content = content_of(message, tools) if original is None else types.Content.model_validate_json(json.dumps(original))
        role = role or content.role
        parts += content.parts or []
    return types.Content(role=role, parts=parts)


def content_of(message: Message, tools: Mapping[str, str] | None = None) -> types.Content:
    """Return the content of a message in the framework's format; `tools` maps ids of calls to tool names."""
    if message.role is Role.TOOL:
        name = message.name or (tools or {}).get(message.tool_call_id or "")
        result = types.FunctionResponse(id=message.tool_call_id, name=name, response=_answer(message.text))
        return types.Content(role="user", parts=[types.Part(function_response=result)])
    if message.parts:
        parts = [made for part in message.parts if (made := _from_part(part)) is not None]
    else:
        parts = [types.Part(text=message.text)] if message.text or not message.tool_calls else []
    parts += [types.Part(function_call=_call(call)) for call in message.tool_calls]
    return types.Content(role="model" if message.role is Role.ASSISTANT else "user", parts=parts)


def _answer(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    return cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"result": text}


def _call(call: ToolCall) -> types.FunctionCall:
    try:
        args = json.loads(call.arguments)
    except ValueError:
        args = None
    named = cast("dict[str, Any]", args) if isinstance(args, dict) else {"arguments": call.arguments}
    return types.FunctionCall(id=call.id, name=call.name, args=named)


def _from_part(part: ContentPart) -> types.Part | None:
    """Return a part in the framework's format; None for another provider's reasoning and other unsupported parts."""
    data = dict(part.data or {})
    if part.kind == "text":
        return _valid({**data, "text": part.text or ""}) or types.Part(text=part.text or "")
    if part.kind == "reasoning":
        return _valid({**data, "thought": True}) if data else None
    if part.uri:
        return _valid({**data, **_media(part, part.uri)}) or _valid(_media(part, part.uri))
    if part.text:
        return types.Part(text=part.text)
    return _valid(data) if part.kind in data else None


def _media(part: ContentPart, uri: str) -> dict[str, Any]:
    named = {"mime_type": part.media_type, "display_name": part.name}
    head, comma, packed = uri.partition(",")
    if not (comma and head.startswith("data:")):
        return {"file_data": {**named, "file_uri": uri}}
    named["mime_type"] = part.media_type or head[5:].partition(";")[0] or None
    return {"inline_data": {**named, "data": packed.replace("+", "-").replace("/", "_")}}


def _valid(fields: Mapping[str, Any]) -> types.Part | None:
    try:
        return types.Part.model_validate_json(json.dumps(fields))
    except ValidationError:
        return None


def _event_id(message: Message) -> str:
    mark = read_envelope(message, ENVELOPE)
    return str(mark.get("id") or mark.get("of") or message.id)
