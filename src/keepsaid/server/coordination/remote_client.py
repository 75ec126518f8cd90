"""The connection from a worker to the coordinator in its parent."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from keepsaid.errors import StoreClosed
from keepsaid.server.coordination.clients import ServerNotice
from keepsaid.server.coordination.coordinator import CoordinatorCommand
from keepsaid.server.coordination.protocol import (
    CommandFrame,
    CoordinationFrame,
    ReadyFrame,
    ResultFrame,
    encode_frame,
    receive_frame,
)

Result = TypeVar("Result")
SERVER_CLOSING = "the server is closing"


class RemoteCoordinatorClient:
    """Sends commands to the parent. A worker ends with its parent: no process would restart it."""

    is_only_process = False

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def open(self, on_notice: Callable[[ServerNotice], None]) -> None:
        """Connect to the parent and listen to it."""
        self._loop = asyncio.get_running_loop()
        reader, self._writer = await asyncio.open_unix_connection(sock=self._socket)
        self._listening = asyncio.create_task(self._listen(reader, on_notice))

    async def execute(self, command: CoordinatorCommand[Result]) -> Result:
        """Execute a command in the parent and wait for its result."""
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting[number] = future
        try:
            if not self._send(CommandFrame(number, command)):
                raise StoreClosed(SERVER_CLOSING)
            return await future
        finally:
            del self._waiting[number]

    def send(self, command: CoordinatorCommand[object]) -> None:
        """Execute a command in the parent without waiting."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._send, CommandFrame(0, command))

    def broadcast(self, notice: ServerNotice) -> None:
        """Broadcast a notice through the parent."""
        self._send(notice)

    def report_ready(self) -> None:
        """Tell the parent that this worker is ready to serve."""
        self._send(ReadyFrame())

    async def close(self) -> None:
        """Close the connection."""
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _send(self, frame: CoordinationFrame) -> bool:
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(encode_frame(frame))
        return True

    async def _listen(self, reader: asyncio.StreamReader, on_notice: Callable[[ServerNotice], None]) -> None:
        while (frame := await receive_frame(reader)) is not None:
            if isinstance(frame, ResultFrame):
                self._resolve(frame)
            elif not isinstance(frame, CommandFrame | ReadyFrame):
                on_notice(frame)
        self._writer = None
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(StoreClosed(SERVER_CLOSING))
        signal.raise_signal(signal.SIGTERM)

    def _resolve(self, frame: ResultFrame) -> None:
        future = self._waiting.get(frame.number)
        if future is None or future.done():
            return  # the caller has stopped waiting
        if frame.error is None:
            future.set_result(frame.value)
        else:
            future.set_exception(frame.error)
