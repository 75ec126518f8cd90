"""Bytes kept by name."""

from __future__ import annotations

from typing import NamedTuple


class Blob(NamedTuple):
    """Bytes kept under a name. Every change gives a new revision; 0 means that there is none.

    >>> Blob("state", b"...", 17).name
    'state'
    """

    name: str
    content: bytes
    revision: int = 0
    author: str | None = None
    """In a pool: the owner who saved it."""
