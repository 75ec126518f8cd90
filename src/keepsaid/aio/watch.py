"""`AsyncWatch`: changes as they happen, for `async for`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from keepsaid.memory.watch import WatchPosition
from keepsaid.services.background.change_dispatcher import ChangeDelivery, ChangeDispatcher, ChangeWatcher
from keepsaid.types import ChangePosition, MemoryChange, Scope


class AsyncWatch:
    """Changes as they happen, for `async for`. Close it, or use it in an `async with`.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         async with await chat.watch() as changes:
    ...             await chat.add("user", "Hello")
    ...             async for change in changes:
    ...                 return change.message.text
    >>> asyncio.run(main())
    'Hello'
    """

    def __init__(self, dispatcher: ChangeDispatcher, watcher: ChangeWatcher, queue: asyncio.Queue[ChangeDelivery]) -> None:
        self._dispatcher = dispatcher
        self._watcher = watcher
        self._place = WatchPosition(watcher)
        self._queue = queue
        self._ended = False

    @classmethod
    async def over(
        cls,
        run: Callable[..., Awaitable[Any]],
        dispatcher: ChangeDispatcher,
        scope: Scope,
        after: ChangePosition | None = None,
    ) -> AsyncWatch:
        """Return a watch whose changes go straight to the event loop: it holds no thread while it waits."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[ChangeDelivery] = asyncio.Queue()

        def deliver(delivery: ChangeDelivery) -> None:
            # The loop may be closed before the memory: then nothing waits for this change.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(queue.put_nowait, delivery)

        return cls(dispatcher, await run(dispatcher.subscribe, scope, deliver, after), queue)

    @property
    def position(self) -> ChangePosition:
        """As `Watch.position`."""
        return self._place.position

    @property
    def ended(self) -> bool:
        """As `Watch.ended`."""
        return self._ended

    async def get(self, timeout: float | None = None) -> MemoryChange | None:
        """Async `Watch.get`."""
        if self._ended:
            return None
        try:
            delivery = await asyncio.wait_for(self._queue.get(), timeout)
        except TimeoutError:
            return None
        if isinstance(delivery, MemoryChange):
            return self._place.take(delivery)
        await self.close()
        if delivery is not None:
            raise delivery
        return None

    async def close(self) -> None:
        """Async `Watch.close`."""
        if not self._ended:
            self._ended = True
            self._dispatcher.leave([self._watcher])
            self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[MemoryChange]:
        while (change := await self.get()) is not None:
            yield change

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
