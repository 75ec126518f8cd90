"""Exports that are being sent: few at a time, because each holds a thread and a view of the store until it is read."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TextIO, cast

from recollect.server.problems import TOO_OFTEN, Refusal

PIECE = 65_536
AHEAD = 16
"""Pieces that may wait for a slow reader."""
PATIENCE = 60.0
"""Seconds that a reader may take nothing."""
MOST = 4
MOST_OF_ONE = 2

Write = Callable[[TextIO], None]


class Exports:
    """Sends what is written while it is written."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MOST, thread_name_prefix="recollect-exports")
        self._owners: Counter[str] = Counter()

    def begin(self, owner: str, write: Write) -> AsyncIterator[bytes]:
        """What a writer writes, piece by piece; refused while there are too many."""
        if self._owners[owner] >= MOST_OF_ONE or self._owners.total() >= MOST:
            raise Refusal(TOO_OFTEN, "other exports are being sent: ask again when they are done", {"Retry-After": "5"})
        return self._pieces(owner, write)

    async def _pieces(self, owner: str, write: Write) -> AsyncIterator[bytes]:
        pipe = _Pipe(asyncio.get_running_loop())
        self._owners[owner] += 1
        self._threads.submit(pipe.fill, write)
        try:
            while (piece := await pipe.next()) is not None:
                yield piece
        finally:
            self._owners[owner] -= 1
            pipe.leave()

    def close(self) -> None:
        """Ends them."""
        self._threads.shutdown(wait=True, cancel_futures=True)


class _Pipe:
    """A file that one thread writes and an event loop reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pieces: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._left = threading.Event()
        self._waiting: list[str] = []
        self._size = 0

    def write(self, text: str) -> int:
        """Takes some more of the file."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size >= PIECE:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Hands over what there is."""
        content = "".join(self._waiting).encode("utf-8", "surrogatepass")
        self._waiting, self._size = [], 0
        for start in range(0, len(content), PIECE):
            self._hand_over(content[start : start + PIECE])

    def fill(self, write: Write) -> None:
        """Writes everything, in a thread."""
        try:
            write(cast(TextIO, self))
            self.flush()
            self._hand_over(None)
        except BrokenPipeError:
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, BrokenPipeError("nobody reads"))
        except Exception as error:
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, error)

    def _hand_over(self, piece: bytes | None) -> None:
        end = time.monotonic() + PATIENCE
        while not self._room.acquire(timeout=0.5):
            if self._left.is_set() or time.monotonic() > end:
                raise BrokenPipeError
        if self._left.is_set():
            raise BrokenPipeError
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    async def next(self) -> bytes | None:
        """The next piece; None at the end. An error breaks the answer off, so that half a file cannot pass for one."""
        piece = await self._pieces.get()
        self._room.release()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def leave(self) -> None:
        """Nobody reads any more."""
        self._left.set()
