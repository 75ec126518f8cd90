"""Both sides of a comparison on a server: our store, and the bare driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import keepsaid
from benchmarks.store.temporary_store import TemporaryStore
from keepsaid.memory import Memory

STORE_OPTIONS: dict[str, Any] = {
    "embedder": "off", "background": False, "key": None, "key_file": None, "replica_folder": None, "tokenizer": "",
}  # fmt: skip
"""The options of a measured store, independent of the user's settings."""


class BareDriver(Protocol):
    """The bare driver."""

    def append(self, texts: Sequence[str]) -> None: ...
    def append_batch(self, texts: Sequence[str]) -> None: ...
    def last(self, count: int) -> list[str]: ...
    def close(self) -> None: ...


class AsyncBareDriver(Protocol):
    """The bare driver, for an event loop."""

    async def open(self) -> None: ...
    async def append(self, caller: int, number: int, text: str) -> None: ...
    async def close(self) -> None: ...


def open_store(url: str, **options: Any) -> Memory:
    """Open our store at a URL."""
    return keepsaid.open(url, **(STORE_OPTIONS | options))


def open_bare_driver(place: TemporaryStore) -> BareDriver:
    """Open the bare driver; the store must exist."""
    if place.is_postgres:
        from benchmarks.store.bare_postgres import BarePostgres

        return BarePostgres(place.url, place.name)
    from benchmarks.store.bare_redis import BareRedis

    return BareRedis(place.url, place.name)


def open_async_bare_driver(place: TemporaryStore, url: str, connections: int) -> AsyncBareDriver:
    """Open the bare driver for an event loop, by another URL of the store, with a pool of connections."""
    if place.is_postgres:
        from benchmarks.store.bare_postgres import AsyncBarePostgres

        return AsyncBarePostgres(url, place.name, connections)
    from benchmarks.store.bare_redis import AsyncBareRedis

    return AsyncBareRedis(url, place.name, connections)


def max_connections(place: TemporaryStore) -> int:
    """The maximum connections of our store: the bare driver gets as many."""
    if place.is_postgres:
        from keepsaid.storage.postgres import parse_source_url

        return parse_source_url(place.url).connections
    from keepsaid.storage.redis.options import RedisOptions

    return RedisOptions.parse(place.url).connections
