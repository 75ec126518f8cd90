"""Regular expressions over English words."""

from __future__ import annotations

import re
from functools import cached_property


class EnglishPattern:
    """A regular expression that ignores case. A space in it matches any white space.

    Only ASCII letters are letters: some capitals of other alphabets become two characters in lower case, and no English word
    has them. The expression is compiled at its first use, because compiling all of them takes 15 ms and many programs never
    search.

    >>> EnglishPattern(r"last (week|month)").search("What about LAST   WEEK?")[1]
    'WEEK'
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text.replace(" ", r"\s+"), re.IGNORECASE | re.ASCII)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the match that begins at `start`."""
        return self._compiled.match(text, start)

    def fullmatch(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """Return the match of the whole text from `start` to `end`."""
        return self._compiled.fullmatch(text, start, end)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first match from `start` on."""
        return self._compiled.search(text, start)


ABBREVIATION_END = re.compile(r"(?:^|\W)(?:[A-Z][a-z]{0,2}|[Pp]rof)\.\s*$")
"""The end of a text that ends with an abbreviation ("Dr."), and so not with a sentence."""
