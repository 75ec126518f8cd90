"""Streaming Markdown: each word is printed once, wrapped and styled, when it is complete, and never redrawn.

So nothing flickers, nothing is lost above the top of the screen, and the terminal can be resized during an answer. Only a
table is held back until it is complete: the widths of its columns are not known before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from keepsaid.cli.chat.inline_markdown import CODE, InlineMarkdown, StyledPiece
from keepsaid.cli.chat.table import render_markdown_table
from keepsaid.cli.output.control_codes import strip_controls
from keepsaid.cli.output.text import display_width

MAX_COLUMNS = 100
"""Lines longer than this are hard to read."""

HEADING = "bold cyan"
QUOTE = "italic"

_UNDECIDED = re.compile(r" {0,12}(?:#{1,6}|[-*+_]{1,3}|\d{1,3}[.)]?|>|`{1,2}|)")
"""The start of a line that may still become a heading, a list, a rule, a quote or a fence."""
_FENCE = re.compile(r" {0,12}(```|~~~)[^`\n]{0,80}")
_RULE = re.compile(r" {0,3}(?:-{3,40}|\*{3,40}|_{3,40}) {0,10}")
_HEADING = re.compile(r" {0,3}#{1,6} {1,4}")
_ITEM = re.compile(r"( {0,12})([-*+]|\d{1,3}[.)]) {1,4}")
_QUOTE = re.compile(r" {0,3}> ?")
_SPACES = re.compile(r" *")
_WORD = re.compile(r"[^\s]+")


class _LineLayout(NamedTuple):
    """The layout of a line: the prefix of its first and of its wrapped lines, and its style."""

    prefix: str = ""
    prefix_style: str = ""
    hang: str = ""
    style: str = ""
    length: int = 0
    """Characters of the source that the prefix replaces."""


class MarkdownStream:
    """Takes text in parts and returns what can be printed. It calls `width` for every word.

    >>> flow = MarkdownStream(lambda: 20)
    >>> pieces = flow.feed("It is **quite** so in the city of Lis") + flow.feed("bon.") + flow.end()
    >>> print("".join(piece.text for piece in pieces))
    It is quite so in
    the city of Lisbon.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._waiting = ""
        self._line: _LineLayout | None = None
        self._column = 0
        self._spaces = 0
        self._fenced = False
        self._rows: list[str] = []
        self._inline = InlineMarkdown()
        self._pieces: list[StyledPiece] = []

    def feed(self, text: str) -> list[StyledPiece]:
        """Add text and return what can be printed now."""
        self._waiting += strip_controls(text)
        while self._step(final=False):
            pass
        return self._take_pieces()

    def end(self) -> list[StyledPiece]:
        """Return the rest of the text."""
        while self._waiting and self._step(final=True):
            pass
        self._close_table()
        return self._take_pieces()

    def _take_pieces(self) -> list[StyledPiece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _step(self, *, final: bool) -> bool:
        """Consume the start of a line, a word or the end of a line; return False if more text is needed first."""
        if self._line is None:
            return self._begin_line(final)
        end = self._waiting.find("\n")
        if end == 0:
            self._waiting = self._waiting[1:]
            self._newline()
            return True
        return self._next_word(final)

    # -- lines

    def _begin_line(self, final: bool) -> bool:
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
            self._emit(StyledPiece("─" * min(self._available_width, 40) + "\n", "dim"))
            return True
        if not line.strip():
            if not whole:
                return False
            self._inline.reset()
        self._line = self._classify_line(line)
        self._waiting = self._waiting[self._line.length :]
        self._emit(StyledPiece(self._line.prefix, self._line.prefix_style))
        self._column, self._spaces = display_width(self._line.prefix), 0
        return True

    def _classify_line(self, line: str) -> _LineLayout:
        if found := _HEADING.match(line):
            return _LineLayout(style=HEADING, length=found.end())
        if found := _ITEM.match(line):
            mark = "•" if found[2] in "-*+" else found[2]
            prefix = f"{found[1]}{mark} "
            return _LineLayout(prefix, "cyan", " " * display_width(prefix), length=found.end())
        if found := _QUOTE.match(line):
            return _LineLayout("│ ", "dim", "│ ", QUOTE, found.end())
        spaces = min(len(line) - len(line.lstrip(" ")), 12)
        return _LineLayout(" " * spaces, "", " " * spaces, length=spaces)

    def _whole_line(self, line: str, ended: bool) -> None:
        """Handle a line of code, a fence or a table row, which are shown only when complete."""
        end = "\n" if ended else ""
        if _FENCE.fullmatch(line.rstrip()):
            self._close_table()
            self._fenced = not self._fenced
            self._inline.reset()
        elif self._fenced:
            self._emit(StyledPiece(line + end, CODE))
        else:
            self._rows.append(line)

    def _close_table(self) -> None:
        if self._rows:
            self._pieces += render_markdown_table(self._rows, self._available_width)
            self._rows = []

    def _newline(self) -> None:
        self._emit(StyledPiece("\n"))
        self._line, self._column, self._spaces = None, 0, 0

    # -- words

    def _next_word(self, final: bool) -> bool:
        start = _SPACES.match(self._waiting)
        spaces = start.end() if start else 0
        found = _WORD.match(self._waiting, spaces)
        if found is None:
            if not final and "\n" not in self._waiting:
                return False
            self._waiting = self._waiting[spaces:]
            return bool(self._waiting)
        atom = _unbreakable_prefix(found[0])
        if not final and found.end() == len(self._waiting) and len(atom) == len(found[0]) < self._available_width:
            return False
        self._waiting = self._waiting[spaces + len(atom) :]
        self._spaces += spaces
        self._emit_word(atom)
        return True

    def _emit_word(self, atom: str) -> None:
        assert self._line is not None
        gap_style = self._inline.style
        pieces = self._inline.style_word(atom)
        width = sum(display_width(piece.text) for piece in pieces)
        if self._column + self._spaces + width > self._available_width and self._column > display_width(self._line.hang):
            self._emit(StyledPiece("\n" + self._line.hang, self._line.prefix_style))
            self._column, self._spaces = display_width(self._line.hang), 0
        self._emit(StyledPiece(" " * self._spaces, gap_style if gap_style == CODE else ""))
        for piece in pieces:
            self._emit(StyledPiece(piece.text, f"{self._line.style} {piece.style}".strip()))
        self._column += self._spaces + width
        self._spaces = 0

    @property
    def _available_width(self) -> int:
        return max(8, min(self._width(), MAX_COLUMNS))

    def _emit(self, piece: StyledPiece) -> None:
        if piece.text:
            self._pieces.append(piece)


def _unbreakable_prefix(word: str) -> str:
    """Return the part of a word that must not be split: all of it, or one character of Chinese or Japanese."""
    for place, character in enumerate(word):
        if display_width(character) == 2:
            return word[: place or 1]
    return word
