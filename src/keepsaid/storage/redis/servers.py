"""Routing of keys to servers: a single server, or those of a cluster."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from typing import Any, Protocol, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool, SSLConnection
from redis.crc import key_slot
from redis.exceptions import RedisError
from redis.retry import Retry

from keepsaid.storage.redis.options import RedisAddress, RedisOptions

RedisCommand = Sequence[Any]


class RedisPipeline(Protocol):
    """The part of a redis-py pipeline that is used."""

    def execute_command(self, *command: Any) -> Any: ...
    def execute(self, raise_on_error: bool = True) -> list[Any]: ...
    def reset(self) -> None: ...


class RedisServer(Protocol):
    """The part of a redis-py client that is used."""

    def pipeline(self, transaction: bool = True) -> RedisPipeline: ...
    def close(self) -> None: ...


class RedisServerRouter(Protocol):
    """Finds the server of a key."""

    def server_for_key(self, key: str) -> RedisServer:
        """The server that has a key, according to the current slot map."""
        ...

    def server_at(self, address: RedisAddress) -> RedisServer:
        """The server at an address."""
        ...

    def all_servers(self) -> list[RedisServer]:
        """All servers that have keys."""
        ...

    @property
    def map_version(self) -> int:
        """How often the slot map was refreshed."""
        ...

    def refresh_map(self, knowledge: int) -> None:
        """Refresh the slot map, unless it is newer than this version."""
        ...

    def close(self) -> None:
        """Release all connections."""
        ...


def send_commands(server: RedisServer, commands: Sequence[RedisCommand], *, asking: bool = False) -> list[Any]:
    """Send commands on one connection in one round trip, and return their answers. Raise the first error.

    Use `asking` for a server that is just taking over the key.
    """
    pipeline = server.pipeline(transaction=False)
    try:
        for command in commands:
            if asking:
                pipeline.execute_command("ASKING")
            pipeline.execute_command(*command)
        answers = pipeline.execute(raise_on_error=False)
    finally:
        pipeline.reset()
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers[1::2] if asking else answers


def connect_server(address: RedisAddress, options: RedisOptions) -> RedisServer:
    """Create a client for one server, without connecting yet. It never retries: only the caller knows what is safe to
    repeat."""
    tls: dict[str, Any] = {}
    if options.tls:
        tls = {
            "connection_class": SSLConnection,
            "ssl_ca_certs": options.tls_ca,
            "ssl_certfile": options.tls_cert,
            "ssl_keyfile": options.tls_key,
        }
    pool = BlockingConnectionPool(
        max_connections=options.connections,
        timeout=cast("int", options.timeout),
        host=address[0],
        port=address[1],
        db=options.db,
        username=options.username,
        password=options.password,
        socket_timeout=options.timeout,
        socket_connect_timeout=options.timeout,
        protocol=options.protocol,
        retry=Retry(NoBackoff(), 0),
        **tls,
    )
    return cast("RedisServer", Redis.from_pool(pool))


class SingleServerRouter:
    """Routes all keys to one server."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._server = connect_server(options.nodes[0], options)
        self.map_version = 0

    def server_for_key(self, key: str) -> RedisServer:
        """The only server."""
        return self._server

    def server_at(self, address: RedisAddress) -> RedisServer:
        """The only server."""
        return self._server

    def all_servers(self) -> list[RedisServer]:
        """The only server."""
        return [self._server]

    def refresh_map(self, knowledge: int) -> None:
        """Reconnect: the host name may now refer to another server. Connections in use are closed after use."""
        with self._lock:
            if self.map_version == knowledge:
                self._server = connect_server(self._options.nodes[0], self._options)
                self.map_version += 1

    def close(self) -> None:
        """Release all connections."""
        self._server.close()


class ClusterServerRouter:
    """Routes keys to the servers of a cluster by its slot map."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        self._servers: dict[RedisAddress, RedisServer] = {}
        self._slots: dict[int, RedisAddress] = {}
        self.map_version = 0

    def server_for_key(self, key: str) -> RedisServer:
        """The server that has a key, according to the current slot map."""
        if not self._slots:
            self.refresh_map(0)
        address = self._slots.get(key_slot(key.encode()))
        if address is None:
            raise RedisError(f"CLUSTERDOWN no server has the slot of {key}")
        return self.server_at(address)

    def server_at(self, address: RedisAddress) -> RedisServer:
        """The server at an address."""
        with self._lock:
            if address not in self._servers:
                self._servers[address] = connect_server(address, self._options)
            return self._servers[address]

    def all_servers(self) -> list[RedisServer]:
        """All servers that have keys."""
        if not self._slots:
            self.refresh_map(0)
        return [self.server_at(address) for address in sorted(set(self._slots.values()))]

    def refresh_map(self, knowledge: int) -> None:
        """Refresh the slot map from any server, unless it is newer than this version."""
        with self._refreshing:
            if self.map_version != knowledge:
                return
            known = list(dict.fromkeys([*self._slots.values(), *self._options.nodes]))
            random.shuffle(known)
            self._slots = self._fetch_slots(known)
            self.map_version += 1

    def _fetch_slots(self, known: Sequence[RedisAddress]) -> dict[int, RedisAddress]:
        failed: Exception = RedisError("there is no server to query")
        for address in known:
            try:
                (ranges,) = send_commands(self.server_at(address), [("CLUSTER", "SLOTS")])
                return _slots(ranges, address[0])
            except (RedisError, OSError) as error:
                failed = error
        raise failed

    def close(self) -> None:
        """Release all connections."""
        with self._lock:
            for server in self._servers.values():
                server.close()


def _slots(ranges: Any, asked: str) -> dict[int, RedisAddress]:
    """Build the slot map. A server that does not know its own host name gets the one that was used to query it."""
    found: dict[int, RedisAddress] = {}
    for first, last, primary, *_ in ranges:
        host = primary[0].decode() if isinstance(primary[0], bytes) else primary[0]
        for slot in range(int(first), int(last) + 1):
            found[slot] = (host or asked, int(primary[1]))
    return found
