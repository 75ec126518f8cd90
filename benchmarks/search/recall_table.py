"""The figures of a recall run as text: one mode in full, or several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.search.figures import CUTS, MEASURES

LEVELS = (("message", "messages"), ("session", "sessions"))
HEADLINES = (
    ("message", "recall@10"),
    ("message", "any@5"),
    ("message", "all@5"),
    ("message", "mrr"),
    ("session", "any@5"),
    ("session", "all@5"),
)
"""The figures worth comparing: which level, which measure."""
WIDTH = 9


def table(result: Mapping[str, Any]) -> str:
    """Format the figures of one run, in percent.

    >>> figures = {"any@1": 50.0, "all@1": 25.0, "recall@1": 40.0, "mrr": 55.0}
    >>> print(table({"message": figures, "session": {}, "by_category": {}, "latency_ms": {"p50": 1.5, "p95": 2.0},
    ...              "messages": 1200, "questions": 4}))
    1,200 messages, 4 questions, p50 1.5 ms, p95 2.0 ms
    <BLANKLINE>
                             @1
    messages  any          50.0
              all          25.0
              recall       40.0
              mrr          55.0
    """
    blocks = [_head(result), "\n".join(_levels(result))]
    if result["by_category"]:
        blocks.append("\n".join(_categories(result["by_category"])))
    return "\n\n".join(blocks)


def compare_table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Format the headline figures of several runs, a column for each, and below them by category."""
    categories = list(dict.fromkeys(name for result in results.values() for name in result["by_category"]))
    width = max(24, *(len(name) + 4 for name in categories)) if categories else 24

    def line(title: str, *keys: str) -> str:
        return f"{title:{width}}" + _row([_value(result, keys) for result in results.values()], WIDTH + 2)

    lines = [" " * width + "".join(f"{name:>{WIDTH + 2}}" for name in results)]
    lines += [f"{'questions':{width}}" + "".join(f"{result['questions']:>{WIDTH + 2},}" for result in results.values())]
    lines += [line(f"{level} {measure}", level, measure) for level, measure in HEADLINES]
    lines += [line(f"{share}, ms", "latency_ms", share) for share in ("p50", "p95")]
    for level, measure in (("message", "recall@10"), ("session", "any@5")) if categories else ():
        lines += ["", f"{level} {measure} by category"]
        lines += [line(f"  {name}", "by_category", name, level, measure) for name in categories]
    return "\n".join(lines)


def _value(result: Any, keys: Sequence[str]) -> float | None:
    for key in keys:
        result = result.get(key, {})
    return result if isinstance(result, float) else None


def _head(result: Mapping[str, Any]) -> str:
    said = [f"{result['messages']:,} messages", f"{result['questions']:,} questions"]
    said += [f"{name} {value:.1f} ms" for name, value in result["latency_ms"].items()]
    said += [f"mode {result['mode']}"] if "mode" in result else []
    said += [f"embedder {result['embedder'] or 'none'}"] if "embedder" in result else []
    return ", ".join(said)


def _levels(result: Mapping[str, Any]) -> Iterator[str]:
    shown = [k for k in CUTS if any(f"any@{k}" in result[level] for level, _ in LEVELS)]
    yield f"{'':18}" + "".join(f"{f'@{k}':>{WIDTH}}" for k in shown)
    for level, plural in LEVELS:
        figures = result[level]
        if figures:
            title = plural
            for measure in MEASURES:
                yield f"{title:10}{measure:8}" + _row([figures.get(f"{measure}@{k}") for k in shown])
                title = ""
            yield f"{'':10}{'mrr':8}" + _row([figures["mrr"]])


def _categories(groups: Mapping[str, Any]) -> Iterator[str]:
    title = max(len("by category"), *map(len, groups)) + 2
    names = "".join(f"{measure:>{WIDTH + 2}}" for _, measure in HEADLINES)
    yield f"{'':{title + 11}}{'message':>{WIDTH + 2}}{'':{3 * (WIDTH + 2)}}{'session':>{WIDTH + 2}}"
    yield f"{'by category':{title}}{'questions':>11}{names}"
    for name, group in groups.items():
        values = [group[level].get(measure) for level, measure in HEADLINES]
        yield f"{name:{title}}{group['questions']:>11,}" + _row(values, WIDTH + 2)


def _row(values: Sequence[float | None], width: int = WIDTH) -> str:
    return "".join(f"{'–' if value is None else f'{value:.1f}':>{width}}" for value in values)
