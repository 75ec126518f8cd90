"""Markdown that flows: each word is printed once, when it has come, wrapped and styled, and never touched again.

So nothing flickers, nothing is lost above the top of the screen, and a terminal may change its size in mid-sentence. Only a
table waits until it is whole: the width of its columns is not known before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from recollect.cli.chat.inline import CODE, Inline, Piece
from recollect.cli.chat.table import table
from recollect.cli.clean import harmless
from recollect.cli.text import cells

WIDEST = 100
"""Lines longer than this are hard to read."""

HEADING = "bold cyan"
QUOTE = "italic"

_UNDECIDED = re.compile(r" {0,12}(?:#{1,6}|[-*+_]{1,3}|\d{1,3}[.)]?|>|`{1,2}|)")
"""A beginning that may still become a heading, a list, a rule, a quote or a fence."""
_FENCE = re.compile(r" {0,12}(```|~~~)[^`\n]{0,80}")
_RULE = re.compile(r" {0,3}(?:-{3,40}|\*{3,40}|_{3,40}) {0,10}")
_HEADING = re.compile(r" {0,3}#{1,6} {1,4}")
_ITEM = re.compile(r"( {0,12})([-*+]|\d{1,3}[.)]) {1,4}")
_QUOTE = re.compile(r" {0,3}> ?")
_SPACES = re.compile(r" *")
_WORD = re.compile(r"[^\s]+")


class _Line(NamedTuple):
    """What a line turned out to be: what stands before its text, and before its further lines, and how it looks."""

    prefix: str = ""
    prefix_style: str = ""
    hang: str = ""
    style: str = ""
    length: int = 0
    """Characters of the source that the prefix stands for."""


class Flow:
    """Takes text as it comes and gives what can be printed. `width` is asked anew for every word.

    >>> flow = Flow(lambda: 20)
    >>> pieces = flow.feed("It is **quite** so in the city of Lis") + flow.feed("bon.") + flow.end()
    >>> print("".join(piece.text for piece in pieces))
    It is quite so in
    the city of Lisbon.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._waiting = ""
        self._line: _Line | None = None
        self._column = 0
        self._spaces = 0
        self._fenced = False
        self._rows: list[str] = []
        self._inline = Inline()
        self._made: list[Piece] = []

    def feed(self, text: str) -> list[Piece]:
        """Some more text; what can be printed now."""
        self._waiting += harmless(text)
        while self._step(final=False):
            pass
        return self._taken()

    def end(self) -> list[Piece]:
        """The text is over: the rest of it."""
        while self._waiting and self._step(final=True):
            pass
        self._close_table()
        return self._taken()

    def _taken(self) -> list[Piece]:
        made, self._made = self._made, []
        return made

    def _step(self, *, final: bool) -> bool:
        """Takes one line's beginning, one word or one line's end off what waits; False if more has to come first."""
        if self._line is None:
            return self._begin(final)
        end = self._waiting.find("\n")
        if end == 0:
            self._waiting = self._waiting[1:]
            self._newline()
            return True
        return self._word(final)

    # -- lines

    def _begin(self, final: bool) -> bool:
        line, newline, rest = self._waiting.partition("\n")
        whole = bool(newline) or final
        if self._fenced or _FENCE.match(line) or line.lstrip().startswith("|"):
            if whole:
                self._waiting = rest
                self._whole_line(line, bool(newline))
            return whole and bool(newline or line)
        if not whole and _UNDECIDED.fullmatch(line):
            return False
        self._close_table()
        if whole and _RULE.fullmatch(line):
            self._waiting = rest
            self._put(Piece("─" * min(self._room, 40) + "\n", "dim"))
            return True
        if not line.strip():
            if not whole:
                return False
            self._inline.reset()
        self._line = self._kind(line)
        self._waiting = self._waiting[self._line.length :]
        self._put(Piece(self._line.prefix, self._line.prefix_style))
        self._column, self._spaces = cells(self._line.prefix), 0
        return True

    def _kind(self, line: str) -> _Line:
        if found := _HEADING.match(line):
            return _Line(style=HEADING, length=found.end())
        if found := _ITEM.match(line):
            mark = "•" if found[2] in "-*+" else found[2]
            prefix = f"{found[1]}{mark} "
            return _Line(prefix, "cyan", " " * cells(prefix), length=found.end())
        if found := _QUOTE.match(line):
            return _Line("│ ", "dim", "│ ", QUOTE, found.end())
        spaces = min(len(line) - len(line.lstrip(" ")), 12)
        return _Line(" " * spaces, "", " " * spaces, length=spaces)

    def _whole_line(self, line: str, ended: bool) -> None:
        """A line of code, a fence, or a row of a table: nothing of it is shown before its end."""
        end = "\n" if ended else ""
        if _FENCE.fullmatch(line.rstrip()):
            self._close_table()
            self._fenced = not self._fenced
            self._inline.reset()
        elif self._fenced:
            self._put(Piece(line + end, CODE))
        else:
            self._rows.append(line)

    def _close_table(self) -> None:
        if self._rows:
            self._made += table(self._rows, self._room)
            self._rows = []

    def _newline(self) -> None:
        self._put(Piece("\n"))
        self._line, self._column, self._spaces = None, 0, 0

    # -- words

    def _word(self, final: bool) -> bool:
        start = _SPACES.match(self._waiting)
        spaces = start.end() if start else 0
        found = _WORD.match(self._waiting, spaces)
        if found is None:
            if not final and "\n" not in self._waiting:
                return False
            self._waiting = self._waiting[spaces:]
            return bool(self._waiting)
        atom = _atom(found[0])
        if not final and found.end() == len(self._waiting) and len(atom) == len(found[0]) < self._room:
            return False
        self._waiting = self._waiting[spaces + len(atom) :]
        self._spaces += spaces
        self._print(atom)
        return True

    def _print(self, atom: str) -> None:
        assert self._line is not None
        gap_style = self._inline.style
        pieces = self._inline.word(atom)
        width = sum(cells(piece.text) for piece in pieces)
        if self._column + self._spaces + width > self._room and self._column > cells(self._line.hang):
            self._put(Piece("\n" + self._line.hang, self._line.prefix_style))
            self._column, self._spaces = cells(self._line.hang), 0
        self._put(Piece(" " * self._spaces, gap_style if gap_style == CODE else ""))
        for piece in pieces:
            self._put(Piece(piece.text, f"{self._line.style} {piece.style}".strip()))
        self._column += self._spaces + width
        self._spaces = 0

    @property
    def _room(self) -> int:
        return max(8, min(self._width(), WIDEST))

    def _put(self, piece: Piece) -> None:
        if piece.text:
            self._made.append(piece)


def _atom(word: str) -> str:
    """As much of a word as may not be torn apart: all of it, or of Chinese or Japanese one character."""
    for place, character in enumerate(word):
        if cells(character) == 2:
            return word[: place or 1]
    return word
