"""Users' texts on a terminal: how wide they are, what fits, and nothing in them that would steer it."""

from __future__ import annotations

import os
import shutil
import sys
from unicodedata import combining, east_asian_width

NARROWEST = 40


def screen_width() -> int:
    """How many cells a line of the terminal has; of none, 80.

    >>> screen_width() >= NARROWEST
    True
    """
    return max(NARROWEST, shutil.get_terminal_size().columns)


def speaks_unicode() -> bool:
    """Whether whoever reads us can show more than ASCII."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return encoding.startswith("utf") and os.environ.get("TERM") != "dumb"


def printable(text: str) -> str:
    """A text on one line, without anything that would steer the reader's terminal.

    >>> printable("two\\n lines \\x1b[31mred")
    'two lines [31mred'
    """
    plain = "".join(character if character.isprintable() or character == "\u200d" else " " for character in text)
    return " ".join(plain.split())


def cells(text: str) -> int:
    """How wide a text is on a terminal, where Chinese and Japanese characters take two cells.

    >>> cells("tea"), cells("お茶")
    (3, 4)
    """
    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def fitted(text: str, room: int) -> str:
    """A text cut to so many cells, with an ellipsis where something is missing.

    >>> fitted("Travel to Lisbon", 10), fitted("Tea", 10), fitted("お茶お茶", 5)
    ('Travel to…', 'Tea', 'お茶…')
    """
    if cells(text) <= room:
        return text
    kept, used = "", 1
    for character in text:
        used += cells(character)
        if used > room:
            break
        kept += character
    return kept.rstrip() + "…" if room > 0 else ""
