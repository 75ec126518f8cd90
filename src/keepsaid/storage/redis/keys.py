"""The keys in Redis. All keys of a partition share a hash tag, so that in a cluster they are on one server."""

from __future__ import annotations

import zlib
from typing import NamedTuple
from urllib.parse import quote

SHARDS = 64
"""Number of hashes that the partition names are spread over, so that in a cluster no server holds all of them."""

_NAMELESS = "%"


class RedisPartitionKeys(NamedTuple):
    """The keys of one partition."""

    head: str
    """A hash: revision, note, token of the last commit, number of rows."""
    rows: str
    """A hash: every row by table and key."""
    log: str
    """A stream: which rows each revision changed, and its token."""


class RedisKeys:
    """Builds keys.

    >>> RedisKeys("keepsaid").partition_keys("o:ann b").rows
    'keepsaid:{o:ann%20b}:rows'
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.commit_stream = f"{prefix}:commits"
        self.index_shards = [f"{prefix}:units:{shard}" for shard in range(SHARDS)]

    def partition_keys(self, partition: str) -> RedisPartitionKeys:
        """The keys of a partition. An empty hash tag, or one with a brace, would put them on different servers."""
        tag = f"{self._prefix}:{{{quote(partition, safe=':@+=,') or _NAMELESS}}}"
        return RedisPartitionKeys(f"{tag}:head", f"{tag}:rows", f"{tag}:log")

    def index_shard_for(self, partition: str) -> str:
        """The hash that lists a partition's name."""
        return self.index_shards[zlib.crc32(partition.encode()) % SHARDS]
