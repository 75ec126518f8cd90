"""Range conditions for the names of blobs, which are ordered by code point."""

from __future__ import annotations

from keepsaid.ports import AFTER_ALL_NAMES

NO_SESSION = ""
"""Stands for the session of blobs that belong to none: no session has an empty id."""

_FIRST = "\x01"
"""The lowest character that a name can contain."""


def name_range(prefix: str, after: str | None = None, backwards: bool = False) -> tuple[str, str]:
    """Return the lowest name with a prefix, and a name that is greater than all of them. With `after`, the range has only
    the names after that one, or with `backwards` those before it.

    >>> name_range("step/"), name_range("step/", "step/2")
    (('step/', 'step/\\U0010ffff'), ('step/2\\x01', 'step/\\U0010ffff'))
    >>> name_range("step/", "step/2", backwards=True)
    ('step/', 'step/2')
    """
    first, last = prefix, prefix + AFTER_ALL_NAMES
    if after is None:
        return first, last
    return (first, min(after, last)) if backwards else (max(after + _FIRST, first), last)
