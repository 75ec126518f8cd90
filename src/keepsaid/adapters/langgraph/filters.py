"""LangGraph's filters on metadata and items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, cast

_ORDER: dict[str, Callable[[Any, Any], Any]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_SAME: dict[str, Callable[[Any, Any], Any]] = {"$eq": eq, "$ne": ne}


def get_at_path(value: Mapping[str, Any], key: str) -> Any:
    """Return the value under a key, or under a dotted path of nested keys; None if there is none.

    >>> (get_at_path({"of": {"kind": "tea"}, "dot.ted": 1}, "of.kind"),
    ...  get_at_path({"of": {"kind": "tea"}, "dot.ted": 1}, "dot.ted"))
    ('tea', 1)
    """
    if key in value:
        return value[key]
    found: Any = value
    for name in key.split("."):
        found = cast("Mapping[str, Any]", found).get(name) if isinstance(found, Mapping) else None
    return found


def matches_filter(value: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    """Whether a value matches a filter.

    >>> matches_filter({"price": 3, "of": {"kind": "tea", "cups": 2}},
    ...                {"price": {"$gte": 2, "$lt": 4}, "of": {"kind": "tea"}})
    True
    """
    return all(_is_match(get_at_path(value, key), wanted) for key, wanted in filter.items())


def _is_match(found: Any, wanted: Any) -> bool:
    """Compare as LangGraph's in-memory store does: dictionaries by the wanted keys only, lists element by element."""
    if isinstance(wanted, Mapping):
        operators = cast("Mapping[Any, Any]", wanted)
        if any(str(key).startswith("$") for key in operators):
            return all(_compare(found, operator, value) for operator, value in operators.items())
        if not isinstance(found, Mapping):
            return False
        there = cast("Mapping[Any, Any]", found)
        return all(_is_match(there.get(key), value) for key, value in operators.items())
    if isinstance(wanted, list | tuple):
        elements = cast("Sequence[Any]", wanted)
        return (
            isinstance(found, list)
            and len(cast("list[Any]", found)) == len(elements)
            and all(map(_is_match, cast("list[Any]", found), elements))
        )
    return found == wanted


def _compare(found: Any, operator: str, value: Any) -> bool:
    """Apply a comparison operator. A missing value is None, which is neither greater nor less than anything."""
    if operator in _SAME:
        return bool(_SAME[operator](found, _to_json_value(value)))
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


def _to_json_value(value: Any) -> Any:
    """Return a value as it would be stored, with lists instead of tuples."""
    if isinstance(value, list | tuple):
        return [_to_json_value(one) for one in cast("Sequence[Any]", value)]
    if isinstance(value, Mapping):
        return {key: _to_json_value(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    return value
