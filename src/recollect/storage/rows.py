"""Values to rows and back: what a row says is the same in every database that has tables."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from recollect.engine.passages import spoken
from recollect.engine.terms import index_terms
from recollect.types import Access, Message, Part, Role, Scope, Session, Status, ToolCall

ROLES: tuple[Role, ...] = (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL)
ROLE_NUMBER = {role: number for number, role in enumerate(ROLES)}
STATUSES: tuple[Status, ...] = (Status.ACTIVE, Status.ARCHIVED, Status.DELETED)
STATUS_NUMBER = {status: number for number, status in enumerate(STATUSES)}
LEVELS: tuple[Access, ...] = (Access.READ, Access.WRITE, Access.ADMIN)
LEVEL_NUMBER = {access: number for number, access in enumerate(LEVELS)}

MESSAGE = "m.id, m.seq, m.parent, m.role, m.text, m.tokens, m.created, m.importance, m.pinned, m.metadata, m.extra, m.author"
SESSION = (
    "s.id, s.title, s.created, s.updated, s.touched, s.status, s.messages, s.tokens, s.pinned, s.revision, s.head, s.expired"
)
DETAILS = "d.session, d.system_prompt, d.summary, d.summarized, d.tags, d.metadata"

Row = tuple[Any, ...]

DAMAGED = "recollect.damaged"
"""The metadata key under which a value that cannot be read any more is handed out as it is."""


def message(row: Row, session: str) -> Message:
    """A message from a row of `MESSAGE`."""
    id, seq, parent, role, text, tokens, created, importance, pinned, metadata, extra, author = row
    # The tuple is made directly: the class's own constructor takes twice as long, and this runs for every row.
    made: Any = (
        id, session, seq, parent, ROLES[role], text, tokens, created, importance, pinned == 1,
        {} if metadata is None else unpack(metadata), (), (), None, None, author, False,
    )  # fmt: skip
    plain: Message = tuple.__new__(Message, made)  # pyright: ignore[reportUnknownMemberType]
    return plain if extra is None else _with_extra(plain, unpack(extra))


def _with_extra(plain: Message, extra: dict[str, Any]) -> Message:
    if len(extra) == 1 and "name" in extra:
        return plain._replace(name=extra["name"])
    try:
        return plain._replace(
            parts=tuple(Part(**part) for part in extra.get("parts", ())),
            tool_calls=tuple(ToolCall(**call) for call in extra.get("tool_calls", ())),
            tool_call_id=extra.get("tool_call_id"),
            name=extra.get("name"),
            private=extra.get("private") is True,
            metadata={**plain.metadata, **{key: extra[key] for key in (DAMAGED,) if key in extra}},
        )
    except TypeError:
        return plain._replace(metadata={**plain.metadata, DAMAGED: pack(extra)})


def message_terms(text: str, extra: str | None) -> list[str]:
    """The index terms of a message, by two columns of its row. Every use of a message's terms comes through here.

    A private message has none: nobody shall find it by its words.
    """
    if extra is None or not ('"name"' in extra or '"private"' in extra):
        return index_terms(text)
    known = unpack(extra)
    if known.get("private") is True:
        return []
    name = known.get("name")
    return index_terms(spoken(name, text) if isinstance(name, str) else text)


def is_private(extra: str | None) -> bool:
    """Whether a message is never to be remembered, by one column of its row."""
    return extra is not None and '"private"' in extra and unpack(extra).get("private") is True


def with_private(extra: str | None, private: bool) -> str | None:
    """The same column of a message that is, or is not, to be remembered from now on."""
    known = {} if extra is None else unpack(extra)
    known.pop("private", None)
    if private:
        known["private"] = True
    return pack(known) if known else None


def message_values(rid: int, branch: int, seq: int, parent: int, message: Message, author: str | None) -> tuple[Any, ...]:
    """A message as the values of a row, in the table's order."""
    return (
        rid, branch, seq, parent, message.id, ROLE_NUMBER[message.role], message.tokens,
        message.created, message.importance, 1 if message.pinned else 0, author,
        pack(message.metadata) if message.metadata else None, _extra(message), message.text,
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
    return pack({key: value for key, value in extra.items() if value})


def session(row: Row, scope: Scope, details: Row | None) -> Session:
    """A session from a row that begins with `SESSION` and, if it has one, its row of `DETAILS`."""
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
        tags=tags_of(tags),
        metadata={} if metadata is None else unpack(metadata),
    )


def tags_of(text: str | None) -> tuple[str, ...]:
    """Tags from their JSON text."""
    try:
        return tuple(json.loads(text)) if text else ()
    except ValueError:
        return ()


def pack(value: Any) -> str:
    """A value as JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> dict[str, Any]:
    """A table from JSON text. A damaged one is handed out under `DAMAGED`: the rest of the message is still good."""
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            return value  # pyright: ignore[reportUnknownVariableType]
    except ValueError:
        pass
    return {DAMAGED: text}
