"""The figures of a context run as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.prompts.context_prefix import BUDGET
from benchmarks.prompts.context_time import TARGETS

WIDTH = 8
PREFIX_TARGET = 85.0


def table(result: Mapping[str, Any]) -> str:
    """Format the figures of one run, without the parts that were not measured.

    >>> at = {"512": 50.0, "4k": 75.0}
    >>> print(table({"conversations": 1, "messages": 1200, "questions": 4, "embedder": None, "evidence_at": at,
    ...              "window_evidence_at": {"512": 0.0, "4k": 25.0}, "evidence_by_category": {},
    ...              "tokens_at": {"512": {"recalled": 200.0}, "4k": {"recalled": 700.0}}, "prefix_share": None,
    ...              "compile_ms": None}))
    1,200 messages in 1 conversation, 4 questions, embedder none
    <BLANKLINE>
    evidence wholly in the prompt, per cent      512      4k
    Keepsaid                                    50.0    75.0
    sliding window                               0.0    25.0
    recalled, tokens                           200.0   700.0
    """
    blocks = [_head(result), "\n".join(_evidence(result))]
    if result["evidence_by_category"]:
        blocks.append("\n".join(_categories(result["evidence_by_category"])))
    if result["prefix_share"] is not None:
        blocks.append("\n".join(_prefix(result)))
    if result["compile_ms"] is not None or "compile_ms_by" in result:
        blocks.append("\n".join(_times(result)))
    return "\n\n".join(blocks)


def _head(result: Mapping[str, Any]) -> str:
    talks = result["conversations"]
    return (
        f"{result['messages']:,} messages in {talks:,} conversation{'' if talks == 1 else 's'}, "
        f"{result['questions']:,} questions, embedder {result['embedder'] or 'none'}"
    )


def _evidence(result: Mapping[str, Any]) -> Iterator[str]:
    yield _row("evidence wholly in the prompt, per cent", list(result["evidence_at"]))
    yield _row("Keepsaid", result["evidence_at"].values())
    yield _row("sliding window", result["window_evidence_at"].values())
    yield _row("recalled, tokens", [spent.get("recalled", 0.0) for spent in result["tokens_at"].values()])


def _categories(groups: Mapping[str, Any]) -> Iterator[str]:
    yield _row("Keepsaid by category", list(next(iter(groups.values()))["evidence_at"]))
    for name, group in groups.items():
        yield _row(f"{name} ({group['questions']:,})", group["evidence_at"].values())


def _prefix(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"tokens that repeat the prompt before, from the first full one on, at {BUDGET:,}"
    shares = {"Keepsaid": result["prefix_share"], "sliding window": result["window_prefix_share"], **result["peers"]}
    for name, value in shares.items():
        target = "" if name != "Keepsaid" else f"  ≥ {PREFIX_TARGET:g}{'' if value >= PREFIX_TARGET else '  MISSED'}"
        yield _row(name, [value]) + target
    spent = result["prefix_tokens"]
    yield _row("tokens to read anew for a turn", [result["new_tokens"]])
    yield _row("evidence, asked after the last turn", [result["prefix_evidence"]])
    yield _row("tokens recalled for a turn", [spent.get("recalled", 0.0)])
    yield _row("tokens of facts for a turn", [spent.get("facts", 0.0)])
    yield _row("compactions of a conversation", [result["compactions"]])


def _times(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"time to compile, ms, without the model; {result['tokens_per_message']:g} tokens a message"
    yield _row("", ["p50", "p95"]) + f"  {'target':14}of it at work: p95"
    for size, budgets in result["compile_ms_by"].items():
        for budget, found in budgets.items():
            most = TARGETS.get((size, budget))
            target = "" if most is None else f"  ≤ {most:g}{'' if found['p95'] <= most else '  MISSED'}"
            times = _row(f"{int(size):,} messages, {budget}", [found["p50"], found["p95"]])
            yield f"{times}{target:16}{found['p95_processor']:>18.1f}"


def _row(title: str, values: Any) -> str:
    return f"{title:40}" + "".join(f"{_shown(value):>{WIDTH}}" for value in values)


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)
