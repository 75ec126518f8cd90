"""Python types as JSON schemas, and JSON values as Python's: what a typed function needs to become a tool."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from recollect.errors import InvalidInput

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_LISTS = (list, Sequence)
_DICTS = (dict, Mapping)
_UNIONS = (Union, types.UnionType)
_TRUTH = {"true": True, "false": False}

SHOWN = 80
"""Characters of a wrong value that an error repeats."""


class Unfit(ValueError):
    """A value that is not what was declared; its text is for the model, which may try again."""


def schema_of(hint: Any, where: str = "value") -> dict[str, Any]:
    """The JSON schema of a type.

    >>> schema_of(list[int])
    {'type': 'array', 'items': {'type': 'integer'}}
    >>> schema_of(Literal["a", "b"] | None)
    {'anyOf': [{'type': 'string', 'enum': ['a', 'b']}, {'type': 'null'}]}
    """
    if hint is Any or isinstance(hint, str):
        return {}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return described(schema_of(inner[0], where), inner[1:])
    if origin in _UNIONS:
        return {"anyOf": [schema_of(one, where) for one in inner]}
    if origin is Literal:
        return _one_of(inner)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of([one.value for one in hint])
    if (origin or hint) in _LISTS:
        return {"type": "array", "items": schema_of(inner[0] if inner else Any, where)}
    if (origin or hint) in _DICTS:
        return {"type": "object", "additionalProperties": schema_of(inner[1] if inner else Any, where)}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return object_of(_fields(hint), where)
    raise InvalidInput(
        f"{where} is of the type {_name(hint)}, which no model can write; possible are str, int, float,"
        " bool, list, dict, Literal, Enum, dataclasses, and unions of them"
    )


def _name(hint: Any) -> str:
    return getattr(hint, "__name__", str(hint))


def object_of(fields: Mapping[str, tuple[Any, bool]], where: str) -> dict[str, Any]:
    """The schema of an object: of each field its type, and whether it must be there.

    >>> object_of({"city": (str, True)}, "weather")
    {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city'], 'additionalProperties': False}
    """
    return {
        "type": "object",
        "properties": {name: schema_of(hint, f"{name} of {where}") for name, (hint, _) in fields.items()},
        "required": [name for name, (_, needed) in fields.items() if needed],
        "additionalProperties": False,
    }


def described(schema: dict[str, Any], notes: Sequence[Any]) -> dict[str, Any]:
    """A schema with the words that an `Annotated` type says about it."""
    words = [note for note in notes if isinstance(note, str)]
    return {**schema, "description": " ".join(words)} if words else schema


def _one_of(values: Sequence[Any]) -> dict[str, Any]:
    kinds = {_PLAIN.get(cast("type[Any]", type(value))) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return {**({"type": kind} if kind else {}), "enum": list(values)}


def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(kind, include_extras=True)
    missing = dataclasses.MISSING
    return {
        field.name: (hints[field.name], field.default is missing and field.default_factory is missing)
        for field in dataclasses.fields(kind)
        if field.init
    }


# -- values


def converted(value: Any, hint: Any, where: str) -> Any:
    """A JSON value as the type wants it; `Unfit` says what is wrong. A number in quotes is taken for one: models do that.

    >>> converted("5", int, "limit"), converted(["a"], list[str], "names"), converted(None, str | None, "city")
    (5, ['a'], None)
    >>> converted("many", int, "limit")
    Traceback (most recent call last):
    ...
    recollect.agent.schema.Unfit: limit must be integer, not "many"
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, str):
        return value
    if origin is Annotated:
        return converted(value, inner[0], where)
    if origin in _UNIONS:
        return _any_of(value, inner, where)
    if origin is Literal:
        return _chosen(value, {one: one for one in inner}, where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _chosen(value, {one.value: one for one in hint}, where)
    if (origin or hint) in _LISTS:
        return _listed(value, inner[0] if inner else Any, where)
    if (origin or hint) in _DICTS:
        return _mapped(value, inner[1] if inner else Any, where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _made(hint, taken(value, _fields(hint), where), where)
    return _plain(value, hint, where)


def taken(value: Any, fields: Mapping[str, tuple[Any, bool]], where: str) -> dict[str, Any]:
    """The fields of an object, each as its type wants it; those that may be missing and are stay away."""
    if not isinstance(value, dict):
        raise Unfit(f"{where} must be an object, not {_shown(value)}")
    given = cast("dict[str, Any]", value)
    if unknown := [name for name in given if name not in fields]:
        raise Unfit(f"{where} has no {unknown[0]!r}; known are {', '.join(fields) or 'none'}")
    if missing := [name for name, (_, needed) in fields.items() if needed and name not in given]:
        raise Unfit(f"{', '.join(missing)} of {where} must be given")
    return {name: converted(item, fields[name][0], name) for name, item in given.items()}


def _made(kind: type, values: dict[str, Any], where: str) -> Any:
    try:
        return kind(**values)
    except (ValueError, TypeError) as error:  # a dataclass may look at its values itself
        raise Unfit(f"{where}: {error}") from None


def _plain(value: Any, hint: Any, where: str) -> Any:
    if hint is bool and isinstance(value, str):
        value = _TRUTH.get(value.strip().lower(), value)
    elif hint in (int, float) and not isinstance(value, bool):
        value = _number(value, hint)
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise Unfit(f"{where} must be {_PLAIN[hint]}, not {_shown(value)}")
    return value


def _number(value: Any, hint: type) -> Any:
    try:
        number = float(value) if isinstance(value, (str, int, float)) else math.nan
    except (ValueError, OverflowError):
        return value
    if not math.isfinite(number):
        return value
    if hint is float or not number.is_integer():
        return number
    if isinstance(value, str) and value.strip().lstrip("+-").isdecimal():
        return int(value)
    return value if isinstance(value, int) else int(number)


def _any_of(value: Any, kinds: Sequence[Any], where: str) -> Any:
    # What is exactly of a kind is not made into another: "5" stays a text where a text may be.
    for kind in kinds:
        if kind in _PLAIN and type(value) is kind:
            return value
    wrong: list[str] = []
    for kind in kinds:
        try:
            return converted(value, kind, where)
        except Unfit as error:
            wrong.append(str(error))
    raise Unfit("; or ".join(dict.fromkeys(wrong)))


def _chosen(value: Any, known: Mapping[Any, Any], where: str) -> Any:
    for one, meant in known.items():
        if type(one) is type(value) and one == value:
            return meant
    raise Unfit(f"{where} must be one of {', '.join(map(_shown, known))}, not {_shown(value)}")


def _listed(value: Any, kind: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unfit(f"{where} must be a list, not {_shown(value)}")
    return [converted(item, kind, f"{where}[{at}]") for at, item in enumerate(cast("list[Any]", value))]


def _mapped(value: Any, kind: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unfit(f"{where} must be an object, not {_shown(value)}")
    return {name: converted(item, kind, f"{where}.{name}") for name, item in cast("dict[str, Any]", value).items()}


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
