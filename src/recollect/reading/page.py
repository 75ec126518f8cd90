"""A page in the making: what is written to it becomes paragraphs, lists, tables and code under their headings."""

from __future__ import annotations

from recollect.engine.pieces import Block
from recollect.reading.reading import Outline

DEEPEST = 10
"""Lists within lists are indented no further."""


class Page:
    """Takes text and what a reader would see around it, in the order of the page.

    >>> page = Page()
    >>> page.heading(1); page.write("Prices"); page.paragraph(); page.write("Per  cup."); page.finish()
    >>> [(block.kind, block.text, block.place) for block in page.blocks]
    [('heading', 'Prices', '§ Prices'), ('text', 'Per cup.', '§ Prices')]
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self._outline = Outline()
        self._text: list[str] = []
        self._lines: list[str] = []
        self._lines_kind = ""
        self._cells: list[str] | None = None
        self._numbers: list[int | None] = []
        self._mark = ""
        self._heading = 0
        self._code = False

    def write(self, text: str) -> None:
        """Text of whatever is being read."""
        self._text.append(text)

    def line_break(self) -> None:
        """A line that ends within its paragraph."""
        self._text.append("\n")

    def paragraph(self) -> None:
        """A paragraph begins or ends; those of one list item or table cell are not told apart."""
        if self._heading or not (self._code or self._numbers or self._cells is not None):
            self._end_text()
        elif not self._code:
            self.write(" ")

    def name(self) -> None:
        """What was written since the last paragraph is the page's title."""
        self.title = self.title or self._taken()

    def heading(self, level: int) -> None:
        """A heading begins; 0 ends it."""
        self.finish()
        self._heading = level

    def code(self, begins: bool) -> None:
        """Text begins or ends that is kept as it is."""
        self.finish()
        self._code = begins

    def begin_list(self, *, numbered: bool) -> None:
        """A list begins, maybe within another; in a cell of a table it is part of the row."""
        if self._cells is not None:
            self.write(" ")
            return
        self._end_text()
        self._numbers.append(0 if numbered else None)

    def end_list(self) -> None:
        """The innermost list ends."""
        if self._cells is not None:
            return
        self._end_text()
        if self._numbers:
            self._numbers.pop()
        self._mark = ""
        if not self._numbers:
            self._end_lines()

    def item(self) -> None:
        """An item of the innermost list begins."""
        if self._cells is not None:
            self.write(" ")
            return
        self._end_text()
        number = self._numbers[-1] if self._numbers else None
        if number is not None:
            self._numbers[-1] = number + 1
        self._mark = "- " if number is None else f"{number + 1}. "

    def row(self, begins: bool) -> None:
        """A row of a table begins or ends."""
        self._end_row()
        if begins:
            self._end_text()
            self._cells = []

    def cell(self) -> None:
        """A cell of the row begins."""
        if self._cells is None:
            self.row(True)
        else:
            self._cells.append(self._taken())

    def finish(self) -> None:
        """All that is being read ends here."""
        self._end_row()
        self._end_text()
        self._end_lines()

    def _end_text(self) -> None:
        if self._code:
            self._code = False
            self._add("".join(self._text).strip("\n"), "code")
            self._text = []
        elif (text := self._taken()) and self._heading:
            self._outline.enter(self._heading, text)
            self._heading = 0
            self._add(text, "heading")
        elif text and self._numbers:
            self._add_line("  " * min(len(self._numbers) - 1, DEEPEST) + (self._mark or "  ") + text, "list")
            self._mark = ""
        else:
            self._add(text, "text")

    def _end_row(self) -> None:
        if self._cells is not None:
            # The first is what stood before the first cell.
            cells = [*self._cells, self._taken()]
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
        self.blocks.append(Block(text, self._outline.place, kind))

    def _taken(self) -> str:
        """What was written, without the layout of its source and without hyphens that are only seen at the end of a line."""
        text = " ".join("".join(self._text).replace("\xad", "").split())
        self._text = []
        return text
