"""Notify other processes of commits.

PostgreSQL serializes the commits of transactions that notify, which costs half of the throughput of many writers or more
(docs/decisions/0017-beyond-one-file.md). So a process notifies after its commits, once for all within `NOTIFY_INTERVAL`. If
a process dies in between, listeners find its commits within a second by polling.
"""

from __future__ import annotations

import threading
from contextlib import suppress

import psycopg

from keepsaid.errors import KeepsaidError
from keepsaid.storage.postgres.connection.source import Connection, PostgresSource, connect, run_statements
from keepsaid.storage.postgres.notify.listener import channel_name

NOTIFY_INTERVAL = 0.02
"""Seconds within which the commits of a process share one notification."""


class CommitNotifier:
    """The process's notifying connection, in its own thread."""

    def __init__(self, source: PostgresSource) -> None:
        self._source = source
        self._pending = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None

    def notify(self) -> None:
        """Schedule a notification after a commit."""
        self._pending.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None and not self._closing.is_set():
                    self._thread = threading.Thread(target=self._run, name="keepsaid-tell", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            self._pending.wait()
            self._pending.clear()
            self._send()
            if self._closing.wait(NOTIFY_INTERVAL):
                return

    def _send(self) -> None:
        """Send a notification. Failures are ignored: listeners check for changes again when they reconnect."""
        try:
            if self._connection is None:
                self._connection = connect(self._source, connect_timeout=5)
            run_statements(self._connection, f"NOTIFY {channel_name(self._source)}, '{self._source.name}'")
        except (KeepsaidError, psycopg.Error):
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Send the pending notification and stop the thread."""
        with self._starting:
            self._closing.set()
        if self._thread is None:
            return
        # Wakes the thread: it sends once more before it ends.
        self._pending.set()
        self._thread.join(timeout=10)
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
