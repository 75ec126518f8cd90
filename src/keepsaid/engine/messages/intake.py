"""Convert what the caller passes into a message that can be stored. Pure functions: time, id and tokenizer are
arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar, cast

from keepsaid.engine.messages.importance import score_importance
from keepsaid.engine.messages.privacy_requests import asks_for_privacy
from keepsaid.engine.messages.validation import clean_datetime, clean_fraction, clean_metadata, clean_name, clean_text
from keepsaid.errors import InvalidInput, MessageTooLarge
from keepsaid.ports import TokenCounter
from keepsaid.types import ContentPart, Message, MessageDraft, Microseconds, Role, ToolCall, to_microseconds

PartOrCall = TypeVar("PartOrCall", ContentPart, ToolCall)

ROLES: dict[str, Role] = {role.value: role for role in Role} | {"human": Role.USER, "ai": Role.ASSISTANT}

MESSAGE_OVERHEAD = 4
"""Tokens that a chat format adds to every message, for its role and separators."""


def to_message(
    draft: MessageDraft,
    *,
    session: str,
    now: Microseconds,
    new_id: Callable[[Microseconds], str],
    counter: TokenCounter,
    largest: int,
) -> Message:
    """Return a message to store. `seq` and `parent` are 0 until the storage sets them."""
    role = clean_role(draft.role)
    text, parts = _parse_content(draft.content)
    calls = tuple(_parse_tool_call(call) for call in draft.tool_calls) if draft.tool_calls else ()
    metadata = clean_metadata(draft.metadata)
    _check_size(text, parts, calls, metadata, largest)
    return Message(
        new_id(now) if draft.id is None else clean_name(draft.id, "message id"),
        session,
        0,
        0,
        role,
        text,
        count_content_tokens(counter, text, parts, calls),
        now if draft.created_at is None else to_microseconds(clean_datetime(draft.created_at, "created_at")),
        score_importance(text, role) if draft.importance is None else clean_fraction(draft.importance, "importance"),
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
    """Return the caller's choice or, without one, whether the user's own words ask for privacy."""
    if given is not None:
        return bool(given)
    return role is Role.USER and asks_for_privacy(text)


def to_draft(value: MessageDraft | Mapping[str, Any]) -> MessageDraft:
    """Return a draft from a dictionary in the common chat format, or the draft itself.

    >>> to_draft({"role": "user", "content": "Hello"})
    MessageDraft(role='user', content='Hello', id=None, tool_calls=(), tool_call_id=None, name=None, metadata=None, \
importance=None, pinned=False, created_at=None, private=None)
    """
    if isinstance(value, MessageDraft):
        return value
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a message must be a MessageDraft or a mapping with a role, not {type(value).__name__}")
    fields = dict(value)
    unknown = fields.keys() - {field.name for field in dataclass_fields(MessageDraft)}
    if unknown or "role" not in fields:
        raise InvalidInput(f"a message needs a role and cannot have {sorted(unknown)}" if unknown else "no role given")
    if fields.get("content") is None:
        fields["content"] = ""
    elif not isinstance(fields["content"], str):
        fields["content"] = _parse_parts(fields["content"])
    fields["tool_calls"] = tuple(_parse_tool_call(call) for call in fields.get("tool_calls") or ())
    return MessageDraft(**fields)


def count_content_tokens(
    counter: TokenCounter, text: str, parts: tuple[ContentPart, ...], calls: tuple[ToolCall, ...]
) -> int:
    """Return the tokens of a message in a prompt: its text, its references, its tool calls, and the format around them."""
    total = MESSAGE_OVERHEAD + counter.count(text)
    for part in parts:
        if part.kind != "text":
            total += counter.count(_dump_part(part))
    for call in calls:
        total += MESSAGE_OVERHEAD + counter.count(call.id) + counter.count(call.name) + counter.count(call.arguments)
    return total


def has_same_content(stored: Message, offered: Message) -> bool:
    """Whether two messages say the same, whatever their time, position, score or marks."""
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
    """Return the roles without duplicates.

    >>> clean_roles(["user", "human"])
    (<Role.USER: 'user'>,)
    """
    if isinstance(roles, str) or not isinstance(roles, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"roles must be a list such as ['user'], not {roles!r}")
    return tuple(dict.fromkeys(clean_role(role) for role in roles))


def clean_role(role: str) -> Role:
    found = ROLES.get(role) if isinstance(role, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if found is None:
        raise InvalidInput(f"unknown role {role!r}: use one of {', '.join(ROLES)}")
    return found


def _parse_content(content: object) -> tuple[str, tuple[ContentPart, ...]]:
    if isinstance(content, str):
        return clean_text(content, "content"), ()
    parts = _parse_parts(content)
    return "\n".join(part.text for part in parts if part.text), parts


def _parse_parts(content: Any) -> tuple[ContentPart, ...]:
    if not isinstance(content, (list, tuple)):
        raise InvalidInput(f"content must be text or a list of parts, not {type(content).__name__}")
    return tuple(_parse_part(part) for part in cast(list[Any], content))


def _parse_part(value: Any) -> ContentPart:
    part = _to_instance(ContentPart, value, "part")
    for field in ("text", "uri", "media_type", "name"):
        if (text := getattr(part, field)) is not None:
            clean_text(text, f"part {field}")
    data = None if part.data is None else clean_metadata(part.data, "part data")
    return ContentPart(clean_name(part.kind, "part kind"), part.text, part.uri, part.media_type, part.name, data)


def _parse_tool_call(value: Any) -> ToolCall:
    call = _to_instance(ToolCall, value, "tool call")
    clean_name(call.id, "tool call id")
    clean_name(call.name, "tool name")
    clean_text(call.arguments, "tool call arguments")
    return call


def _to_instance(kind: type[PartOrCall], value: Any, what: str) -> PartOrCall:
    """Return the value itself, or one made from a mapping of its fields."""
    if isinstance(value, Mapping):
        try:
            value = kind(**cast(dict[str, Any], value))
        except TypeError as error:
            raise InvalidInput(f"not a {what}: {error}") from None
    if not isinstance(value, kind):
        raise InvalidInput(f"a {what} must be a {kind.__name__} or a mapping, not {type(value).__name__}")
    return value


def _check_size(
    text: str, parts: tuple[ContentPart, ...], calls: tuple[ToolCall, ...], metadata: dict[str, Any], largest: int
) -> None:
    size = len(text) if text.isascii() else len(text.encode())
    if parts or calls or metadata:
        size += sum(len(_dump_part(part)) for part in parts) + sum(len(call.arguments) for call in calls)
        size += len(json.dumps(metadata))
    if size > largest:
        raise MessageTooLarge(f"the message has {size:,} bytes; this store keeps at most {largest:,} in one message")


def _dump_part(part: ContentPart) -> str:
    return json.dumps({key: value for key, value in asdict(part).items() if value is not None}, ensure_ascii=False)
