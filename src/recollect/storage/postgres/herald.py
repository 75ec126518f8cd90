"""Who tells other processes that something was committed.

PostgreSQL lets transactions that notify commit one after the other only, which takes half of the throughput of many writers
and more (docs/decisions/0017-beyond-one-file.md). So a process notifies after its commits, once for all of a moment; what a
process that died in between did not tell, those who listen find by themselves within a second.
"""

from __future__ import annotations

import threading
from contextlib import suppress

import psycopg

from recollect.errors import RecollectError
from recollect.storage.postgres.connection import Connection, Source, connect, run
from recollect.storage.postgres.listener import channel

PAUSE = 0.02
"""Seconds for which the commits of a process are told together."""


class Herald:
    """One connection of the process that only tells, in a thread of its own."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._news = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None

    def tell(self) -> None:
        """Something was committed."""
        self._news.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None and not self._closing.is_set():
                    self._thread = threading.Thread(target=self._run, name="recollect-tell", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            self._send()
            if self._closing.wait(PAUSE):
                return

    def _send(self) -> None:
        """A server that cannot be reached now is told nothing: whoever listens to it looks again when he reaches it."""
        try:
            if self._connection is None:
                self._connection = connect(self._source, connect_timeout=5)
            run(self._connection, f"NOTIFY {channel(self._source)}, '{self._source.name}'")
        except (RecollectError, psycopg.Error):
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Tells what is left to tell, and ends."""
        with self._starting:
            self._closing.set()
        if self._thread is None:
            return
        # Whatever it waits for, it sends once more before it ends.
        self._news.set()
        self._thread.join(timeout=10)
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
