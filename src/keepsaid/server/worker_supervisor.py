"""Several processes that serve one address: start them, replace those that die, and stop them in order.

The parent answers no requests. It holds the socket, so that no connection is refused while a worker is replaced, and the
coordinator, so that all workers apply the same limits.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from multiprocessing.context import SpawnProcess

from keepsaid.config import Settings
from keepsaid.errors import ConfigError
from keepsaid.llm.discovery import DiscoveredLLM
from keepsaid.server import run
from keepsaid.server.coordination.coordinator import ServerCoordinator
from keepsaid.server.coordination.host import CoordinatorHost
from keepsaid.server.state import ServerState
from keepsaid.server.untrusted.upload_folder import UploadFolder
from keepsaid.server.worker_process import run_worker

KILL_AFTER_SECONDS = run.SHUTDOWN_SECONDS + 15.0
"""Seconds after a stop signal until a worker is killed."""
MIN_LIFE_SECONDS = 10.0
"""Seconds that a worker must have lived to be replaced at once when it dies; otherwise its replacement is delayed."""
MIN_WAIT_SECONDS, MAX_WAIT_SECONDS = 0.25, 10.0


def serve(settings: Settings, count: int, ready: Callable[[str, DiscoveredLLM], None]) -> None:
    """Serve with `count` processes until a stop signal. `ready` is called with the address and the model that was found."""
    _check(settings)
    found = _check_start(settings)
    listener = run.open_listener(settings)
    with listener, closing(UploadFolder("keepsaid-workers-")) as uploads:
        import uvloop  # imported here because it does not exist on Windows

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_WorkerSupervisor(settings, count, listener, uploads.name).run(lambda address: ready(address, found)))


def _check(settings: Settings) -> None:
    if settings.url.startswith("memory://") or not settings.persist:
        raise ConfigError("an in-memory store lives in one process: leave out --workers, or name a store")
    if sys.platform == "win32":
        raise ConfigError("more than one process needs Linux or macOS")


def _check_start(settings: Settings) -> DiscoveredLLM:
    """Open everything once as a worker does, so that the store is created by one process and errors are reported once."""
    state: ServerState = run.build_app(settings).state.server
    state.close()
    return state.found_llm


class _WorkerSupervisor:
    """Starts, replaces and stops the worker processes."""

    def __init__(self, settings: Settings, count: int, listener: socket.socket, folder: str) -> None:
        self._settings = settings
        self._count = count
        self._listener = listener
        self._folder = folder
        self._host = CoordinatorHost(ServerCoordinator(settings.server_rate))
        self._processes: dict[int, SpawnProcess] = {}
        self._starting = set(range(count))
        self._ending = asyncio.Event()
        self._failed = False

    async def run(self, ready: Callable[[str], None]) -> None:
        """Run until a signal, or until the first workers fail to start."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end, number)
        address = run.address_of(self._listener)

        def mark_ready(number: int) -> None:
            was_last = self._starting == {number}
            self._starting.discard(number)
            if was_last:
                ready(address)

        await asyncio.gather(*(self._keep_alive(number, mark_ready) for number in range(self._count)))
        if self._failed:
            raise ConfigError("the server cannot start: a worker ended before it was ready")

    def _end(self, number: int) -> None:
        """Stop all workers; a second Ctrl-C stops them without waiting."""
        again = self._ending.is_set()
        self._ending.set()
        # While the parent holds the socket, the system accepts connections that no process would ever answer.
        self._listener.close()
        self._send(signal.SIGINT if again and number == signal.SIGINT else signal.SIGTERM)
        if not again:
            asyncio.get_running_loop().call_later(KILL_AFTER_SECONDS, self._send, signal.SIGKILL)

    def _send(self, number: int) -> None:
        for process in self._processes.values():
            if process.pid is not None:
                os.kill(process.pid, number)

    async def _keep_alive(self, number: int, ready: Callable[[int], None]) -> None:
        """Run one worker after another, each after the one before has ended."""
        wait = 0.0
        while not self._ending.is_set():
            began = time.monotonic()
            await self._run_worker(number, ready)
            if self._starting and not self._ending.is_set():
                self._failed = True
                self._end(signal.SIGTERM)
            wait = (
                0.0
                if time.monotonic() - began > MIN_LIFE_SECONDS
                else min(MAX_WAIT_SECONDS, max(MIN_WAIT_SECONDS, 2 * wait))
            )
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), wait)

    async def _run_worker(self, number: int, ready: Callable[[int], None]) -> None:
        """Start one worker and wait for its end."""
        own_end, worker_end = socket.socketpair()
        arguments = (self._settings, number, self._listener, worker_end, self._folder)
        process = multiprocessing.get_context("spawn").Process(target=run_worker, args=arguments)
        process.start()
        worker_end.close()
        self._processes[number] = process
        attending = asyncio.create_task(self._host.serve_worker(number, own_end, lambda: ready(number)))
        await _wait_for_exit(process)
        del self._processes[number]
        process.join()
        await attending
        if not self._ending.is_set():
            sys.stderr.write(f"Worker {number} (process {process.pid}) ended with {process.exitcode}; starting another.\n")


async def _wait_for_exit(process: SpawnProcess) -> None:
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process.sentinel, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(process.sentinel)
