"""Messages that clients save at the same time, saved together.

A hop to a thread costs as much as saving a message. So whoever comes while others are being saved waits for them, and then
all who wait are saved by one thread in one transaction. Nobody waits for anybody but the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.errors import StoreClosed
from recollect.memory import Memory
from recollect.types import Addition, Message

LARGEST = 256
"""Messages that are saved together, at the most."""

Waiting = tuple[asyncio.Future[Message], Addition]


class Appends:
    """Saves messages for the event loop, with a thread of its own: saving never waits behind searching."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recollect-appends")
        self._waiting: list[Waiting] = []
        self._saving = False

    async def add(self, addition: Addition) -> Message:
        """Saves a message; when this returns, it is on the disk."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message] = loop.create_future()
        self._waiting.append((future, addition))
        if not self._saving:
            self._begin(loop)
        return await future

    def close(self) -> None:
        """Finishes what is being saved, and takes no more."""
        self._thread.shutdown(wait=True)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
        self._saving = bool(batch)
        if batch:
            try:
                self._thread.submit(self._save, loop, batch)
            except RuntimeError:
                self._end(loop, batch, [StoreClosed("the server is closing")] * len(batch))

    def _save(self, loop: asyncio.AbstractEventLoop, batch: list[Waiting]) -> None:
        results: Sequence[Message | Exception]
        try:
            results = self._memory.add_each([addition for _, addition in batch])
        except Exception as error:
            results = [error] * len(batch)
        loop.call_soon_threadsafe(self._end, loop, batch, results)

    def _end(self, loop: asyncio.AbstractEventLoop, batch: list[Waiting], results: Sequence[Message | Exception]) -> None:
        self._begin(loop)
        for (future, _), result in zip(batch, results, strict=True):
            if future.done():
                continue  # its client is gone; the message is saved all the same
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
