"""The messages that a receipt names. It does so by number, and numbers are another store's own: they are translated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from recollect.copier.whole import AT_ONCE, Pair, Whole
from recollect.errors import NotFound
from recollect.ports import StoredReceipt
from recollect.receipts import runs
from recollect.types import Scope

GONE = 1 << 30
"""Is added to the number of a message that was erased: no message will ever have it."""

_RUNS, _ROWS = ("head", "after"), ("entries", "near")

Naming = Callable[[Scope, int], Any]
Thing = TypeVar("Thing")


class References:
    """What the receipts of one session name, and where that is: a prompt may have drawn on pools and on documents."""

    def __init__(self, pair: Pair, space: Scope) -> None:
        self._pair = pair
        self._space = space

    def of(self, receipts: Iterable[StoredReceipt]) -> dict[Scope, set[int]]:
        """The numbers that are named, by the memory they belong to."""
        found: dict[Scope, set[int]] = {}
        for receipt in receipts:
            self.renamed(receipt, lambda scope, number: found.setdefault(scope, set()).add(number))
        return found

    def renamed(self, receipt: StoredReceipt, name: Naming) -> dict[str, Any]:
        """The receipt's data with something else in the place of each number, and runs as plain lists."""
        data = dict(receipt.data)
        for key in _RUNS:
            if key in data:
                data[key] = [name(self._space, number) for first, last in data[key] for number in range(first, last + 1)]
        if data.get("question"):
            data["question"] = name(self._space, data["question"])
        if "cuts" in data:
            data["cuts"] = {str(name(self._space, int(number))): limit for number, limit in data["cuts"].items()}
        for key in _ROWS:
            if key in data:
                data[key] = [self._row(receipt, row, name) for row in data[key]]
        return data

    def _row(self, receipt: StoredReceipt, row: Mapping[str, Any], name: Naming) -> dict[str, Any]:
        if "number" not in row:
            return dict(row)
        where = self._pair.acting(receipt.author or self._space.owner, row.get("pool"), bool(row.get("shelf")))
        return {**row, "number": name(where, row["number"])}

    def moved(self, receipt: StoredReceipt, numbers: Mapping[Scope, Mapping[int, int]]) -> dict[str, Any]:
        """The data as the target keeps them."""
        data = self.renamed(receipt, lambda scope, number: numbers[scope].get(number, _gone(number)))
        return {**data, **{key: runs(data[key]) for key in _RUNS if key in data}}


def _gone(number: int) -> int:
    return number if number > GONE else GONE + number


def ids(storage: Whole, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
    """The ids of messages, as far as they are still there."""
    found: dict[int, str] = {}
    try:
        for some in batches(sorted(numbers)):
            found |= {seen.number: seen.message.id for seen in storage.fetch(scope, some)}
    except NotFound:
        pass  # a pool that is gone, or is not copied
    return found


def translated(pair: Pair, scope: Scope, numbers: Iterable[int]) -> dict[int, int]:
    """The numbers that messages have in the target, by those in the source."""
    here = ids(pair.source, scope, numbers)
    there: dict[str, int] = {}
    try:
        for some in batches(here.values()):
            there |= {id: known.number for id, known in pair.target.known(scope, some).items() if known.number}
    except NotFound:
        pass
    return {number: there[id] for number, id in here.items() if id in there}


def batches(things: Iterable[Thing], size: int = AT_ONCE) -> Iterator[list[Thing]]:
    """Things in lists of some.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(things)
    while batch := list(islice(rest, size)):
        yield batch
