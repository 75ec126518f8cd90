"""Cache of threads, records and pieces, so that a saver does not read and write everything at every step."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

MAX_PIECE_NAMES = 200_000
"""Maximum names of existing pieces that are cached per thread."""

MAX_RECORDS = 32
"""Maximum records that are cached per thread; the next checkpoint is usually based on one of them."""

MAX_THREADS = 256
"""Maximum cached threads."""

CACHE_BYTES = 32 * 1024 * 1024
"""Maximum bytes of cached pieces."""

RecordType = TypeVar("RecordType")


@dataclass
class CachedThread(Generic[RecordType]):
    """The cached state of a thread, valid while the thread has this revision.

    >>> known = CachedThread[str](7, b"secret")
    >>> known.remember([b"a piece"], {"a record": "its content"})
    >>> b"a piece" in known.pieces, known.records
    (True, {'a record': 'its content'})
    """

    revision: int
    secret: bytes
    pieces: set[bytes] = field(default_factory=set[bytes])
    records: dict[str, RecordType] = field(default_factory=dict[str, RecordType])

    def remember(self, pieces: Iterable[bytes], records: Mapping[str, RecordType] | None = None) -> None:
        """Add existing pieces and records."""
        if len(self.pieces) > MAX_PIECE_NAMES:
            self.pieces.clear()
        self.pieces.update(pieces)
        self.records.update(records or {})
        for name in list(self.records)[:-MAX_RECORDS]:
            self.records.pop(name, None)


class ThreadCache(Generic[RecordType]):
    """A cache of threads and of the pieces that were read or written last. Pieces are named by their content, so a cached
    one is never out of date.

    >>> cache = ThreadCache[str]()
    >>> cache.add_pieces({b"name": b"content"})
    >>> cache.get_pieces([b"name", b"another"])
    {b'name': b'content'}
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[str, CachedThread[RecordType]] = {}
        self._pieces: dict[bytes, bytes] = {}
        self._size = 0

    def get_thread(self, thread: str) -> CachedThread[RecordType] | None:
        """Return the cached state of a thread."""
        return self._threads.get(thread)

    def add_thread(self, thread: str, known: CachedThread[RecordType]) -> CachedThread[RecordType]:
        """Cache the state of a thread."""
        with self._lock:
            self._threads[thread] = known
            for oldest in list(self._threads)[:-MAX_THREADS]:
                del self._threads[oldest]
        return known

    def forget_thread(self, thread: str) -> None:
        """Drop the state of a thread that has changed."""
        with self._lock:
            self._threads.pop(thread, None)

    def get_pieces(self, names: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the pieces that are cached."""
        with self._lock:
            return {name: self._pieces[name] for name in names if name in self._pieces}

    def add_pieces(self, pieces: Mapping[bytes, bytes]) -> None:
        """Cache pieces; the oldest ones are dropped first."""
        with self._lock:
            new = {name: content for name, content in pieces.items() if name not in self._pieces}
            self._pieces.update(new)
            self._size += sum(map(len, new.values()))
            while self._size > CACHE_BYTES:
                self._size -= len(self._pieces.pop(next(iter(self._pieces))))

    def clear(self) -> None:
        """Drop everything: removed data must not stay in the cache."""
        with self._lock:
            self._threads.clear()
            self._pieces.clear()
            self._size = 0
