"""The figures of growing stores as tables and as a chart."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.common.chart import ChartBar, ChartGroup, draw_chart

TITLE, CELL = 32, 16
MEGABYTE = 1 << 20
TARGET_SIZE, TARGET = "1000000", 60.0
"""The size of the headline figure, and its target: p95 of a search, in milliseconds."""

Step = Mapping[str, Any]
Steps = Mapping[str, Step]


def table(numbers: Mapping[str, Any]) -> str:
    """Format all tables."""
    lines = [f"Python {platform.python_version()}, {os.cpu_count()} cores; embedder {numbers['embedder']}; ms: p50 / p95"]
    if steps := numbers.get("messages"):
        lines += ["", *_message_lines(steps)]
        if headline := _headline(steps):
            lines += ["", headline]
    if steps := numbers.get("owners"):
        lines += ["", *_owner_lines(steps, numbers["few"])]
    if steps := numbers.get("active"):
        lines += ["", *_active_lines(steps)]
    return "\n".join(lines)


def _message_lines(steps: Steps) -> list[str]:
    return [
        _line("messages of one owner", steps, lambda key, _: f"{int(key):,}"),
        *_call_lines(steps),
        _line("  … with the model", steps, lambda _, step: _pair(step["search_ms"], "")),
        _line("  bare reference", steps, lambda _, step: _pair(step["search_ms"], "_bare")),
        _line("  ours / bare reference, p50", steps, lambda _, step: f"{_ratio(step):.1f} ×"),
        _line("  first search of a process", steps, lambda _, step: f"{step['first_search_ms']:,.0f}"),
        *_memory_lines(steps),
    ]


def _owner_lines(steps: Steps, few: int) -> list[str]:
    return [
        _line(f"owners of {few} messages", steps, lambda key, _: f"{int(key):,}"),
        *_call_lines(steps),
        _line("  first search of an owner, p50", steps, lambda _, step: f"{step['first_search_ms']:,.1f}"),
        *_memory_lines(steps),
    ]


def _call_lines(steps: Steps) -> list[str]:
    return [
        _line("save a message", steps, lambda _, step: _pair(step["save_ms"], "", 2)),
        _line("last 20 messages", steps, lambda _, step: _pair(step["last_ms"], "", 2)),
        _line("prompt of 8k", steps, lambda _, step: _pair(step["prompt_ms"], "")),
        _line("search", steps, lambda _, step: _pair(step["search_ms"], _search_kind(step))),
    ]


def _memory_lines(steps: Steps) -> list[str]:
    return [
        _line("memory of the process, MB", steps, lambda _, step: _megabytes(step["own"])),
        _line("  of it added by the calls", steps, lambda _, step: _megabytes(step["grown"])),
        _line("  of it vectors", steps, lambda _, step: _megabytes(step["index"])),
        _line("pages of files, MB", steps, lambda _, step: _megabytes(step["mapped"])),
    ]


def _active_lines(steps: Steps) -> list[str]:
    return [
        _line("active owners", steps, lambda key, _: f"{int(key.split()[0]):,}"),
        _line("messages of each", steps, lambda key, _: f"{int(key.split()[1]):,}"),
        _line("index_memory, MB", steps, lambda key, _: key.split()[2]),
        _line("memory of the process, MB", steps, lambda _, step: _megabytes(step["own"])),
        _line("  the most at any time", steps, lambda _, step: _megabytes(step["most"])),
        _line("  before the first owner", steps, lambda _, step: _megabytes(step["base"])),
        _line("  of it vectors", steps, lambda _, step: _megabytes(step["index"])),
        _line("pages of files, MB", steps, lambda _, step: _megabytes(step["mapped"])),
        _line("search, vectors read again", steps, lambda _, step: _pair(step["read_again_ms"], "")),
        _line("search, vectors in memory", steps, lambda _, step: _pair(step["in_memory_ms"], "")),
    ]


def _headline(steps: Steps) -> str:
    """The figure that was asked for, compared with its target."""
    step = steps.get(TARGET_SIZE)
    if step is None:
        return ""
    p95 = step["search_ms"]["p95"]
    return (
        f"one owner of {int(TARGET_SIZE):,} messages, with vectors: search p95 {p95:.1f} ms, with the model"
        f" (≤ {TARGET:g}{'' if p95 <= TARGET else ', MISSED'}), {_ratio(step):.1f} × the bare reference;\n"
        f"memory {_megabytes(step['own'])} MB, {_megabytes(step['grown'])} of them for this owner"
    )


def _ratio(step: Step) -> float:
    return step["search_ms"]["p50_without_model"] / step["search_ms"]["p50_bare"]


def _search_kind(step: Step) -> str:
    return "_without_model" if "p50_without_model" in step["search_ms"] else ""


def _pair(found: Mapping[str, float], kind: str, digits: int = 1) -> str:
    return f"{found[f'p50{kind}']:,.{digits}f} / {found[f'p95{kind}']:,.{digits}f}"


def _megabytes(value: int) -> str:
    return f"{value / MEGABYTE:,.0f}"


def _line(title: str, steps: Steps, cell: Callable[[str, Step], str]) -> str:
    return f"{title:{TITLE}}" + "".join(f"{cell(key, step):>{CELL}}" for key, step in steps.items())


def chart(numbers: Mapping[str, Any]) -> str:
    """Draw p50 of each call by the messages of one owner and by the number of owners."""
    groups: list[ChartGroup] = []
    for part, title in (("messages", "messages of one owner"), ("owners", "owners")):
        steps: Steps = numbers.get(part, {})
        for name, call, unit in (
            ("save_ms", "save a message, µs", 1000), ("last_ms", "last 20 messages, µs", 1000),
            ("search_ms", "search, ms", 1), ("prompt_ms", "prompt of 8k, ms", 1),
        ):  # fmt: skip
            values = {key: unit * step[name][f"p50{_search_kind(step) if name == 'search_ms' else ''}"]
                      for key, step in steps.items()}  # fmt: skip
            if values:
                bars = [ChartBar(f"{int(key):,} {part}", value, ours=True) for key, value in values.items()]
                groups.append(ChartGroup(f"{call}, by {title}", bars, most=max(values.values())))
    return draw_chart(groups, "How long calls take as the memory grows")
