"""Removes or escapes terminal control codes in texts from a store or a model."""

from __future__ import annotations

import json

JOINER = "\u200d"
"""Zero-width joiner of emoji sequences: not printable by itself, but harmless."""
TAB = "    "


def strip_controls(text: str) -> str:
    """Return a text of any number of lines without control codes.

    >>> strip_controls("two\\r\\nlines \\x1b[31mred\\x07")
    'two\\nlines [31mred'
    """
    if text.isprintable():
        return text
    return "".join(map(_replace_control, text))


def escape_controls(text: str) -> str:
    """Return equivalent JSON with control codes escaped.

    >>> escape_controls('"red ' + chr(0x9B) + '31m"')
    '"red \\\\u009b31m"'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in ("\n", JOINER) else json.dumps(one)[1:-1] for one in text)


def _replace_control(character: str) -> str:
    if character.isprintable() or character in ("\n", JOINER):
        return character
    if character == "\t":
        return TAB
    return " " if character.isspace() and character not in "\r\v\f\x1c\x1d\x1e\x1f\x85" else ""
