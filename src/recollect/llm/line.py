"""The line to an endpoint, so that somebody else than its reader can hang up."""

from __future__ import annotations

import socket
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

from recollect.ports import Piece


class Line:
    """A connection that is being read, once there is one."""

    def __init__(self) -> None:
        self._socket: Any = None
        self._hung_up = False

    def connected(self, response: Any) -> None:
        """The answer begins on this response."""
        stream = response.extensions.get("network_stream")
        self._socket = None if stream is None else stream.get_extra_info("socket")
        if self._hung_up:
            self.hang_up()

    def hang_up(self) -> None:
        """Ends the connection under its reader, who gets an error. Closing it would leave him waiting; this wakes him."""
        self._hung_up = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class Streamed(Iterator[Piece]):
    """Pieces of an answer, and a way to have no more of them."""

    def __init__(self, pieces: Generator[Piece, None, None], line: Line) -> None:
        self._pieces = pieces
        self._line = line

    def __next__(self) -> Piece:
        return next(self._pieces)

    def close(self) -> None:
        """Ends it, from the thread that reads."""
        self._pieces.close()

    def abort(self) -> None:
        """Ends it from another thread: the one that reads gets an error."""
        self._line.hang_up()
