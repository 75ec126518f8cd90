"""Users' texts on a terminal: their width, truncation, and removal of control codes."""

from __future__ import annotations

import os
import shutil
import sys
from unicodedata import combining, east_asian_width

MIN_COLUMNS = 40


def screen_width() -> int:
    """Return the width of the terminal in columns; 80 without one.

    >>> screen_width() >= MIN_COLUMNS
    True
    """
    return max(MIN_COLUMNS, shutil.get_terminal_size().columns)


def supports_unicode() -> bool:
    """Whether the output can show more than ASCII."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return encoding.startswith("utf") and os.environ.get("TERM") != "dumb"


def to_printable(text: str) -> str:
    """Return a text on one line, without control codes.

    >>> to_printable("two\\n lines \\x1b[31mred")
    'two lines [31mred'
    """
    plain = "".join(character if character.isprintable() or character == "\u200d" else " " for character in text)
    return " ".join(plain.split())


def display_width(text: str) -> int:
    """Return the width of a text in terminal columns; Chinese and Japanese characters take two.

    >>> display_width("tea"), display_width("お茶")
    (3, 4)
    """
    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def truncate_to_width(text: str, room: int) -> str:
    """Return a text cut to at most `room` columns, with an ellipsis if something is missing.

    >>> truncate_to_width("Travel to Lisbon", 10), truncate_to_width("Tea", 10), truncate_to_width("お茶お茶", 5)
    ('Travel to…', 'Tea', 'お茶…')
    """
    if display_width(text) <= room:
        return text
    kept, used = "", 1
    for character in text:
        used += display_width(character)
        if used > room:
            break
        kept += character
    return kept.rstrip() + "…" if room > 0 else ""
