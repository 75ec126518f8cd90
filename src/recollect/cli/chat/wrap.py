"""Text that flows on a terminal which knows nothing but text: as it came, with lines that end between words."""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.cli.clean import harmless
from recollect.cli.text import cells

_WORD = re.compile(r"\n| +|[^ \n]+")


class Wrap:
    """Takes text as it comes and gives what can be printed: whole words. `width` is asked anew for every word.

    >>> wrap = Wrap(lambda: 12)
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
        """Some more text; what can be printed now: a word may still go on."""
        self._waiting += harmless(text)
        last = max(self._waiting.rfind(" "), self._waiting.rfind("\n")) + 1
        ready, self._waiting = self._waiting[:last], self._waiting[last:]
        return self._wrapped(ready)

    def end(self) -> str:
        """The text is over: the rest of it."""
        ready, self._waiting = self._waiting, ""
        return self._wrapped(ready)

    def _wrapped(self, text: str) -> str:
        return "".join(map(self._placed, _WORD.findall(text)))

    def _placed(self, word: str) -> str:
        """A word with what comes before it; spaces wait for the next one."""
        if word == "\n":
            self._column, self._spaces = 0, ""
            return "\n"
        if word.isspace():
            self._spaces += word
            return ""
        gap, self._spaces = self._spaces, ""
        if self._column and self._column + len(gap) + cells(word) > self._width():
            gap, self._column = "\n", 0
        self._column += len(gap.strip("\n")) + cells(word)
        return gap + word
