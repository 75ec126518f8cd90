"""Cursors: opaque strings that encode where a page ended, tied to the query that made them."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from keepsaid.errors import InvalidCursor

_SEPARATOR = "\x1f"


def encode_cursor(query: tuple[Any, ...], number: int, name: str = "") -> str:
    """Return a cursor for this query and position: a number and, if numbers can be equal, a name.

    >>> decode_cursor(("sessions", "u1"), encode_cursor(("sessions", "u1"), 5, "s1"))
    (5, 's1')
    """
    packed = f"{_fingerprint(query)}{_SEPARATOR}{number}{_SEPARATOR}{name}".encode()
    return base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def decode_cursor(query: tuple[Any, ...], cursor: str) -> tuple[int, str]:
    """Return the position in a cursor. Raise `InvalidCursor` if it does not belong to this query.

    >>> decode_cursor(("sessions", "u2"), encode_cursor(("sessions", "u1"), 5))
    Traceback (most recent call last):
    ...
    keepsaid.errors.InvalidCursor: this cursor belongs to another query: start again without one
    """
    try:
        packed = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
        fingerprint, number, name = packed.split(_SEPARATOR, 2)
        position = int(number), name
        if abs(position[0]) >> 63:
            raise ValueError
    except (ValueError, TypeError, AttributeError):
        raise InvalidCursor(f"not a cursor: {str(cursor)[:40]!r}") from None
    if fingerprint != _fingerprint(query):
        raise InvalidCursor("this cursor belongs to another query: start again without one")
    return position


def _fingerprint(query: tuple[Any, ...]) -> str:
    return hashlib.blake2b(repr(query).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
