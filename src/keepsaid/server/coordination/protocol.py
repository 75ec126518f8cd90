"""The frames between a worker and its parent: length-prefixed pickled values."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any, NamedTuple

from keepsaid.server.coordination.clients import ServerNotice
from keepsaid.server.coordination.coordinator import CoordinatorCommand

LENGTH_BYTES = 4


class CommandFrame(NamedTuple):
    """A command. Its result is sent back under its number, unless that is 0."""

    number: int
    order: CoordinatorCommand[object]


class ResultFrame(NamedTuple):
    """The result of a command: a value, or an error."""

    number: int
    value: Any
    error: Exception | None = None


class ReadyFrame(NamedTuple):
    """The worker is ready to serve."""


CoordinationFrame = CommandFrame | ResultFrame | ReadyFrame | ServerNotice


def encode_frame(frame: CoordinationFrame) -> bytes:
    """Encode a frame as bytes, after their length."""
    content = pickle.dumps(frame, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(LENGTH_BYTES) + content


async def receive_frame(reader: asyncio.StreamReader) -> CoordinationFrame | None:
    """Receive the next frame; None when the connection is closed."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
        content = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return pickle.loads(content)  # noqa: S301  # a socket pair that only the parent and its child hold
