"""The items of the OpenAI Agents SDK, and our messages.

An item is a message of ours, and several calls in a row are one, because their outputs follow them all. Beside a message is
what its items have besides: ids, marks, and the shape of their content. An item that cannot be made of that is kept whole.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from recollect.adapters.common import faithful, original_of, own_metadata
from recollect.interchange.openai_items import DOOR as OPENAI
from recollect.interchange.openai_items import draft_of, extras_of, with_call
from recollect.interchange.openai_parts import content_of, plain_type
from recollect.types import DOORS, Draft, Message, Part, Role

Item = dict[str, Any]
Items = list[Item]

BESIDES, WHOLE = "openai_agents", "openai_agents_whole"
"""Under which names, among the doors, a message has what its items have besides, and its items themselves."""
ROLES = ("user", "assistant", "system", "developer")
MARKS = ("role", "phase")
"""What the shortest kind of a message may have besides its words."""
CALL = ("call_id", "name", "arguments")
NO_ID = "__fake_id__"
"""What the SDK itself has for the id of what no OpenAI model said; it never leaves the SDK."""
SPOKEN = ("content", "output")
"""Where an item has words, which are the message's own: beside it there is only their shape."""


def drafts_of(items: Iterable[Mapping[str, Any]]) -> list[Draft]:
    """Items as messages to be saved.

    >>> [draft.role for draft in drafts_of([{"role": "user", "content": "Hi"}, {"type": "reasoning", "id": "rs_1"}])]
    ['user', 'assistant']
    """
    groups = _grouped(items)
    tools = {str(item.get("call_id")): item.get("name") for group in groups for item in group if _is_call(item)}
    return [_named(_faithful(_draft(group), group), tools) for group in groups]


def items_of(message: Message) -> Items:
    """The items of a message, whichever door it came in by.

    >>> items_of(Message("m1", "s1", 1, 0, Role.USER, "Hi", 1, 0, 0.0, False, {}))
    [{'role': 'user', 'content': 'Hi'}]
    """
    whole = original_of(message, WHOLE, lambda items: replace(_draft(items), name=message.name))
    # The caller may change what he is given; what an in-memory store holds must not change with it.
    return copy.deepcopy(_made(message) if whole is None else whole)


def without_last(message: Message) -> Draft | None:
    """A message of several items without the last of them, which is a call; None if it has only that."""
    items = items_of(message)[:-1]
    if not items:
        return None
    beside = {OPENAI: extras_of(message.metadata)[: len(items)], BESIDES: _besides(message)[: len(items)]}
    doors = {name: kept for name, kept in beside.items() if any(kept)}
    rest = Draft(
        message.role, message.content, None, message.tool_calls[:-1], message.tool_call_id, message.name,
        own_metadata(message.metadata) | ({DOORS: doors} if doors else {}), message.importance, message.pinned,
        message.created_at, message.private,
    )  # fmt: skip
    return faithful(rest, items, _made, WHOLE)


# -- there


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "function_call" and all(isinstance(item.get(name), str) and item[name] for name in CALL)


def _grouped(items: Iterable[Mapping[str, Any]]) -> list[Items]:
    """The items of each message to be."""
    groups: list[Items] = []
    for item in items:
        if groups and _is_call(item) and _is_call(groups[-1][-1]):
            groups[-1].append(dict(item))
        else:
            groups.append([dict(item)])
    return groups


def _draft(group: Sequence[Item]) -> Draft:
    first, *more = (_draft_of_one(item) for item in group)
    for draft in more:
        first = with_call(first, draft)
    return first


def _draft_of_one(item: Item) -> Draft:
    # Ids are the SDK's: they need not be unique, and ours must be.
    named = {name: value for name, value in item.items() if name != "id"}
    kind = named.get("type", "message")
    if (kind == "message" and named.get("role") not in ROLES) or (kind == "function_call" and not _is_call(item)):
        return Draft("assistant")
    try:
        return draft_of(named)
    except (KeyError, TypeError, AttributeError):
        return Draft("assistant")  # its content is not what its type says


def _named(draft: Draft, tools: Mapping[str, str | None]) -> Draft:
    """A tool's result with the name of the tool, if it was called in the same breath."""
    return replace(draft, name=tools.get(draft.tool_call_id or "")) if draft.role == "tool" else draft


def _faithful(draft: Draft, group: Items) -> Draft:
    besides = [_beside(item, bare, draft) for item, bare in zip(group, _bare(draft), strict=True)]
    kept = [one for one in besides if one is not None]
    if len(kept) == len(group) and any(kept):
        metadata = dict(draft.metadata or {})
        draft = replace(draft, metadata={**metadata, DOORS: {**metadata.get(DOORS, {}), BESIDES: kept}})
    return faithful(draft, group, _made, WHOLE)


def _beside(item: Item, bare: Item, said: Draft) -> Item | None:
    """What an item has that the message does not say; None if that is no addition."""
    if bare.keys() - item.keys():
        return None
    rest = {name: value for name, value in item.items() if name not in bare or bare[name] != value}
    for name in SPOKEN:
        if name in rest and (shape := _shape(rest[name], _words(said))) is not None:
            rest[name] = shape
        elif name in rest:
            return None
    return rest


def _shape(content: Any, words: Sequence[str] | None) -> Items | None:
    """Content without its words; None if it has others than the message."""
    if not isinstance(content, list) or [_word(one) for one in cast("list[Any]", content)] != words:
        return None
    return [{name: value for name, value in one.items() if name != "text"} for one in cast("Items", content)]


def _word(content: Any) -> str | None:
    return cast("Item", content).get("text") if isinstance(content, dict) else None


def _words(said: Draft | Message) -> list[str] | None:
    """The texts of a message; None if it has anything else."""
    if isinstance(said.content, str):
        return [said.content]
    return [part.text or "" for part in said.content] if all(part.kind == "text" for part in said.content) else None


# -- back


def _made(message: Message) -> Items:
    """The items of a message, of what it says and what is beside it."""
    made, besides, words = _bare(message), _besides(message), _words(message)
    return [_joined(bare, beside, words) for bare, beside in zip(made, besides, strict=True)] if besides else made


def _joined(bare: Item, beside: Item, words: Sequence[str] | None) -> Item:
    joined = {**bare, **beside}
    for name in SPOKEN:
        shapes = beside.get(name)
        if isinstance(shapes, list) and len(cast("Items", shapes)) == len(words or ()):
            shaped = zip(cast("Items", shapes), words or (), strict=True)
            joined[name] = [{**shape, "text": word} for shape, word in shaped]
        elif shapes is not None:
            joined[name] = bare.get(name)
    return joined


def _besides(message: Message) -> Items:
    """What is beside a message, if it is that: its metadata is its owner's to write."""
    doors: Any = message.metadata.get(DOORS)
    found: Any = cast("Item", doors).get(BESIDES) if isinstance(doors, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in cast("list[Any]", found)):
        return []
    return cast("Items", found) if len(cast("Items", found)) == len(_bare(message)) else []


def _bare(said: Draft | Message) -> Items:
    """The items of a message, in the fewest words that the SDK understands."""
    extras = extras_of(said.metadata)
    if extras and "type" in extras[0]:
        return [dict(extras[0])]
    if said.role == Role.TOOL:
        made: Items = [{"type": "function_call_output", "call_id": said.tool_call_id or "", "output": _content(said)}]
    else:
        made = [_spoken(said)] if said.content or not said.tool_calls else []
        made += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in said.tool_calls
        ]
    for item, extra in zip(made, extras, strict=False):
        item |= {name: value for name, value in extra.items() if name != "id" and ("type" in item or name in MARKS)}
    return made


def _spoken(said: Draft | Message) -> Item:
    content = _content(said)
    if said.role != Role.ASSISTANT or isinstance(content, str):
        return {"role": str(said.role), "content": content}
    return {"type": "message", "role": "assistant", "content": content, "id": NO_ID, "status": "completed"}


def _content(said: Draft | Message) -> str | Items:
    if isinstance(said.content, str):
        return said.content
    plain = plain_type(str(said.role))
    return [content_of(part, plain) for part in said.content if _can_be_said(part)]


def _can_be_said(part: Part) -> bool:
    """Thoughts are items of their own, or another provider's."""
    return part.kind != "reasoning" and (part.kind != "text" or part.text is not None)
