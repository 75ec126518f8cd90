"""The keys in Redis. All keys of a unit share a hash tag, so that in a cluster they are on one server."""

from __future__ import annotations

import zlib
from typing import NamedTuple
from urllib.parse import quote

SHARDS = 64
"""Hashes that the names of all units are spread over, so that in a cluster no server has to hold them all."""

_NAMELESS = "%"


class UnitKeys(NamedTuple):
    """The keys of one unit."""

    head: str
    """A hash: revision, note, token of the last commit, number of rows."""
    rows: str
    """A hash: every row by table and key."""
    log: str
    """A stream: which rows each revision changed, and its token."""


class Keys:
    """Names keys.

    >>> Keys("recollect").of("o:ann b").rows
    'recollect:{o:ann%20b}:rows'
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.news = f"{prefix}:news"
        self.units = [f"{prefix}:units:{shard}" for shard in range(SHARDS)]

    def of(self, unit: str) -> UnitKeys:
        """The keys of a unit. A tag must neither be empty nor contain a brace: either would part the keys."""
        tag = f"{self._prefix}:{{{quote(unit, safe=':@+=,') or _NAMELESS}}}"
        return UnitKeys(f"{tag}:head", f"{tag}:rows", f"{tag}:log")

    def units_with(self, unit: str) -> str:
        """The hash that has a unit's name."""
        return self.units[zlib.crc32(unit.encode()) % SHARDS]
