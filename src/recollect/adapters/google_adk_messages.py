"""Google ADK's events in our words, and back: pure translation.

An event is a message; one with the results of several tools is several, each with the role `tool`. What an event has beside
its content is kept with its first message under `EVENT`, where the others say which event they are `of`.
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

from recollect.adapters.common import faithful, original_of, own_metadata
from recollect.adapters.shares import groups, mark_of, marked, shares
from recollect.types import Draft, Message, Part, Role, ToolCall

DOOR = "google-adk"
EVENT = "google-adk-event"

MEDIA = ("image", "audio", "video")


# -- there


def drafts_of(event: Event) -> list[Draft]:
    """An event as messages: one, or as many as it has results of tools."""
    rest: dict[str, Any] = {**plain(event), "author": event.author, "invocation_id": event.invocation_id}
    own = rest.pop("custom_metadata", None)
    if own is not None and (not own or own_metadata(own) != own):
        rest["custom_metadata"], own = own, None
    when = datetime.fromtimestamp(event.timestamp, UTC)
    cut = _contents(event.content)
    if not cut:
        rest["content"] = rest.get("content")
        return [marked(_wordless(event, own), EVENT, rest, when)]
    rest.pop("content", None)
    drafts = [_said(share, event.author, None if number else own) for number, share in enumerate(cut)]
    return [marked(draft, EVENT, {"of": event.id} if number else rest, when) for number, draft in enumerate(drafts)]


def plain(model: BaseModel) -> dict[str, Any]:
    """A value of the framework as JSON, without what says nothing."""
    # Read back, what the user put into it is plain, so that only the framework's own fields can be left out.
    read = type(model).model_validate_json(model.model_dump_json())
    return json.loads(read.model_dump_json(exclude_none=True, exclude_defaults=True))


def _contents(content: types.Content | None) -> list[types.Content]:
    """What each message has of a content."""
    if content is None:
        return []
    cut = shares(content.parts or (), lambda part: part.function_response)
    return [types.Content(role=content.role, parts=parts) for parts in cut]


def _wordless(event: Event, own: Mapping[str, Any] | None) -> Draft:
    """An event without content: a change of state, or what was said aloud."""
    heard, spoken = event.input_transcription, event.output_transcription
    if heard and heard.text:
        return Draft("user", heard.text, metadata=own)
    text = spoken.text if spoken and spoken.text else ""
    by_user = event.author == "user" and not text
    return Draft("user" if by_user else "assistant", text, name=_speaker(event.author), metadata=own)


def _said(share: types.Content, author: str, own: Mapping[str, Any] | None) -> Draft:
    def there(original: Mapping[str, Any]) -> Draft:
        return _draft(types.Content.model_validate_json(json.dumps(original)), author, own)

    original = plain(share)
    return faithful(there(original), original, lambda message: plain(content_of(message)), DOOR)


def _draft(share: types.Content, author: str, own: Mapping[str, Any] | None) -> Draft:
    parts = share.parts or []
    if parts and parts[0].function_response:
        return _result(parts[0].function_response, own)
    by_user = share.role == "user" or (share.role != "model" and author == "user")
    pieces = tuple(_piece(part) for part in parts if not part.function_call)
    bare = len(pieces) == 1 and pieces[0].kind == "text" and pieces[0].data is None
    return Draft(
        "user" if by_user else "assistant",
        pieces[0].text or "" if bare else pieces or "",
        tool_calls=_calls([part.function_call for part in parts if part.function_call]),
        name=None if by_user else _speaker(author),
        metadata=own,
    )


def _speaker(author: str) -> str | None:
    return author if author and author != "user" else None


def _calls(calls: Sequence[types.FunctionCall]) -> tuple[ToolCall, ...]:
    # A call without an id is answered by the name of its function: then that is its id.
    return tuple(
        ToolCall(call.id or call.name or "function", call.name or "function", json.dumps(call.args or {}, default=str))
        for call in calls
    )


def _result(result: types.FunctionResponse, own: Mapping[str, Any] | None) -> Draft:
    answer = result.response or {}
    only = answer.get("result") if len(answer) == 1 else None
    text = only if isinstance(only, str) else json.dumps(answer, ensure_ascii=False, default=str)
    name = result.name or None
    return Draft("tool", text, tool_call_id=result.id or name or "function", name=name, metadata=own)


def _piece(part: types.Part) -> Part:
    whole = plain(part)
    if part.thought:
        return Part("reasoning", data=whole)
    if part.text is not None:
        return Part("text", part.text, data=_without(whole, "text"))
    if part.inline_data and part.inline_data.data is not None:
        media, blob = part.inline_data.mime_type or "application/octet-stream", part.inline_data
        uri = f"data:{media};base64,{base64.b64encode(part.inline_data.data).decode()}"
        return Part(_kind(media), None, uri, blob.mime_type, blob.display_name, _without(whole, "inline_data"))
    if part.file_data and part.file_data.file_uri:
        file, uri = part.file_data, part.file_data.file_uri
        return Part(_kind(file.mime_type), None, uri, file.mime_type, file.display_name, _without(whole, "file_data"))
    return Part(next(iter(whole), "empty"), data=whole)


def _without(whole: Mapping[str, Any], *names: str) -> dict[str, Any] | None:
    return {name: value for name, value in whole.items() if name not in names} or None


def _kind(media_type: str | None) -> str:
    kind = (media_type or "").partition("/")[0]
    return kind if kind in MEDIA else "file"


# -- and back


def begins_event(message: Message) -> bool:
    """Whether an event begins with this message, rather than going on."""
    return "of" not in mark_of(message, EVENT)


def events_of(messages: Iterable[Message], agent: str) -> list[Event]:
    """Messages as events, in their order. What another door wrote for an assistant is said by `agent`."""
    told = list(messages)
    tools = {call.id: call.name for message in told for call in message.tool_calls}
    return [_event(group, agent, tools) for group in groups(told, _goes_on)]


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    of = mark_of(message, EVENT).get("of")
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
    if own := own_metadata(first.metadata):
        known["custom_metadata"] = own
    rest = {name: value for name, value in mark_of(first, EVENT).items() if name != "of"}
    try:
        event = Event.model_validate_json(json.dumps({**known, **rest}))
    except ValidationError:  # metadata is its owner's to write: what is there need not be ours
        event, rest = Event.model_validate(known), {}
    if "content" not in rest:
        event.content = _content(group, event.author, tools)
    return event


def _content(group: Sequence[Message], author: str, tools: Mapping[str, str]) -> types.Content:
    role, parts = None, list[types.Part]()
    for message in group:
        own = own_metadata(message.metadata) or None

        def there(original: Mapping[str, Any], own: Mapping[str, Any] | None = own) -> Draft:
            return _draft(types.Content.model_validate_json(json.dumps(original)), author, own)

        original = original_of(message, DOOR, there)
        content = content_of(message, tools) if original is None else types.Content.model_validate_json(json.dumps(original))
        role = role or content.role
        parts += content.parts or []
    return types.Content(role=role, parts=parts)


def content_of(message: Message, tools: Mapping[str, str] | None = None) -> types.Content:
    """What a message says, in the framework's words; `tools` are the names of those that calls asked for."""
    if message.role is Role.TOOL:
        name = message.name or (tools or {}).get(message.tool_call_id or "")
        result = types.FunctionResponse(id=message.tool_call_id, name=name, response=_answer(message.text))
        return types.Content(role="user", parts=[types.Part(function_response=result)])
    if message.parts:
        parts = [made for part in message.parts if (made := _genai(part)) is not None]
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


def _genai(part: Part) -> types.Part | None:
    """A part in the framework's words; None for another provider's reasoning and other things that it has no words for."""
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


def _media(part: Part, uri: str) -> dict[str, Any]:
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
    mark = mark_of(message, EVENT)
    return str(mark.get("id") or mark.get("of") or message.id)
