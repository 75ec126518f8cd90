"""The fields of an object in one of our exports, each as what we write there: anybody may have changed the file."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar, cast

Kind = TypeVar("Kind")

LARGEST = 2**53
"""Whole numbers beyond this are not ours."""


class Fields:
    """An object as it was read. What is not as we write it is a `ValueError` that names the field.

    >>> fields = Fields({"id": "m1", "seq": 3, "pinned": True})
    >>> fields.text("id"), fields.number("seq"), fields.flag("pinned"), fields.maybe_text("title")
    ('m1', 3, True, None)
    """

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise ValueError("it is no object")
        self._fields = cast("dict[str, Any]", value)

    def text(self, name: str) -> str:
        """A text that must be there."""
        return self._of(name, str)

    def maybe_text(self, name: str) -> str | None:
        """A text, or none."""
        return None if self._fields.get(name) is None else self.text(name)

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number that a place or a count can be."""
        if default is not None and self._fields.get(name) is None:
            return default
        number = self._of(name, int)
        if isinstance(number, bool) or not 0 <= number < LARGEST:
            raise ValueError(f"{name} is {str(number)[:40]}, which cannot be")
        return number

    def share(self, name: str) -> float | None:
        """A number with a fraction, or none."""
        value = self._fields.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ValueError(f"{name} is no number")
        return value

    def flag(self, name: str) -> bool:
        """Yes or no; no, if nothing is said."""
        return self._fields.get(name) is not None and self._of(name, bool)

    def table(self, name: str) -> dict[str, Any]:
        """An object; an empty one, if there is none."""
        return {} if self._fields.get(name) is None else cast("dict[str, Any]", self._of(name, dict))

    def items(self, name: str) -> list[Any]:
        """A list; an empty one, if there is none."""
        return [] if self._fields.get(name) is None else cast("list[Any]", self._of(name, list))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        items = self.items(name)
        if not all(isinstance(item, str) for item in items):
            raise ValueError(f"{name} has something that is no text")
        return tuple(items)

    def moment(self, name: str) -> datetime | None:
        """A moment with its time zone, or none."""
        text = self.maybe_text(name)
        if text is None:
            return None
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            raise ValueError(f"{name} has no time zone")
        return at

    @property
    def all(self) -> dict[str, Any]:
        """Everything, as it was read."""
        return self._fields

    def any(self, name: str) -> Any:
        """Whatever is there."""
        return self._fields.get(name)

    def _of(self, name: str, kind: type[Kind]) -> Kind:
        value = self._fields.get(name)
        if not isinstance(value, kind):
            raise ValueError(f"{name} is {'missing' if value is None else f'no {kind.__name__}'}")
        return value
