"""Tables that fit the screen: a flexible column shrinks, the others are as wide as their contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from keepsaid.cli.output.text import display_width, to_printable, truncate_to_width

GAP = "  "
MIN_COLUMN_WIDTH = 12
"""Minimum width of a flexible column."""


class TableColumn(NamedTuple):
    """A column's name, its alignment (`right` for numbers), and whether it shrinks to fit the screen."""

    name: str
    right: bool = False
    flexible: bool = False


def format_table(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield the lines of a table, the dimmed header first. Control codes in cells are removed.

    >>> columns = [TableColumn("title", flexible=True), TableColumn("messages", right=True)]
    >>> for line in format_table(columns, [["A very long talk about tea", "12"]], 26):
    ...     print(click.unstyle(line))
    title             messages
    A very long tal…        12
    """
    shown = [[to_printable(cell) for cell in row] for row in rows]
    widths = [
        max([display_width(column.name), *(display_width(row[at]) for row in shown)]) for at, column in enumerate(columns)
    ]
    for at, column in enumerate(columns):
        if column.flexible:
            others = sum(widths) - widths[at] + len(GAP) * (len(columns) - 1)
            widths[at] = max(MIN_COLUMN_WIDTH, min(widths[at], width - others))
    yield click.style(_format_line(columns, [column.name for column in columns], widths), dim=True)
    for row in shown:
        yield _format_line(columns, row, widths)


def _format_line(columns: Sequence[TableColumn], row: Sequence[str], widths: Sequence[int]) -> str:
    padded: list[str] = []
    for column, cell, width in zip(columns, row, widths, strict=True):
        text = truncate_to_width(cell, width)
        space = " " * (width - display_width(text))
        padded.append(space + text if column.right else text + space)
    return GAP.join(padded).rstrip()
