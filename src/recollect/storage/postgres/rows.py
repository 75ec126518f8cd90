"""Values to rows and back, as PostgreSQL's tables have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.ports import Seen
from recollect.storage import rows as plain
from recollect.storage.postgres.database import Row
from recollect.storage.rows import (
    LEVEL_NUMBER,
    LEVELS,
    MESSAGE,
    ROLE_NUMBER,
    ROLES,
    STATUS_NUMBER,
    STATUSES,
    is_private,
    message,
    message_terms,
    pack,
    tags_of,
    unpack,
    with_private,
)
from recollect.types import Message, Scope, Session

__all__ = [
    "LEVELS", "LEVEL_NUMBER", "MESSAGE", "NUMBER", "ROLES", "ROLE_NUMBER", "SESSION", "STATUSES", "STATUS_NUMBER",
    "WITH_DETAILS", "is_private", "message", "message_terms", "messages_json", "pack", "seen", "session", "tags_of",
    "unpack", "with_private",
]  # fmt: skip

SESSION = f"{plain.SESSION}, d.session IS NOT NULL, s.no, {plain.DETAILS}"
WITH_DETAILS = "LEFT JOIN details AS d ON d.unit = s.unit AND d.space = s.space AND d.session = s.no"
"""What `SESSION` needs to be read from `sessions AS s`."""

_DETAILED, NUMBER, _DETAILS = 12, 13, 14


def session(row: Row, scope: Scope) -> Session:
    """A session from a row of `SESSION`."""
    return plain.session(row, scope, row[_DETAILS:] if row[_DETAILED] else None)


def seen(row: Row, session: str) -> Seen:
    """A message with its number, from a row of `MESSAGE` with the number behind it."""
    return Seen(row[-1], message(row[:-1], session))


def messages_json(messages: Sequence[Message]) -> str:
    """Messages as the function `recollect_insert` takes them."""
    return json.dumps([_columns(message) for message in messages], ensure_ascii=False)


def _columns(message: Message) -> dict[str, Any]:
    (*_, id, role, tokens, created, importance, pinned, _, metadata, extra, text) = plain.message_values(
        0, 0, 0, 0, message, None
    )
    terms = list(dict.fromkeys(message_terms(text, extra)))
    return {
        "id": id, "role": role, "tokens": tokens, "created": created, "importance": importance, "pinned": bool(pinned),
        "metadata": metadata, "extra": extra, "text": text, "terms": terms,
    }  # fmt: skip
