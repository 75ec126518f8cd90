"""Reading a unit: in one step if it is small, and otherwise in pieces that add up to one moment.

A piece may be of any time after the first look. What changed meanwhile is read behind them, in a last step that is of one
moment, and replaces what the pieces had of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from recollect.errors import StoreBusy, StoreCorrupt
from recollect.storage.mirror.ledger import BEGINNING, Point
from recollect.storage.redis.calls import Calls
from recollect.storage.redis.keys import UnitKeys
from recollect.storage.redis.scripts import CHANGED, LOAD, MISSING, TOO_MANY, TOO_MANY_CHANGED, WHOLE

MOST = 2000
"""Rows that are read in one step; others wait for Redis meanwhile."""

PIECE = 500
ROUNDS = 50


class Loaded(NamedTuple):
    """The rows of a unit by their names, as Redis has them; None for those that are gone."""

    point: Point
    note: bytes
    rows: dict[bytes, bytes | None]
    whole: bool


class _Look(NamedTuple):
    point: Point
    note: bytes
    number: int
    what: bytes
    names: list[bytes]
    values: list[bytes | None]


def load(calls: Calls, keys: UnitKeys, since: Point) -> Loaded:
    """What came since a point, or all if that is not known."""
    at, whole = since, False
    rows: dict[bytes, bytes | None] = {}
    for _ in range(ROUNDS):
        found = _look(calls, keys, at)
        if found.what in (WHOLE, TOO_MANY):
            rows, whole = {}, True
        rows |= _pieces(calls, keys, found)
        if found.what in (CHANGED, WHOLE):
            if not whole:
                return Loaded(found.point, found.note, rows, False)
            rows = {name: value for name, value in rows.items() if value is not None}
            # Redis walks through a hash in an order of its own, which another server that took over does not know.
            if len(rows) == found.number:
                return Loaded(found.point, found.note, rows, True)
            at = BEGINNING
        else:
            at = found.point
    raise StoreBusy("others changed so much meanwhile that it could not be read: try again")


def _look(calls: Calls, keys: UnitKeys, since: Point) -> _Look:
    revision, note, token, number, what, names, values = calls.run(LOAD, keys, (*since, MOST))
    if what == MISSING:
        raise StoreCorrupt(f"rows of {keys.rows} are gone that nobody took away: has Redis evicted them, or somebody else?")
    return _Look(Point(int(revision), token.decode()), note, number, what, names, values)


def _pieces(calls: Calls, keys: UnitKeys, found: _Look) -> dict[bytes, bytes | None]:
    if found.what == TOO_MANY:
        return _all(calls, keys)
    if found.what != TOO_MANY_CHANGED:
        return dict(zip(found.names, found.values, strict=True))
    rows: dict[bytes, bytes | None] = {}
    for start in range(0, len(found.names), PIECE):
        names = found.names[start : start + PIECE]
        rows.update(zip(names, calls.read(keys.rows, "HMGET", *names), strict=True))
    return rows


def _all(calls: Calls, keys: UnitKeys) -> dict[bytes, bytes | None]:
    rows: dict[bytes, bytes | None] = {}
    cursor: Any = 0
    while True:
        cursor, some = calls.read(keys.rows, "HSCAN", cursor, "COUNT", PIECE)
        rows.update(some)
        if not int(cursor):
            return rows
