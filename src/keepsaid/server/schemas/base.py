"""What all schemas share: strict parsing of requests, and responses built from domain objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WrapValidator
from typing_extensions import TypeAliasType

from keepsaid.engine.messages.validation import MAX_NAME_LENGTH

NO_NUL = r"^[^\x00]*$"
NOT_BLANK = r"^[^\x00]*[^\x00\s][^\x00]*$"
"""Text that is not blank."""
PATH_SAFE = r"^[^\x00-\x1f/?#%\\]+$"
MAX_NESTING_LEVELS = 64
"""The most levels of nested objects and lists."""
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


def _rfc_3339(value: Any) -> Any:
    """Accept only a time in RFC 3339 format: a bare number could be seconds or milliseconds."""
    if not isinstance(value, str) or not RFC_3339.fullmatch(value):
        raise ValueError("a time must be text such as 2026-05-06T12:00:00Z")
    return value


def _storable(value: Any) -> Any:
    """Accept only an object that a store can hold: not nested too deeply, and without NUL characters."""
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    level: list[Any] = [value]
    for _ in range(MAX_NESTING_LEVELS):
        below: list[Any] = []
        for one in level:
            if isinstance(one, str) and "\0" in one:
                raise ValueError("a text in it contains a NUL character")
            if isinstance(one, dict):
                below += one.keys()
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return cast("dict[str, Any]", value)
        level = below
    raise ValueError(f"it is more than {MAX_NESTING_LEVELS} levels deep")


def limit_entries(most: int) -> BeforeValidator:
    """Refuse a longer list before its items are validated: collecting their errors costs more than parsing."""

    def check(value: Any) -> Any:
        if isinstance(value, list) and len(cast("list[Any]", value)) > most:
            raise ValueError(f"may have at most {most} entries")
        return cast("Any", value)

    return BeforeValidator(check)


def _strict_boolean(value: Any) -> Any:
    """Accept only true and false: in Python 1 equals True, in JSON it does not."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _whole_number(value: Any) -> Any:
    """Turn 20.0 into 20: JSON has only one number type."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH, pattern=NO_NUL)]
"""An id, owner, pool or tag."""
NewId = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH, pattern=PATH_SAFE)]
"""An id that can be part of a URL."""
NonBlankText = Annotated[str, Field(min_length=1, pattern=NOT_BLANK)]
Text = Annotated[str, Field(pattern=NO_NUL)]
Timestamp = Annotated[AwareDatetime, Strict(False), BeforeValidator(_rfc_3339)]
UnitFraction = Annotated[float, Field(ge=0, le=1)]
WholeNumber = BeforeValidator(_whole_number)
StrictBoolean = BeforeValidator(_strict_boolean)
NO_OTHER_KEYS = Field(json_schema_extra={"additionalProperties": False})
"""States in the schema that keys not matching the pattern are refused."""
if TYPE_CHECKING:
    Json = dict[str, Any]
else:
    JsonValue = TypeAliasType(
        "JsonValue", "bool | int | float | Text | list[JsonValue] | Annotated[dict[Text, JsonValue], NO_OTHER_KEYS] | None"
    )
    # The schema comes from the type. The check is one walk, because the union would report each bad value six times.
    Json = Annotated[dict[Text, JsonValue], NO_OTHER_KEYS, WrapValidator(lambda value, _: _storable(value))]
"""An object of any JSON values that a store can hold."""


Tags = Annotated[list[Name], Field(max_length=100), limit_entries(100)]


class RequestBody(BaseModel):
    """A request body: unknown fields are refused, and types are not converted."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ResponseBody(BaseModel):
    """A response body, built from a domain object by the names of its fields."""

    model_config = ConfigDict(from_attributes=True, json_schema_serialization_defaults_required=True)


class ProblemDocument(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = Field(description="Identifies the kind of problem.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The id of the request, as in the log.")
    errors: list[dict[str, Any]] | None = Field(None, description="Where in the request the errors are, one entry each.")
