"""Save messages that clients send at the same time together.

A hop to a thread costs as much as saving a message. Messages that arrive during a save wait for its end, and one thread then
saves all of them in one transaction. They wait only for the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from keepsaid.errors import StoreClosed
from keepsaid.memory import Memory
from keepsaid.types import Message, MessageAddition

MAX_BATCH_MESSAGES = 256
"""The most messages in one transaction."""

PendingAddition = tuple[asyncio.Future[Message], MessageAddition]


class MessageBatcher:
    """Saves messages for the event loop in a thread of its own, so that saving never waits for searches."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keepsaid-appends")
        self._waiting: list[PendingAddition] = []
        self._saving = False

    async def add(self, addition: MessageAddition) -> Message:
        """Save a message; it is on disk when this returns."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message] = loop.create_future()
        self._waiting.append((future, addition))
        if not self._saving:
            self._save_next(loop)
        return await future

    def close(self) -> None:
        """Finish saving, and accept no more messages."""
        self._thread.shutdown(wait=True)

    def _save_next(self, loop: asyncio.AbstractEventLoop) -> None:
        batch, self._waiting = self._waiting[:MAX_BATCH_MESSAGES], self._waiting[MAX_BATCH_MESSAGES:]
        self._saving = bool(batch)
        if batch:
            try:
                self._thread.submit(self._save, loop, batch)
            except RuntimeError:
                self._end(loop, batch, [StoreClosed("the server is closing")] * len(batch))

    def _save(self, loop: asyncio.AbstractEventLoop, batch: list[PendingAddition]) -> None:
        results: Sequence[Message | Exception]
        try:
            results = self._memory.add_each([addition for _, addition in batch])
        except Exception as error:
            results = [error] * len(batch)
        loop.call_soon_threadsafe(self._end, loop, batch, results)

    def _end(
        self, loop: asyncio.AbstractEventLoop, batch: list[PendingAddition], results: Sequence[Message | Exception]
    ) -> None:
        self._save_next(loop)
        for (future, _), result in zip(batch, results, strict=True):
            if future.done():
                continue  # its client has disconnected; the message is saved all the same
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
