"""The ledger in Redis: a unit is three keys, and a commit is one script."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.errors import StoreCorrupt
from recollect.storage.mirror.codec import decode, encode
from recollect.storage.mirror.ledger import BEGINNING, Delta, Header, Point, Row
from recollect.storage.redis import durability
from recollect.storage.redis.calls import Calls
from recollect.storage.redis.keys import Keys
from recollect.storage.redis.loading import Loaded, load
from recollect.storage.redis.names import field, unfield
from recollect.storage.redis.news import News
from recollect.storage.redis.options import RedisOptions
from recollect.storage.redis.scripts import COMMIT, DAMAGED, KEPT

LISTED = 500
"""Headers that are asked for at once."""

DAY = 86_400


class RedisLedger:
    """Keeps units in a Redis, or in a Redis Cluster; what of it survives what is in docs/redis.md."""

    largest_message = 16 * 1024 * 1024

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._keys = Keys(options.prefix)
        self._calls = Calls(options)
        self._who = secrets.token_hex(8)
        self._news = News(self._calls, self._keys.news, self._who, apart=options.cluster)
        try:
            self._warnings = self._checked()
        except BaseException:
            self._calls.close()
            raise

    @classmethod
    def open(cls, url: str) -> RedisLedger:
        """Opens the ledger that a URL names."""
        return cls(RedisOptions.parse(url))

    def headers(self, units: Sequence[str]) -> list[Header]:
        """The header of each unit; one round trip for each server that has some of them."""
        if not units:
            return []
        answers = self._calls.read_each([("HMGET", self._keys.of(unit).head, "revision", "token", "note") for unit in units])
        return [_header(*answer) for answer in answers]

    def load(self, unit: str, since: Point) -> Delta:
        """The rows that changed behind a point, or all."""
        return _delta(load(self._calls, self._keys.of(unit), since))

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Makes the next point of `after`, if the unit is there."""
        if after == BEGINNING:
            # Not a set: to add a name once more would be no change, for which no replica can be waited for.
            self._calls.write(self._keys.units_with(unit), "HSET", unit, 1)
        kept = self._calls.run_change(COMMIT, self._commit_keys(unit), self._commit_arguments(after, rows, note, token))
        if kept == DAMAGED:
            raise StoreCorrupt(f"rows of {unit} are gone that nobody took away: has Redis evicted them?")
        if kept == KEPT:
            self._news.tell()
        return kept == KEPT

    def _commit_keys(self, unit: str) -> list[str]:
        return [*self._keys.of(unit), *([] if self._options.cluster else [self._keys.news])]

    def _commit_arguments(
        self, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str
    ) -> list[str | bytes | int]:
        newest = {field(row.table, row.key): row.columns for row in rows}
        gone = [name for name, columns in newest.items() if columns is None]
        arguments: list[str | bytes | int] = [
            *after,
            token,
            json.dumps(note, ensure_ascii=False, separators=(",", ":")),
            self._options.log,
            int((self._options.expire_days or 0) * DAY),
            self._who,
            "\n".join(newest),
            len(gone),
            *gone,
        ]
        for name, columns in newest.items():
            if columns is not None:
                arguments += (name, encode(columns))
        return arguments

    def units(self) -> Iterator[tuple[str, Header]]:
        """Every unit with its header. A unit whose first commit was not kept has none, and is not there."""
        shards = self._calls.read_each([("HKEYS", key) for key in self._keys.units])
        names = [name.decode() for shard in shards for name in shard]
        for start in range(0, len(names), LISTED):
            some = names[start : start + LISTED]
            yield from ((name, header) for name, header in zip(some, self.headers(some), strict=True) if header != Header())

    def stamp(self) -> object:
        """The newest of the news."""
        return self._news.stamp()

    def warnings(self) -> Sequence[str]:
        """What was found when it was opened."""
        return self._warnings

    def on_news(self, call: Callable[[], None]) -> None:
        """Calls, in a thread of its own, after commits of others."""
        self._news.listen(call)

    def close(self) -> None:
        """Gives back connections, and ends what waits."""
        self._calls.stop()
        self._news.close()
        self._calls.close()

    def _checked(self) -> list[str]:
        found: dict[str, None] = {}
        for about in self._calls.each_server(durability.ask):
            durability.check(about, self._options)
            found |= dict.fromkeys(durability.warnings(about, self._options))
        return list(found)


def _header(revision: bytes | None, token: bytes | None, note: bytes | None) -> Header:
    return Header(Point(int(revision), (token or b"").decode()), json.loads(note or b"{}")) if revision else Header()


def _delta(loaded: Loaded) -> Delta:
    rows = [Row(*unfield(name), None if value is None else decode(value)) for name, value in loaded.rows.items()]
    return Delta(Header(loaded.point, json.loads(loaded.note)), rows, loaded.whole)
