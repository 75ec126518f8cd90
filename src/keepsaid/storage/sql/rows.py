"""Conversion between values and rows, shared by all SQL backends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from keepsaid.engine.text.passages import prefix_speaker
from keepsaid.engine.text.terms import index_terms
from keepsaid.types import ContentPart, Message, PoolAccess, Role, Scope, Session, SessionStatus, ToolCall

ROLES: tuple[Role, ...] = (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL)
ROLE_NUMBER = {role: number for number, role in enumerate(ROLES)}
STATUSES: tuple[SessionStatus, ...] = (SessionStatus.ACTIVE, SessionStatus.ARCHIVED, SessionStatus.DELETED)
STATUS_NUMBER = {status: number for number, status in enumerate(STATUSES)}
ACCESS_LEVELS: tuple[PoolAccess, ...] = (PoolAccess.READ, PoolAccess.WRITE, PoolAccess.ADMIN)
ACCESS_NUMBER = {access: number for number, access in enumerate(ACCESS_LEVELS)}

MESSAGE_COLUMNS = (
    "m.id, m.seq, m.parent, m.role, m.text, m.tokens, m.created, m.importance, m.pinned, m.metadata, m.extra, m.author"
)
SESSION_COLUMNS = (
    "s.id, s.title, s.created, s.updated, s.touched, s.status, s.messages, s.tokens, s.pinned, s.revision, s.head, s.expired"
)
DETAIL_COLUMNS = "d.session, d.system_prompt, d.summary, d.summarized, d.tags, d.metadata"

Row = tuple[Any, ...]

DAMAGED_KEY = "keepsaid.damaged"
"""The metadata key under which a value that cannot be parsed is returned unchanged."""


def message_from_row(row: Row, session: str) -> Message:
    """Build a message from a row of the message columns."""
    id, seq, parent, role, text, tokens, created, importance, pinned, metadata, extra, author = row
    # The tuple is created directly: the constructor takes twice as long, and this runs for every row.
    made: Any = (
        id, session, seq, parent, ROLES[role], text, tokens, created, importance, pinned == 1,
        {} if metadata is None else unpack_json(metadata), (), (), None, None, author, False,
    )  # fmt: skip
    plain: Message = tuple.__new__(Message, made)  # pyright: ignore[reportUnknownMemberType]
    return plain if extra is None else _with_extra(plain, unpack_json(extra))


def _with_extra(plain: Message, extra: dict[str, Any]) -> Message:
    if len(extra) == 1 and "name" in extra:
        return plain._replace(name=extra["name"])
    try:
        return plain._replace(
            parts=tuple(ContentPart(**part) for part in extra.get("parts", ())),
            tool_calls=tuple(ToolCall(**call) for call in extra.get("tool_calls", ())),
            tool_call_id=extra.get("tool_call_id"),
            name=extra.get("name"),
            private=extra.get("private") is True,
            metadata={**plain.metadata, **{key: extra[key] for key in (DAMAGED_KEY,) if key in extra}},
        )
    except TypeError:
        return plain._replace(metadata={**plain.metadata, DAMAGED_KEY: pack_json(extra)})


def message_terms(text: str, extra: str | None) -> list[str]:
    """Return the index terms of a message from two columns of its row. All code that needs a message's terms calls this.

    A private message has none, so that a search cannot find it.
    """
    if extra is None or not ('"name"' in extra or '"private"' in extra):
        return index_terms(text)
    known = unpack_json(extra)
    if known.get("private") is True:
        return []
    name = known.get("name")
    return index_terms(prefix_speaker(name, text) if isinstance(name, str) else text)


def is_private(extra: str | None) -> bool:
    """Whether a message is private, by one column of its row."""
    return extra is not None and '"private"' in extra and unpack_json(extra).get("private") is True


def set_private_flag(extra: str | None, private: bool) -> str | None:
    """Return that column with the private flag set or removed."""
    known = {} if extra is None else unpack_json(extra)
    known.pop("private", None)
    if private:
        known["private"] = True
    return pack_json(known) if known else None


def message_values(rid: int, branch: int, seq: int, parent: int, message: Message, author: str | None) -> tuple[Any, ...]:
    """Return a message as the values of a row, in the order of the table's columns."""
    return (
        rid, branch, seq, parent, message.id, ROLE_NUMBER[message.role], message.tokens,
        message.created, message.importance, 1 if message.pinned else 0, author,
        pack_json(message.metadata) if message.metadata else None, _extra(message), message.text,
    )  # fmt: skip


def _extra(message: Message) -> str | None:
    if not (
        message.parts
        or message.tool_calls
        or message.tool_call_id is not None
        or message.name is not None
        or message.private
    ):
        return None
    extra = {
        "parts": [{k: v for k, v in asdict(part).items() if v is not None} for part in message.parts],
        "tool_calls": [asdict(call) for call in message.tool_calls],
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "private": message.private,
    }
    return pack_json({key: value for key, value in extra.items() if value})


def session_from_row(row: Row, scope: Scope, details: Row | None) -> Session:
    """Build a session from a row that begins with the session columns and, if there is one, its row of details."""
    id, title, created, updated, touched, status, messages, tokens, pinned, revision, head, expired, *_ = row
    made: Any = (
        id, scope.owner, title, created, updated, touched, STATUSES[status], messages, tokens, pinned == 1, revision, head,
        None, None, None, (), {}, scope.pool, False, expired == 1, None,
    )  # fmt: skip
    plain: Session = tuple.__new__(Session, made)  # pyright: ignore[reportUnknownMemberType]
    return plain if details is None else _with_details(plain, details)


def _with_details(plain: Session, row: Row) -> Session:
    _, system_prompt, summary, summarized, tags, metadata = row
    return plain._replace(
        system_prompt=system_prompt,
        summary=summary,
        summarized=summarized,
        tags=unpack_tags(tags),
        metadata={} if metadata is None else unpack_json(metadata),
    )


def unpack_tags(text: str | None) -> tuple[str, ...]:
    """Return tags from their JSON text, or none if it cannot be parsed."""
    try:
        return tuple(json.loads(text)) if text else ()
    except ValueError:
        return ()


def pack_json(value: Any) -> str:
    """Return a value as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpack_all_json(texts: Sequence[str | None]) -> list[dict[str, Any]]:
    """Return the object of each JSON text, and an empty one for None. Parsing them together takes a third of the time."""
    try:
        values: list[Any] = json.loads(f"[{','.join(['{}' if text is None else text for text in texts])}]")
        if len(values) == len(texts) and all(isinstance(value, dict) for value in values):
            return values
    except ValueError:
        pass
    return [{} if text is None else unpack_json(text) for text in texts]


def unpack_json(text: str) -> dict[str, Any]:
    """Return an object from JSON text. A damaged text is returned under the damaged key: the rest of the row is usable."""
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            return value  # pyright: ignore[reportUnknownVariableType]
    except ValueError:
        pass
    return {DAMAGED_KEY: text}
