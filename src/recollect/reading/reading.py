"""What reading a document gives."""

from __future__ import annotations

from typing import NamedTuple

from recollect.engine.pieces import Block

LONGEST_TITLE = 200


class Reading(NamedTuple):
    """A document's title and text, block by block, and what could not be read of it.

    >>> Reading("notes", (Block("Buy milk.", "line 1"),)).notices
    ()
    """

    title: str
    blocks: tuple[Block, ...]
    notices: tuple[str, ...] = ()
    """Sentences for whoever gave the document: what was left out or replaced, and how much."""


class Outline:
    """The headings above the text that is being read, as a place.

    >>> outline = Outline()
    >>> outline.enter(1, "Installation"), outline.enter(3, "Linux"), outline.enter(2, "Windows")
    ('§ Installation', '§ Installation › Linux', '§ Installation › Windows')
    """

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self.place = ""

    def enter(self, level: int, heading: str) -> str:
        """The place under a heading; it ends the sections of its level and below."""
        self._path = [above for above in self._path if above[0] < level]
        if title := one_line(heading):
            self._path.append((level, title))
        self.place = "§ " + " › ".join(title for _, title in self._path) if self._path else ""
        return self.place


def one_line(text: str) -> str:
    """A title on one line, and not endless.

    >>> one_line(" The  manual\\n of it ")
    'The manual of it'
    """
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1].rstrip() + "…"
