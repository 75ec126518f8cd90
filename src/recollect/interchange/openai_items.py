"""The items of a conversation, and our messages.

A message of ours is one item, or several: what an assistant says and each tool that he calls for are items of their own.
The first has the message's id. What an item has and a message has no place for is kept beside the message, as a door's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from recollect.errors import InvalidInput
from recollect.interchange.openai_parts import content_of, parts_of, plain_type
from recollect.types import DOORS, Draft, Message, Part, Role, ToolCall

DOOR = "openai"
"""Under which name, among the doors, the metadata of a message has what its items have besides."""
PREFIXES = {"message": "msg", "function_call": "fc", "function_call_output": "fco", "reasoning": "rs"}
UNFINISHED = ("stopped", "length", "error")

Fields = Mapping[str, Any]
NOTHING: Fields = {}


def new_id(prefix: str) -> str:
    """A new id. It begins with the time, so that ids sort as they were made.

    >>> new_id("conv")[:5]
    'conv_'
    """
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def drafts_of(items: Sequence[Fields], id_for: Callable[[int], str | None] = lambda place: None) -> list[Draft]:
    """Items as messages to be saved. Function calls in a row become one message, because their outputs follow them all.

    >>> [draft.role for draft in drafts_of([{"role": "user", "content": "Hi"}, {"type": "reasoning", "summary": []}])]
    ['user', 'assistant']
    """
    drafts: list[Draft] = []
    for place, item in enumerate(items):
        if item.get("type") == "item_reference":
            raise InvalidInput("an item_reference names an item that is there already: send the item itself")
        made = draft_of(item)
        if made.tool_calls and drafts and drafts[-1].tool_calls:
            drafts[-1] = with_call(drafts[-1], made)
        else:
            given = id_for(place)
            prefix = PREFIXES.get(str(item.get("type", "message")), "item")
            drafts.append(replace(made, id=made.id or (new_id(prefix) if given is None else f"{prefix}_{given}")))
    return drafts


def draft_of(item: Fields) -> Draft:
    """One item as a message. What we have no word for is one without words, and its item is kept whole.

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
        return Draft("system" if role == "developer" else role, body, id, metadata=_kept(extra))
    if kind == "function_call":
        call = ToolCall(rest.pop("call_id"), rest.pop("name"), rest.pop("arguments"))
        return Draft("assistant", "", id, (call,), metadata=_kept(_without_none(rest)))
    if kind == "function_call_output":
        call_id, output = rest.pop("call_id"), rest.pop("output")
        body = output if isinstance(output, str) else parts_of(output, plain_type("tool"))
        return Draft("tool", body, id, tool_call_id=call_id, metadata=_kept(_without_none(rest)))
    return Draft("tool" if str(kind).endswith("_output") else "assistant", "", id, metadata=_kept({"type": kind, **rest}))


def with_call(first: Draft, next: Draft) -> Draft:
    """A message with the call of another one as well."""
    extras = extras_of(first.metadata)
    extras += [NOTHING] * (len(first.tool_calls) - len(extras))
    extra = {**(extras_of(next.metadata) or [NOTHING])[0], **({} if next.id is None else {"id": next.id})}
    kept = _kept(*extras, extra)
    return replace(first, tool_calls=(*first.tool_calls, *next.tool_calls), metadata=kept)


def _without_none(fields: Fields) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _kept(*extras: Fields) -> dict[str, Any] | None:
    return {DOORS: {DOOR: list(extras)}} if any(extras) else None


def extras_of(metadata: Fields | None) -> list[Fields]:
    """What items have besides, if it is that: a message's metadata is its owner's to write."""
    doors: Any = (metadata or {}).get(DOORS)
    found: Any = cast("Fields", doors).get(DOOR) if isinstance(doors, dict) else None
    if not isinstance(found, list):
        return []
    return [one if isinstance(one, dict) else {} for one in cast("list[Any]", found)]


def items_of(message: Message) -> list[dict[str, Any]]:
    """The items of a message.

    >>> said = Message("msg_1", "conv_1", 1, 0, Role.USER, "Hi", 1, 0, 0.0, False, {})
    >>> items_of(said)[0]["content"]
    [{'type': 'input_text', 'text': 'Hi'}]
    """
    extras = extras_of(message.metadata)
    if extras and "type" in extras[0]:
        return [{"id": message.id, **extras[0]}]
    made = list(_bare(message))
    for place, item in enumerate(made):
        item["id"] = f"{message.id}:{place}" if place else message.id
        item.update(extras[place] if place < len(extras) else {})
    return made


def _bare(message: Message) -> Iterable[dict[str, Any]]:
    """Its items without ids."""
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
    return [content_of(Part("text", message.text), plain)] if message.text else []
