"""Cache what a function says of a text without keeping the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

MAX_CACHED = 20_000
"""Number of texts whose results are kept."""

Result = TypeVar("Result")


def cache_by_hash(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Cache the results of a function of one text. One turn asks the same of the same messages several times.

    Only hashes are kept, so nothing of an erased text stays in memory.

    >>> calls = []
    >>> @cache_by_hash
    ... def size(text):
    ...     calls.append(text)
    ...     return len(text)
    >>> size("tea"), size("tea"), calls
    (3, 3, ['tea'])
    """
    cache: dict[tuple[int, int], Result] = {}

    @wraps(function)
    def cached(text: str) -> Result:
        key = hash(text), len(text)
        try:
            return cache[key]
        except KeyError:
            result = function(text)
            if len(cache) >= MAX_CACHED:
                cache.clear()
            cache[key] = result
            return result

    return cached
