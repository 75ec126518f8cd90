"""The result of reading a document."""

from __future__ import annotations

from typing import NamedTuple

from keepsaid.engine.text.chunk_pieces import DocumentBlock

MAX_TITLE_LENGTH = 200


class ParsedDocument(NamedTuple):
    """A document's title and text, block by block, and what could not be read of it.

    >>> ParsedDocument("notes", (DocumentBlock("Buy milk.", "line 1"),)).notices
    ()
    """

    title: str
    blocks: tuple[DocumentBlock, ...]
    notices: tuple[str, ...] = ()
    """Sentences for the user: what was left out or replaced, and how much."""


class HeadingOutline:
    """Tracks the headings above the current text, and formats them as a place.

    >>> outline = HeadingOutline()
    >>> outline.enter(1, "Installation"), outline.enter(3, "Linux"), outline.enter(2, "Windows")
    ('§ Installation', '§ Installation › Linux', '§ Installation › Windows')
    """

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self.place = ""

    def enter(self, level: int, heading: str) -> str:
        """Enter a heading, which ends the sections of its level and below. Return the new place."""
        self._path = [above for above in self._path if above[0] < level]
        if title := shorten_title(heading):
            self._path.append((level, title))
        self.place = "§ " + " › ".join(title for _, title in self._path) if self._path else ""
        return self.place


def shorten_title(text: str) -> str:
    """Return a title on one line, shortened if it is long.

    >>> shorten_title(" The  manual\\n of it ")
    'The manual of it'
    """
    words = " ".join(text.split())
    return words if len(words) <= MAX_TITLE_LENGTH else words[: MAX_TITLE_LENGTH - 1].rstrip() + "…"
