"""The token bar, which shows how a prompt is divided into sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

BLOCK = "█"
MARK = "■"
MAX_COLUMNS = 100
COLORS = {
    "system": "bright_black",
    "profile": "bright_green",
    "summary": "magenta",
    "pinned": "yellow",
    "recent": "blue",
    "facts": "green",
    "tools": "bright_magenta",
    "recalled": "cyan",
    "documents": "bright_yellow",
    "question": "white",
    "format": "grey50",
}
OTHER_COLOR = "red"


def format_heading(tokens: int, budget: int) -> str:
    """Return a line with the tokens and the budget of a prompt.

    >>> format_heading(812, 12_000)
    'Prompt: 812 of 12,000 tokens (7 %)'
    """
    return f"Prompt: {tokens:,} of {budget:,} tokens ({format_percent(tokens, budget)})"


def format_percent(part: int, whole: int) -> str:
    """Return a percentage; a share above zero is never shown as 0.

    >>> format_percent(1, 3), format_percent(1, 1000), format_percent(0, 5)
    ('33 %', '<1 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def allocate_cells(amounts: Sequence[int], width: int) -> list[int]:
    """Divide the columns of a line among amounts: all are used, and every amount above zero gets at least one.

    >>> allocate_cells([600, 300, 1, 0], 20)
    [13, 6, 1, 0]
    """
    total = sum(amounts)
    if not total:
        return [0] * len(amounts)
    widths = [max(1, amount * width // total) if amount else 0 for amount in amounts]
    while sum(widths) != width and max(widths) > 1:
        step = 1 if sum(widths) < width else -1
        short = [step * (amount * width / total - got) for amount, got in zip(amounts, widths, strict=True)]
        candidates = [place for place, got in enumerate(widths) if got > 1 or (got and step > 0)]
        widths[max(candidates, key=short.__getitem__)] += step
    return widths


def render_token_bar(sections: Mapping[str, int], budget: int, *, width: int = 80) -> list[Text]:
    """Return the sections of a prompt as colored blocks on one line, with a heading above and a legend below.

    >>> [line.plain for line in render_token_bar({"recent": 30, "question": 10}, 400, width=8)]
    ['Prompt: 40 of 400 tokens (10 %)', '████████', '■ recent 30', '■ question 10']
    """
    from rich.text import Text

    width = min(width, MAX_COLUMNS)
    blocks, legend = Text(), [Text()]
    for (name, tokens), cells in zip(sections.items(), allocate_cells(list(sections.values()), width), strict=True):
        color = COLORS.get(name, OTHER_COLOR)
        blocks.append(BLOCK * cells, color)
        entry = Text.assemble((MARK, color), f" {name} {tokens:,}")
        if legend[-1] and legend[-1].cell_len + entry.cell_len + 3 > width:
            legend.append(Text())
        legend[-1].append_text(Text("   ") + entry if legend[-1] else entry)
    return [Text(format_heading(sum(sections.values()), budget)), blocks, *legend]


def render_token_table(sections: Mapping[str, int], budget: int) -> str:
    """Return the sections as a table, for a terminal without colors and blocks.

    >>> print(render_token_table({"recent": 30, "question": 10}, 400))
    Prompt: 40 of 400 tokens (10 %)
      recent         30   75 %  ###############
      question       10   25 %  #####
    """
    total = sum(sections.values())
    lines = [format_heading(total, budget)]
    for (name, tokens), cells in zip(sections.items(), allocate_cells(list(sections.values()), 20), strict=True):
        lines.append(f"  {name:10}{tokens:>7,}  {format_percent(tokens, total):>5}  {'#' * cells}".rstrip())
    return "\n".join(lines)
