"""Cached knowledge about a partition: its point, and the documents of its sessions. It is valid only at that point."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from keepsaid.storage.firestore.documents import WritableFields
from keepsaid.storage.replica.ledger import BEGINNING, Columns, LedgerPoint, LedgerRow

KEPT = 1000
"""The most partitions that are cached."""


class SessionLocation(NamedTuple):
    """The document of a session. The session's own id may differ from the document's id, or may have been removed since."""

    document: str
    id: str
    status: int
    own: WritableFields = None


@dataclass(slots=True)
class DocumentCache:
    """The cache of one partition. Numbers are those in the columns of its rows."""

    point: LedgerPoint = BEGINNING
    time: Any = None
    """When the header was last written; None if there is none."""
    complete: bool = True
    """Whether all sessions are known, as they are for a partition without commits."""
    sessions: dict[int, SessionLocation | None] = field(default_factory=dict[int, SessionLocation | None])
    """None for a session that is stored as a plain row."""
    branches: dict[int, int] = field(default_factory=dict[int, int])
    """The session of each branch."""
    kinds: dict[int, int] = field(default_factory=dict[int, int])
    """The kind of each owner, pool and document space."""

    def copy(self, point: LedgerPoint, time: Any) -> DocumentCache:
        """Copy the cache for another point, to be updated to it."""
        return DocumentCache(point, time, self.complete, dict(self.sessions), dict(self.branches), dict(self.kinds))

    def learn(self, rows: Iterable[LedgerRow]) -> None:
        """Record rows of branches and owners."""
        for row in rows:
            kept = {"branches": self.branches, "owners": self.kinds}.get(row.table)
            if kept is None or not row.key.isdecimal():
                continue
            value = integer_column(row.columns, "session" if row.table == "branches" else "kind")
            if value is None:
                kept.pop(int(row.key), None)
            else:
                kept[int(row.key)] = value


def integer_column(columns: Columns | None, name: str) -> int | None:
    """A column's value if it is an integer."""
    value = columns.get(name) if columns else None
    return value if isinstance(value, int) else None


def text_column(columns: Columns | None, name: str) -> str | None:
    """A column's value if it is text."""
    value = columns.get(name) if columns else None
    return value if isinstance(value, str) else None


class DocumentCacheRegistry:
    """The caches of the most recently used partitions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._caches: OrderedDict[str, DocumentCache] = OrderedDict()

    def get(self, partition: str) -> DocumentCache:
        """The cache of a partition; an empty one if nothing is known."""
        with self._lock:
            cache = self._caches.get(partition)
            if cache is None:
                return DocumentCache()
            self._caches.move_to_end(partition)
            return cache

    def keep(self, partition: str, cache: DocumentCache, before: DocumentCache) -> None:
        """Replace the previous cache, or an older one that another thread stored in the meantime. A stored cache is never
        changed, so its users see one consistent state."""
        with self._lock:
            there = self._caches.get(partition, before)
            # The previous one may have a higher revision, if the database lost its newest commits.
            if there is before or cache.point.revision >= there.point.revision:
                self._caches[partition] = cache
                self._caches.move_to_end(partition)
            if len(self._caches) > KEPT:
                self._caches.popitem(last=False)

    def forget(self, partition: str) -> None:
        """Drop the cache of a partition."""
        with self._lock:
            self._caches.pop(partition, None)
