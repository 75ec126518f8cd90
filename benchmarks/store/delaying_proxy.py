"""A proxy to a server that adds latency and counts round trips.

`python -m benchmarks.store.delaying_proxy MILLISECONDS ADDRESS` prints its port first and ends with its standard input. In a
separate process, it takes no CPU time from the measured one.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

CHUNK = 1 << 16


class HostAddress(NamedTuple):
    """The address of a server: a host and a port, or the path of a socket without a port.

    >>> str(HostAddress("localhost", 5432)), str(HostAddress("/run/pg/.s.PGSQL.5432"))
    ('localhost:5432', '/run/pg/.s.PGSQL.5432')
    """

    host: str
    port: int = 0

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    @classmethod
    def parse(cls, text: str) -> HostAddress:
        """Parse the result of `str`.

        >>> HostAddress.parse("::1:6379")
        HostAddress(host='::1', port=6379)
        """
        host, _, port = text.rpartition(":")
        return cls(text) if text.startswith("/") else cls(host, int(port))


class DelayingProxy:
    """Forwards data between callers and a server, in each direction after half of the delay."""

    def __init__(self, target: HostAddress, delay: float) -> None:
        self._target = target
        self._half = delay / 2
        self._server: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()
        self.trips = 0
        """The number of round trips: how often a caller sent data first, or after an answer. Pipelined data counts once."""

    async def open(self) -> int:
        """Start listening. Return the port to connect to."""
        self._server = await asyncio.start_server(self._called, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Close all connections."""
        if self._server is not None:
            self._server.close()
        for pump in tuple(self._pumps):
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._target.port:
            answers, asking = await asyncio.open_connection(*self._target)
        else:
            answers, asking = await asyncio.open_unix_connection(self._target.host)
        heard = asyncio.Event()
        heard.set()
        for pump in (self._pass(reader, asking, heard, asks=True), self._pass(answers, writer, heard, asks=False)):
            task = asyncio.create_task(pump)
            self._pumps.add(task)
            task.add_done_callback(self._pumps.discard)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: asyncio.Event, *, asks: bool
    ) -> None:
        """Forward data in one direction; more is read while earlier data is still delayed."""
        on_its_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        arriving = asyncio.create_task(self._arrive(on_its_way, writer, heard, asks=asks))
        loop = asyncio.get_running_loop()
        try:
            with suppress(ConnectionError):
                while content := await reader.read(CHUNK):
                    if asks and heard.is_set():
                        heard.clear()
                        self.trips += 1
                    on_its_way.put_nowait((loop.time() + self._half, content))
            on_its_way.put_nowait((loop.time() + self._half, b""))
            await arriving
        finally:
            arriving.cancel()
            writer.close()

    async def _arrive(
        self,
        on_its_way: asyncio.Queue[tuple[float, bytes]],
        writer: asyncio.StreamWriter,
        heard: asyncio.Event,
        *,
        asks: bool,
    ) -> None:
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            while True:
                at, content = await on_its_way.get()
                if at > loop.time():
                    await asyncio.sleep(at - loop.time())
                if not content:
                    return
                writer.write(content)
                if not asks:
                    heard.set()


@contextmanager
def counting_proxy(target: HostAddress, delay: float) -> Generator[tuple[DelayingProxy, int]]:
    """Run a proxy in a thread of this process. Yield it and its port, so that its counter can be read."""
    wire, loop = DelayingProxy(target, delay), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield wire, asyncio.run_coroutine_threadsafe(wire.open(), loop).result(10)
    finally:
        asyncio.run_coroutine_threadsafe(wire.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@contextmanager
def delaying_proxy(target: HostAddress, delay: float) -> Generator[int]:
    """Run a proxy in a separate process. Yield the port to connect to."""
    command = [sys.executable, "-m", __name__, str(delay * 1000), str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # ours
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


async def _main(milliseconds: str, target: str) -> None:
    wire = DelayingProxy(HostAddress.parse(target), float(milliseconds) / 1000)
    sys.stdout.write(f"{await wire.open()}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await wire.close()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
