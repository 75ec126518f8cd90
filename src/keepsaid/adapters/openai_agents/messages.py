"""Translate the items of the OpenAI Agents SDK to drafts, and stored messages back.

An item becomes one message; several calls in a row become one message together, because their outputs follow all of them.
The metadata of a message has the other data of its items: ids, flags, and the structure of their content. An item that
cannot be rebuilt from that is kept whole.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from keepsaid.adapters.common import find_original, keep_original_if_lossy, strip_adapter_data
from keepsaid.interchange.formats.openai_items import ADAPTER as OPENAI
from keepsaid.interchange.formats.openai_items import draft_of, extras_of, with_call
from keepsaid.interchange.formats.openai_parts import content_of, plain_type
from keepsaid.types import ADAPTER_FIELDS, ContentPart, Message, MessageDraft, Role

Item = dict[str, Any]
Items = list[Item]

EXTRAS, WHOLE_ITEMS = "openai_agents", "openai_agents_whole"
"""Keys in a message's adapter data for additional fields of its items, and for whole items."""
ROLES = ("user", "assistant", "system", "developer")
SHORT_MESSAGE_FIELDS = ("role", "phase")
"""Fields that the shortest form of a message may have besides its content."""
CALL_FIELDS = ("call_id", "name", "arguments")
FAKE_ID = "__fake_id__"
"""The SDK's own placeholder id for messages that are not from an OpenAI model; the SDK never sends it."""
TEXT_FIELDS = ("content", "output")
"""Fields of an item with text. The text is the message's content; metadata only has its structure."""


def drafts_of(items: Iterable[Mapping[str, Any]]) -> list[MessageDraft]:
    """Return items as drafts.

    >>> [draft.role for draft in drafts_of([{"role": "user", "content": "Hi"}, {"type": "reasoning", "id": "rs_1"}])]
    ['user', 'assistant']
    """
    groups = _group_items(items)
    tools = {str(item.get("call_id")): item.get("name") for group in groups for item in group if _is_call(item)}
    return [_with_tool_name(_lossless_draft(_draft(group), group), tools) for group in groups]


def items_of(message: Message) -> Items:
    """Return the items of a message, from this or any other adapter.

    >>> items_of(Message("m1", "s1", 1, 0, Role.USER, "Hi", 1, 0, 0.0, False, {}))
    [{'role': 'user', 'content': 'Hi'}]
    """
    whole = find_original(message, WHOLE_ITEMS, lambda items: replace(_draft(items), name=message.name))
    # Callers may modify the result, which must not change the data of an in-memory store.
    return copy.deepcopy(_build_items(message) if whole is None else whole)


def remove_last_item(message: Message) -> MessageDraft | None:
    """Return a message of several items without the last one, which is a call; None if it has only one item."""
    items = items_of(message)[:-1]
    if not items:
        return None
    beside = {OPENAI: extras_of(message.metadata)[: len(items)], EXTRAS: _stored_extras(message)[: len(items)]}
    by_adapter = {name: kept for name, kept in beside.items() if any(kept)}
    rest = MessageDraft(
        message.role, message.content, None, message.tool_calls[:-1], message.tool_call_id, message.name,
        strip_adapter_data(message.metadata) | ({ADAPTER_FIELDS: by_adapter} if by_adapter else {}), message.importance,
        message.pinned, message.created_at, message.private,
    )  # fmt: skip
    return keep_original_if_lossy(rest, items, _build_items, WHOLE_ITEMS)


# -- to drafts


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "function_call" and all(
        isinstance(item.get(name), str) and item[name] for name in CALL_FIELDS
    )


def _group_items(items: Iterable[Mapping[str, Any]]) -> list[Items]:
    """Group the items of each message."""
    groups: list[Items] = []
    for item in items:
        if groups and _is_call(item) and _is_call(groups[-1][-1]):
            groups[-1].append(dict(item))
        else:
            groups.append([dict(item)])
    return groups


def _draft(group: Sequence[Item]) -> MessageDraft:
    first, *more = (_draft_of_one(item) for item in group)
    for draft in more:
        first = with_call(first, draft)
    return first


def _draft_of_one(item: Item) -> MessageDraft:
    # The SDK's ids need not be unique, but message ids must be.
    named = {name: value for name, value in item.items() if name != "id"}
    kind = named.get("type", "message")
    if (kind == "message" and named.get("role") not in ROLES) or (kind == "function_call" and not _is_call(item)):
        return MessageDraft("assistant")
    try:
        return draft_of(named)
    except (KeyError, TypeError, AttributeError):
        return MessageDraft("assistant")  # the content does not match the type


def _with_tool_name(draft: MessageDraft, tools: Mapping[str, str | None]) -> MessageDraft:
    """Return a tool result with the name of its tool, if the call is among the same items."""
    return replace(draft, name=tools.get(draft.tool_call_id or "")) if draft.role == "tool" else draft


def _lossless_draft(draft: MessageDraft, group: Items) -> MessageDraft:
    besides = [_extra_fields(item, bare, draft) for item, bare in zip(group, _base_items(draft), strict=True)]
    kept = [one for one in besides if one is not None]
    if len(kept) == len(group) and any(kept):
        metadata = dict(draft.metadata or {})
        draft = replace(draft, metadata={**metadata, ADAPTER_FIELDS: {**metadata.get(ADAPTER_FIELDS, {}), EXTRAS: kept}})
    return keep_original_if_lossy(draft, group, _build_items, WHOLE_ITEMS)


def _extra_fields(item: Item, bare: Item, said: MessageDraft) -> Item | None:
    """Return the fields of an item that the message does not have; None if the item lacks or contradicts its fields."""
    if bare.keys() - item.keys():
        return None
    rest = {name: value for name, value in item.items() if name not in bare or bare[name] != value}
    for name in TEXT_FIELDS:
        if name in rest and (shape := _structure(rest[name], _texts(said))) is not None:
            rest[name] = shape
        elif name in rest:
            return None
    return rest


def _structure(content: Any, words: Sequence[str] | None) -> Items | None:
    """Return the structure of a content without its text; None if the text differs from the message."""
    if not isinstance(content, list) or [_text_of(one) for one in cast("list[Any]", content)] != words:
        return None
    return [{name: value for name, value in one.items() if name != "text"} for one in cast("Items", content)]


def _text_of(content: Any) -> str | None:
    return cast("Item", content).get("text") if isinstance(content, dict) else None


def _texts(said: MessageDraft | Message) -> list[str] | None:
    """Return the texts of a message; None if it has other parts."""
    if isinstance(said.content, str):
        return [said.content]
    return [part.text or "" for part in said.content] if all(part.kind == "text" for part in said.content) else None


# -- to items


def _build_items(message: Message) -> Items:
    """Return the items of a message from its content and metadata."""
    made, besides, words = _base_items(message), _stored_extras(message), _texts(message)
    return [_join_item(bare, beside, words) for bare, beside in zip(made, besides, strict=True)] if besides else made


def _join_item(bare: Item, beside: Item, words: Sequence[str] | None) -> Item:
    joined = {**bare, **beside}
    for name in TEXT_FIELDS:
        shapes = beside.get(name)
        if isinstance(shapes, list) and len(cast("Items", shapes)) == len(words or ()):
            shaped = zip(cast("Items", shapes), words or (), strict=True)
            joined[name] = [{**shape, "text": word} for shape, word in shaped]
        elif shapes is not None:
            joined[name] = bare.get(name)
    return joined


def _stored_extras(message: Message) -> Items:
    """Return the additional fields of a message's items if they are valid: users may write any metadata."""
    by_adapter: Any = message.metadata.get(ADAPTER_FIELDS)
    found: Any = cast("Item", by_adapter).get(EXTRAS) if isinstance(by_adapter, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in cast("list[Any]", found)):
        return []
    return cast("Items", found) if len(cast("Items", found)) == len(_base_items(message)) else []


def _base_items(said: MessageDraft | Message) -> Items:
    """Return the items of a message in the shortest form that the SDK accepts."""
    extras = extras_of(said.metadata)
    if extras and "type" in extras[0]:
        return [dict(extras[0])]
    if said.role == Role.TOOL:
        made: Items = [{"type": "function_call_output", "call_id": said.tool_call_id or "", "output": _content(said)}]
    else:
        made = [_message_item(said)] if said.content or not said.tool_calls else []
        made += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in said.tool_calls
        ]
    for item, extra in zip(made, extras, strict=False):
        item |= {
            name: value for name, value in extra.items() if name != "id" and ("type" in item or name in SHORT_MESSAGE_FIELDS)
        }
    return made


def _message_item(said: MessageDraft | Message) -> Item:
    content = _content(said)
    if said.role != Role.ASSISTANT or isinstance(content, str):
        return {"role": str(said.role), "content": content}
    return {"type": "message", "role": "assistant", "content": content, "id": FAKE_ID, "status": "completed"}


def _content(said: MessageDraft | Message) -> str | Items:
    if isinstance(said.content, str):
        return said.content
    plain = plain_type(str(said.role))
    return [content_of(part, plain) for part in said.content if _is_item_content(part)]


def _is_item_content(part: ContentPart) -> bool:
    """Whether a part can be item content. Reasoning is a separate item, or from another provider."""
    return part.kind != "reasoning" and (part.kind != "text" or part.text is not None)
