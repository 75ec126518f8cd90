"""The parent's end of the lines: does the orders of all processes in the one lobby."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from recollect.server.lobby.lines import Forgotten, KeysChanged
from recollect.server.lobby.lobby import Lobby
from recollect.server.lobby.wire import Answered, Asked, Frame, Ready, packed, unpacked


class Host:
    """Hears the processes that serve, by their numbers."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._writers: dict[int, asyncio.StreamWriter] = {}

    async def attend(self, worker: int, line: socket.socket, ready: Callable[[], None]) -> None:
        """Does what a process asks, until it is gone."""
        reader, writer = await asyncio.open_unix_connection(sock=line)
        self._writers[worker] = writer
        try:
            while (frame := await unpacked(reader)) is not None:
                if isinstance(frame, Ready):
                    ready()
                elif isinstance(frame, Asked):
                    self._do(worker, frame, writer)
                elif isinstance(frame, Forgotten | KeysChanged):
                    self._relay(worker, frame)
        finally:
            del self._writers[worker]
            writer.close()
            self._lobby.gone(worker)

    def _do(self, worker: int, asked: Asked, writer: asyncio.StreamWriter) -> None:
        try:
            answer = Answered(asked.number, asked.order.done(self._lobby, worker))
        except Exception as error:
            answer = Answered(asked.number, None, error)
        if asked.number:
            writer.write(packed(answer))

    def _relay(self, worker: int, frame: Frame) -> None:
        content = packed(frame)
        for number, writer in self._writers.items():
            if number != worker:
                writer.write(content)
