"""LlamaIndex's messages in our words, and back.

A message's `additional_kwargs` are its metadata, but for the name and id that answer a tool call. Beside a message only that
is kept which our fields do not say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from recollect.adapters.common import beside, missing, original_of, own_metadata

try:
    from llama_index.core.llms import ChatMessage
except ImportError:
    raise missing("LlamaIndex", "llama-index") from None

from recollect.adapters.llama_index_blocks import Block, block_of, part_of
from recollect.types import Draft, Message, Part, Role, ToolCall

Fields = dict[str, Any]
"""A message of LlamaIndex's as plain JSON, field by field."""

DOOR = "llama_index"

ROLES = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant", "chatbot": "assistant",
    "model": "assistant", "tool": "tool", "function": "tool",
}  # fmt: skip

OURS = ("name", "tool_call_id", "tool_calls")
"""Of the `additional_kwargs`, those that our fields say."""

PICTURES = "images"
"""Pictures that are blocks of the message, too: LlamaIndex would add them once more whenever it is read."""


def to_draft(message: ChatMessage) -> Draft:
    """A message of LlamaIndex's, to be saved.

    >>> to_draft(ChatMessage("It is 21 °C.", role="tool", additional_kwargs={"tool_call_id": "c1"})).tool_call_id
    'c1'
    """
    fields = _fields(message)
    draft = _draft(fields)
    plain = _fields(_made(_plain(draft)))
    # What a class of somebody's own adds, a ChatMessage cannot have.
    unsaid = {name: value for name, value in fields.items() if name in plain and plain[name] != value}
    return beside(draft, unsaid, DOOR)


def to_message(message: Message) -> ChatMessage:
    """A stored message, as LlamaIndex has it: the very one that was given, or one that says the same.

    >>> import recollect
    >>> to_message(recollect.open("memory://").chat(owner="u1").add("user", "Hello")).content
    'Hello'
    """
    plain = _plain(message)
    kept = original_of(message, DOOR, lambda kept: _draft({**plain, **kept}))
    for fields in ([] if kept is None else [{**plain, **kept}]) + [plain]:
        try:
            return _made(fields)
        except ValueError:
            continue  # what it refers to is gone, or somebody else wrote it: LlamaIndex does not take it
    return ChatMessage(message.text, role=message.role.value)


def _fields(message: ChatMessage) -> Fields:
    fields: Fields = message.model_dump(mode="json", fallback=repr)
    return {**fields, "additional_kwargs": {k: v for k, v in fields["additional_kwargs"].items() if k != PICTURES}}


def _made(fields: Fields) -> ChatMessage:
    return ChatMessage.model_validate(fields)


# -- in our words


def _draft(fields: Fields) -> Draft:
    role, more = ROLES[fields["role"]], fields["additional_kwargs"]
    blocks: list[Block] = fields["blocks"]
    called = [block for block in blocks if block["block_type"] == "tool_call"]
    calls = [_call(block, number) for number, block in enumerate(called, 1)] or _older_calls(more.get("tool_calls"))
    metadata = own_metadata({name: value for name, value in more.items() if name not in OURS})
    return Draft(
        role,
        _content([block for block in blocks if block["block_type"] != "tool_call"]),
        tool_calls=tuple(calls) if role == "assistant" else (),
        tool_call_id=_text(more.get("tool_call_id")) if role == "tool" else None,
        name=_text(more.get("name")),
        metadata=metadata or None,
    )


def _content(blocks: list[Block]) -> str | tuple[Part, ...]:
    if len(blocks) == 1 and blocks[0]["block_type"] == "text":
        return blocks[0]["text"]
    return tuple(map(part_of, blocks))


def _call(block: Block, number: int) -> ToolCall:
    """A tool call. One without an id gets one that is its own in this message."""
    given = block["tool_kwargs"]
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return ToolCall(block.get("tool_call_id") or f"call_{number}", block["tool_name"] or "unknown", arguments)


def _older_calls(given: Any) -> list[ToolCall]:
    """Tool calls as messages had them before there were blocks for them: as OpenAI writes them."""
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


# -- in LlamaIndex's words


def _plain(said: Draft | Message) -> Fields:
    """What our fields say, in LlamaIndex's words."""
    role = Role(said.role)
    content = said.content or ""
    if isinstance(content, str):
        blocks: list[Block] = [{"block_type": "text", "text": content}] if content or not said.tool_calls else []
    else:
        blocks = [block for part in content if (block := block_of(part)) is not None]
    blocks += [
        {"block_type": "tool_call", "tool_call_id": call.id, "tool_name": call.name, "tool_kwargs": _arguments(call)}
        for call in said.tool_calls
    ]
    more = own_metadata(said.metadata)
    if said.name is not None:
        more["name"] = said.name
    if role is Role.TOOL and said.tool_call_id is not None:
        more["tool_call_id"] = said.tool_call_id
    return {"role": role.value, "additional_kwargs": more, "blocks": blocks}


def _arguments(call: ToolCall) -> dict[str, Any] | str:
    """A call's arguments, or their text if they are not what a tool can be called with."""
    try:
        found = json.loads(call.arguments)
    except ValueError:
        return call.arguments
    return cast("dict[str, Any]", found) if isinstance(found, dict) else call.arguments
