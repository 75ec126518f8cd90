"""The benchmark's numbers as a table, with their targets."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any, NamedTuple

import apsw


class StoreReportLine(NamedTuple):
    """One line of the table: the names of its numbers, and the maximum."""

    title: str
    ours: str
    raw: str
    ratio: str
    unit: str
    most: float


LINES = (
    StoreReportLine("append one message, no fsync", "append_us", "append_raw_us", "append_x_raw", "µs", 4),
    StoreReportLine("  … against a table without an index", "append_us", "append_bare_us", "append_x_bare", "µs", 0),
    StoreReportLine("append one message, fsync", "append_fsync_us", "append_raw_fsync_us", "append_x_raw_fsync", "µs", 1.5),
    StoreReportLine("append 1,000 in one call, each", "append_batch_us", "append_batch_raw_us", "", "µs", 10),
    StoreReportLine("last 20 messages", "last20_us", "last20_raw_us", "last20_x_raw", "µs", 3),
    StoreReportLine("  … against the same out of 100", "last20_us", "last20_of_100_us", "last20_growth", "µs", 1.3),
    StoreReportLine("newest 20 sessions of an owner", "sessions_us", "sessions_raw_us", "sessions_x_raw", "µs", 3),
    StoreReportLine("open a large store", "open_ms", "", "", "ms", 50),
    StoreReportLine("  … as the first thing in a program", "open_first_ms", "", "", "ms", 0),
    StoreReportLine("import keepsaid", "import_ms", "", "", "ms", 60),
    StoreReportLine("  … and all that keepsaid.open needs", "import_used_ms", "", "", "ms", 0),
)


def table(numbers: Mapping[str, Any]) -> str:
    """Format the table. Only a full run is compared with the targets, because a quick one measures less."""
    quick = bool(numbers["quick"])
    lines = [
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {os.cpu_count()} cores;"
        f" large store of {numbers['open_mb']:,} MB; without fsync in {numbers['place']}"
        + ("\nquick: small sizes, so the targets are not judged" if quick else ""),
        "",
        f"{'':38}{'ours':>12}{'raw':>12}{'ratio':>9}  target",
    ]
    lines += [_line(line, numbers, judged=not quick) for line in LINES]
    return "\n".join(lines)


def _line(line: StoreReportLine, numbers: Mapping[str, Any], *, judged: bool) -> str:
    ours = float(numbers[line.ours])
    raw = float(numbers[line.raw]) if line.raw else None
    ratio = None if raw is None else float(numbers[line.ratio]) if line.ratio else ours / raw
    cells = f"{line.title:38}{_amount(ours, line.unit):>12}{_amount(raw, line.unit):>12}"
    cells += f"{'' if ratio is None else f'{ratio:.2f} ×':>9}"
    if not line.most:
        return cells.rstrip()
    target = f"≤ {line.most:g} ×" if ratio is not None else f"< {line.most:g} {line.unit}"
    met = (ours if ratio is None else ratio) <= line.most
    return f"{cells}  {target}{('' if met else '  MISSED') if judged else ''}"


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:,.1f} {unit}"
