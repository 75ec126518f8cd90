"""The way in: what the caller gave becomes a message that can be stored. Pure: time, id and tokenizer are handed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar, cast

from recollect.engine.hygiene import clean_metadata, clean_moment, clean_name, clean_share, clean_text
from recollect.engine.importance import importance
from recollect.engine.private import asks_for_privacy
from recollect.errors import InvalidInput, MessageTooLarge
from recollect.ports import TokenCounter
from recollect.types import Draft, Message, Microseconds, Part, Role, ToolCall, microseconds

Noun = TypeVar("Noun", Part, ToolCall)

ROLES: dict[str, Role] = {role.value: role for role in Role} | {"human": Role.USER, "ai": Role.ASSISTANT}

OVERHEAD = 4
"""Tokens that a chat format spends on every message, on its role and separators."""


def to_message(
    draft: Draft,
    *,
    session: str,
    now: Microseconds,
    new_id: Callable[[Microseconds], str],
    counter: TokenCounter,
    largest: int,
) -> Message:
    """A stored message in the making: everything but its place (`seq` and `parent` are 0 until the storage sets them)."""
    role = clean_role(draft.role)
    text, parts = _content(draft.content)
    calls = tuple(_tool_call(call) for call in draft.tool_calls) if draft.tool_calls else ()
    metadata = clean_metadata(draft.metadata)
    _check_size(text, parts, calls, metadata, largest)
    return Message(
        new_id(now) if draft.id is None else clean_name(draft.id, "message id"),
        session,
        0,
        0,
        role,
        text,
        count_tokens(counter, text, parts, calls),
        now if draft.created_at is None else microseconds(clean_moment(draft.created_at, "created_at")),
        importance(text, role) if draft.importance is None else clean_share(draft.importance, "importance"),
        bool(draft.pinned),
        metadata,
        parts,
        calls,
        None if draft.tool_call_id is None else clean_name(draft.tool_call_id, "tool_call_id"),
        None if draft.name is None else clean_name(draft.name, "name"),
        None,
        _is_private(draft.private, role, text),
    )


def _is_private(given: bool | None, role: Role, text: str) -> bool:
    """What the caller says; where he says nothing, what a user's own words say."""
    if given is not None:
        return bool(given)
    return role is Role.USER and asks_for_privacy(text)


def to_draft(value: Draft | Mapping[str, Any]) -> Draft:
    """A draft from a dictionary in the common chat shape, or the draft itself.

    >>> to_draft({"role": "user", "content": "Hello"})
    Draft(role='user', content='Hello', id=None, tool_calls=(), tool_call_id=None, name=None, metadata=None, \
importance=None, pinned=False, created_at=None, private=None)
    """
    if isinstance(value, Draft):
        return value
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a message must be a Draft or a mapping with a role, not {type(value).__name__}")
    fields = dict(value)
    unknown = fields.keys() - {field.name for field in dataclass_fields(Draft)}
    if unknown or "role" not in fields:
        raise InvalidInput(f"a message needs a role and cannot have {sorted(unknown)}" if unknown else "no role given")
    if fields.get("content") is None:
        fields["content"] = ""
    elif not isinstance(fields["content"], str):
        fields["content"] = _parts(fields["content"])
    fields["tool_calls"] = tuple(_tool_call(call) for call in fields.get("tool_calls") or ())
    return Draft(**fields)


def count_tokens(counter: TokenCounter, text: str, parts: tuple[Part, ...], calls: tuple[ToolCall, ...]) -> int:
    """What a message costs in a prompt: its text, its references, its tool calls, and the format around them."""
    total = OVERHEAD + counter.count(text)
    for part in parts:
        if part.kind != "text":
            total += counter.count(_dump_part(part))
    for call in calls:
        total += OVERHEAD + counter.count(call.id) + counter.count(call.name) + counter.count(call.arguments)
    return total


def same_content(stored: Message, offered: Message) -> bool:
    """Whether two messages say the same, whatever their time, place, score or marks."""
    return (
        stored.role == offered.role
        and stored.text == offered.text
        and stored.parts == offered.parts
        and stored.tool_calls == offered.tool_calls
        and stored.tool_call_id == offered.tool_call_id
        and stored.name == offered.name
        and stored.metadata == offered.metadata
    )


def clean_roles(roles: Iterable[str]) -> tuple[Role, ...]:
    """Roles without repetitions.

    >>> clean_roles(["user", "human"])
    (<Role.USER: 'user'>,)
    """
    if isinstance(roles, str) or not isinstance(roles, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"roles must be a list such as ['user'], not {roles!r}")
    return tuple(dict.fromkeys(clean_role(role) for role in roles))


def clean_role(role: str) -> Role:
    found = ROLES.get(role) if isinstance(role, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if found is None:
        raise InvalidInput(f"unknown role {role!r}; known are {', '.join(ROLES)}")
    return found


def _content(content: object) -> tuple[str, tuple[Part, ...]]:
    if isinstance(content, str):
        return clean_text(content, "content"), ()
    parts = _parts(content)
    return "\n".join(part.text for part in parts if part.text), parts


def _parts(content: Any) -> tuple[Part, ...]:
    if not isinstance(content, (list, tuple)):
        raise InvalidInput(f"content must be text or a list of parts, not {type(content).__name__}")
    return tuple(_part(part) for part in cast(list[Any], content))


def _part(value: Any) -> Part:
    part = _made(Part, value, "part")
    for field in ("text", "uri", "media_type", "name"):
        if (text := getattr(part, field)) is not None:
            clean_text(text, f"part {field}")
    data = None if part.data is None else clean_metadata(part.data, "part data")
    return Part(clean_name(part.kind, "part kind"), part.text, part.uri, part.media_type, part.name, data)


def _tool_call(value: Any) -> ToolCall:
    call = _made(ToolCall, value, "tool call")
    clean_name(call.id, "tool call id")
    clean_name(call.name, "tool name")
    clean_text(call.arguments, "tool call arguments")
    return call


def _made(kind: type[Noun], value: Any, what: str) -> Noun:
    """The value itself, or one made from a mapping of its fields."""
    if isinstance(value, Mapping):
        try:
            value = kind(**cast(dict[str, Any], value))
        except TypeError as error:
            raise InvalidInput(f"not a {what}: {error}") from None
    if not isinstance(value, kind):
        raise InvalidInput(f"a {what} must be a {kind.__name__} or a mapping, not {type(value).__name__}")
    return value


def _check_size(
    text: str, parts: tuple[Part, ...], calls: tuple[ToolCall, ...], metadata: dict[str, Any], largest: int
) -> None:
    size = len(text) if text.isascii() else len(text.encode())
    if parts or calls or metadata:
        size += sum(len(_dump_part(part)) for part in parts) + sum(len(call.arguments) for call in calls)
        size += len(json.dumps(metadata))
    if size > largest:
        raise MessageTooLarge(f"the message has {size:,} bytes; this store keeps at most {largest:,} in one message")


def _dump_part(part: Part) -> str:
    return json.dumps({key: value for key, value in asdict(part).items() if value is not None}, ensure_ascii=False)
