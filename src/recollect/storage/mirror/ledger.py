"""The ledger: where the rows are at home. To bring a place of your own, implement `Ledger`; nothing else is needed.

A ledger knows nothing of conversations. It keeps units (an owner with all that is his, a pool, the store itself), each a set
of rows with a revision. What changes a unit names the revision it was computed from and is refused at any other: so whatever
a process computes from its mirror is computed from the truth, or not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Value = int | float | str | bytes | None
Columns = Mapping[str, Value]


class Row(NamedTuple):
    """A row of a unit: its table, its key within the table, and its columns; None instead of them when it is gone.

    Keys are short and printable, without a space or a slash, and unique within unit and table.
    """

    table: str
    key: str
    columns: Columns | None


class Point(NamedTuple):
    """A point in a unit's life: its revision, and the token of the commit that made it. A place that lost its newest commits
    gives their revisions out again; the tokens tell them apart."""

    revision: int = 0
    token: str = ""


BEGINNING = Point()
"""The point of a unit that never was."""


class Header(NamedTuple):
    """What a unit says of itself without being read: the point it is at, and a note (plain JSON, some hundred bytes)."""

    point: Point = BEGINNING
    note: Mapping[str, Any] = {}


class Delta(NamedTuple):
    """What came since a point, each row once, in its newest state. With `whole`, these are all rows there are: whoever
    asked must forget what he had."""

    header: Header
    rows: Sequence[Row]
    whole: bool


class Ledger(Protocol):
    """Keeps units. Every method may be called from any thread.

    A place that cannot be reached, or does not answer in time, is a `StoreUnavailable`; nothing is retried in here but
    what is safe to be done twice.
    """

    @property
    def largest_message(self) -> int:
        """The most bytes of text, parts and metadata that one message may have."""
        ...

    def headers(self, units: Sequence[str]) -> list[Header]:
        """The header of each unit, in one round trip if the place allows; an empty one for a unit that never was."""
        ...

    def load(self, unit: str, since: Point) -> Delta:
        """The rows that changed behind a point, all of one moment. `BEGINNING` asks for all; a ledger that does not know the
        point, because it was long ago or was never there, gives all, too."""
        ...

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Makes the next point of `after` in one atomic step, the one with this token; False, and nothing is kept, if the
        unit is not at `after`.

        When this returns, the change is as safe as the place makes it. The token is kept as long as the point is known to
        `load`: the same commit sent again, because its answer was lost, finds its token and is True.
        """
        ...

    def units(self) -> Iterable[tuple[str, Header]]:
        """Every unit with its header, for the few works that go across owners. A unit is listed before its first commit is
        acknowledged, and from then on."""
        ...

    def stamp(self) -> object:
        """A cheap value that differs, soon, after anything was committed by any process."""
        ...

    def warnings(self) -> Sequence[str]:
        """What whoever runs the place should know, such as that nothing of it is kept on a disk."""
        ...

    def on_news(self, call: Callable[[], None]) -> None:
        """Asks to be called when other processes have committed something, if the place can tell."""
        ...

    def close(self) -> None:
        """Gives back connections; safe to call twice."""
        ...
