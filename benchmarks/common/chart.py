"""Bar charts as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

BAR, GAP, BLOCK = 18, 4, 26
"""Heights: of a bar, between bars, and of a group's title."""
LEFT, WIDTH, RIGHT = 215, 420, 60
"""Widths: of the names, of the bar for 100 %, and of the figure after it."""

_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.ours { fill: #2f81f7 }
.other { fill: #a8b1bb }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .other { fill: #59636e } }
"""


class ChartBar(NamedTuple):
    """A figure with its name, by default from 0 to 100; `ours` stands out."""

    name: str
    value: float
    ours: bool = False


class ChartGroup(NamedTuple):
    """Comparable bars under a title. A bar of the value `most` takes the whole width."""

    title: str
    bars: Sequence[ChartBar]
    most: float = 100


def draw_chart(groups: Sequence[ChartGroup], title: str) -> str:
    """Draw the groups, one below the other.

    >>> drawn = draw_chart([ChartGroup("LoCoMo", [ChartBar("words", 50.0), ChartBar("full", 80.0, ours=True)])], "Recall")
    >>> drawn.count("<rect"), 'width="336"' in drawn, ">80.0</text>" in drawn
    (2, True, True)
    """
    drawn: list[str] = []
    y = 0
    for group in groups:
        drawn.append(f'<text class="title" x="0" y="{y + BAR}">{escape(group.title)}</text>')
        y += BLOCK
        for bar in group.bars:
            drawn.append(_bar(bar, y, group.most))
            y += BAR + GAP
        y += GAP * 3
    width = LEFT + WIDTH + RIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{_STYLE}</style>", *drawn, "</svg>"]) + "\n"


def _bar(bar: ChartBar, y: int, most: float) -> str:
    length = round(WIDTH * bar.value / most)
    middle = y + BAR - 5
    return (
        f'<text x="{LEFT - 8}" y="{middle}" text-anchor="end">{escape(bar.name)}</text>'
        f'<rect class="{"ours" if bar.ours else "other"}" x="{LEFT}" y="{y}" width="{length}" height="{BAR}" rx="2"/>'
        f'<text x="{LEFT + length + 6}" y="{middle}">{bar.value:.1f}</text>'
    )
