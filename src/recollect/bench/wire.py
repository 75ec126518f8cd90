"""A wire to a server that takes its time, and counts how often somebody waits for an answer over it.

`python -m recollect.bench.wire MILLISECONDS ADDRESS` prints its port first and ends with its standard input: in a process of
its own, it takes no time from what is measured.
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


class Address(NamedTuple):
    """Where a server is: a host and a port, or the path of a socket and no port.

    >>> str(Address("localhost", 5432)), str(Address("/run/pg/.s.PGSQL.5432"))
    ('localhost:5432', '/run/pg/.s.PGSQL.5432')
    """

    host: str
    port: int = 0

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `str` made.

        >>> Address.parse("::1:6379")
        Address(host='::1', port=6379)
        """
        host, _, port = text.rpartition(":")
        return cls(text) if text.startswith("/") else cls(host, int(port))


class Wire:
    """Passes on what callers and a server say to each other, each way after half of the delay."""

    def __init__(self, target: Address, delay: float) -> None:
        self._target = target
        self._half = delay / 2
        self._server: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()
        self.trips = 0
        """How often somebody said something after he had heard an answer, or for the first time: what is said in one go is
        waited for once."""

    async def open(self) -> int:
        """Begins; returns the port to connect to."""
        self._server = await asyncio.start_server(self._called, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Cuts everybody off."""
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
        """Reads what comes, while what came before is still on its way."""
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
def counting(target: Address, delay: float) -> Generator[tuple[Wire, int]]:
    """A wire in a thread of this process, and its port: its counter can be looked at."""
    wire, loop = Wire(target, delay), asyncio.new_event_loop()
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
def delaying(target: Address, delay: float) -> Generator[int]:
    """A wire in a process of its own: the port to connect to."""
    command = [sys.executable, "-m", __name__, str(delay * 1000), str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # ours
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


async def _main(milliseconds: str, target: str) -> None:
    wire = Wire(Address.parse(target), float(milliseconds) / 1000)
    sys.stdout.write(f"{await wire.open()}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await wire.close()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
