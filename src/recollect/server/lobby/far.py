"""The line from a process that serves to the lobby in its parent."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from recollect.errors import StoreClosed
from recollect.server.lobby.lines import News
from recollect.server.lobby.lobby import Order
from recollect.server.lobby.wire import Answered, Asked, Frame, Ready, packed, unpacked

Result = TypeVar("Result")
CLOSING = "the server is closing"


class Far:
    """Sends orders to the parent. A process whose parent is gone ends, too: nobody would start it again."""

    alone = False

    def __init__(self, line: socket.socket) -> None:
        self._socket = line
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def open(self, hear: Callable[[News], None]) -> None:
        """Begins to listen to the parent."""
        self._loop = asyncio.get_running_loop()
        reader, self._writer = await asyncio.open_unix_connection(sock=self._socket)
        self._listening = asyncio.create_task(self._listen(reader, hear))

    async def ask(self, order: Order[Result]) -> Result:
        """Has an order done by the parent."""
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting[number] = future
        try:
            if not self._send(Asked(number, order)):
                raise StoreClosed(CLOSING)
            return await future
        finally:
            del self._waiting[number]

    def tell(self, order: Order[object]) -> None:
        """Has an order done by the parent some time soon."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._send, Asked(0, order))

    def spread(self, news: News) -> None:
        """Has the parent tell the others."""
        self._send(news)

    def ready(self) -> None:
        """Tells the parent that this process can be reached."""
        self._send(Ready())

    async def close(self) -> None:
        """Ends the line."""
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _send(self, frame: Frame) -> bool:
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(packed(frame))
        return True

    async def _listen(self, reader: asyncio.StreamReader, hear: Callable[[News], None]) -> None:
        while (frame := await unpacked(reader)) is not None:
            if isinstance(frame, Answered):
                self._settle(frame)
            elif not isinstance(frame, Asked | Ready):
                hear(frame)
        self._writer = None
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(StoreClosed(CLOSING))
        signal.raise_signal(signal.SIGTERM)

    def _settle(self, frame: Answered) -> None:
        future = self._waiting.get(frame.number)
        if future is None or future.done():
            return  # whoever asked is gone
        if frame.error is None:
            future.set_result(frame.value)
        else:
            future.set_exception(frame.error)
