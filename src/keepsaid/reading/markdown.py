"""Markdown: headings become places; code, tables and lists are kept whole and unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepsaid.engine.text.chunk_pieces import DocumentBlock, format_place
from keepsaid.reading.parsed_document import HeadingOutline

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING_MARKS = re.compile(r"(?:^|\s)#+\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")
_TABLE_RULE = re.compile(r"(?=.*-)(?=.*\|)[ \t|:-]+$")
_INDENTED = re.compile(r"(?: {4}|\t)")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?: \"[^\"]{0,200}\")?\)|\[[^\[\]]{0,100}\])")
_EMPHASIS = re.compile(r"[*]{1,3}(?=\S)|(?<=\S)[*]{1,3}|`")
_FRONT_LINE = re.compile(r"[\w.-]{1,60}[ \t]*[:=]|[ \t]|#|- |\[|$")
_TITLE = re.compile(r"title[ \t]*[:=][ \t]*(.+)", re.IGNORECASE)
MAX_FRONT_MATTER_LINES = 500
"""The most lines that are searched for the end of the front matter."""


def read_markdown(text: str) -> tuple[str, tuple[DocumentBlock, ...]]:
    """Return the title and the blocks. The title is from the front matter, or the first heading of the highest level.

    Text before any heading is cited by its lines.

    >>> title, blocks = read_markdown("# Guide\\n\\nHello.\\n\\n## Linux\\n- one\\n- two")
    >>> title, [(block.kind, block.place) for block in blocks if block.kind != "heading"]
    ('Guide', [('text', '§ Guide'), ('list', '§ Guide › Linux')])
    """
    lines = text.split("\n")
    title, start = _front_matter(lines)
    reader = _MarkdownReader()
    for number in range(start, len(lines)):
        reader.take(lines[number], number + 1)
    reader.finish()
    return title or min(reader.headings, default=(0, ""), key=lambda heading: heading[0])[1], tuple(reader.blocks)


class _MarkdownReader:
    """Takes lines, and collects those of the current block until it ends."""

    def __init__(self) -> None:
        self.blocks: list[DocumentBlock] = []
        self.headings: list[tuple[int, str]] = []
        self._outline = HeadingOutline()
        self._lines: list[str] = []
        self._first = 1
        self._kind = ""
        self._fence = ""

    def take(self, line: str, number: int) -> None:
        if self._fence:
            self._inside_code(line)
        elif fence := _FENCE.match(line):
            self._begin("code", number)
            self._fence = fence[1]
            self._lines.append(line)
        elif heading := _HEADING.match(line):
            self._add_heading(len(heading[1]), _CLOSING_MARKS.sub("", heading[2] or ""), line, number)
        elif self._kind == "text" and self._lines and (underline := _UNDERLINE.match(line)):
            self._underline_heading(underline[1], line, number)
        elif line.strip():
            self._add_line(line, number)
        elif self._kind in ("list", "code") and self._lines:
            self._lines.append("")
        else:
            self.finish()

    def finish(self) -> None:
        """End the current block."""
        kept = len("\n".join(self._lines).rstrip().split("\n")) if self._lines else 0
        if any(line.strip() for line in self._lines):
            place = self._outline.place or format_place("line", self._first, self._first + kept - 1)
            self.blocks.append(DocumentBlock("\n".join(self._lines[:kept]), place, self._kind))
        self._lines, self._kind, self._fence = [], "", ""

    def _begin(self, kind: str, number: int) -> None:
        self.finish()
        self._kind, self._first = kind, number

    def _inside_code(self, line: str) -> None:
        self._lines.append(line)
        marks = line.strip()
        if len(marks) >= len(self._fence) and not marks.strip(self._fence[0]):
            self.finish()

    def _add_line(self, line: str, number: int) -> None:
        """Add a line that is not blank: it begins a block, or continues the current one."""
        after_blank = bool(self._lines) and not self._lines[-1]
        indented = _INDENTED.match(line) is not None
        if _ITEM.match(line):
            if self._kind != "list":
                self._begin("list", number)
        elif not self._lines:
            self._begin("code" if indented else "text", number)
        elif self._kind == "text" and len(self._lines) == 1 and "|" in self._lines[0] and _TABLE_RULE.match(line):
            self._kind = "table"
        elif (self._kind == "code" and not indented) or (self._kind == "list" and after_blank and line[0] not in " \t"):
            self._begin("text", number)
        self._lines.append(line)

    def _underline_heading(self, marks: str, line: str, number: int) -> None:
        """Turn the paragraph above the underline into a heading."""
        heading, self._lines = "\n".join(self._lines), []
        self._add_heading(1 if marks[0] == "=" else 2, heading, f"{heading}\n{line}", number)

    def _add_heading(self, level: int, heading: str, source: str, number: int) -> None:
        self.finish()
        title = _EMPHASIS.sub("", _LINK.sub(r"\1", heading)).strip()
        place = self._outline.enter(level, title) or format_place("line", number, number)
        self.headings.append((level, title))
        self.blocks.append(DocumentBlock(source, place, "heading"))


def _front_matter(lines: Sequence[str]) -> tuple[str, int]:
    """Return the title in the front matter, and the number of its lines."""
    mark = lines[0].rstrip()
    if mark not in ("---", "+++"):
        return "", 0
    title = ""
    for number, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], 1):
        if line.rstrip() == mark or (mark == "---" and line.rstrip() == "..."):
            return title, number + 1
        if not _FRONT_LINE.match(line) or (number == 1 and not line.strip()):
            return "", 0
        if found := _TITLE.match(line):
            title = found[1].strip().strip("\"'")
    return "", 0
