"""Translate LangChain's messages to drafts, and stored messages back.

Metadata keeps only what other fields of a stored message do not have: the id, the token usage, a tool's artifact. A
message's `response_metadata` becomes its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from keepsaid.adapters.common import attach_adapter_data, find_original, missing_extra, strip_adapter_data

try:
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, RemoveMessage, messages_from_dict
    from pydantic_core import to_jsonable_python
except ImportError:
    raise missing_extra("LangChain", "langchain") from None

from keepsaid.adapters.langchain.blocks import block_to_part, part_to_block
from keepsaid.errors import InvalidInput
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

Fields = dict[str, Any]
"""The fields of a LangChain message as JSON."""

ADAPTER = "langchain"

TYPES = {Role.USER: "human", Role.ASSISTANT: "ai", Role.SYSTEM: "system", Role.TOOL: "tool"}
ROLES = {type: role.value for role, type in TYPES.items()} | {"function": "tool"}
CHUNK_SUFFIX = "MessageChunk"
"""Suffix of the types of streamed message chunks."""

CHAT_ROLES = {"assistant": "assistant", "ai": "assistant", "model": "assistant", "system": "system", "developer": "system"}
"""Roles of a `ChatMessage` that are not on the user's side."""

CALL_BLOCKS = {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call", "input_json_delta"}
"""Types of blocks that repeat the message's tool calls."""

DOCUMENT_KEY = "langchain_document"
"""Key that marks a document in an artifact."""


def to_draft(message: BaseMessage) -> MessageDraft:
    """Return a LangChain message as a draft.

    >>> from langchain_core.messages import HumanMessage
    >>> to_draft(HumanMessage("Hello", id="h1")).metadata
    {'adapters': {'langchain': {'id': 'h1'}}}
    """
    if isinstance(message, RemoveMessage):
        raise InvalidInput("a RemoveMessage only removes messages and cannot be saved: use clear() or Chat.erase()")
    fields = _fields(message)
    draft = _draft(fields)
    return attach_adapter_data(draft, _extra_fields(fields, draft), ADAPTER)


def to_message(message: Message) -> BaseMessage:
    """Return a stored message as a LangChain message: the original, or an equivalent one.

    >>> import keepsaid
    >>> to_message(keepsaid.open("memory://").chat(owner="u1").add("user", "Hello")).pretty_repr().splitlines()[-1]
    'Hello'
    """
    plain = _to_fields(message)
    kept = find_original(message, ADAPTER, lambda kept: _draft(_merge_fields(plain, kept)))
    if kept is not None:
        try:
            return _build_message(_merge_fields(plain, kept))
        except Exception:  # users may write any metadata: LangChain may reject it
            return _build_message(plain)
    return _build_message(plain)


# -- what metadata keeps


def _extra_fields(fields: Fields, draft: MessageDraft) -> Fields:
    """Return the fields that the draft does not have, or all of them if the message would come back as another class."""
    plain = _fields(_build_message(_to_fields(draft)))
    if fields["type"] != plain["type"]:
        return fields
    return {name: value for name, value in fields.items() if name not in plain or plain[name] != value}


def _merge_fields(plain: Fields, kept: Mapping[str, Any]) -> Fields:
    return dict(kept) if "type" in kept else {**plain, **kept}


def _fields(message: BaseMessage) -> Fields:
    fields = message.model_dump()
    if fields.get("artifact") is not None:
        fields["artifact"] = _pack_artifact(cast(Any, message).artifact)
    return to_jsonable_python(fields, bytes_mode="base64", inf_nan_mode="null", fallback=repr)


def _build_message(fields: Fields) -> BaseMessage:
    if fields.get("artifact") is not None:
        fields = {**fields, "artifact": _unpack_artifact(fields["artifact"])}
    return messages_from_dict([{"type": fields["type"], "data": fields}])[0]


def _pack_artifact(artifact: Any) -> Any:
    """Return an artifact with its documents marked; search tools return documents."""
    if isinstance(artifact, Document):
        return {DOCUMENT_KEY: artifact.model_dump()}
    return [_pack_artifact(one) for one in cast("list[Any]", artifact)] if isinstance(artifact, list) else artifact


def _unpack_artifact(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpack_artifact(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict) and cast("dict[str, Any]", value).keys() == {DOCUMENT_KEY}:
        return Document(**cast("dict[str, Any]", value[DOCUMENT_KEY]))
    return cast(Any, value)


# -- to drafts


def _draft(fields: Fields) -> MessageDraft:
    role = _role(fields)
    calls: list[Any] = []
    if role == "assistant":
        calls = [*(fields.get("tool_calls") or ()), *(fields.get("invalid_tool_calls") or ())]
    return MessageDraft(
        role,
        _content(fields["content"], has_calls=bool(calls)),
        tool_calls=tuple(_call(call, number) for number, call in enumerate(calls, 1)),
        tool_call_id=(fields.get("tool_call_id") or None) if role == "tool" else None,
        name=fields.get("name") or None,
        metadata=strip_adapter_data(fields.get("response_metadata")) or None,
    )


def _role(fields: Fields) -> str:
    kind = fields["type"].removesuffix(CHUNK_SUFFIX).lower()
    return CHAT_ROLES.get(str(fields.get("role")).lower(), "user") if kind == "chat" else ROLES[kind]


def _content(content: Any, *, has_calls: bool) -> str | tuple[ContentPart, ...]:
    if isinstance(content, str):
        return content
    return tuple(block_to_part(block) for block in content if not (has_calls and _is_call(block)))


def _is_call(block: str | Mapping[str, Any]) -> bool:
    return not isinstance(block, str) and block.get("type") in CALL_BLOCKS


def _call(call: Mapping[str, Any], number: int) -> ToolCall:
    """Return a tool call. One without an id gets an id that is unique in this message."""
    args = call.get("args")
    text = args if isinstance(args, str) else "" if args is None else json.dumps(args, ensure_ascii=False)
    return ToolCall(call.get("id") or f"call_{number}", call.get("name") or "unknown", text)


# -- to LangChain


def _to_fields(said: MessageDraft | Message) -> Fields:
    """Return the fields of a draft or stored message as LangChain fields."""
    type = TYPES[Role(said.role)]
    content = said.content or ""
    fields: Fields = {
        "type": type,
        "content": content if isinstance(content, str) else [part_to_block(part) for part in content],
        "name": said.name,
        "response_metadata": strip_adapter_data(said.metadata),
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
    """Return the arguments of a call; None if they are not a JSON object."""
    try:
        found = json.loads(call.arguments)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
