"""The quality measures of a search. Pure functions: lists of ids in, figures out.

Of the answers a question needs, *any@k* is whether one of them is among the first k found, *all@k* whether every one is,
*recall@k* what share of them is; *mrr* is 1 / the rank of the first. Each is the mean over all questions, in percent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import fmean

CUTS = (1, 5, 10, 20)
"""The k of the measures."""

Figures = dict[str, float]


def any_at(k: int, found: Sequence[str], wanted: Collection[str]) -> float:
    """1 if one of the wanted is among the first k found.

    >>> any_at(2, ["a", "b", "c"], {"b", "c"}), any_at(1, ["a", "b"], {"b"})
    (1.0, 0.0)
    """
    return float(not set(wanted).isdisjoint(found[:k]))


def all_at(k: int, found: Sequence[str], wanted: Collection[str]) -> float:
    """1 if all of the wanted are among the first k found.

    >>> all_at(3, ["a", "b", "c"], {"b", "c"}), all_at(2, ["a", "b", "c"], {"b", "c"})
    (1.0, 0.0)
    """
    return float(set(wanted).issubset(found[:k]))


def recall_at(k: int, found: Sequence[str], wanted: Collection[str]) -> float:
    """The share of the wanted that is among the first k found.

    >>> recall_at(2, ["a", "b", "c"], {"b", "c"})
    0.5
    """
    return len(set(wanted).intersection(found[:k])) / len(set(wanted))


def reciprocal_rank(found: Sequence[str], wanted: Collection[str]) -> float:
    """1 / the rank of the first of the wanted; 0 if none was found.

    >>> reciprocal_rank(["a", "b", "c"], {"c", "b"}), reciprocal_rank(["a"], {"b"})
    (0.5, 0.0)
    """
    return next((1 / place for place, id in enumerate(found, 1) if id in wanted), 0.0)


MEASURES: Mapping[str, Callable[[int, Sequence[str], Collection[str]], float]] = {
    "any": any_at,
    "all": all_at,
    "recall": recall_at,
}


def figures(cases: Sequence[tuple[Sequence[str], Collection[str]]], cuts: Sequence[int] = CUTS) -> Figures:
    """All measures over all cases of (found, wanted); empty if there are none.

    >>> figures([(["a", "b"], {"b"}), (["c"], {"c"})], cuts=[1])
    {'any@1': 50.0, 'all@1': 50.0, 'recall@1': 50.0, 'mrr': 75.0}
    """
    if not cases:
        return {}
    measured = {
        f"{name}@{k}": _per_cent(measure(k, found, wanted) for found, wanted in cases)
        for name, measure in MEASURES.items()
        for k in cuts
    }
    return {**measured, "mrr": _per_cent(reciprocal_rank(found, wanted) for found, wanted in cases)}


def _per_cent(values: Iterable[float]) -> float:
    return round(100 * fmean(values), 2)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this percentage of all values does not exceed: one of the values, not interpolated.

    >>> percentile([5.0, 1.0, 3.0, 2.0, 4.0], 50), percentile([1.0, 2.0], 95)
    (3.0, 2.0)
    """
    ordered = sorted(values)
    # The nearest rank: ceil(n · share / 100), counted from one.
    return ordered[max(0, -int(-len(ordered) * share // 100) - 1)]


def latency(seconds: Sequence[float]) -> Figures:
    """Return the percentiles `p50` and `p95` of call times in milliseconds.

    >>> latency([0.001, 0.002, 0.010])
    {'p50': 2.0, 'p95': 10.0}
    """
    return {f"p{share}": round(1000 * percentile(seconds, share), 2) for share in (50, 95)} if seconds else {}
