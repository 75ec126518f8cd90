"""Convert Python types to JSON schemas and JSON values to Python values, so that typed functions can be tools."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from keepsaid.errors import InvalidInput

_SCALAR_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_LISTS = (list, Sequence)
_DICTS = (dict, Mapping)
_UNIONS = (Union, types.UnionType)
_BOOLEANS = {"true": True, "false": False}

MAX_SHOWN_VALUE_LENGTH = 80
"""Maximum characters of an invalid value in an error text."""


class ArgumentError(ValueError):
    """A value does not match its declared type. The text is sent to the model, which may try again."""


def build_schema(hint: Any, where: str = "value") -> dict[str, Any]:
    """Return the JSON schema of a type.

    >>> build_schema(list[int])
    {'type': 'array', 'items': {'type': 'integer'}}
    >>> build_schema(Literal["a", "b"] | None)
    {'anyOf': [{'type': 'string', 'enum': ['a', 'b']}, {'type': 'null'}]}
    """
    if hint is Any or isinstance(hint, str):
        return {}
    if hint in _SCALAR_TYPES:
        return {"type": _SCALAR_TYPES[hint]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return add_description(build_schema(inner[0], where), inner[1:])
    if origin in _UNIONS:
        return {"anyOf": [build_schema(one, where) for one in inner]}
    if origin is Literal:
        return _enum_schema(inner)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_schema([one.value for one in hint])
    if (origin or hint) in _LISTS:
        return {"type": "array", "items": build_schema(inner[0] if inner else Any, where)}
    if (origin or hint) in _DICTS:
        return {"type": "object", "additionalProperties": build_schema(inner[1] if inner else Any, where)}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return build_object_schema(_fields(hint), where)
    raise InvalidInput(
        f"{where} has the type {_type_name(hint)}, which a model cannot write; use str, int, float,"
        " bool, list, dict, Literal, Enum, dataclasses, or unions of them"
    )


def _type_name(hint: Any) -> str:
    return getattr(hint, "__name__", str(hint))


def build_object_schema(fields: Mapping[str, tuple[Any, bool]], where: str) -> dict[str, Any]:
    """Return the schema of an object from each field's type and whether it is required.

    >>> build_object_schema({"city": (str, True)}, "weather")
    {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city'], 'additionalProperties': False}
    """
    return {
        "type": "object",
        "properties": {name: build_schema(hint, f"{name} of {where}") for name, (hint, _) in fields.items()},
        "required": [name for name, (_, needed) in fields.items() if needed],
        "additionalProperties": False,
    }


def add_description(schema: dict[str, Any], notes: Sequence[Any]) -> dict[str, Any]:
    """Return a schema with the description from an `Annotated` type."""
    words = [note for note in notes if isinstance(note, str)]
    return {**schema, "description": " ".join(words)} if words else schema


def _enum_schema(values: Sequence[Any]) -> dict[str, Any]:
    kinds = {_SCALAR_TYPES.get(cast("type[Any]", type(value))) for value in values}
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


def convert_value(value: Any, hint: Any, where: str) -> Any:
    """Convert a JSON value to a type, or raise `ArgumentError`. Quoted numbers are accepted, because models write them.

    >>> convert_value("5", int, "limit"), convert_value(["a"], list[str], "names"), convert_value(None, str | None, "city")
    (5, ['a'], None)
    >>> convert_value("many", int, "limit")
    Traceback (most recent call last):
    ...
    keepsaid.agent.schema.ArgumentError: limit must be integer, not "many"
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, str):
        return value
    if origin is Annotated:
        return convert_value(value, inner[0], where)
    if origin in _UNIONS:
        return _convert_union(value, inner, where)
    if origin is Literal:
        return _match_choice(value, {one: one for one in inner}, where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _match_choice(value, {one.value: one for one in hint}, where)
    if (origin or hint) in _LISTS:
        return _convert_list(value, inner[0] if inner else Any, where)
    if (origin or hint) in _DICTS:
        return _convert_dict(value, inner[1] if inner else Any, where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _build_dataclass(hint, convert_fields(value, _fields(hint), where), where)
    return _convert_scalar(value, hint, where)


def convert_fields(value: Any, fields: Mapping[str, tuple[Any, bool]], where: str) -> dict[str, Any]:
    """Convert the fields of an object to their types. Optional fields that are missing are left out."""
    if not isinstance(value, dict):
        raise ArgumentError(f"{where} must be an object, not {_format_value(value)}")
    given = cast("dict[str, Any]", value)
    if unknown := [name for name in given if name not in fields]:
        raise ArgumentError(f"{where} has no {unknown[0]!r}; known are {', '.join(fields) or 'none'}")
    if missing := [name for name, (_, needed) in fields.items() if needed and name not in given]:
        raise ArgumentError(f"{', '.join(missing)} of {where} must be given")
    return {name: convert_value(item, fields[name][0], name) for name, item in given.items()}


def _build_dataclass(kind: type, values: dict[str, Any], where: str) -> Any:
    try:
        return kind(**values)
    except (ValueError, TypeError) as error:  # a dataclass may validate its values itself
        raise ArgumentError(f"{where}: {error}") from None


def _convert_scalar(value: Any, hint: Any, where: str) -> Any:
    if hint is bool and isinstance(value, str):
        value = _BOOLEANS.get(value.strip().lower(), value)
    elif hint in (int, float) and not isinstance(value, bool):
        value = _convert_number(value, hint)
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise ArgumentError(f"{where} must be {_SCALAR_TYPES[hint]}, not {_format_value(value)}")
    return value


def _convert_number(value: Any, hint: type) -> Any:
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


def _convert_union(value: Any, kinds: Sequence[Any], where: str) -> Any:
    # A value that already has one of the types is not converted: "5" stays a string if a string is allowed.
    for kind in kinds:
        if kind in _SCALAR_TYPES and type(value) is kind:
            return value
    wrong: list[str] = []
    for kind in kinds:
        try:
            return convert_value(value, kind, where)
        except ArgumentError as error:
            wrong.append(str(error))
    raise ArgumentError("; or ".join(dict.fromkeys(wrong)))


def _match_choice(value: Any, known: Mapping[Any, Any], where: str) -> Any:
    for one, meant in known.items():
        if type(one) is type(value) and one == value:
            return meant
    raise ArgumentError(f"{where} must be one of {', '.join(map(_format_value, known))}, not {_format_value(value)}")


def _convert_list(value: Any, kind: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ArgumentError(f"{where} must be a list, not {_format_value(value)}")
    return [convert_value(item, kind, f"{where}[{at}]") for at, item in enumerate(cast("list[Any]", value))]


def _convert_dict(value: Any, kind: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(f"{where} must be an object, not {_format_value(value)}")
    return {name: convert_value(item, kind, f"{where}.{name}") for name, item in cast("dict[str, Any]", value).items()}


def _format_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN_VALUE_LENGTH else text[: MAX_SHOWN_VALUE_LENGTH - 1] + "…"
