"""The token bar: what a prompt consists of, to be seen at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

BLOCK = "█"
MARK = "■"
WIDEST = 100
COLOURS = {
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
OTHER_COLOUR = "red"


def heading(tokens: int, budget: int) -> str:
    """How much of its budget a prompt takes.

    >>> heading(812, 12_000)
    'Prompt: 812 of 12,000 tokens (7 %)'
    """
    return f"Prompt: {tokens:,} of {budget:,} tokens ({percent(tokens, budget)})"


def percent(part: int, whole: int) -> str:
    """A share in per cent; a little is never nothing.

    >>> percent(1, 3), percent(1, 1000), percent(0, 5)
    ('33 %', '<1 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def cells_of(amounts: Sequence[int], width: int) -> list[int]:
    """How many cells of a line each amount gets: all cells together, and at least one for what is not nothing.

    >>> cells_of([600, 300, 1, 0], 20)
    [13, 6, 1, 0]
    """
    total = sum(amounts)
    if not total:
        return [0] * len(amounts)
    made = [max(1, amount * width // total) if amount else 0 for amount in amounts]
    while sum(made) != width and max(made) > 1:
        step = 1 if sum(made) < width else -1
        short = [step * (amount * width / total - got) for amount, got in zip(amounts, made, strict=True)]
        candidates = [place for place, got in enumerate(made) if got > 1 or (got and step > 0)]
        made[max(candidates, key=short.__getitem__)] += step
    return made


def token_bar(sections: Mapping[str, int], budget: int, *, width: int = 80) -> list[Text]:
    """The sections of a prompt as coloured blocks on one line, with a heading above and a legend below.

    >>> [line.plain for line in token_bar({"recent": 30, "question": 10}, 400, width=8)]
    ['Prompt: 40 of 400 tokens (10 %)', '████████', '■ recent 30', '■ question 10']
    """
    from rich.text import Text

    width = min(width, WIDEST)
    blocks, legend = Text(), [Text()]
    for (name, tokens), cells in zip(sections.items(), cells_of(list(sections.values()), width), strict=True):
        colour = COLOURS.get(name, OTHER_COLOUR)
        blocks.append(BLOCK * cells, colour)
        entry = Text.assemble((MARK, colour), f" {name} {tokens:,}")
        if legend[-1] and legend[-1].cell_len + entry.cell_len + 3 > width:
            legend.append(Text())
        legend[-1].append_text(Text("   ") + entry if legend[-1] else entry)
    return [Text(heading(sum(sections.values()), budget)), blocks, *legend]


def token_table(sections: Mapping[str, int], budget: int) -> str:
    """The same for a terminal that can show neither colours nor blocks.

    >>> print(token_table({"recent": 30, "question": 10}, 400))
    Prompt: 40 of 400 tokens (10 %)
      recent         30   75 %  ###############
      question       10   25 %  #####
    """
    total = sum(sections.values())
    lines = [heading(total, budget)]
    for (name, tokens), cells in zip(sections.items(), cells_of(list(sections.values()), 20), strict=True):
        lines.append(f"  {name:10}{tokens:>7,}  {percent(tokens, total):>5}  {'#' * cells}".rstrip())
    return "\n".join(lines)
