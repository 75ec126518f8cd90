"""The connection to an endpoint, so that another thread than its reader can close it."""

from __future__ import annotations

import socket
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

from keepsaid.ports import StreamPiece


class EndpointConnection:
    """The connection that a stream reads from, once it is open."""

    def __init__(self) -> None:
        self._socket: Any = None
        self._is_aborted = False

    def attach(self, response: Any) -> None:
        """Remember the socket of the response that is being read."""
        stream = response.extensions.get("network_stream")
        self._socket = None if stream is None else stream.get_extra_info("socket")
        if self._is_aborted:
            self.abort()

    def abort(self) -> None:
        """Shut the connection down, so that its reader gets an error. Closing it would leave the reader blocked."""
        self._is_aborted = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class AnswerStream(Iterator[StreamPiece]):
    """The pieces of an answer, with ways to stop it."""

    def __init__(self, pieces: Generator[StreamPiece, None, None], line: EndpointConnection) -> None:
        self._pieces = pieces
        self._line = line

    def __next__(self) -> StreamPiece:
        return next(self._pieces)

    def close(self) -> None:
        """Stop the answer from the reading thread."""
        self._pieces.close()

    def abort(self) -> None:
        """Stop the answer from another thread. The reading thread gets an error."""
        self._line.abort()
