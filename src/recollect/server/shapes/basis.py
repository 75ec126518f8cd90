"""What all shapes share: strict where data comes in, made from our nouns where it goes out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WrapValidator
from typing_extensions import TypeAliasType

from recollect.engine.hygiene import LONGEST_NAME

NO_NUL = r"^[^\x00]*$"
SAYABLE = r"^[^\x00]*[^\x00\s][^\x00]*$"
"""Something that is not blank."""
PATH_SAFE = r"^[^\x00-\x1f/?#%\\]+$"
DEEPEST = 64
"""Levels of objects and lists inside each other."""
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


def _written(value: Any) -> Any:
    """A time is written out, by RFC 3339: a bare number could be seconds or milliseconds."""
    if not isinstance(value, str) or not RFC_3339.fullmatch(value):
        raise ValueError("a time is text such as 2026-05-06T12:00:00Z")
    return value


def _keepable(value: Any) -> Any:
    """An object that a store can keep: not too deep, and without a NUL character."""
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for one in level:
            if isinstance(one, str) and "\0" in one:
                raise ValueError("a text in it has a NUL character")
            if isinstance(one, dict):
                below += one.keys()
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return cast("dict[str, Any]", value)
        level = below
    raise ValueError(f"it is more than {DEEPEST} levels deep")


def at_most(most: int) -> BeforeValidator:
    """Refuses a longer list before anybody looks into it: to collect the mistakes in it costs more than to read it."""

    def check(value: Any) -> Any:
        if isinstance(value, list) and len(cast("list[Any]", value)) > most:
            raise ValueError(f"may have {most} entries at the most")
        return cast("Any", value)

    return BeforeValidator(check)


def _truth(value: Any) -> Any:
    """Python takes 1 for True; JSON does not."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _whole(value: Any) -> Any:
    """JSON knows one kind of number, so 20.0 is 20."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=NO_NUL)]
"""An id, owner, pool or tag."""
NewId = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=PATH_SAFE)]
"""An id that can stand in an address."""
Sayable = Annotated[str, Field(min_length=1, pattern=SAYABLE)]
Text = Annotated[str, Field(pattern=NO_NUL)]
Moment = Annotated[AwareDatetime, Strict(False), BeforeValidator(_written)]
Share = Annotated[float, Field(ge=0, le=1)]
Whole = BeforeValidator(_whole)
Truth = BeforeValidator(_truth)
NO_OTHERS = Field(json_schema_extra={"additionalProperties": False})
"""Says in the schema that a key which does not fit the pattern is refused."""
if TYPE_CHECKING:
    Json = dict[str, Any]
else:
    JsonValue = TypeAliasType(
        "JsonValue", "bool | int | float | Text | list[JsonValue] | Annotated[dict[Text, JsonValue], NO_OTHERS] | None"
    )
    # The schema is that of the type; the check is one walk, because a union of all kinds tells of every value six times.
    Json = Annotated[dict[Text, JsonValue], NO_OTHERS, WrapValidator(lambda value, _: _keepable(value))]
"""An object with anything in it that a store can keep."""


Tags = Annotated[list[Name], Field(max_length=100), at_most(100)]


class Incoming(BaseModel):
    """A body that is sent to us: nothing unknown, nothing guessed."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Outgoing(BaseModel):
    """A body that we send, made from one of our nouns by the names of its fields."""

    model_config = ConfigDict(from_attributes=True, json_schema_serialization_defaults_required=True)


class Problem(BaseModel):
    """What went wrong, by RFC 9457."""

    type: str = Field(description="Names the kind of problem; the same for all problems of a kind.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The id of the request, as in the log.")
    errors: list[dict[str, Any]] | None = Field(None, description="Where in the request it is, one entry for each place.")
