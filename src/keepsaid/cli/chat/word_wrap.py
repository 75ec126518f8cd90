"""Streaming word wrap for plain terminals."""

from __future__ import annotations

import re
from collections.abc import Callable

from keepsaid.cli.output.control_codes import strip_controls
from keepsaid.cli.output.text import display_width

_WORD = re.compile(r"\n| +|[^ \n]+")


class WordWrapper:
    """Takes text in parts and returns whole words, wrapped. It calls `width` for every word.

    >>> wrap = WordWrapper(lambda: 12)
    >>> print(wrap.feed("My sister moved to Lis") + wrap.feed("bon.") + wrap.end())
    My sister
    moved to
    Lisbon.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._waiting = ""
        self._column = 0
        self._spaces = ""

    def feed(self, text: str) -> str:
        """Add text and return what can be printed now; an incomplete word is held back."""
        self._waiting += strip_controls(text)
        last = max(self._waiting.rfind(" "), self._waiting.rfind("\n")) + 1
        ready, self._waiting = self._waiting[:last], self._waiting[last:]
        return self._wrap(ready)

    def end(self) -> str:
        """Return the rest of the text."""
        ready, self._waiting = self._waiting, ""
        return self._wrap(ready)

    def _wrap(self, text: str) -> str:
        return "".join(map(self._place_word, _WORD.findall(text)))

    def _place_word(self, word: str) -> str:
        """Return a word with the spaces or line break before it; spaces are held back until the next word."""
        if word == "\n":
            self._column, self._spaces = 0, ""
            return "\n"
        if word.isspace():
            self._spaces += word
            return ""
        gap, self._spaces = self._spaces, ""
        if self._column and self._column + len(gap) + display_width(word) > self._width():
            gap, self._column = "\n", 0
        self._column += len(gap.strip("\n")) + display_width(word)
        return gap + word
