"""What is known of a unit without asking: the point it is at, and where its sessions are. It is only right at that point."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.storage.firestore.documents import Own
from recollect.storage.mirror.ledger import BEGINNING, Columns, Point, Row

KEPT = 1000
"""Units of which something is remembered."""


class Place(NamedTuple):
    """Where a session is: the id of its document. The session's own id may differ, or have been taken from it since."""

    document: str
    id: str
    status: int
    own: Own = None


@dataclass(slots=True)
class Atlas:
    """One unit's. Numbers are those that the rows have in their columns."""

    point: Point = BEGINNING
    time: Any = None
    """When the header was written; None if there is none."""
    complete: bool = True
    """Whether all sessions are known, as those of a unit that never was."""
    sessions: dict[int, Place | None] = field(default_factory=dict[int, Place | None])
    """None for one that is a row like any other."""
    branches: dict[int, int] = field(default_factory=dict[int, int])
    """The session of each."""
    kinds: dict[int, int] = field(default_factory=dict[int, int])
    """Of owners, pools and shelves."""

    def copy(self, point: Point, time: Any) -> Atlas:
        """One for another point, to be brought up to it."""
        return Atlas(point, time, self.complete, dict(self.sessions), dict(self.branches), dict(self.kinds))

    def learn(self, rows: Iterable[Row]) -> None:
        """Takes note of rows that are not sessions."""
        for row in rows:
            kept = {"branches": self.branches, "owners": self.kinds}.get(row.table)
            if kept is None or not row.key.isdecimal():
                continue
            value = whole(row.columns, "session" if row.table == "branches" else "kind")
            if value is None:
                kept.pop(int(row.key), None)
            else:
                kept[int(row.key)] = value


def whole(columns: Columns | None, name: str) -> int | None:
    """A column's whole number, if it has one."""
    value = columns.get(name) if columns else None
    return value if isinstance(value, int) else None


def text(columns: Columns | None, name: str) -> str | None:
    """A column's text, if it has one."""
    value = columns.get(name) if columns else None
    return value if isinstance(value, str) else None


class Atlases:
    """Those of the units that were used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Atlas] = OrderedDict()

    def of(self, unit: str) -> Atlas:
        """A unit's, which is empty if nothing is known of it."""
        with self._lock:
            atlas = self._known.get(unit)
            if atlas is None:
                return Atlas()
            self._known.move_to_end(unit)
            return atlas

    def keep(self, unit: str, atlas: Atlas, before: Atlas) -> None:
        """Remembers one instead of the one before, or of an older one that somebody else remembered meanwhile. One that is
        kept is never changed, so that whoever works with it has one moment's."""
        with self._lock:
            there = self._known.get(unit, before)
            # The one before may be of a higher revision, where the place has lost its newest commits.
            if there is before or atlas.point.revision >= there.point.revision:
                self._known[unit] = atlas
                self._known.move_to_end(unit)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)

    def forget(self, unit: str) -> None:
        """Knows nothing of a unit any more."""
        with self._lock:
            self._known.pop(unit, None)
