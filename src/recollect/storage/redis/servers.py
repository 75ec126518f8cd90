"""The servers: which of them has a key. One, or those of a cluster."""

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

from recollect.storage.redis.options import Address, RedisOptions

Command = Sequence[Any]


class Pipeline(Protocol):
    """What we use of a pipeline of redis-py."""

    def execute_command(self, *command: Any) -> Any: ...
    def execute(self, raise_on_error: bool = True) -> list[Any]: ...
    def reset(self) -> None: ...


class Server(Protocol):
    """What we use of a client of redis-py."""

    def pipeline(self, transaction: bool = True) -> Pipeline: ...
    def close(self) -> None: ...


class Servers(Protocol):
    """Finds the server of a key."""

    def of(self, key: str) -> Server:
        """The one that has a key, as far as is known."""
        ...

    def at(self, address: Address) -> Server:
        """The one at an address."""
        ...

    def everyone(self) -> list[Server]:
        """All that have keys."""
        ...

    @property
    def knowledge(self) -> int:
        """How often it was learnt who has which keys."""
        ...

    def learn(self, knowledge: int) -> None:
        """Finds out anew who has which keys, unless somebody has since that many times."""
        ...

    def close(self) -> None:
        """Gives back all connections."""
        ...


def send(server: Server, commands: Sequence[Command], *, asking: bool = False) -> list[Any]:
    """Sends commands on one connection in one round trip, and returns their answers; the first error is raised.

    With `asking`, the server is one that is just taking over the key.
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


def connect(address: Address, options: RedisOptions) -> Server:
    """A client for one server; nothing is sent yet. It never tries twice: only its user knows what is safe to."""
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
    return cast("Server", Redis.from_pool(pool))


class OneServer:
    """A server that has all keys."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._server = connect(options.nodes[0], options)
        self.knowledge = 0

    def of(self, key: str) -> Server:
        """The one."""
        return self._server

    def at(self, address: Address) -> Server:
        """The one."""
        return self._server

    def everyone(self) -> list[Server]:
        """The one."""
        return [self._server]

    def learn(self, knowledge: int) -> None:
        """Connects anew: behind the same name there may be another server by now. Connections in use end with their use."""
        with self._lock:
            if self.knowledge == knowledge:
                self._server = connect(self._options.nodes[0], self._options)
                self.knowledge += 1

    def close(self) -> None:
        """Gives back all connections."""
        self._server.close()


class ClusterServers:
    """The servers of a cluster, and which of them has which slots."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._learning = threading.Lock()
        self._servers: dict[Address, Server] = {}
        self._slots: dict[int, Address] = {}
        self.knowledge = 0

    def of(self, key: str) -> Server:
        """The one that has a key, as far as is known."""
        if not self._slots:
            self.learn(0)
        address = self._slots.get(key_slot(key.encode()))
        if address is None:
            raise RedisError(f"CLUSTERDOWN no server has the slot of {key}")
        return self.at(address)

    def at(self, address: Address) -> Server:
        """The one at an address."""
        with self._lock:
            if address not in self._servers:
                self._servers[address] = connect(address, self._options)
            return self._servers[address]

    def everyone(self) -> list[Server]:
        """All that have keys."""
        if not self._slots:
            self.learn(0)
        return [self.at(address) for address in sorted(set(self._slots.values()))]

    def learn(self, knowledge: int) -> None:
        """Asks any server who has which slots, unless somebody has since."""
        with self._learning:
            if self.knowledge != knowledge:
                return
            known = list(dict.fromkeys([*self._slots.values(), *self._options.nodes]))
            random.shuffle(known)
            self._slots = self._asked(known)
            self.knowledge += 1

    def _asked(self, known: Sequence[Address]) -> dict[int, Address]:
        failed: Exception = RedisError("there is no server to ask")
        for address in known:
            try:
                (ranges,) = send(self.at(address), [("CLUSTER", "SLOTS")])
                return _slots(ranges, address[0])
            except (RedisError, OSError) as error:
                failed = error
        raise failed

    def close(self) -> None:
        """Gives back all connections."""
        with self._lock:
            for server in self._servers.values():
                server.close()


def _slots(ranges: Any, asked: str) -> dict[int, Address]:
    """Who has which slot; a server that does not know its own name has the one by which it was asked."""
    found: dict[int, Address] = {}
    for first, last, primary, *_ in ranges:
        host = primary[0].decode() if isinstance(primary[0], bytes) else primary[0]
        for slot in range(int(first), int(last) + 1):
            found[slot] = (host or asked, int(primary[1]))
    return found
