"""Inline Markdown (bold, italic, code), parsed word by word as the text streams."""

from __future__ import annotations

from typing import NamedTuple

BOLD, ITALIC, CODE = "bold", "italic", "cyan"


class StyledPiece(NamedTuple):
    """A text and its style."""

    text: str
    style: str = ""


class InlineMarkdown:
    """Tracks the open marks: a word is styled by its own marks and by those before it."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        """Each open mark and its style."""

    def reset(self) -> None:
        """Close all marks: an unclosed mark ends with its paragraph."""
        self._open.clear()

    @property
    def style(self) -> str:
        """The style of the next character."""
        return " ".join(dict.fromkeys(self._open.values()))

    def style_word(self, word: str) -> list[StyledPiece]:
        """Return a word without its marks, split into pieces of one style each.

        >>> InlineMarkdown().style_word("**so**,")
        [StyledPiece(text='so', style='bold'), StyledPiece(text=',', style='')]
        >>> InlineMarkdown().style_word("snake_case*2")
        [StyledPiece(text='snake_case*2', style='')]
        """
        pieces: list[StyledPiece] = []
        place = 0
        while place < len(word):
            mark = self._mark(word, place)
            if mark:
                self._toggle(mark)
                place += len(mark)
                continue
            if word[place] == "\\" and word[place + 1 : place + 2] in tuple("*_`#[]\\") and "`" not in self._open:
                place += 1
            style = self.style
            if pieces and pieces[-1].style == style:
                pieces[-1] = StyledPiece(pieces[-1].text + word[place], style)
            else:
                pieces.append(StyledPiece(word[place], style))
            place += 1
        return pieces

    def _toggle(self, mark: str) -> None:
        if self._open.pop(mark, None) is None:
            self._open[mark] = CODE if mark == "`" else BOLD if len(mark) == 2 else ITALIC

    def _mark(self, word: str, place: int) -> str:
        """Return the mark at this index of a word if it opens or closes a style, else an empty string."""
        if word[place] == "`":
            return "`"
        if "`" in self._open or word[place] not in "*_" or (place and word[place - 1] == "\\"):
            return ""
        single = word[place]
        mark = "**" if word[place : place + 2] == "**" else single
        before, after = word[place - 1 : place], word[place + len(mark) : place + len(mark) + 1]
        if single == "_" and "_" in (before, after):
            return ""  # __init__ is a name
        if mark in self._open:
            return "" if single == "_" and after.isalnum() else mark
        return mark if after and not after.isspace() and not before.isalnum() else ""
