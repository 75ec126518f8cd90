"""Load a partition: in one step if it is small, and otherwise in pieces that are made consistent.

Each piece may be read at any time after the first step. A last, atomic step reads what changed in the meantime, and replaces
those rows of the pieces.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from keepsaid.errors import StoreBusy, StoreCorrupt
from keepsaid.storage.redis.keys import RedisPartitionKeys
from keepsaid.storage.redis.retrying_calls import RetryingRedisClient
from keepsaid.storage.redis.scripts import CHANGED, LOAD, MISSING, TOO_MANY, TOO_MANY_CHANGED, WHOLE
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint

MAX_ROWS_PER_STEP = 2000
"""Rows read in one step, which blocks Redis for other clients."""

ROWS_PER_PIECE = 500
ROUNDS = 50


class LoadedPartition(NamedTuple):
    """The rows of a partition by name, as Redis has them; None for removed rows."""

    point: LedgerPoint
    note: bytes
    rows: dict[bytes, bytes | None]
    whole: bool


class _LoadReply(NamedTuple):
    point: LedgerPoint
    note: bytes
    number: int
    what: bytes
    names: list[bytes]
    values: list[bytes | None]


def load_partition(calls: RetryingRedisClient, keys: RedisPartitionKeys, since: LedgerPoint) -> LoadedPartition:
    """Load the changes since a point, or all rows if the point is not known."""
    at, whole = since, False
    rows: dict[bytes, bytes | None] = {}
    for _ in range(ROUNDS):
        found = _load_step(calls, keys, at)
        if found.what in (WHOLE, TOO_MANY):
            rows, whole = {}, True
        rows |= _pieces(calls, keys, found)
        if found.what in (CHANGED, WHOLE):
            if not whole:
                return LoadedPartition(found.point, found.note, rows, False)
            rows = {name: value for name, value in rows.items() if value is not None}
            # A scan cursor is not valid on another server that took over, so rows may be missing.
            if len(rows) == found.number:
                return LoadedPartition(found.point, found.note, rows, True)
            at = BEGINNING
        else:
            at = found.point
    raise StoreBusy("other processes changed the data too fast for it to be read: try again")


def _load_step(calls: RetryingRedisClient, keys: RedisPartitionKeys, since: LedgerPoint) -> _LoadReply:
    revision, note, token, number, what, names, values = calls.run(LOAD, keys, (*since, MAX_ROWS_PER_STEP))
    if what == MISSING:
        raise StoreCorrupt(f"rows of {keys.rows} are missing that Keepsaid did not remove: has Redis evicted them?")
    return _LoadReply(LedgerPoint(int(revision), token.decode()), note, number, what, names, values)


def _pieces(calls: RetryingRedisClient, keys: RedisPartitionKeys, found: _LoadReply) -> dict[bytes, bytes | None]:
    if found.what == TOO_MANY:
        return _all(calls, keys)
    if found.what != TOO_MANY_CHANGED:
        return dict(zip(found.names, found.values, strict=True))
    rows: dict[bytes, bytes | None] = {}
    for start in range(0, len(found.names), ROWS_PER_PIECE):
        names = found.names[start : start + ROWS_PER_PIECE]
        rows.update(zip(names, calls.read(keys.rows, "HMGET", *names), strict=True))
    return rows


def _all(calls: RetryingRedisClient, keys: RedisPartitionKeys) -> dict[bytes, bytes | None]:
    rows: dict[bytes, bytes | None] = {}
    cursor: Any = 0
    while True:
        cursor, some = calls.read(keys.rows, "HSCAN", cursor, "COUNT", ROWS_PER_PIECE)
        rows.update(some)
        if not int(cursor):
            return rows
