"""Conversion between values and rows for SQLite's tables."""

from __future__ import annotations

from typing import Any

from keepsaid.ports import VisibleMessage
from keepsaid.storage.sql import rows as shared_rows
from keepsaid.storage.sql.rows import (
    ACCESS_LEVELS,
    ACCESS_NUMBER,
    DAMAGED_KEY,
    DETAIL_COLUMNS,
    MESSAGE_COLUMNS,
    ROLE_NUMBER,
    ROLES,
    STATUS_NUMBER,
    STATUSES,
    Row,
    is_private,
    message_from_row,
    message_terms,
    message_values,
    pack_json,
    session_from_row,
    set_private_flag,
    unpack_all_json,
    unpack_json,
    unpack_tags,
)

__all__ = [
    "ACCESS_LEVELS",
    "ACCESS_NUMBER",
    "DAMAGED_KEY",
    "DETAIL_COLUMNS",
    "MESSAGE_COLUMNS",
    "ROLES",
    "ROLE_NUMBER",
    "SESSION_COLUMNS",
    "STATUSES",
    "STATUS_NUMBER",
    "is_private",
    "message_from_row",
    "message_terms",
    "message_values",
    "pack_json",
    "seen_from_row",
    "session_from_row",
    "set_private_flag",
    "unpack_all_json",
    "unpack_json",
    "unpack_tags",
]  # fmt: skip

SESSION_COLUMNS = f"{shared_rows.SESSION_COLUMNS}, s.detailed, s.no"


def seen_from_row(row: Row, session: str, low: int) -> VisibleMessage:
    """Build a message with its number from a row of the message columns followed by `rid`."""
    made: Any = (row[-1] - low, message_from_row(row[:-1], session), 0.0, ())
    return tuple.__new__(VisibleMessage, made)  # pyright: ignore[reportUnknownMemberType]
