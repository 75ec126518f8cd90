"""Microsoft Agent Framework's messages in our words, and back: pure translation.

A message of theirs is one of ours; one with the results of several tools is several, each with the role `tool`. What it has
beside its contents is kept with the first of them under `MARK`, where the others say which piece `of` it they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from agent_framework import Content
from agent_framework import Message as Theirs

from recollect.adapters.common import beside, faithful, original_of, own_metadata
from recollect.adapters.shares import groups, mark_of, shares
from recollect.types import Draft, Message, Part, Role, ToolCall

DOOR = "agent-framework"
MARK = "agent-framework-message"

MEDIA = ("image", "audio", "video")
ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "tool"}


# -- there


def drafts_of(message: Theirs) -> list[Draft]:
    """A message as ours: one, or as many as it has results of tools."""
    rest: dict[str, Any] = json.loads(json.dumps(message.to_dict(), default=str))
    role, contents = rest.pop("role"), rest.pop("contents", [])
    rest.pop("type", None)
    given: dict[str, Any] = rest.pop("additional_properties", None) or {}
    # The framework's own notes begin so; what is the user's is the message's metadata.
    own = {name: value for name, value in own_metadata(given).items() if not name.startswith("_")}
    if notes := {name: value for name, value in given.items() if name not in own}:
        rest["additional_properties"] = notes
    name = rest.pop("author_name", None) or None
    pieces: list[list[dict[str, Any]]] = shares(contents, _is_result) or [[]]
    drafts = [_said(role, piece, name, None if number else own) for number, piece in enumerate(pieces)]
    first = {"pieces": len(pieces), **rest} if rest or len(pieces) > 1 else {}
    return [beside(draft, {"of": number} if number else first, MARK) for number, draft in enumerate(drafts)]


def _is_result(content: Mapping[str, Any]) -> bool:
    return content["type"] == "function_result" and bool(content.get("call_id"))


def _said(role: str, contents: list[dict[str, Any]], name: str | None, own: Mapping[str, Any] | None) -> Draft:
    original = {"role": role, "author_name": name, "contents": contents}
    return faithful(_draft(original, own), original, as_plain, DOOR)


def _draft(said: Mapping[str, Any], own: Mapping[str, Any] | None) -> Draft:
    contents: list[dict[str, Any]] = said["contents"]
    if contents and _is_result(contents[0]):
        return Draft("tool", _result(contents[0]), tool_call_id=contents[0]["call_id"], metadata=own)
    calls = [content for content in contents if _is_call(content)]
    # Only a tool's own message may have its role.
    role = ROLES.get(said["role"], "user") if said["role"] != "tool" else "assistant"
    return Draft(
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


def _result(content: Mapping[str, Any]) -> str | tuple[Part, ...]:
    items: list[dict[str, Any]] = content.get("items") or []
    if any(item["type"] != "text" for item in items):
        return tuple(_part(item) for item in items)
    given = content.get("result")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _content(contents: Sequence[dict[str, Any]]) -> str | tuple[Part, ...]:
    parts = tuple(_part(content) for content in contents)
    alone = len(parts) == 1 and parts[0].kind == "text"
    return parts[0].text or "" if alone else parts or ""


def _part(content: dict[str, Any]) -> Part:
    kind, uri = content["type"], content.get("uri")
    if kind == "text":
        return Part("text", content.get("text") or "")
    if kind == "text_reasoning":
        return Part("reasoning", data=content)
    if kind in ("data", "uri") and uri:
        media_type = content.get("media_type")
        group = (media_type or "").partition("/")[0]
        return Part(group if group in MEDIA else "file", None, uri, media_type)
    return Part(kind, data=content)


# -- and back


def messages_of(messages: Iterable[Message]) -> list[Theirs]:
    """Ours as messages of the framework."""
    return [_message(group) for group in groups(messages, _goes_on)]


def _goes_on(group: Sequence[Message], message: Message) -> bool:
    pieces = mark_of(group[0], MARK).get("pieces")
    return mark_of(message, MARK).get("of") == len(group) and isinstance(pieces, int) and pieces > len(group)


def _message(group: Sequence[Message]) -> Theirs:
    said = [_plain_original(message) for message in group]
    rest = {name: value for name, value in mark_of(group[0], MARK).items() if name not in ("pieces", "of")}
    notes = rest.pop("additional_properties", None)
    own = own_metadata(group[0].metadata)
    more = {**cast("dict[str, Any]", notes), **own} if isinstance(notes, dict) else own
    name, contents = said[0]["author_name"], [content for share in said for content in share["contents"]]
    whole = {"role": said[0]["role"], "contents": contents, "author_name": name, "additional_properties": more}
    try:
        return Theirs.from_dict({**rest, **whole})
    except Exception:  # metadata is its owner's to write: what is there need not be ours
        return Theirs.from_dict(whole)


def _plain_original(message: Message) -> dict[str, Any]:
    own = own_metadata(message.metadata) or None
    original = original_of(message, DOOR, lambda kept: _draft(kept, own))
    return as_plain(message) if original is None else original


def as_plain(message: Message) -> dict[str, Any]:
    """What a message says in the framework's words, as JSON."""
    contents = [content for part in message.parts if (content := _their_content(part)) is not None]
    if message.role is Role.TOOL:
        result: Any = contents if message.parts else message.text
        contents = [Content.from_function_result(message.tool_call_id or message.id, result=result)]
    elif not message.parts and message.text:
        contents = [Content.from_text(message.text)]
    contents += [Content.from_function_call(call.id, call.name, arguments=call.arguments) for call in message.tool_calls]
    name = None if message.role is Role.TOOL else message.name
    return {"role": str(message.role), "author_name": name, "contents": [content.to_dict() for content in contents]}


def _their_content(part: Part) -> Content | None:
    """A part in the framework's words; None for another provider's reasoning and other things that it has no words for."""
    if part.uri:
        return Content("data" if part.uri.startswith("data:") else "uri", uri=part.uri, media_type=part.media_type)
    if part.text is not None and part.kind != "reasoning":
        return Content.from_text(part.text)
    data = dict(part.data or {})
    if data.get("type") != ("text_reasoning" if part.kind == "reasoning" else part.kind):
        return None
    try:
        return Content.from_dict(data)
    except Exception:  # it was another's, and only looks alike
        return None
