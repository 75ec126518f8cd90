"""Cursors: opaque strings that say where a page ended, tied to the query that made them."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from recollect.errors import InvalidCursor

_PARTED = "\x1f"


def seal(query: tuple[Any, ...], number: int, name: str = "") -> str:
    """A cursor for this query at this position: a number and, where numbers can be the same, a name.

    >>> unseal(("sessions", "u1"), seal(("sessions", "u1"), 5, "s1"))
    (5, 's1')
    """
    packed = f"{_print(query)}{_PARTED}{number}{_PARTED}{name}".encode()
    return base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def unseal(query: tuple[Any, ...], cursor: str) -> tuple[int, str]:
    """The position in a cursor, or `InvalidCursor` if it is not one of this query's.

    >>> unseal(("sessions", "u2"), seal(("sessions", "u1"), 5))
    Traceback (most recent call last):
    ...
    recollect.errors.InvalidCursor: this cursor belongs to another query: start again without one
    """
    try:
        packed = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
        fingerprint, number, name = packed.split(_PARTED, 2)
        position = int(number), name
        if abs(position[0]) >> 63:
            raise ValueError
    except (ValueError, TypeError, AttributeError):
        raise InvalidCursor(f"not a cursor: {str(cursor)[:40]!r}") from None
    if fingerprint != _print(query):
        raise InvalidCursor("this cursor belongs to another query: start again without one")
    return position


def _print(query: tuple[Any, ...]) -> str:
    return hashlib.blake2b(repr(query).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
