"""Message references in receipts. They are by number, and numbers differ between stores, so they are translated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from keepsaid.errors import NotFound
from keepsaid.ports import Storage, StoredReceipt
from keepsaid.services.prompts.receipts import to_number_ranges
from keepsaid.transfer.copy.storage_pair import BATCH_SIZE, StoragePair
from keepsaid.types import Scope

ERASED_OFFSET = 1 << 30
"""Added to the number of an erased message: no message will ever have such a number."""

_RUNS, _ROWS = ("head", "after"), ("entries", "near")

NumberNaming = Callable[[Scope, int], Any]
Thing = TypeVar("Thing")


class ReceiptReferences:
    """The message references of one session's receipts. A prompt may also contain messages of pools and documents."""

    def __init__(self, pair: StoragePair, space: Scope) -> None:
        self._pair = pair
        self._space = space

    def of(self, receipts: Iterable[StoredReceipt]) -> dict[Scope, set[int]]:
        """The message numbers that the receipts refer to, by the memory they belong to."""
        found: dict[Scope, set[int]] = {}
        for receipt in receipts:
            self.replace_numbers(receipt, lambda scope, number: found.setdefault(scope, set()).add(number))
        return found

    def replace_numbers(self, receipt: StoredReceipt, name: NumberNaming) -> dict[str, Any]:
        """The receipt's data with each number replaced by `name`, and runs as plain lists."""
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

    def _row(self, receipt: StoredReceipt, row: Mapping[str, Any], name: NumberNaming) -> dict[str, Any]:
        if "number" not in row:
            return dict(row)
        where = self._pair.admin_scope(receipt.author or self._space.owner, row.get("pool"), bool(row.get("documents")))
        return {**row, "number": name(where, row["number"])}

    def translate_data(self, receipt: StoredReceipt, numbers: Mapping[Scope, Mapping[int, int]]) -> dict[str, Any]:
        """The receipt's data with the numbers of the target."""
        data = self.replace_numbers(receipt, lambda scope, number: numbers[scope].get(number, _erased_number(number)))
        return {**data, **{key: to_number_ranges(data[key]) for key in _RUNS if key in data}}


def _erased_number(number: int) -> int:
    return number if number > ERASED_OFFSET else ERASED_OFFSET + number


def find_message_ids(storage: Storage, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
    """The ids of the messages that still exist, by number."""
    found: dict[int, str] = {}
    try:
        for some in split_into_batches(sorted(numbers)):
            found |= {seen.number: seen.message.id for seen in storage.fetch(scope, some)}
    except NotFound:
        pass  # a pool that is gone or is not copied
    return found


def translate_numbers(pair: StoragePair, scope: Scope, numbers: Iterable[int]) -> dict[int, int]:
    """The numbers of messages in the target, by their numbers in the source."""
    here = find_message_ids(pair.source, scope, numbers)
    there: dict[str, int] = {}
    try:
        for some in split_into_batches(here.values()):
            there |= {id: known.number for id, known in pair.target.known(scope, some).items() if known.number}
    except NotFound:
        pass
    return {number: there[id] for number, id in here.items() if id in there}


def split_into_batches(things: Iterable[Thing], size: int = BATCH_SIZE) -> Iterator[list[Thing]]:
    """Split things into lists of `size`.

    >>> list(split_into_batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(things)
    while batch := list(islice(rest, size)):
        yield batch
