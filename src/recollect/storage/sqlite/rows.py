"""Values to rows and back, as SQLite's tables have them."""

from __future__ import annotations

from typing import Any

from recollect.ports import Seen
from recollect.storage import rows as plain
from recollect.storage.rows import (
    DAMAGED,
    DETAILS,
    LEVEL_NUMBER,
    LEVELS,
    MESSAGE,
    ROLE_NUMBER,
    ROLES,
    STATUS_NUMBER,
    STATUSES,
    Row,
    is_private,
    message,
    message_terms,
    message_values,
    pack,
    session,
    tags_of,
    unpack,
    with_private,
)

__all__ = [
    "DAMAGED", "DETAILS", "LEVELS", "LEVEL_NUMBER", "MESSAGE", "ROLES", "ROLE_NUMBER", "SESSION", "STATUSES",
    "STATUS_NUMBER", "is_private", "message", "message_terms", "message_values", "pack", "seen", "session", "tags_of",
    "unpack", "with_private",
]  # fmt: skip

SESSION = f"{plain.SESSION}, s.detailed, s.no"


def seen(row: Row, session: str, low: int) -> Seen:
    """A message with its number, from a row of `MESSAGE` with the `rid` behind it."""
    made: Any = (row[-1] - low, message(row[:-1], session), 0.0, ())
    return tuple.__new__(Seen, made)  # pyright: ignore[reportUnknownMemberType]
