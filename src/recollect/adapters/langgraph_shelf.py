"""What a saver remembers of its threads, so that not everything is read and written anew at every step."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

PIECES = 200_000
"""Names of pieces of a thread that are remembered to be there."""

RECENT = 32
"""Records of a thread that are remembered: what comes next is based on one of them."""

THREADS = 256
"""Threads of which something is remembered."""

BYTES = 32 * 1024 * 1024
"""Of the pieces themselves, as much as this."""

Record = TypeVar("Record")


@dataclass
class Known(Generic[Record]):
    """What is known of a thread, while it has this revision.

    >>> known = Known[str](7, b"secret")
    >>> known.remember([b"a piece"], {"a record": "its content"})
    >>> b"a piece" in known.pieces, known.recent
    (True, {'a record': 'its content'})
    """

    revision: int
    secret: bytes
    pieces: set[bytes] = field(default_factory=set[bytes])
    recent: dict[str, Record] = field(default_factory=dict[str, Record])

    def remember(self, pieces: Iterable[bytes], records: Mapping[str, Record] | None = None) -> None:
        """These are there."""
        if len(self.pieces) > PIECES:
            self.pieces.clear()
        self.pieces.update(pieces)
        self.recent.update(records or {})
        for name in list(self.recent)[:-RECENT]:
            self.recent.pop(name, None)


class Shelf(Generic[Record]):
    """What is known of some threads, and the pieces that were read or written last. A piece is named by what is in it, so
    one that is remembered is never out of date.

    >>> shelf = Shelf[str]()
    >>> shelf.add({b"name": b"content"})
    >>> shelf.pieces([b"name", b"another"])
    {b'name': b'content'}
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[str, Known[Record]] = {}
        self._pieces: dict[bytes, bytes] = {}
        self._size = 0

    def known(self, thread: str) -> Known[Record] | None:
        """What is known of a thread."""
        return self._threads.get(thread)

    def learn(self, thread: str, known: Known[Record]) -> Known[Record]:
        """Remembers a thread."""
        with self._lock:
            self._threads[thread] = known
            for oldest in list(self._threads)[:-THREADS]:
                del self._threads[oldest]
        return known

    def forget(self, thread: str) -> None:
        """The thread has changed."""
        with self._lock:
            self._threads.pop(thread, None)

    def pieces(self, names: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of these that are at hand."""
        with self._lock:
            return {name: self._pieces[name] for name in names if name in self._pieces}

    def add(self, pieces: Mapping[bytes, bytes]) -> None:
        """Keeps pieces at hand; those that came first go first."""
        with self._lock:
            new = {name: content for name, content in pieces.items() if name not in self._pieces}
            self._pieces.update(new)
            self._size += sum(map(len, new.values()))
            while self._size > BYTES:
                self._size -= len(self._pieces.pop(next(iter(self._pieces))))

    def clear(self) -> None:
        """Forgets everything: something was removed, and is not to be kept here."""
        with self._lock:
            self._threads.clear()
            self._pieces.clear()
            self._size = 0
