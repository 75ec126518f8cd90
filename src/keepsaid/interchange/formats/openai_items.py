"""Conversion between OpenAI's conversation items and our messages.

One of our messages is one or more items: an assistant's text and each of its tool calls are separate items. The first item
has the message's id. Item fields that a message has no field for are kept in the message's metadata for this adapter.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from keepsaid.errors import InvalidInput
from keepsaid.interchange.formats.openai_parts import content_of, parts_of, plain_type
from keepsaid.types import ADAPTER_FIELDS, ContentPart, Message, MessageDraft, Role, ToolCall

ADAPTER = "openai"
"""This adapter's key in the metadata of a message, for the additional fields of its items."""
PREFIXES = {"message": "msg", "function_call": "fc", "function_call_output": "fco", "reasoning": "rs"}
UNFINISHED = ("stopped", "length", "error")

ItemFields = Mapping[str, Any]
NO_FIELDS: ItemFields = {}


def new_id(prefix: str) -> str:
    """Create an id. It begins with the time, so that ids sort by creation.

    >>> new_id("conv")[:5]
    'conv_'
    """
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def drafts_of(items: Sequence[ItemFields], id_for: Callable[[int], str | None] = lambda place: None) -> list[MessageDraft]:
    """Convert items to drafts. Consecutive function calls become one message, because their outputs follow all of them.

    >>> [draft.role for draft in drafts_of([{"role": "user", "content": "Hi"}, {"type": "reasoning", "summary": []}])]
    ['user', 'assistant']
    """
    drafts: list[MessageDraft] = []
    for place, item in enumerate(items):
        if item.get("type") == "item_reference":
            raise InvalidInput("an item_reference refers to an existing item, which is not supported: send the item itself")
        made = draft_of(item)
        if made.tool_calls and drafts and drafts[-1].tool_calls:
            drafts[-1] = with_call(drafts[-1], made)
        else:
            given = id_for(place)
            prefix = PREFIXES.get(str(item.get("type", "message")), "item")
            drafts.append(replace(made, id=made.id or (new_id(prefix) if given is None else f"{prefix}_{given}")))
    return drafts


def draft_of(item: ItemFields) -> MessageDraft:
    """Convert one item to a draft. An item of an unknown type becomes an empty message, with the complete item in metadata.

    >>> draft_of({"type": "function_call_output", "call_id": "call_1", "output": "19 °C"}).role
    'tool'
    """
    kind = item.get("type", "message")
    rest = {name: value for name, value in item.items() if name not in ("id", "type")}
    id = item.get("id")
    if kind == "message":
        role, content = str(rest.pop("role")), rest.pop("content")
        body = content if isinstance(content, str) else parts_of(content, plain_type(role))
        extra = _without_none(rest) | ({"role": role} if role == "developer" else {})
        return MessageDraft("system" if role == "developer" else role, body, id, metadata=_adapter_metadata(extra))
    if kind == "function_call":
        call = ToolCall(rest.pop("call_id"), rest.pop("name"), rest.pop("arguments"))
        return MessageDraft("assistant", "", id, (call,), metadata=_adapter_metadata(_without_none(rest)))
    if kind == "function_call_output":
        call_id, output = rest.pop("call_id"), rest.pop("output")
        body = output if isinstance(output, str) else parts_of(output, plain_type("tool"))
        return MessageDraft("tool", body, id, tool_call_id=call_id, metadata=_adapter_metadata(_without_none(rest)))
    return MessageDraft(
        "tool" if str(kind).endswith("_output") else "assistant", "", id, metadata=_adapter_metadata({"type": kind, **rest})
    )


def with_call(first: MessageDraft, next: MessageDraft) -> MessageDraft:
    """Add the call of another draft to a draft."""
    extras = extras_of(first.metadata)
    extras += [NO_FIELDS] * (len(first.tool_calls) - len(extras))
    extra = {**(extras_of(next.metadata) or [NO_FIELDS])[0], **({} if next.id is None else {"id": next.id})}
    kept = _adapter_metadata(*extras, extra)
    return replace(first, tool_calls=(*first.tool_calls, *next.tool_calls), metadata=kept)


def _without_none(fields: ItemFields) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _adapter_metadata(*extras: ItemFields) -> dict[str, Any] | None:
    return {ADAPTER_FIELDS: {ADAPTER: list(extras)}} if any(extras) else None


def extras_of(metadata: ItemFields | None) -> list[ItemFields]:
    """The additional fields of a message's items; invalid ones are ignored, because users can write metadata."""
    by_adapter: Any = (metadata or {}).get(ADAPTER_FIELDS)
    found: Any = cast("ItemFields", by_adapter).get(ADAPTER) if isinstance(by_adapter, dict) else None
    if not isinstance(found, list):
        return []
    return [one if isinstance(one, dict) else {} for one in cast("list[Any]", found)]


def items_of(message: Message) -> list[dict[str, Any]]:
    """Convert a message to items.

    >>> said = Message("msg_1", "conv_1", 1, 0, Role.USER, "Hi", 1, 0, 0.0, False, {})
    >>> items_of(said)[0]["content"]
    [{'type': 'input_text', 'text': 'Hi'}]
    """
    extras = extras_of(message.metadata)
    if extras and "type" in extras[0]:
        return [{"id": message.id, **extras[0]}]
    made = list(_items_without_ids(message))
    for place, item in enumerate(made):
        item["id"] = f"{message.id}:{place}" if place else message.id
        item.update(extras[place] if place < len(extras) else {})
    return made


def _items_without_ids(message: Message) -> Iterable[dict[str, Any]]:
    """The items of a message, without ids."""
    status = "incomplete" if message.metadata.get("finish") in UNFINISHED else "completed"
    if message.role is Role.TOOL:
        call_id, output = message.tool_call_id or "", _contents(message) if message.parts else message.text
        yield {"type": "function_call_output", "call_id": call_id, "output": output, "status": status}
        return
    if message.parts or message.text or not message.tool_calls:
        yield {"type": "message", "role": message.role.value, "content": _contents(message), "status": status}
    for call in message.tool_calls:
        yield {
            "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments, "status": status,
        }  # fmt: skip


def _contents(message: Message) -> list[dict[str, Any]]:
    plain = plain_type(message.role.value)
    if message.parts:
        return [content_of(part, plain) for part in message.parts]
    return [content_of(ContentPart("text", message.text), plain)] if message.text else []
