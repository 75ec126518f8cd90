"""Markdown inside a line: bold, italic and code, word by word as they come."""

from __future__ import annotations

from typing import NamedTuple

BOLD, ITALIC, CODE = "bold", "italic", "cyan"


class Piece(NamedTuple):
    """Some text and how it looks."""

    text: str
    style: str = ""


class Inline:
    """Knows what is open: a word is styled by the marks in it and by those before it."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        """Each mark that is open, and the style it stands for."""

    def reset(self) -> None:
        """Nothing is open any more: a mark that was never closed ends with its paragraph."""
        self._open.clear()

    @property
    def style(self) -> str:
        """How the next character looks."""
        return " ".join(dict.fromkeys(self._open.values()))

    def word(self, word: str) -> list[Piece]:
        """A word without its marks, as pieces of one look each.

        >>> Inline().word("**so**,")
        [Piece(text='so', style='bold'), Piece(text=',', style='')]
        >>> Inline().word("snake_case*2")
        [Piece(text='snake_case*2', style='')]
        """
        pieces: list[Piece] = []
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
                pieces[-1] = Piece(pieces[-1].text + word[place], style)
            else:
                pieces.append(Piece(word[place], style))
            place += 1
        return pieces

    def _toggle(self, mark: str) -> None:
        if self._open.pop(mark, None) is None:
            self._open[mark] = CODE if mark == "`" else BOLD if len(mark) == 2 else ITALIC

    def _mark(self, word: str, place: int) -> str:
        """The mark at this place of a word, if it opens or closes something here."""
        if word[place] == "`":
            return "`"
        if "`" in self._open or word[place] not in "*_" or (place and word[place - 1] == "\\"):
            return ""
        single = word[place]
        mark = "**" if word[place : place + 2] == "**" else single
        before, behind = word[place - 1 : place], word[place + len(mark) : place + len(mark) + 1]
        if single == "_" and "_" in (before, behind):
            return ""  # __init__ is a name
        if mark in self._open:
            return "" if single == "_" and behind.isalnum() else mark
        return mark if behind and not behind.isspace() and not before.isalnum() else ""
