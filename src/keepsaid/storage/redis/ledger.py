"""The ledger in Redis: a partition is three keys, and a commit is one script."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from keepsaid.errors import StoreCorrupt
from keepsaid.storage.redis import durability
from keepsaid.storage.redis.keys import RedisKeys
from keepsaid.storage.redis.loading import LoadedPartition, load_partition
from keepsaid.storage.redis.notifications import RedisCommitNotifier
from keepsaid.storage.redis.options import RedisOptions
from keepsaid.storage.redis.retrying_calls import RetryingRedisClient
from keepsaid.storage.redis.row_fields import parse_row_field, row_field
from keepsaid.storage.redis.scripts import COMMIT, COMMITTED, DAMAGED
from keepsaid.storage.replica.codec import decode, encode
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint, LedgerRow, PartitionDelta, PartitionHeader

LISTED = 500
"""Headers read at once."""

DAY = 86_400


class RedisLedger:
    """Keeps partitions in Redis or Redis Cluster. docs/redis.md says which failures the data survives."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._keys = RedisKeys(options.prefix)
        self._calls = RetryingRedisClient(options)
        self._writer_id = secrets.token_hex(8)
        self._notifications = RedisCommitNotifier(
            self._calls, self._keys.commit_stream, self._writer_id, apart=options.cluster
        )
        try:
            self._warnings = self._check_servers()
        except BaseException:
            self._calls.close()
            raise

    @classmethod
    def open(cls, url: str) -> RedisLedger:
        """Open the ledger at a URL."""
        return cls(RedisOptions.parse(url))

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        """The header of each partition, in one round trip for each server involved."""
        if not partitions:
            return []
        answers = self._calls.read_each(
            [("HMGET", self._keys.partition_keys(partition).head, "revision", "token", "note") for partition in partitions]
        )
        return [_header(*answer) for answer in answers]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        """Load the rows that changed after a point, or all rows."""
        return _delta(load_partition(self._calls, self._keys.partition_keys(partition), since))

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit the rows as the point after `after`, if the partition is at `after`."""
        if after == BEGINNING:
            # Not a set: adding a name again changes nothing there, and WAIT needs a change to wait for.
            self._calls.write(self._keys.index_shard_for(partition), "HSET", partition, 1)
        kept = self._calls.run_change(COMMIT, self._commit_keys(partition), self._commit_arguments(after, rows, note, token))
        if kept == DAMAGED:
            raise StoreCorrupt(f"rows of {partition} are missing that Keepsaid did not remove: has Redis evicted them?")
        if kept == COMMITTED:
            self._notifications.announce()
        return kept == COMMITTED

    def _commit_keys(self, partition: str) -> list[str]:
        return [*self._keys.partition_keys(partition), *([] if self._options.cluster else [self._keys.commit_stream])]

    def _commit_arguments(
        self, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> list[str | bytes | int]:
        newest = {row_field(row.table, row.key): row.columns for row in rows}
        gone = [name for name, columns in newest.items() if columns is None]
        arguments: list[str | bytes | int] = [
            *after,
            token,
            json.dumps(note, ensure_ascii=False, separators=(",", ":")),
            self._options.log,
            int((self._options.expire_days or 0) * DAY),
            self._writer_id,
            "\n".join(newest),
            len(gone),
            *gone,
        ]
        for name, columns in newest.items():
            if columns is not None:
                arguments += (name, encode(columns))
        return arguments

    def list_partitions(self) -> Iterator[tuple[str, PartitionHeader]]:
        """Every partition with its header, except those whose first commit failed."""
        shards = self._calls.read_each([("HKEYS", key) for key in self._keys.index_shards])
        names = [name.decode() for shard in shards for name in shard]
        for start in range(0, len(names), LISTED):
            some = names[start : start + LISTED]
            yield from (
                (name, header) for name, header in zip(some, self.headers(some), strict=True) if header != PartitionHeader()
            )

    def stamp(self) -> object:
        """The newest commit announcement."""
        return self._notifications.stamp()

    def warnings(self) -> Sequence[str]:
        """The warnings found when the ledger was opened."""
        return self._warnings

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        """Register a callback for commits of other processes. It runs in a background thread."""
        self._notifications.listen(call)

    def close(self) -> None:
        """End waiting calls and release connections."""
        self._calls.stop()
        self._notifications.close()
        self._calls.close()

    def _check_servers(self) -> list[str]:
        found: dict[str, None] = {}
        for about in self._calls.each_server(durability.inspect_server):
            durability.check_supported(about, self._options)
            found |= dict.fromkeys(durability.durability_warnings(about, self._options))
        return list(found)


def _header(revision: bytes | None, token: bytes | None, note: bytes | None) -> PartitionHeader:
    return (
        PartitionHeader(LedgerPoint(int(revision), (token or b"").decode()), json.loads(note or b"{}"))
        if revision
        else PartitionHeader()
    )


def _delta(loaded: LoadedPartition) -> PartitionDelta:
    rows = [
        LedgerRow(*parse_row_field(name), None if value is None else decode(value)) for name, value in loaded.rows.items()
    ]
    return PartitionDelta(PartitionHeader(loaded.point, json.loads(loaded.note)), rows, loaded.whole)
