"""The way to the lobby: none at all where one process serves, a line to the parent where several do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol, TypeVar

from recollect.server.lobby.lobby import Lobby, Order

Result = TypeVar("Result")


class Forgotten(NamedTuple):
    """News: something of an owner was erased."""

    owner: str


class KeysChanged(NamedTuple):
    """News: a credential was taken back."""


News = Forgotten | KeysChanged
"""What the other processes of a server are told."""


class Line(Protocol):
    """How a process reaches the lobby and its like."""

    @property
    def alone(self) -> bool:
        """Whether no other process serves."""
        ...

    async def open(self, hear: Callable[[News], None]) -> None:
        """Begins, in the event loop that it will be used in; `hear` is told the news of other processes."""
        ...

    async def ask(self, order: Order[Result]) -> Result:
        """Has an order done, and waits for what comes of it."""
        ...

    def tell(self, order: Order[object]) -> None:
        """Has an order done, from any thread, and waits for nothing."""
        ...

    def spread(self, news: News) -> None:
        """Tells the other processes."""
        ...

    async def close(self) -> None:
        """Ends it."""
        ...


class Here:
    """The lobby of a process that serves alone is in it."""

    alone = True

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(self, hear: Callable[[News], None]) -> None:
        """Notes the loop, in which all orders are done."""
        self._loop = asyncio.get_running_loop()

    async def ask(self, order: Order[Result]) -> Result:
        """Does it at once."""
        return order.done(self._lobby, 0)

    def tell(self, order: Order[object]) -> None:
        """Does it when the loop comes to it; never, when the server has ended."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(order.done, self._lobby, 0)

    def spread(self, news: News) -> None:
        """There is nobody to be told."""

    async def close(self) -> None:
        """There is nothing to end."""
