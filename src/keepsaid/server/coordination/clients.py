"""Access to the coordinator: direct in a single process, over a socket to the parent with several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol, TypeVar

from keepsaid.server.coordination.coordinator import CoordinatorCommand, ServerCoordinator

Result = TypeVar("Result")


class ErasureNotice(NamedTuple):
    """Notice: some data of an owner was erased."""

    owner: str


class KeyChangeNotice(NamedTuple):
    """Notice: a credential was revoked."""


ServerNotice = ErasureNotice | KeyChangeNotice
"""What a process broadcasts to the other processes."""


class CoordinatorClient(Protocol):
    """How a process reaches the coordinator and the other processes."""

    @property
    def is_only_process(self) -> bool:
        """Whether this is the only server process."""
        ...

    async def open(self, on_notice: Callable[[ServerNotice], None]) -> None:
        """Start in the event loop of the caller; `on_notice` is called with the notices of other processes."""
        ...

    async def execute(self, command: CoordinatorCommand[Result]) -> Result:
        """Execute a command and wait for its result."""
        ...

    def send(self, command: CoordinatorCommand[object]) -> None:
        """Execute a command from any thread, without waiting."""
        ...

    def broadcast(self, notice: ServerNotice) -> None:
        """Broadcast a notice to the other processes."""
        ...

    async def close(self) -> None:
        """Close the client."""
        ...


class LocalCoordinatorClient:
    """Holds the coordinator itself: for a single server process."""

    is_only_process = True

    def __init__(self, coordinator: ServerCoordinator) -> None:
        self._coordinator = coordinator
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(self, on_notice: Callable[[ServerNotice], None]) -> None:
        """Remember the loop, in which all commands are executed."""
        self._loop = asyncio.get_running_loop()

    async def execute(self, command: CoordinatorCommand[Result]) -> Result:
        """Execute it at once."""
        return command.execute(self._coordinator, 0)

    def send(self, command: CoordinatorCommand[object]) -> None:
        """Execute it in the loop; never, if the server has ended."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(command.execute, self._coordinator, 0)

    def broadcast(self, notice: ServerNotice) -> None:
        """Do nothing: there are no other processes."""

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
