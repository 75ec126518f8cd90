"""The ledger: the source of truth for rows. To add a backend of your own, implement `Ledger`; nothing else is needed.

A ledger knows nothing about conversations. It keeps partitions (an owner with all their data, a pool, the store itself),
each a set of rows with a revision. A commit names the revision it was computed from and is refused at any other. So a change
that a process computes from an outdated replica is never stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

ColumnValue = int | float | str | bytes | None
Columns = Mapping[str, ColumnValue]


class LedgerRow(NamedTuple):
    """A row of a partition: its table, its key within the table, and its columns, which are None if the row was removed.

    Keys are short and printable, without a space or a slash, and unique within partition and table.
    """

    table: str
    key: str
    columns: Columns | None


class LedgerPoint(NamedTuple):
    """A version of a partition: its revision, and the token of the commit that made it. A backend that lost its newest
    commits reuses their revisions; the tokens tell them apart."""

    revision: int = 0
    token: str = ""


BEGINNING = LedgerPoint()
"""The point of a partition without any commit."""


class PartitionHeader(NamedTuple):
    """What is known of a partition without loading it: its current point, and a note (plain JSON, some hundred bytes)."""

    point: LedgerPoint = BEGINNING
    note: Mapping[str, Any] = {}


class PartitionDelta(NamedTuple):
    """The changes since a point, each row once, in its newest state. With `whole`, these are all rows of the partition, and
    they replace everything the caller had."""

    header: PartitionHeader
    rows: Sequence[LedgerRow]
    whole: bool


class Ledger(Protocol):
    """Keeps partitions. Every method may be called from any thread.

    Raises `StoreUnavailable` if the backend cannot be reached or does not answer in time. Only operations that are safe to
    repeat are retried.
    """

    @property
    def largest_message(self) -> int:
        """The maximum bytes of text, parts and metadata in one message."""
        ...

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        """The header of each partition, in one round trip if possible; an empty one for a partition without commits."""
        ...

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        """Load the rows that changed after a point, as one consistent snapshot. `BEGINNING` asks for all rows. A ledger that
        does not know the point, because it is too old or never existed, also returns all rows."""
        ...

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit the rows as the point after `after`, with this token, in one atomic step. Return False, and store nothing,
        if the partition is not at `after`.

        When this returns, the change is as durable as the backend makes it. The token is kept as long as `load` knows the
        point. The same commit sent again, because its answer was lost, finds its token and returns True.
        """
        ...

    def list_partitions(self) -> Iterable[tuple[str, PartitionHeader]]:
        """Every partition with its header, for the operations across owners. A partition is listed from before its first
        commit is acknowledged."""
        ...

    def stamp(self) -> object:
        """A cheap value that changes soon after any process commits anything."""
        ...

    def warnings(self) -> Sequence[str]:
        """Warnings for the operator of the backend, such as that it does not persist anything."""
        ...

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Register a callback for commits of other processes, if the backend can report them."""
        ...

    def close(self) -> None:
        """Release connections. Safe to call twice."""
        ...
