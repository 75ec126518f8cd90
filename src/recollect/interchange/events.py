"""A JSON document, walked through as it is read: no more of it is in memory than what was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO, cast

import ijson  # pyright: ignore[reportMissingTypeStubs]

from recollect.errors import ImportProblem

_ENDLESS = re.compile(rb"\d{2000}")


class _Meter:
    """A stream that knows how much of it was read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.done = 0

    def read(self, amount: int = -1) -> bytes:
        data = self._stream.read(amount)
        self.done += len(data)
        if _ENDLESS.search(data):
            # Python refuses to make a number of so many digits, and the C library does not bear that.
            raise ValueError("a number without end")
        return data


class Events:
    """A reader that stands somewhere in a document. `keys`, `items`, `values` and `value` each go past what is next.

    >>> from io import BytesIO
    >>> events = Events(BytesIO(b'{"a": [1, {"b": 0.5}], "c": 2}'))
    >>> [(key, events.value()) for key in events.keys()]
    [('a', [1, {'b': 0.5}]), ('c', 2)]
    """

    def __init__(self, stream: BinaryIO, name: str = "") -> None:
        self._name = name
        self._meter = _Meter(stream)
        self._events = cast("Iterator[tuple[str, Any]]", ijson.basic_parse(self._meter))
        self._next: tuple[str, Any] | None = None

    def keys(self) -> Iterator[str]:
        """The keys of the object that comes next. Of each, the value must be taken before the next key is."""
        self._expect("start_map")
        while (event := self._take())[0] != "end_map":
            yield event[1]

    def items(self) -> Iterator[None]:
        """Stops before each item of the array that comes next."""
        self._expect("start_array")
        while self._peek()[0] != "end_array":
            yield
        self._take()

    def values(self) -> Iterator[Any]:
        """The items of the array that comes next, each whole."""
        for _ in self.items():
            yield self.value()

    def value(self) -> Any:
        """The value that comes next, whole."""
        try:
            return self._value()
        except RecursionError:
            raise self.problem("nested too deep") from None

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
        # The library gives fractions as decimals: only so it can read whole numbers of any length.
        return float(value) if isinstance(value, Decimal) else value

    def _expect(self, kind: str) -> None:
        found = self._take()[0]
        if found != kind:
            wanted = "an object" if kind == "start_map" else "a list"
            raise self.problem(f"{wanted} was expected, but there is {found.replace('_', ' ')}")

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
        """What is wrong, and where."""
        return ImportProblem(f"{self._name}, before byte {self._meter.done:,}: {what}")
