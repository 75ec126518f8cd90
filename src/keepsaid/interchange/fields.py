"""Checked access to the fields of an object in our own export, because users may edit the file."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar, cast

Kind = TypeVar("Kind")

MAX_NUMBER = 2**53
"""Our exports contain no integers from this value on."""


class ExportFields:
    """The fields of an object. A field of an unexpected type raises a `ValueError` that names it.

    >>> fields = ExportFields({"id": "m1", "seq": 3, "pinned": True})
    >>> fields.text("id"), fields.number("seq"), fields.flag("pinned"), fields.optional_text("title")
    ('m1', 3, True, None)
    """

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise ValueError("it is not an object")
        self._fields = cast("dict[str, Any]", value)

    def text(self, name: str) -> str:
        """A required text."""
        return self._of(name, str)

    def optional_text(self, name: str) -> str | None:
        """A text, or None."""
        return None if self._fields.get(name) is None else self.text(name)

    def number(self, name: str, default: int | None = None) -> int:
        """An integer that is a valid position or count."""
        if default is not None and self._fields.get(name) is None:
            return default
        number = self._of(name, int)
        if isinstance(number, bool) or not 0 <= number < MAX_NUMBER:
            raise ValueError(f"{name} is {str(number)[:40]}, which is out of range")
        return number

    def fraction(self, name: str) -> float | None:
        """A number that may have a fraction, or None."""
        value = self._fields.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ValueError(f"{name} is not a number")
        return value

    def flag(self, name: str) -> bool:
        """A boolean; False if it is missing."""
        return self._fields.get(name) is not None and self._of(name, bool)

    def table(self, name: str) -> dict[str, Any]:
        """An object; empty if it is missing."""
        return {} if self._fields.get(name) is None else cast("dict[str, Any]", self._of(name, dict))

    def items(self, name: str) -> list[Any]:
        """A list; empty if it is missing."""
        return [] if self._fields.get(name) is None else cast("list[Any]", self._of(name, list))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        items = self.items(name)
        if not all(isinstance(item, str) for item in items):
            raise ValueError(f"{name} has an item that is not a text")
        return tuple(items)

    def moment(self, name: str) -> datetime | None:
        """A time with its time zone, or None."""
        text = self.optional_text(name)
        if text is None:
            return None
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            raise ValueError(f"{name} has no time zone")
        return at

    @property
    def all(self) -> dict[str, Any]:
        """All fields, unchecked."""
        return self._fields

    def any(self, name: str) -> Any:
        """A field, unchecked."""
        return self._fields.get(name)

    def _of(self, name: str, kind: type[Kind]) -> Kind:
        value = self._fields.get(name)
        if not isinstance(value, kind):
            raise ValueError(f"{name} is {'missing' if value is None else f'not of type {kind.__name__}'}")
        return value
