"""Translate LlamaIndex's messages to drafts, and stored messages back.

A message's `additional_kwargs` become its metadata, except the name and id that answer a tool call. The adapter's data in
the metadata has only fields that a stored message has no other field for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from keepsaid.adapters.common import attach_adapter_data, find_original, missing_extra, strip_adapter_data

try:
    from llama_index.core.llms import ChatMessage
except ImportError:
    raise missing_extra("LlamaIndex", "llama-index") from None

from keepsaid.adapters.llama_index.blocks import Block, block_to_part, part_to_block
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

Fields = dict[str, Any]
"""The fields of a LlamaIndex message as JSON."""

ADAPTER = "llama_index"

ROLES = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant", "chatbot": "assistant",
    "model": "assistant", "tool": "tool", "function": "tool",
}  # fmt: skip

MAPPED_KWARGS = ("name", "tool_call_id", "tool_calls")
"""The `additional_kwargs` that a stored message has fields for."""

IMAGES_KWARG = "images"
"""Images that are also blocks of the message: LlamaIndex would add them again with every read."""


def to_draft(message: ChatMessage) -> MessageDraft:
    """Return a LlamaIndex message as a draft.

    >>> to_draft(ChatMessage("It is 21 °C.", role="tool", additional_kwargs={"tool_call_id": "c1"})).tool_call_id
    'c1'
    """
    fields = _fields(message)
    draft = _draft(fields)
    plain = _fields(_build_message(_to_fields(draft)))
    # A ChatMessage cannot have the fields that a custom class adds.
    unsaid = {name: value for name, value in fields.items() if name in plain and plain[name] != value}
    return attach_adapter_data(draft, unsaid, ADAPTER)


def to_message(message: Message) -> ChatMessage:
    """Return a stored message as a LlamaIndex message: the original, or an equivalent one.

    >>> import keepsaid
    >>> to_message(keepsaid.open("memory://").chat(owner="u1").add("user", "Hello")).content
    'Hello'
    """
    plain = _to_fields(message)
    kept = find_original(message, ADAPTER, lambda kept: _draft({**plain, **kept}))
    for fields in ([] if kept is None else [{**plain, **kept}]) + [plain]:
        try:
            return _build_message(fields)
        except ValueError:
            continue  # LlamaIndex rejects it: a file is missing, or the metadata was written by others
    return ChatMessage(message.text, role=message.role.value)


def _fields(message: ChatMessage) -> Fields:
    fields: Fields = message.model_dump(mode="json", fallback=repr)
    return {**fields, "additional_kwargs": {k: v for k, v in fields["additional_kwargs"].items() if k != IMAGES_KWARG}}


def _build_message(fields: Fields) -> ChatMessage:
    return ChatMessage.model_validate(fields)


# -- to drafts


def _draft(fields: Fields) -> MessageDraft:
    role, more = ROLES[fields["role"]], fields["additional_kwargs"]
    blocks: list[Block] = fields["blocks"]
    called = [block for block in blocks if block["block_type"] == "tool_call"]
    calls = [_call(block, number) for number, block in enumerate(called, 1)] or _older_calls(more.get("tool_calls"))
    metadata = strip_adapter_data({name: value for name, value in more.items() if name not in MAPPED_KWARGS})
    return MessageDraft(
        role,
        _content([block for block in blocks if block["block_type"] != "tool_call"]),
        tool_calls=tuple(calls) if role == "assistant" else (),
        tool_call_id=_text(more.get("tool_call_id")) if role == "tool" else None,
        name=_text(more.get("name")),
        metadata=metadata or None,
    )


def _content(blocks: list[Block]) -> str | tuple[ContentPart, ...]:
    if len(blocks) == 1 and blocks[0]["block_type"] == "text":
        return blocks[0]["text"]
    return tuple(map(block_to_part, blocks))


def _call(block: Block, number: int) -> ToolCall:
    """Return a tool call. One without an id gets an id that is unique in this message."""
    given = block["tool_kwargs"]
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return ToolCall(block.get("tool_call_id") or f"call_{number}", block["tool_name"] or "unknown", arguments)


def _older_calls(given: Any) -> list[ToolCall]:
    """Return tool calls in OpenAI's format, which messages had before there were blocks for them."""
    found: list[ToolCall] = []
    for number, call in enumerate(cast("list[Any]", given) if isinstance(given, list) else [], 1):
        function = cast("Mapping[str, Any]", call).get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            said = cast("Mapping[str, Any]", function)
            name, arguments = _text(said.get("name")) or "unknown", said.get("arguments")
            id = _text(cast("Mapping[str, Any]", call).get("id")) or f"call_{number}"
            found.append(ToolCall(id, name, arguments if isinstance(arguments, str) else json.dumps(arguments)))
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


# -- to LlamaIndex


def _to_fields(said: MessageDraft | Message) -> Fields:
    """Return the fields of a draft or stored message as LlamaIndex fields."""
    role = Role(said.role)
    content = said.content or ""
    if isinstance(content, str):
        blocks: list[Block] = [{"block_type": "text", "text": content}] if content or not said.tool_calls else []
    else:
        blocks = [block for part in content if (block := part_to_block(part)) is not None]
    blocks += [
        {"block_type": "tool_call", "tool_call_id": call.id, "tool_name": call.name, "tool_kwargs": _arguments(call)}
        for call in said.tool_calls
    ]
    more = strip_adapter_data(said.metadata)
    if said.name is not None:
        more["name"] = said.name
    if role is Role.TOOL and said.tool_call_id is not None:
        more["tool_call_id"] = said.tool_call_id
    return {"role": role.value, "additional_kwargs": more, "blocks": blocks}


def _arguments(call: ToolCall) -> dict[str, Any] | str:
    """Return the arguments of a call, or their text if they are not a JSON object."""
    try:
        found = json.loads(call.arguments)
    except ValueError:
        return call.arguments
    return cast("dict[str, Any]", found) if isinstance(found, dict) else call.arguments
