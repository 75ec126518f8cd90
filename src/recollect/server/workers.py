"""Several processes that serve one address: starts them, replaces those that die, and ends them in order.

The parent answers no request. It holds the socket, so that nobody is refused while a worker is replaced, and the lobby, so
that all of them keep the same rules.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import SpawnProcess

from recollect.config import Settings
from recollect.errors import ConfigError
from recollect.llm.found import FoundLLM
from recollect.server import run
from recollect.server.desk import Desk
from recollect.server.lobby.host import Host
from recollect.server.lobby.lobby import Lobby
from recollect.server.worker import work

LAST = run.GRACE + 15.0
"""Seconds after which a worker that was told to end is killed."""
YOUNG = 10.0
"""Seconds that a worker must live to be replaced at once when it dies; one that dies sooner is waited with."""
SHORTEST_WAIT, LONGEST_WAIT = 0.25, 10.0


def serve(settings: Settings, count: int, ready: Callable[[str, FoundLLM], None]) -> None:
    """Serves with so many processes, until it is told to stop. `ready` is told the address, and the model that was found."""
    _check(settings)
    found = _tried(settings)
    listener = run.listen(settings)
    with listener, tempfile.TemporaryDirectory(prefix="recollect-workers-") as folder:
        import uvloop  # here, because Windows has none

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_Parent(settings, count, listener, folder).run(lambda address: ready(address, found)))


def _check(settings: Settings) -> None:
    if settings.url.startswith("memory://") or not settings.persist:
        raise ConfigError("what is kept in memory is in one process alone: leave --workers out, or name a store")
    if sys.platform == "win32":
        raise ConfigError("more than one process needs Linux or macOS")


def _tried(settings: Settings) -> FoundLLM:
    """Opens everything once, as a worker does: the store is made before several would make it, and what is wrong is told
    once."""
    desk: Desk = run.build(settings).state.desk
    desk.close()
    return desk.found


class _Parent:
    """The parent of the processes that serve."""

    def __init__(self, settings: Settings, count: int, listener: socket.socket, folder: str) -> None:
        self._settings = settings
        self._count = count
        self._listener = listener
        self._folder = folder
        self._host = Host(Lobby(settings.server_rate))
        self._processes: dict[int, SpawnProcess] = {}
        self._starting = set(range(count))
        self._ending = asyncio.Event()
        self._failed = False

    async def run(self, ready: Callable[[str], None]) -> None:
        """Until a signal ends it, or the first workers cannot start."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end, number)
        address = run.address_of(self._listener)

        def one_is_ready(number: int) -> None:
            was_last = self._starting == {number}
            self._starting.discard(number)
            if was_last:
                ready(address)

        await asyncio.gather(*(self._keep_alive(number, one_is_ready) for number in range(self._count)))
        if self._failed:
            raise ConfigError("the server does not start: a worker ended before it could serve")

    def _end(self, number: int) -> None:
        """Tells all workers to end. Whoever presses Ctrl-C twice does not want to wait."""
        again = self._ending.is_set()
        self._ending.set()
        # While the parent holds it, the system takes connections that nobody would ever answer.
        self._listener.close()
        self._send(signal.SIGINT if again and number == signal.SIGINT else signal.SIGTERM)
        if not again:
            asyncio.get_running_loop().call_later(LAST, self._send, signal.SIGKILL)

    def _send(self, number: int) -> None:
        for process in self._processes.values():
            if process.pid is not None:
                os.kill(process.pid, number)

    async def _keep_alive(self, number: int, ready: Callable[[int], None]) -> None:
        """One worker after the other, each when the one before is gone."""
        wait = 0.0
        while not self._ending.is_set():
            began = time.monotonic()
            await self._live(number, ready)
            if self._starting and not self._ending.is_set():
                self._failed = True
                self._end(signal.SIGTERM)
            wait = 0.0 if time.monotonic() - began > YOUNG else min(LONGEST_WAIT, max(SHORTEST_WAIT, 2 * wait))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), wait)

    async def _live(self, number: int, ready: Callable[[int], None]) -> None:
        """The life of one worker."""
        ours, its = socket.socketpair()
        arguments = (self._settings, number, self._listener, its, self._folder)
        process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
        process.start()
        its.close()
        self._processes[number] = process
        attending = asyncio.create_task(self._host.attend(number, ours, lambda: ready(number)))
        await _gone(process)
        del self._processes[number]
        process.join()
        await attending
        if not self._ending.is_set():
            sys.stderr.write(f"Worker {number} (process {process.pid}) ended with {process.exitcode}; another takes over.\n")


async def _gone(process: SpawnProcess) -> None:
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process.sentinel, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(process.sentinel)
