"""Markdown tables with aligned columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepsaid.cli.chat.inline_markdown import InlineMarkdown, StyledPiece
from keepsaid.cli.output.text import display_width

GAP = "  "
_SEPARATOR_ROW = re.compile(r"[\s|:-]{1,500}")


def render_markdown_table(rows: Sequence[str], room: int) -> list[StyledPiece]:
    """Return the aligned rows of a table with a bold heading; the source rows if they do not fit into the width.

    >>> for piece in render_markdown_table(["| City | Since |", "|---|---|", "| Lisbon | May |"], 40):
    ...     print(piece.text, end="")
    City    Since
    ─────────────
    Lisbon  May
    """
    split = [
        [_strip_marks(cell) for cell in row.strip().strip("|").split("|")]
        for row in rows
        if not _SEPARATOR_ROW.fullmatch(row)
    ]
    columns = max(map(len, split), default=0)
    filled = [row + [""] * (columns - len(row)) for row in split]
    widths = [max(display_width(row[column]) for row in filled) for column in range(columns)] if filled else []
    total = sum(widths) + len(GAP) * (columns - 1)
    if total > room or not filled:
        return [StyledPiece(row + "\n") for row in rows]
    headed = len(rows) > 1 and _SEPARATOR_ROW.fullmatch(rows[1]) is not None
    pieces = [
        StyledPiece(_format_row(row, widths) + "\n", "bold" if headed and not place else "")
        for place, row in enumerate(filled)
    ]
    return [pieces[0], StyledPiece("─" * total + "\n", "dim"), *pieces[1:]] if headed else pieces


def _strip_marks(cell: str) -> str:
    return "".join(piece.text for piece in InlineMarkdown().style_word(cell.strip()))


def _format_row(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True))
    return GAP.join(padded).rstrip()
