"""Regular expressions over English words."""

from __future__ import annotations

import re
from functools import cached_property


class Pattern:
    """Case does not matter, a space is any white space, and letters are those of ASCII: some capitals of other alphabets are
    lower-cased to two characters, and no English word has them.

    It is compiled when it is first used. Compiling all that the engine has takes 15 ms, and many a program never searches.

    >>> Pattern(r"last (week|month)").search("What about LAST   WEEK?")[1]
    'WEEK'
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text.replace(" ", r"\s+"), re.IGNORECASE | re.ASCII)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match that begins at `start`."""
        return self._compiled.match(text, start)

    def fullmatch(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The match that is all there is from `start` to `end`."""
        return self._compiled.fullmatch(text, start, end)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first match from `start` on."""
        return self._compiled.search(text, start)


ABBREVIATED = re.compile(r"(?:^|\W)(?:[A-Z][a-z]{0,2}|[Pp]rof)\.\s*$")
"""The end of a text that stops with an abbreviation ("Dr."), and so in the middle of a sentence."""
