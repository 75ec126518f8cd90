"""The parent's end of the sockets: execute the commands of all workers on the one coordinator."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from keepsaid.server.coordination.clients import ErasureNotice, KeyChangeNotice
from keepsaid.server.coordination.coordinator import ServerCoordinator
from keepsaid.server.coordination.protocol import (
    CommandFrame,
    CoordinationFrame,
    ReadyFrame,
    ResultFrame,
    encode_frame,
    receive_frame,
)


class CoordinatorHost:
    """Receives the frames of the workers, by their numbers."""

    def __init__(self, coordinator: ServerCoordinator) -> None:
        self._coordinator = coordinator
        self._writers: dict[int, asyncio.StreamWriter] = {}

    async def serve_worker(self, worker: int, connection: socket.socket, ready: Callable[[], None]) -> None:
        """Execute the commands of a worker until it ends."""
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        self._writers[worker] = writer
        try:
            while (frame := await receive_frame(reader)) is not None:
                if isinstance(frame, ReadyFrame):
                    ready()
                elif isinstance(frame, CommandFrame):
                    self._execute(worker, frame, writer)
                elif isinstance(frame, ErasureNotice | KeyChangeNotice):
                    self._relay(worker, frame)
        finally:
            del self._writers[worker]
            writer.close()
            self._coordinator.remove_worker(worker)

    def _execute(self, worker: int, frame: CommandFrame, writer: asyncio.StreamWriter) -> None:
        try:
            answer = ResultFrame(frame.number, frame.order.execute(self._coordinator, worker))
        except Exception as error:
            answer = ResultFrame(frame.number, None, error)
        if frame.number:
            writer.write(encode_frame(answer))

    def _relay(self, worker: int, frame: CoordinationFrame) -> None:
        content = encode_frame(frame)
        for number, writer in self._writers.items():
            if number != worker:
                writer.write(content)
