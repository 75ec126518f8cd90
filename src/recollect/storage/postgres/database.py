"""What we use of a PostgreSQL connection: a transaction that begins with its first statement and ends with its last.

A network makes every exchange with the server dear, so nothing is sent alone that can go along: the beginning of the
transaction and the unit it may see travel with the first statement, and its end with the last one, if `last` tells which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Row = tuple[Any, ...]
Values = Sequence[Any] | Mapping[str, Any]

EVERYONE = "*"
"""The unit of work that goes across owners, under the policy of maintenance."""


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...
    def __iter__(self) -> Iterator[Row]: ...
    def fetchone(self) -> Row | None: ...
    def fetchall(self) -> list[Row]: ...


class Database(Protocol):
    """One transaction, in which the rows of one unit can be seen, or of all (`EVERYONE`)."""

    @property
    def unit(self) -> str: ...
    @property
    def secret(self) -> bytes:
        """The key of the store's hashes."""
        ...

    def execute(self, statement: str, values: Values = ()) -> Rows:
        """Runs a statement: one exchange with the server."""
        ...

    def last(self, statement: str, values: Values = ()) -> Rows:
        """Runs the last statement of the transaction, and commits, in one exchange."""
        ...

    def together(self, *statements: tuple[str, Values], last: bool = False) -> list[Rows]:
        """Runs statements that need nothing of each other's results, in one exchange."""
        ...

    def executemany(self, statement: str, many: Iterable[Sequence[Any]]) -> None:
        """Runs a statement once for each of the values, in one exchange."""
        ...

    def enter(self, unit: str) -> None:
        """From now on the rows of another unit are seen: that of a member whose pool it is, say."""
        ...
