"""Bar charts for a terminal, in Unicode blocks or plain ASCII."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " .:#"
GUTTER = 9
"""Columns to the left of the bars, for the scale."""
MAX_BAR_WIDTH = 3


def chart_columns(width: int) -> int:
    """Return how many bars fit side by side.

    >>> chart_columns(80)
    71
    """
    return width - GUTTER


def draw_bars(values: Sequence[float], height: int, width: int, blocks: str = BLOCKS) -> list[str]:
    """Return the rows of a bar chart, top first. Every value above zero is visible.

    >>> draw_bars([0, 1, 4, 8], 2, 8, ASCII)
    ['      ##', '  ..####']
    >>> draw_bars([0, 1, 4, 8], 1, 4)
    [' ▁▄█']
    """
    if not values:
        return [""] * height
    each = max(1, min(MAX_BAR_WIDTH, width // len(values)))
    # Wide bars get a gap, so that days can be counted.
    filled = each - 1 if each > 2 else each
    steps = len(blocks) - 1
    top = max(values) or 1
    levels = [0 if value <= 0 else max(1, round(value / top * height * steps)) for value in values]
    rows: list[str] = []
    for row in range(height - 1, -1, -1):
        marks = [blocks[min(steps, max(0, level - row * steps))] for level in levels]
        rows.append("".join(mark * filled + " " * (each - filled) for mark in marks))
    return rows


def draw_chart(
    title: str, note: str, values: Sequence[float], ends: tuple[str, str], width: int, shown: Callable[[float], str],
    *, unicode: bool = True, height: int = 3,
) -> list[str]:  # fmt: skip
    """Return a chart with its title, scale and dates.

    >>> for line in draw_chart("Messages", "12 in all", [2, 10], ("05-02", "05-03"), 30, str, unicode=False, height=1):
    ...     print(click.unstyle(line))
    Messages  12 in all
          10|.. ##
             05-02 05-03
    """
    drawn = draw_bars(values, height, chart_columns(width), BLOCKS if unicode else ASCII)
    scale = shown(max(values, default=0)).rjust(GUTTER - 1)[: GUTTER - 1]
    edge = "│" if unicode else "|"
    lines = [f"{click.style(title, bold=True)}  {note}"]
    for at, row in enumerate(drawn):
        label = scale if at == 0 else " " * (GUTTER - 1)
        lines.append(f"{click.style(label, dim=True)}{edge}{click.style(row.rstrip(), fg='cyan')}")
    first, last = ends
    gap = max(1, len(drawn[0]) - len(first) - len(last))
    lines.append(click.style(" " * GUTTER + first + " " * gap + last, dim=True))
    return lines


def abbreviate_number(number: float) -> str:
    """Return a number in few characters.

    >>> (abbreviate_number(0), abbreviate_number(950), abbreviate_number(12_400), abbreviate_number(6_400_000),
    ...  abbreviate_number(2.345))
    ('0', '950', '12.4k', '6.4M', '2.3')
    """
    for unit, worth in (("M", 1_000_000), ("k", 10_000)):
        if number >= worth:
            value = number / (1_000_000 if unit == "M" else 1_000)
            return f"{value:.1f}{unit}" if value < 100 else f"{value:.0f}{unit}"
    return f"{number:,.0f}" if number == int(number) else f"{number:.1f}"
