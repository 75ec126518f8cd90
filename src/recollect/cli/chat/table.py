"""A Markdown table, its columns in line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.cli.chat.inline import Inline, Piece
from recollect.cli.text import cells

GAP = "  "
_RULED = re.compile(r"[\s|:-]{1,500}")


def table(rows: Sequence[str], room: int) -> list[Piece]:
    """The rows of a table with a bold heading; as they came, if they do not fit into the room.

    >>> for piece in table(["| City | Since |", "|---|---|", "| Lisbon | May |"], 40):
    ...     print(piece.text, end="")
    City    Since
    ─────────────
    Lisbon  May
    """
    split = [[_plain(cell) for cell in row.strip().strip("|").split("|")] for row in rows if not _RULED.fullmatch(row)]
    columns = max(map(len, split), default=0)
    filled = [row + [""] * (columns - len(row)) for row in split]
    widths = [max(cells(row[column]) for row in filled) for column in range(columns)] if filled else []
    total = sum(widths) + len(GAP) * (columns - 1)
    if total > room or not filled:
        return [Piece(row + "\n") for row in rows]
    headed = len(rows) > 1 and _RULED.fullmatch(rows[1]) is not None
    made = [Piece(_row(row, widths) + "\n", "bold" if headed and not place else "") for place, row in enumerate(filled)]
    return [made[0], Piece("─" * total + "\n", "dim"), *made[1:]] if headed else made


def _plain(cell: str) -> str:
    return "".join(piece.text for piece in Inline().word(cell.strip()))


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True))
    return GAP.join(padded).rstrip()
