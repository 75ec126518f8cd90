"""The figures of the turns benchmark as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchmarks.prompts.turns import OURS

NAMES = {OURS: "Keepsaid"}


def table(result: Mapping[str, Any]) -> str:
    """Format all figures of a run.

    >>> ways = {"keepsaid": 90.0, "best five": 70.0}
    >>> print(table({"cases": 10, "cases_nothing": 4, "evidence": ways, "tokens": ways, "profile_tokens": 120.5,
    ...              "nothing_tokens": ways, "nothing_any": ways, "stale_cases": 0, "stale_told": 0.0,
    ...              "crosslingual_cases": 2, "crosslingual_evidence": ways,
    ...              "by_kind": {"request": {"cases": 10, "evidence": ways}}, "by_language": {}}))
    10 turns that need something, 4 that need nothing
                                         Keepsaid  best five
    evidence in the prompt, per cent         90.0       70.0
    tokens of memories, average              90.0       70.0
    nothing needed: tokens, average          90.0       70.0
    nothing needed: given any, per cent      90.0       70.0
    asked in another language (2)            90.0       70.0
    the profile takes 120.5 tokens on average
    <BLANKLINE>
    evidence by kind                     Keepsaid  best five
    request (10)                             90.0       70.0
    """
    return "\n\n".join("\n".join(block) for block in _blocks(result) if block)


def _blocks(result: Mapping[str, Any]) -> Iterator[list[str]]:
    ways = list(result["evidence"])
    yield [
        f"{result['cases']:,} turns that need something, {result['cases_nothing']:,} that need nothing",
        _row("", [NAMES.get(way, way) for way in ways]),
        _row("evidence in the prompt, per cent", result["evidence"].values()),
        _row("tokens of memories, average", result["tokens"].values()),
        _row("nothing needed: tokens, average", result["nothing_tokens"].values()),
        _row("nothing needed: given any, per cent", result["nothing_any"].values()),
        *_crosslingual(result),
        f"the profile takes {result['profile_tokens']} tokens on average",
        *_stale(result),
    ]
    for title, groups in (("evidence by kind", result["by_kind"]), ("evidence by language", result["by_language"])):
        if groups:
            rows = [_row(f"{name} ({group['cases']})", group["evidence"].values()) for name, group in groups.items()]
            yield [_row(title, [NAMES.get(way, way) for way in ways]), *rows]


def _crosslingual(result: Mapping[str, Any]) -> Iterator[str]:
    """The row of turns in another language than the messages."""
    if count := result["crosslingual_cases"]:
        yield _row(f"asked in another language ({count})", result["crosslingual_evidence"].values())


def _stale(result: Mapping[str, Any]) -> Iterator[str]:
    if result["stale_cases"]:
        yield f"outdated and told as current: {result['stale_told']} % of {result['stale_cases']}"


def _row(name: str, values: Iterable[object]) -> str:
    return f"{name:36}" + "".join(f"{_text(value):>{max(9, len(_text(value)))}}  " for value in values).rstrip()


def _text(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
