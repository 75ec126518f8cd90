"""What LangGraph's filters ask for, of metadata and of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, cast

_ORDER: dict[str, Callable[[Any, Any], Any]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_SAME: dict[str, Callable[[Any, Any], Any]] = {"$eq": eq, "$ne": ne}


def at(value: Mapping[str, Any], key: str) -> Any:
    """What stands under a key, or deeper down: under a name for each level, with dots between. None if there is nothing.

    >>> at({"of": {"kind": "tea"}, "dot.ted": 1}, "of.kind"), at({"of": {"kind": "tea"}, "dot.ted": 1}, "dot.ted")
    ('tea', 1)
    """
    if key in value:
        return value[key]
    found: Any = value
    for name in key.split("."):
        found = cast("Mapping[str, Any]", found).get(name) if isinstance(found, Mapping) else None
    return found


def matches(value: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    """Whether a value is what a filter asks for.

    >>> matches({"price": 3, "of": {"kind": "tea", "cups": 2}}, {"price": {"$gte": 2, "$lt": 4}, "of": {"kind": "tea"}})
    True
    """
    return all(_is(at(value, key), wanted) for key, wanted in filter.items())


def _is(found: Any, wanted: Any) -> bool:
    """As LangGraph's store in memory has it: of dictionaries only what is asked for counts, of lists each element."""
    if isinstance(wanted, Mapping):
        asked = cast("Mapping[Any, Any]", wanted)
        if any(str(key).startswith("$") for key in asked):
            return all(_compared(found, operator, value) for operator, value in asked.items())
        if not isinstance(found, Mapping):
            return False
        there = cast("Mapping[Any, Any]", found)
        return all(_is(there.get(key), value) for key, value in asked.items())
    if isinstance(wanted, list | tuple):
        elements = cast("Sequence[Any]", wanted)
        return (
            isinstance(found, list)
            and len(cast("list[Any]", found)) == len(elements)
            and all(map(_is, cast("list[Any]", found), elements))
        )
    return found == wanted


def _compared(found: Any, operator: str, value: Any) -> bool:
    """What is not there is None, which is neither more nor less than anything."""
    if operator in _SAME:
        return bool(_SAME[operator](found, _plain(value)))
    if operator not in _ORDER:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        if isinstance(value, int | float) or isinstance(found, int | float):
            found, value = _number(found), _number(value)
        return bool(_ORDER[operator](found, value))
    except (TypeError, ValueError):
        return False


def _number(value: Any) -> int | float:
    return value if isinstance(value, int | float) else float(value)


def _plain(value: Any) -> Any:
    """A value as it would be kept: with lists for tuples."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("Sequence[Any]", value)]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    return value
