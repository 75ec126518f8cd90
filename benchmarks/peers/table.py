"""The comparison as a table of ratios, as Markdown, and as a chart. A library with a ratio below 1 is faster than ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common.chart import ChartBar, ChartGroup, draw_chart

OURS = "Keepsaid"
NONE = "–"
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("save", "save one", "Save one message"),
    ("save_batch", "save 100", "Save 100 messages in one call"),
    ("last", "last 20", "The last 20 messages"),
    ("newest_fitting", "4,096 tokens", "The newest messages that fit 4,096 tokens"),
    ("newest_sessions", "sessions", "The newest 20 sessions"),
    ("search", "search", "Search, ten best"),
    ("prompt", "prompt", "A prompt for a question"),
)
"""Operations, with their titles in the tables and in the chart."""

Numbers = Mapping[str, Any]


def ratio(numbers: Numbers, library: Mapping[str, Any], operation: str) -> float | None:
    """Return how many times as long as ours a library takes; None if it has no such operation."""
    seconds = library["seconds"].get(operation)
    return None if seconds is None else seconds / _ours(numbers)["seconds"][operation]


def format_ratio(value: float | None) -> str:
    """Format a ratio with one or two significant digits.

    >>> [format_ratio(value) for value in (None, 0.0031, 0.254, 1.0, 9.96, 43.21, 1234.5)]
    ['–', '0.003', '0.25', '1.0', '10', '43', '1,234']
    """
    if value is None:
        return NONE
    if value < 0.95:
        return f"{value:.2f}" if value >= 0.095 else f"{value:.1g}"
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def table(numbers: Numbers) -> str:
    """Format the ratios, the versions, what prompts hold, and which libraries were left out."""
    return f"{ratio_table(numbers)}\n\n{library_list(numbers)}"


def ratio_table(numbers: Numbers) -> str:
    """Format the ratios, and which libraries are faster."""
    rows = [[_title(numbers, library), *_cells(numbers, library)] for library in numbers["libraries"]]
    width = max(len(row[0]) for row in rows) + 1
    sizes = f"{numbers['messages']:,} messages in a conversation, {numbers['sessions']:,} sessions"
    return "\n".join(
        [
            f"{sizes}; times as long as Keepsaid",
            "",
            *(_line(row, width) for row in (["", *(title for _, title, _ in COLUMNS)], *rows)),
            "",
            "faster than Keepsaid",
            *(f"  {line}" for line in faster(numbers)),
        ]
    )


def library_list(numbers: Numbers) -> str:
    """Format the versions, what prompts hold, and which libraries were left out."""
    sqlite = f"{numbers['sqlite']['ours']} (Keepsaid and raw) and {numbers['sqlite']['theirs']} (the others)"
    versions = [library for library in numbers["libraries"] if library["version"]]
    return "\n".join(
        [
            f"Python {numbers['python']}, {numbers['cores']} cores, SQLite {sqlite}",
            "",
            "versions, and what a prompt holds",
            *(f"  {library['title']} {library['version']}{_prompt(library)}" for library in versions),
            *(f"left out: {title}: {reason}" for title, reason in numbers["missing"].items()),
        ]
    )


def faster(numbers: Numbers) -> list[str]:
    """Return the libraries that are faster than ours in something, with that."""
    found: list[str] = []
    for library in numbers["libraries"]:
        ratios = {title: ratio(numbers, library, operation) for operation, title, _ in COLUMNS}
        won = [title for title, value in ratios.items() if value is not None and value < 0.95]
        if won and library["title"] != OURS:
            found.append(f"{library['title']}: {', '.join(won)}")
    return found or ["none"]


def markdown_table(numbers: Numbers) -> str:
    """Format the ratios as a Markdown table; where a library is faster than ours, the figure is bold."""
    head = ["", *(title for _, title, _ in COLUMNS)]
    lines = [_markdown_line(head), _markdown_line(["---"] * len(head))]
    for library in numbers["libraries"]:
        cells: list[str] = []
        for operation, _, _ in COLUMNS:
            value = ratio(numbers, library, operation)
            text = format_ratio(value)
            cells.append(f"**{text}**" if value is not None and value < 0.95 else text)
        lines.append(_markdown_line([_title(numbers, library), *cells]))
    return "\n".join(lines)


def chart(numbers: Numbers) -> str:
    """Draw the speed of each library at each operation, in per cent of the fastest."""
    groups: list[ChartGroup] = []
    for operation, _, title in COLUMNS:
        taken = {
            library["title"]: library["seconds"][operation]
            for library in numbers["libraries"]
            if operation in library["seconds"]
        }
        least = min(taken.values())
        bars = [ChartBar(name, 100 * least / seconds, name == OURS) for name, seconds in taken.items()]
        groups.append(ChartGroup(title, sorted(bars, key=lambda bar: -bar.value)))
    return draw_chart(groups, "Speed of Keepsaid and other libraries, in per cent of the fastest")


def _ours(numbers: Numbers) -> Mapping[str, Any]:
    return next(library for library in numbers["libraries"] if library["title"] == OURS)


def _title(numbers: Numbers, library: Mapping[str, Any]) -> str:
    """Return the name of a library, with the length of its conversation if that is shorter."""
    shorter = library["messages"] < numbers["messages"]
    return f"{library['title']} ({library['messages']:,})" if shorter else library["title"]


def _cells(numbers: Numbers, library: Mapping[str, Any]) -> list[str]:
    return [format_ratio(ratio(numbers, library, operation)) for operation, _, _ in COLUMNS]


def _line(cells: Sequence[str], width: int) -> str:
    return f"{cells[0]:{width}}" + "".join(f"{cell:>13}" for cell in cells[1:])


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _prompt(library: Mapping[str, Any]) -> str:
    return f": {library['prompt']}" if library["prompt"] else ""
