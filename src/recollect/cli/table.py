"""Rows in columns that fit the screen: one column gives way, the others are as wide as what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from recollect.cli.text import cells, fitted, printable

GAP = "  "
SMALLEST = 12
"""Cells that the column which gives way keeps, however narrow the screen is."""


class Column(NamedTuple):
    """What a column is called, and how it is set: numbers to the right; the one that gives way to the left."""

    name: str
    right: bool = False
    gives_way: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The lines of a table, its head first and dim. Texts may be users' own.

    >>> columns = [Column("title", gives_way=True), Column("messages", right=True)]
    >>> for line in table(columns, [["A very long talk about tea", "12"]], 26):
    ...     print(click.unstyle(line))
    title             messages
    A very long tal…        12
    """
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max([cells(column.name), *(cells(row[at]) for row in shown)]) for at, column in enumerate(columns)]
    for at, column in enumerate(columns):
        if column.gives_way:
            others = sum(widths) - widths[at] + len(GAP) * (len(columns) - 1)
            widths[at] = max(SMALLEST, min(widths[at], width - others))
    yield click.style(_line(columns, [column.name for column in columns], widths), dim=True)
    for row in shown:
        yield _line(columns, row, widths)


def _line(columns: Sequence[Column], row: Sequence[str], widths: Sequence[int]) -> str:
    set_out: list[str] = []
    for column, cell, width in zip(columns, row, widths, strict=True):
        text = fitted(cell, width)
        space = " " * (width - cells(text))
        set_out.append(space + text if column.right else text + space)
    return GAP.join(set_out).rstrip()
