"""The baseline: the minimum that a program with raw redis-py has to do for the same result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from redis import Redis
from redis.asyncio import BlockingConnectionPool
from redis.asyncio import Redis as AsyncRedis

from benchmarks.store.bare_sqlite import new_id
from keepsaid.storage.redis.options import RedisOptions

Fields = dict[str, Any]


class BareRedis:
    """A hash for each message, and a stream with their order; both are written in one transaction."""

    def __init__(self, url: str, name: str) -> None:
        self._client = connect_redis(url)
        self._name = name

    def append(self, texts: Sequence[str]) -> None:
        """Save messages one by one."""
        for text in texts:
            self._save([text])

    def append_batch(self, texts: Sequence[str]) -> None:
        """Save messages in one transaction."""
        self._save(texts)

    def _save(self, texts: Sequence[str]) -> None:
        client: Any = self._client  # redis-py's own types are not whole
        with client.pipeline(transaction=True) as together:
            for text in texts:
                _queue(together, self._name, "s1", text)
            together.execute()

    def last(self, count: int) -> list[str]:
        """Return the last texts, in order."""
        found: Any = self._client.xrevrange(f"{self._name}:bare:s1", count=count)
        return [fields[b"content"].decode() for _, fields in found[::-1]]

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()


class AsyncBareRedis:
    """The same keys for an event loop, with a pool of connections."""

    def __init__(self, url: str, name: str, connections: int) -> None:
        self._name = name
        self._client = AsyncRedis(
            connection_pool=BlockingConnectionPool(max_connections=connections, timeout=60, **_options(url))
        )

    async def open(self) -> None:
        """Do nothing: connections are opened on first use."""

    async def append(self, caller: int, number: int, text: str) -> None:
        """Save one message."""
        async with self._client.pipeline(transaction=True) as together:
            _queue(together, self._name, f"s{caller}", text)
            await together.execute()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()
        await self._client.connection_pool.disconnect()


def connect_redis(url: str) -> Redis:
    """Create a client for the server of a URL."""
    return Redis(**_options(url))


def _options(url: str) -> Fields:
    options = RedisOptions.parse(url)
    (host, port), *_ = options.nodes
    return {
        "host": host,
        "port": port,
        "db": options.db,
        "username": options.username,
        "password": options.password,
        "protocol": 2,
    }


def _queue(together: Any, name: str, session: str, text: str) -> None:
    id = new_id()
    fields: Fields = {"session": session, "role": "user", "content": text, "created_at": time.time()}
    together.hset(f"{name}:bare:{id}", mapping=fields)
    together.xadd(f"{name}:bare:{session}", {"id": id, "content": text})
