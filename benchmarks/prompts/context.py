"""The quality of prompts: the evidence in them at each budget, how much of them repeats, and how long they take to make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.common import conversations
from benchmarks.common.cached_embedder import CachedEmbedder, embedder_for_spec
from benchmarks.common.dataset import DataSetOutline, DataSetQuestion
from benchmarks.prompts import context_evidence, context_prefix, context_time
from benchmarks.prompts.context_prefix import Trim
from benchmarks.search.recall import FigureDict, ProgressFunction
from keepsaid.errors import InvalidInput

BUDGETS = ("512", "1k", "2k", "4k", "8k")
NOTHING: FigureDict = {"prefix_share": None, "window_prefix_share": None, "compile_ms": None}
"""The figures of parts that were not measured."""

_BUDGET = re.compile(r"([1-9][0-9]{0,8})(k?)")


def budget_of(name: str) -> int:
    """Parse the name of a budget: 4k is 4 times 1,024 tokens.

    >>> budget_of("512"), budget_of("4k")
    (512, 4096)
    """
    found = _BUDGET.fullmatch(name.strip().lower())
    if found is None:
        raise InvalidInput(f"a budget is a number of tokens such as 512 or 4k, not {name!r}")
    return int(found[1]) * (1_024 if found[2] else 1)


def run(
    source: Path,
    outline: DataSetOutline,
    questions: Sequence[DataSetQuestion],
    *,
    budgets: Sequence[str] = BUDGETS,
    embedder: str | None = None,
    prefix: bool = True,
    peers: Mapping[str, Trim] | None = None,
    sizes: Sequence[int] = (),
    tell: ProgressFunction = lambda what, done, total: None,
) -> FigureDict:
    """Measure one data set. `sizes` are those of the synthetic conversations whose prompts are timed, if any."""
    named = {budget_of(name): name for name in budgets}
    owners = list(dict.fromkeys(question.owner for question in questions))
    read = conversations.read_owner_conversations(source, outline, owners, embedder, tell)
    held = context_evidence.measure_evidence(read, outline, questions, named, tell)
    result = {
        "conversations": len(owners),
        "messages": sum(len(said) for said in read.said.values()),
        "questions": len(questions),
        "embedder": None if read.embedder is None else read.embedder.name,
        **NOTHING,
        **context_evidence.summary(questions, held, named),
    }
    if prefix:
        result |= context_prefix.replay(read, outline, questions, peers or {}, tell)
    if sizes:
        result |= timed(embedder, sizes, tell)
    return result


def timed(embedder: str | None, sizes: Sequence[int], tell: ProgressFunction) -> FigureDict:
    """Measure how long prompts take: the headline size, and every size."""
    inner = embedder_for_spec(embedder)
    measured = context_time.run(None if inner is None else CachedEmbedder(inner), sizes, tell=tell)
    size, budget = context_time.HEADLINE
    return {
        "compile_ms": measured["sizes"].get(size, {}).get(budget),
        "compile_ms_by": measured["sizes"],
        "tokens_per_message": measured["tokens_per_message"],
    }
