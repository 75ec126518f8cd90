"""Both sides of a measurement on a server: our store, and the bare driver in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import recollect
from recollect.bench.places import Place
from recollect.memory import Memory

OURS: dict[str, Any] = {
    "embedder": "off", "background": False, "key": None, "key_file": None, "mirror_folder": None, "tokenizer": "",
}  # fmt: skip
"""How a store is opened for measuring, whatever the environment says about the user's own."""


class Bare(Protocol):
    """The bare driver."""

    def append(self, texts: Sequence[str]) -> None: ...
    def append_batch(self, texts: Sequence[str]) -> None: ...
    def last(self, count: int) -> list[str]: ...
    def close(self) -> None: ...


class AsyncBare(Protocol):
    """The bare driver, from an event loop."""

    async def open(self) -> None: ...
    async def append(self, caller: int, number: int, text: str) -> None: ...
    async def close(self) -> None: ...


def open_store(url: str, **options: Any) -> Memory:
    """Our store at a URL."""
    return recollect.open(url, **(OURS | options))


def bare(place: Place) -> Bare:
    """The bare driver; the store must be there."""
    if place.is_postgres:
        from recollect.bench.bare_postgres import BarePostgres

        return BarePostgres(place.url, place.name)
    from recollect.bench.bare_redis import BareRedis

    return BareRedis(place.url, place.name)


def async_bare(place: Place, url: str, connections: int) -> AsyncBare:
    """The same for an event loop, by another URL of the place, with so many connections."""
    if place.is_postgres:
        from recollect.bench.bare_postgres import AsyncBarePostgres

        return AsyncBarePostgres(url, place.name, connections)
    from recollect.bench.bare_redis import AsyncBareRedis

    return AsyncBareRedis(url, place.name, connections)


def connections_of(place: Place) -> int:
    """The most connections that our store opens: the bare driver gets as many."""
    if place.is_postgres:
        from recollect.storage.postgres import source_of

        return source_of(place.url).connections
    from recollect.storage.redis.options import RedisOptions

    return RedisOptions.parse(place.url).connections
