"""Exports sent while they are written: few at a time, because each holds a thread and a view of the store until its end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TextIO, cast
from weakref import finalize

from keepsaid.server.problems import TOO_OFTEN, RequestRefusal

PIECE_SIZE = 65_536
MAX_WAITING_PIECES = 16
"""Pieces that may wait for a slow client."""
READER_TIMEOUT = 60.0
"""Seconds that a client may read nothing."""
MAX_EXPORTS = 4
MAX_EXPORTS_PER_OWNER = 2

Write = Callable[[TextIO], None]


class ExportStreams:
    """Sends exports while they are written."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_EXPORTS, thread_name_prefix="keepsaid-exports")
        self._owners: Counter[str] = Counter()

    def begin(self, owner: str, write: Write) -> AsyncIterable[bytes]:
        """Start an export and return its pieces; refuse it while too many are running."""
        if self._owners[owner] >= MAX_EXPORTS_PER_OWNER or self._owners.total() >= MAX_EXPORTS:
            raise RequestRefusal(TOO_OFTEN, "other exports are running: try again when they are done", {"Retry-After": "5"})
        # Counted here, not when the first piece is read: others may start before that.
        self._owners[owner] += 1
        export = _ExportStream(self._threads, write)
        export.release = finalize(export, self._release, owner)
        export.release.atexit = False
        return export

    def _release(self, owner: str) -> None:
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]

    def close(self) -> None:
        """Wait for the running exports to end."""
        self._threads.shutdown(wait=True, cancel_futures=True)


class _ExportStream:
    """One export. Its slot is free again when it is read to its end, abandoned, or garbage-collected before it started."""

    release: finalize[[str], _ExportStream]

    def __init__(self, threads: ThreadPoolExecutor, write: Write) -> None:
        self._threads = threads
        self._write = write

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        pipe = _TextPipe(asyncio.get_running_loop())
        try:
            self._threads.submit(pipe.fill, self._write)
            while (piece := await pipe.next()) is not None:
                yield piece
        finally:
            self.release()
            pipe.leave()


class _TextPipe:
    """A text file that a thread writes and the event loop reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pieces: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._free_slots = threading.Semaphore(MAX_WAITING_PIECES)
        self._abandoned = threading.Event()
        self._waiting: list[str] = []
        self._size = 0

    def write(self, text: str) -> int:
        """Add text to the file."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size >= PIECE_SIZE:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Hand over the text written so far."""
        content = "".join(self._waiting).encode("utf-8", "surrogatepass")
        self._waiting, self._size = [], 0
        for start in range(0, len(content), PIECE_SIZE):
            self._hand_over(content[start : start + PIECE_SIZE])

    def fill(self, write: Write) -> None:
        """Write the whole export, in a thread."""
        try:
            write(cast(TextIO, self))
            self.flush()
            self._hand_over(None)
        except BrokenPipeError:
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, BrokenPipeError("the client has disconnected"))
        except Exception as error:
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, error)

    def _hand_over(self, piece: bytes | None) -> None:
        end = time.monotonic() + READER_TIMEOUT
        while not self._free_slots.acquire(timeout=0.5):
            if self._abandoned.is_set() or time.monotonic() > end:
                raise BrokenPipeError
        if self._abandoned.is_set():
            raise BrokenPipeError
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    async def next(self) -> bytes | None:
        """Return the next piece; None at the end. An error aborts the response, so that half a file cannot pass for all."""
        piece = await self._pieces.get()
        self._free_slots.release()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def leave(self) -> None:
        """Tell the writer that the client has stopped reading."""
        self._abandoned.set()
