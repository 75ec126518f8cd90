"""The figures of a store on a server as a table, with their targets."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any, NamedTuple


class RemoteReportLine(NamedTuple):
    """One line of the table: the names of its numbers, and the maximum ratio for PostgreSQL and for Redis."""

    title: str
    ours: str
    bare: str
    ratio: str
    unit: str
    postgres: float
    redis: float


LINES = (
    RemoteReportLine("append one message", "append_us", "append_bare_us", "append_x_bare", "µs", 3, 0),
    RemoteReportLine("last 20 messages", "last20_us", "last20_bare_us", "last20_x_bare", "µs", 2, 2),
    RemoteReportLine("append among many callers, p95", "crowd_p95_ms", "crowd_bare_p95_ms", "crowd_x_bare", "ms", 2, 0),
)
MAX_ROUND_TRIPS = 4
"""The maximum round trips of a prompt, whatever the history."""


def table(numbers: Mapping[str, Any]) -> str:
    """Format the table. Only a full run is compared with the targets, because a quick one measures less."""
    judged = not numbers["quick"]
    crowd = f"{numbers['crowd_callers']} callers, {numbers['crowd_delay_ms']:g} ms of network"
    lines = [
        f"{numbers['place']}, Python {platform.python_version()}, {os.cpu_count()} cores",
        f"last 20 of {numbers['last20_of']:,}; {crowd}, {numbers['crowd_connections']} connections",
        *([] if judged else ["quick: small sizes, so the targets are not judged"]),
        "",
        f"{'':36}{'ours':>12}{'bare':>12}{'ratio':>9}  target",
        *(_line(line, numbers, judged=judged) for line in LINES),
        _trips(numbers, judged=judged),
        _work(numbers),
    ]
    return "\n".join(lines)


def _line(line: RemoteReportLine, numbers: Mapping[str, Any], *, judged: bool) -> str:
    ratio = float(numbers[line.ratio])
    most = line.postgres if numbers["place"] == "PostgreSQL" else line.redis
    ours, bare = (f"{float(numbers[name]):,.1f} {line.unit}" for name in (line.ours, line.bare))
    cells = f"{line.title:36}{ours:>12}{bare:>12}{f'{ratio:.2f} ×':>9}"
    return f"{cells}  ≤ {most:g} ×{_missed(ratio > most, judged)}" if most else cells


def _trips(numbers: Mapping[str, Any], *, judged: bool) -> str:
    sizes = " and ".join(f"{size:,}" for size in numbers["trips_of"])
    cells = f"{f'round trips of a prompt, of {sizes}':57}{numbers['trips']:>12}"
    return f"{cells}  ≤ {MAX_ROUND_TRIPS}{_missed(numbers['trips'] > MAX_ROUND_TRIPS, judged)}"


def _work(numbers: Mapping[str, Any]) -> str:
    """The line about shared work. It is also judged in a quick run, because it does not depend on time."""
    settled, messages = numbers["work_settled"], numbers["work_messages"]
    once = settled == messages and not numbers["work_left"]
    shares = " + ".join(str(share) for share in numbers["work_shares"])
    return f"{'settled by two workers, of ' + str(messages):57}{shares:>12}  once{_missed(not once, True)}"


def _missed(missed: bool, judged: bool) -> str:
    return "  MISSED" if missed and judged else ""
