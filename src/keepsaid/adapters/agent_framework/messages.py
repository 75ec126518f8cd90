"""Translate Microsoft Agent Framework's messages to drafts, and stored messages back, without I/O.

A framework message becomes one stored message; one with the results of several tools becomes several, each with the role
`tool`. The fields besides its contents are kept with the first of them under `ENVELOPE`; there, the others have their number
`of` the message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from agent_framework import Content
from agent_framework import Message as Theirs

from keepsaid.adapters.common import attach_adapter_data, find_original, keep_original_if_lossy, strip_adapter_data
from keepsaid.adapters.message_pieces import group_messages, read_envelope, split_at_results
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

ADAPTER = "agent-framework"
ENVELOPE = "agent-framework-message"

MEDIA = ("image", "audio", "video")
ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "tool"}


# -- to drafts


def drafts_of(message: Theirs) -> list[MessageDraft]:
    """Return a message as drafts: one, or one per tool result."""
    rest: dict[str, Any] = json.loads(json.dumps(message.to_dict(), default=str))
    role, contents = rest.pop("role"), rest.pop("contents", [])
    rest.pop("type", None)
    given: dict[str, Any] = rest.pop("additional_properties", None) or {}
    # The framework's own properties start with an underscore; the user's become the message's metadata.
    own = {name: value for name, value in strip_adapter_data(given).items() if not name.startswith("_")}
    if notes := {name: value for name, value in given.items() if name not in own}:
        rest["additional_properties"] = notes
    name = rest.pop("author_name", None) or None
    pieces: list[list[dict[str, Any]]] = split_at_results(contents, _is_result) or [[]]
    drafts = [_lossless_draft(role, piece, name, None if number else own) for number, piece in enumerate(pieces)]
    first = {"pieces": len(pieces), **rest} if rest or len(pieces) > 1 else {}
    return [attach_adapter_data(draft, {"of": number} if number else first, ENVELOPE) for number, draft in enumerate(drafts)]


def _is_result(content: Mapping[str, Any]) -> bool:
    return content["type"] == "function_result" and bool(content.get("call_id"))


def _lossless_draft(
    role: str, contents: list[dict[str, Any]], name: str | None, own: Mapping[str, Any] | None
) -> MessageDraft:
    original = {"role": role, "author_name": name, "contents": contents}
    return keep_original_if_lossy(_draft(original, own), original, to_plain_message, ADAPTER)


def _draft(said: Mapping[str, Any], own: Mapping[str, Any] | None) -> MessageDraft:
    contents: list[dict[str, Any]] = said["contents"]
    if contents and _is_result(contents[0]):
        return MessageDraft("tool", _result(contents[0]), tool_call_id=contents[0]["call_id"], metadata=own)
    calls = [content for content in contents if _is_call(content)]
    # Only messages with a tool result may have the role tool.
    role = ROLES.get(said["role"], "user") if said["role"] != "tool" else "assistant"
    return MessageDraft(
        role,
        _content([content for content in contents if not _is_call(content)]),
        tool_calls=tuple(ToolCall(call["call_id"], call["name"], _arguments(call)) for call in calls),
        name=said["author_name"],
        metadata=own,
    )


def _is_call(content: Mapping[str, Any]) -> bool:
    return content["type"] == "function_call" and bool(content.get("call_id") and content.get("name"))


def _arguments(call: Mapping[str, Any]) -> str:
    given = call.get("arguments")
    return given if isinstance(given, str) else json.dumps(given or {})


def _result(content: Mapping[str, Any]) -> str | tuple[ContentPart, ...]:
    items: list[dict[str, Any]] = content.get("items") or []
    if any(item["type"] != "text" for item in items):
        return tuple(_part(item) for item in items)
    given = content.get("result")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _content(contents: Sequence[dict[str, Any]]) -> str | tuple[ContentPart, ...]:
    parts = tuple(_part(content) for content in contents)
    alone = len(parts) == 1 and parts[0].kind == "text"
    return parts[0].text or "" if alone else parts or ""


def _part(content: dict[str, Any]) -> ContentPart:
    kind, uri = content["type"], content.get("uri")
    if kind == "text":
        return ContentPart("text", content.get("text") or "")
    if kind == "text_reasoning":
        return ContentPart("reasoning", data=content)
    if kind in ("data", "uri") and uri:
        media_type = content.get("media_type")
        group = (media_type or "").partition("/")[0]
        return ContentPart(group if group in MEDIA else "file", None, uri, media_type)
    return ContentPart(kind, data=content)


# -- to the framework


def messages_of(messages: Iterable[Message]) -> list[Theirs]:
    """Return stored messages as framework messages."""
    return [_to_message(group) for group in group_messages(messages, _goes_on)]


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    pieces = read_envelope(group[0], ENVELOPE).get("pieces")
    return read_envelope(message, ENVELOPE).get("of") == len(group) and isinstance(pieces, int) and pieces > len(group)


def _to_message(group: Sequence[Message]) -> Theirs:
    said = [_original_or_plain(message) for message in group]
    rest = {name: value for name, value in read_envelope(group[0], ENVELOPE).items() if name not in ("pieces", "of")}
    notes = rest.pop("additional_properties", None)
    own = strip_adapter_data(group[0].metadata)
    more = {**cast("dict[str, Any]", notes), **own} if isinstance(notes, dict) else own
    name, contents = said[0]["author_name"], [content for share in said for content in share["contents"]]
    whole = {"role": said[0]["role"], "contents": contents, "author_name": name, "additional_properties": more}
    try:
        return Theirs.from_dict({**rest, **whole})
    except Exception:  # users may write any metadata: it need not come from this adapter
        return Theirs.from_dict(whole)


def _original_or_plain(message: Message) -> dict[str, Any]:
    own = strip_adapter_data(message.metadata) or None
    original = find_original(message, ADAPTER, lambda kept: _draft(kept, own))
    return to_plain_message(message) if original is None else original


def to_plain_message(message: Message) -> dict[str, Any]:
    """Return the content of a message in the framework's format, as JSON."""
    contents = [content for part in message.parts if (content := _to_content(part)) is not None]
    if message.role is Role.TOOL:
        result: Any = contents if message.parts else message.text
        contents = [Content.from_function_result(message.tool_call_id or message.id, result=result)]
    elif not message.parts and message.text:
        contents = [Content.from_text(message.text)]
    contents += [Content.from_function_call(call.id, call.name, arguments=call.arguments) for call in message.tool_calls]
    name = None if message.role is Role.TOOL else message.name
    return {"role": str(message.role), "author_name": name, "contents": [content.to_dict() for content in contents]}


def _to_content(part: ContentPart) -> Content | None:
    """Return a part in the framework's format; None for another provider's reasoning and other unsupported parts."""
    if part.uri:
        return Content("data" if part.uri.startswith("data:") else "uri", uri=part.uri, media_type=part.media_type)
    if part.text is not None and part.kind != "reasoning":
        return Content.from_text(part.text)
    data = dict(part.data or {})
    if data.get("type") != ("text_reasoning" if part.kind == "reasoning" else part.kind):
        return None
    try:
        return Content.from_dict(data)
    except Exception:  # data of another origin with the same type
        return None
