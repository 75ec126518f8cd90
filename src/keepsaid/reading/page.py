"""Builds a page: collects text into paragraphs, lists, tables and code under their headings."""

from __future__ import annotations

from keepsaid.engine.text.chunk_pieces import DocumentBlock
from keepsaid.reading.parsed_document import HeadingOutline

MAX_LIST_DEPTH = 10
"""The deepest indentation of nested lists."""


class PageBuilder:
    """Takes text and structure in the order of the page.

    >>> page = PageBuilder()
    >>> page.set_heading(1); page.write("Prices"); page.end_paragraph(); page.write("Per  cup."); page.finish()
    >>> [(block.kind, block.text, block.place) for block in page.blocks]
    [('heading', 'Prices', '§ Prices'), ('text', 'Per cup.', '§ Prices')]
    """

    def __init__(self) -> None:
        self.blocks: list[DocumentBlock] = []
        self.title = ""
        self._outline = HeadingOutline()
        self._text: list[str] = []
        self._lines: list[str] = []
        self._lines_kind = ""
        self._cells: list[str] | None = None
        self._numbers: list[int | None] = []
        self._mark = ""
        self._heading = 0
        self._code = False

    def write(self, text: str) -> None:
        """Add text to the current element."""
        self._text.append(text)

    def line_break(self) -> None:
        """Add a line break within a paragraph."""
        self._text.append("\n")

    def end_paragraph(self) -> None:
        """Begin or end a paragraph. The paragraphs of a list item or table cell are joined."""
        if self._heading or not (self._code or self._numbers or self._cells is not None):
            self._end_text()
        elif not self._code:
            self.write(" ")

    def end_title(self) -> None:
        """Use the text since the last paragraph as the page's title."""
        self.title = self.title or self._take_text()

    def set_heading(self, level: int) -> None:
        """Begin a heading; 0 ends it."""
        self.finish()
        self._heading = level

    def set_code(self, begins: bool) -> None:
        """Begin or end preformatted text."""
        self.finish()
        self._code = begins

    def begin_list(self, *, numbered: bool) -> None:
        """Begin a list, which may be nested. In a table cell it is part of the row."""
        if self._cells is not None:
            self.write(" ")
            return
        self._end_text()
        self._numbers.append(0 if numbered else None)

    def end_list(self) -> None:
        """End the innermost list."""
        if self._cells is not None:
            return
        self._end_text()
        if self._numbers:
            self._numbers.pop()
        self._mark = ""
        if not self._numbers:
            self._end_lines()

    def begin_item(self) -> None:
        """Begin an item of the innermost list."""
        if self._cells is not None:
            self.write(" ")
            return
        self._end_text()
        number = self._numbers[-1] if self._numbers else None
        if number is not None:
            self._numbers[-1] = number + 1
        self._mark = "- " if number is None else f"{number + 1}. "

    def set_row(self, begins: bool) -> None:
        """Begin or end a table row."""
        self._end_row()
        if begins:
            self._end_text()
            self._cells = []

    def begin_cell(self) -> None:
        """Begin a cell of the row."""
        if self._cells is None:
            self.set_row(True)
        else:
            self._cells.append(self._take_text())

    def finish(self) -> None:
        """End all open elements."""
        self._end_row()
        self._end_text()
        self._end_lines()

    def _end_text(self) -> None:
        if self._code:
            self._code = False
            self._add("".join(self._text).strip("\n"), "code")
            self._text = []
        elif (text := self._take_text()) and self._heading:
            self._outline.enter(self._heading, text)
            self._heading = 0
            self._add(text, "heading")
        elif text and self._numbers:
            self._add_line("  " * min(len(self._numbers) - 1, MAX_LIST_DEPTH) + (self._mark or "  ") + text, "list")
            self._mark = ""
        else:
            self._add(text, "text")

    def _end_row(self) -> None:
        if self._cells is not None:
            # The first is the text before the first cell.
            cells = [*self._cells, self._take_text()]
            self._cells = None
            self._add_line(" | ".join(cells[1:] if not cells[0] else cells), "table")

    def _add_line(self, line: str, kind: str) -> None:
        if kind != self._lines_kind:
            self._end_lines()
        self._lines_kind = kind
        if line.strip(" |"):
            self._lines.append(line)

    def _end_lines(self) -> None:
        lines, self._lines = self._lines, []
        self._add("\n".join(lines), self._lines_kind)

    def _add(self, text: str, kind: str) -> None:
        if not text.strip():
            return
        if self._lines:
            self._end_lines()
        self.blocks.append(DocumentBlock(text, self._outline.place, kind))

    def _take_text(self) -> str:
        """Return and clear the collected text, without line breaks of the source and without soft hyphens."""
        text = " ".join("".join(self._text).replace("\xad", "").split())
        self._text = []
        return text
