"""What of a message is searched: its text, and the name of whoever said it."""

from __future__ import annotations


def spoken(name: str | None, text: str) -> str:
    """A message as the keyword index reads it; people ask by names.

    >>> spoken("Caroline", "I moved to Lisbon."), spoken(None, "Hello")
    ('Caroline: I moved to Lisbon.', 'Hello')
    """
    return f"{name}: {text}" if name else text
