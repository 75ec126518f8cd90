"""The database interface of the storage: a transaction that begins with its first statement and ends with its last.

Every round trip to the server costs network latency, so statements are batched: BEGIN and the partition setting are sent
with the first statement, and COMMIT with the last one, if the caller marks it with `last`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Row = tuple[Any, ...]
Values = Sequence[Any] | Mapping[str, Any]

ALL_PARTITIONS = "*"
"""The partition value for work across owners, under the maintenance policy."""


class PostgresResult(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...
    def __iter__(self) -> Iterator[Row]: ...
    def fetchone(self) -> Row | None: ...
    def fetchall(self) -> list[Row]: ...


class PostgresConnection(Protocol):
    """One transaction that sees the rows of one partition (column `unit`), or of all (`ALL_PARTITIONS`)."""

    @property
    def unit(self) -> str: ...
    @property
    def secret(self) -> bytes:
        """The key of the store's hashes."""
        ...

    def execute(self, statement: str, values: Values = ()) -> PostgresResult:
        """Run a statement in one round trip."""
        ...

    def last(self, statement: str, values: Values = ()) -> PostgresResult:
        """Run the last statement of the transaction and commit, in one round trip."""
        ...

    def together(self, *statements: tuple[str, Values], last: bool = False) -> list[PostgresResult]:
        """Run statements that do not need each other's results, in one round trip."""
        ...

    def executemany(self, statement: str, many: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each tuple of values, in one round trip."""
        ...

    def enter(self, unit: str) -> None:
        """Switch to the rows of another partition, for example of a pool member."""
        ...
