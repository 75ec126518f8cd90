"""The figures of growing stores as a table, with a column for each size."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from typing import Any

TABLES = {"messages": "messages", "postings": "keyword index", "vectors": "vectors"}
CALLS = {
    "append_ms": "append",
    "last20_ms": "last 20 messages",
    "search_words_ms": "search by words",
    "search_vectors_ms": "  … with vectors",
    "context_words_ms": "prompt, by words",
    "context_vectors_ms": "  … with vectors",
}
TITLE, CELL = 36, 18

Step = Mapping[str, Any]


def table(numbers: Mapping[str, Any]) -> str:
    """Format the table."""
    steps: list[Step] = list(numbers["steps"].values())
    lines = [
        f"{numbers['place']}, Python {platform.python_version()}, {os.cpu_count()} cores",
        f"{steps[0]['characters']:,} characters a message",
        "",
        _line("messages", steps, lambda step: f"{step['messages']:,}"),
        _line("owners", steps, lambda step: f"{step['owners']:,}"),
        _line("messages saved a second", steps, lambda step: f"{step['saved_per_second']:,}"),
        _line("vectors saved a second", steps, lambda step: f"{step['vectors_per_second']:,}"),
    ]
    if all(step["bytes"] for step in steps):
        lines += ["", "bytes per message: rows + indexes"]
        lines += [_line(title, steps, lambda step, name=name: _bytes(step, name)) for name, title in TABLES.items()]
    for owner, title in (("small", "an owner"), ("largest", "the largest owner")):
        lines += ["", _line(f"ms, p50 / p95, {title} of", steps, lambda step, o=owner: f"{step[o]['messages']:,}")]
        lines += [_line(title, steps, lambda step, o=owner, n=name: _times(step[o][n])) for name, title in CALLS.items()]
    return "\n".join(lines)


def _line(title: str, steps: list[Step], cell: Callable[[Step], str]) -> str:
    return f"{title:{TITLE}}" + "".join(f"{cell(step):>{CELL}}" for step in steps)


def _bytes(step: Step, name: str) -> str:
    taken = step["bytes"].get(name, {"rows": 0.0, "indexes": 0.0})
    return f"{taken['rows']:,.0f} + {taken['indexes']:,.0f}"


def _times(found: Mapping[str, float]) -> str:
    return f"{found['p50']:,.1f} / {found['p95']:,.1f}"
