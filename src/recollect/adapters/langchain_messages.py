"""LangChain's messages in our words, and back.

Beside a message only that is kept which our fields do not say: its id, the usage of tokens, a tool's artifact. A message's
`response_metadata` is its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from recollect.adapters.common import beside, missing, original_of, own_metadata

try:
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, RemoveMessage, messages_from_dict
    from pydantic_core import to_jsonable_python
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_blocks import block_of, part_of
from recollect.errors import InvalidInput
from recollect.types import Draft, Message, Part, Role, ToolCall

Fields = dict[str, Any]
"""A message of LangChain's as plain JSON, field by field."""

DOOR = "langchain"

TYPES = {Role.USER: "human", Role.ASSISTANT: "ai", Role.SYSTEM: "system", Role.TOOL: "tool"}
ROLES = {type: role.value for role, type in TYPES.items()} | {"function": "tool"}
CHUNK = "MessageChunk"
"""How the types of messages end that are pieces of a stream."""

TITLES = {"assistant": "assistant", "ai": "assistant", "model": "assistant", "system": "system", "developer": "system"}
"""Roles that a `ChatMessage` may name, where it is not somebody on the user's side who speaks."""

CALLS = {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call", "input_json_delta"}
"""Blocks that say again what the message's tool calls say."""

DOCUMENT = "langchain_document"
"""Marks a document in an artifact."""


def to_draft(message: BaseMessage) -> Draft:
    """A message of LangChain's, to be saved.

    >>> from langchain_core.messages import HumanMessage
    >>> to_draft(HumanMessage("Hello", id="h1")).metadata
    {'doors': {'langchain': {'id': 'h1'}}}
    """
    if isinstance(message, RemoveMessage):
        raise InvalidInput("a RemoveMessage says what to take away: it cannot be kept; use clear() or Chat.erase()")
    fields = _fields(message)
    draft = _draft(fields)
    return beside(draft, _unsaid(fields, draft), DOOR)


def to_message(message: Message) -> BaseMessage:
    """A stored message, as LangChain has it: the very one that was given, or one that says the same.

    >>> import recollect
    >>> to_message(recollect.open("memory://").chat(owner="u1").add("user", "Hello")).pretty_repr().splitlines()[-1]
    'Hello'
    """
    plain = _plain(message)
    kept = original_of(message, DOOR, lambda kept: _draft(_whole(plain, kept)))
    if kept is not None:
        try:
            return _made(_whole(plain, kept))
        except Exception:  # metadata is its owner's to write: LangChain need not take what is there
            return _made(plain)
    return _made(plain)


# -- what is kept beside a message


def _unsaid(fields: Fields, draft: Draft) -> Fields:
    """What the draft does not say. One of another class than it would come back as is kept whole."""
    plain = _fields(_made(_plain(draft)))
    if fields["type"] != plain["type"]:
        return fields
    return {name: value for name, value in fields.items() if name not in plain or plain[name] != value}


def _whole(plain: Fields, kept: Mapping[str, Any]) -> Fields:
    return dict(kept) if "type" in kept else {**plain, **kept}


def _fields(message: BaseMessage) -> Fields:
    fields = message.model_dump()
    if fields.get("artifact") is not None:
        fields["artifact"] = _packed(cast(Any, message).artifact)
    return to_jsonable_python(fields, bytes_mode="base64", inf_nan_mode="null", fallback=repr)


def _made(fields: Fields) -> BaseMessage:
    if fields.get("artifact") is not None:
        fields = {**fields, "artifact": _unpacked(fields["artifact"])}
    return messages_from_dict([{"type": fields["type"], "data": fields}])[0]


def _packed(artifact: Any) -> Any:
    """An artifact, in which documents can be told from other data: tools that search give such."""
    if isinstance(artifact, Document):
        return {DOCUMENT: artifact.model_dump()}
    return [_packed(one) for one in cast("list[Any]", artifact)] if isinstance(artifact, list) else artifact


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict) and cast("dict[str, Any]", value).keys() == {DOCUMENT}:
        return Document(**cast("dict[str, Any]", value[DOCUMENT]))
    return cast(Any, value)


# -- in our words


def _draft(fields: Fields) -> Draft:
    role = _role(fields)
    calls: list[Any] = []
    if role == "assistant":
        calls = [*(fields.get("tool_calls") or ()), *(fields.get("invalid_tool_calls") or ())]
    return Draft(
        role,
        _content(fields["content"], has_calls=bool(calls)),
        tool_calls=tuple(_call(call, number) for number, call in enumerate(calls, 1)),
        tool_call_id=(fields.get("tool_call_id") or None) if role == "tool" else None,
        name=fields.get("name") or None,
        metadata=own_metadata(fields.get("response_metadata")) or None,
    )


def _role(fields: Fields) -> str:
    kind = fields["type"].removesuffix(CHUNK).lower()
    return TITLES.get(str(fields.get("role")).lower(), "user") if kind == "chat" else ROLES[kind]


def _content(content: Any, *, has_calls: bool) -> str | tuple[Part, ...]:
    if isinstance(content, str):
        return content
    return tuple(part_of(block) for block in content if not (has_calls and _is_call(block)))


def _is_call(block: str | Mapping[str, Any]) -> bool:
    return not isinstance(block, str) and block.get("type") in CALLS


def _call(call: Mapping[str, Any], number: int) -> ToolCall:
    """A tool call. One without an id gets one that is its own in this message."""
    args = call.get("args")
    text = args if isinstance(args, str) else "" if args is None else json.dumps(args, ensure_ascii=False)
    return ToolCall(call.get("id") or f"call_{number}", call.get("name") or "unknown", text)


# -- in LangChain's words


def _plain(said: Draft | Message) -> Fields:
    """What our fields say, in LangChain's words."""
    type = TYPES[Role(said.role)]
    content = said.content or ""
    fields: Fields = {
        "type": type,
        "content": content if isinstance(content, str) else [block_of(part) for part in content],
        "name": said.name,
        "response_metadata": own_metadata(said.metadata),
    }
    if type == "ai":
        calls = [(call, _arguments(call)) for call in said.tool_calls]
        fields["tool_calls"] = [
            {"name": call.name, "args": args, "id": call.id, "type": "tool_call"} for call, args in calls if args is not None
        ]
        fields["invalid_tool_calls"] = [
            {"name": call.name, "args": call.arguments, "id": call.id, "error": None, "type": "invalid_tool_call"}
            for call, args in calls
            if args is None
        ]
    if type == "tool":
        fields["tool_call_id"] = said.tool_call_id or ""
    return fields


def _arguments(call: ToolCall) -> dict[str, Any] | None:
    """A call's arguments; None if they are not what a tool can be called with."""
    try:
        found = json.loads(call.arguments)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
