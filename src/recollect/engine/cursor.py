"""Cursors: opaque strings that say where a page ended, tied to the query that made them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from recollect.errors import InvalidCursor


def seal(query: tuple[Any, ...], position: list[Any]) -> str:
    """A cursor for this query at this position.

    >>> unseal(("sessions", "u1"), seal(("sessions", "u1"), [5, "s1"]))
    [5, 's1']
    """
    packed = json.dumps([_print(query), position], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unseal(query: tuple[Any, ...], cursor: str) -> list[Any]:
    """The position in a cursor, or `InvalidCursor` if it is not one of this query's.

    >>> unseal(("sessions", "u2"), seal(("sessions", "u1"), [5]))
    Traceback (most recent call last):
    ...
    recollect.errors.InvalidCursor: this cursor belongs to another query: start again without one
    """
    try:
        packed = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        fingerprint, position = json.loads(packed)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        raise InvalidCursor(f"not a cursor: {str(cursor)[:40]!r}") from None
    if fingerprint != _print(query) or not isinstance(position, list):
        raise InvalidCursor("this cursor belongs to another query: start again without one")
    return position  # pyright: ignore[reportUnknownVariableType]  # JSON list: the caller knows its shape


def _print(query: tuple[Any, ...]) -> str:
    return hashlib.sha256(repr(query).encode("utf-8", "backslashreplace")).hexdigest()[:16]
