"""Text from a store or a model, made harmless for the terminal that shows it."""

from __future__ import annotations

JOINER = "\u200d"
"""Joins emoji into one; it is not printable by itself, and steers nothing."""
TAB = "    "


def harmless(text: str) -> str:
    """A text of any number of lines, without anything that would steer the reader's terminal.

    >>> harmless("two\\r\\nlines \\x1b[31mred\\x07")
    'two\\nlines [31mred'
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or character in ("\n", JOINER):
        return character
    if character == "\t":
        return TAB
    return " " if character.isspace() and character not in "\r\v\f\x1c\x1d\x1e\x1f\x85" else ""
