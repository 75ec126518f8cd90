"""Incremental reading of a JSON document: only the requested values are in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO, cast

import ijson  # pyright: ignore[reportMissingTypeStubs]

from keepsaid.errors import ImportProblem

_TOO_MANY_DIGITS = re.compile(rb"\d{2000}")


class _CountingStream:
    """A stream that counts the bytes read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.done = 0

    def read(self, amount: int = -1) -> bytes:
        data = self._stream.read(amount)
        self.done += len(data)
        if _TOO_MANY_DIGITS.search(data):
            # Python refuses to convert a number of so many digits, and the C library cannot handle that error.
            raise ValueError("a number has too many digits")
        return data


class JsonEventReader:
    """A reader with a position in a document. `keys`, `items`, `values` and `value` each consume what is next.

    >>> from io import BytesIO
    >>> events = JsonEventReader(BytesIO(b'{"a": [1, {"b": 0.5}], "c": 2}'))
    >>> [(key, events.value()) for key in events.keys()]
    [('a', [1, {'b': 0.5}]), ('c', 2)]
    """

    def __init__(self, stream: BinaryIO, name: str = "") -> None:
        self._name = name
        self._counter = _CountingStream(stream)
        self._events = cast("Iterator[tuple[str, Any]]", ijson.basic_parse(self._counter))
        self._next: tuple[str, Any] | None = None

    def keys(self) -> Iterator[str]:
        """Iterate over the keys of the next object. Read each key's value before the next key."""
        self._expect("start_map")
        while (event := self._take())[0] != "end_map":
            yield event[1]

    def items(self) -> Iterator[None]:
        """Iterate over the next array, stopping before each item."""
        self._expect("start_array")
        while self._peek()[0] != "end_array":
            yield
        self._take()

    def values(self) -> Iterator[Any]:
        """Iterate over the items of the next array, each read completely."""
        for _ in self.items():
            yield self.value()

    def value(self) -> Any:
        """Read the next value completely."""
        try:
            return self._value()
        except RecursionError:
            raise self.problem("nested too deeply") from None

    def _value(self) -> Any:
        kind, value = self._take()
        if kind == "start_map":
            made: dict[str, Any] = {}
            while (event := self._take())[0] != "end_map":
                made[event[1]] = self._value()
            return made
        if kind == "start_array":
            items: list[Any] = []
            while self._peek()[0] != "end_array":
                items.append(self._value())
            self._take()
            return items
        # The library returns fractions as decimals: only in this mode can it read integers of any length.
        return float(value) if isinstance(value, Decimal) else value

    def _expect(self, kind: str) -> None:
        found = self._take()[0]
        if found != kind:
            wanted = "an object" if kind == "start_map" else "a list"
            raise self.problem(f"expected {wanted}, found {found.replace('_', ' ')}")

    def _peek(self) -> tuple[str, Any]:
        if self._next is None:
            self._next = self._read()
        return self._next

    def _take(self) -> tuple[str, Any]:
        event, self._next = self._next or self._read(), None
        return event

    def _read(self) -> tuple[str, Any]:
        try:
            return next(self._events)
        except StopIteration:
            raise self.problem("the document ends too early") from None
        except (ijson.JSONError, ValueError, SystemError) as error:
            reason = str(error).splitlines()[0]
            raise self.problem(f"not valid JSON: {reason}") from None

    def problem(self, what: str) -> ImportProblem:
        """An error with its position."""
        return ImportProblem(f"{self._name}, before byte {self._counter.done:,}: {what}")
