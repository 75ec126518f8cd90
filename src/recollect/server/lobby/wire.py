"""What goes over the line between a process that serves and its parent: values, one after the other."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any, NamedTuple

from recollect.server.lobby.lines import News
from recollect.server.lobby.lobby import Order

LENGTH = 4


class Asked(NamedTuple):
    """An order; what comes of it is answered under its number, unless that is 0."""

    number: int
    order: Order[object]


class Answered(NamedTuple):
    """What came of an order: a value, or an error."""

    number: int
    value: Any
    error: Exception | None = None


class Ready(NamedTuple):
    """A process can be reached."""


Frame = Asked | Answered | Ready | News


def packed(frame: Frame) -> bytes:
    """A value as bytes, with their number before them."""
    content = pickle.dumps(frame, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(LENGTH) + content


async def unpacked(reader: asyncio.StreamReader) -> Frame | None:
    """The next value; None when the other side is gone."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH))
        content = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return pickle.loads(content)  # noqa: S301  # a pair of sockets that only the parent and its child hold
