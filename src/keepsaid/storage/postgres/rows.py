"""Conversion between values and rows of the PostgreSQL tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepsaid.ports import VisibleMessage
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.sql import rows as plain
from keepsaid.storage.sql.rows import (
    ACCESS_LEVELS,
    ACCESS_NUMBER,
    MESSAGE_COLUMNS,
    ROLE_NUMBER,
    ROLES,
    STATUS_NUMBER,
    STATUSES,
    is_private,
    message_from_row,
    message_terms,
    pack_json,
    set_private_flag,
    unpack_json,
    unpack_tags,
)
from keepsaid.types import Message, Scope, Session

__all__ = [
    "ACCESS_LEVELS",
    "ACCESS_NUMBER",
    "MESSAGE_COLUMNS",
    "NUMBER",
    "ROLES",
    "ROLE_NUMBER",
    "SESSION_COLUMNS",
    "STATUSES",
    "STATUS_NUMBER",
    "WITH_DETAILS",
    "is_private",
    "message_from_row",
    "message_terms",
    "messages_json",
    "pack_json",
    "seen_from_row",
    "session_from_row",
    "set_private_flag",
    "unpack_json",
    "unpack_tags",
]  # fmt: skip

SESSION_COLUMNS = f"{plain.SESSION_COLUMNS}, d.session IS NOT NULL, s.no, {plain.DETAIL_COLUMNS}"
WITH_DETAILS = "LEFT JOIN details AS d ON d.unit = s.unit AND d.space = s.space AND d.session = s.no"
"""The join that selecting `SESSION_COLUMNS` from `sessions AS s` needs."""

_DETAILED, NUMBER, _DETAILS = 12, 13, 14


def session_from_row(row: Row, scope: Scope) -> Session:
    """A session from a row of `SESSION_COLUMNS`."""
    return plain.session_from_row(row, scope, row[_DETAILS:] if row[_DETAILED] else None)


def seen_from_row(row: Row, session: str) -> VisibleMessage:
    """A message with its number, from a row of `MESSAGE_COLUMNS` followed by the number."""
    return VisibleMessage(row[-1], message_from_row(row[:-1], session))


def messages_json(messages: Sequence[Message]) -> str:
    """Messages as JSON for the SQL functions `keepsaid_append` and `keepsaid_insert`."""
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
