"""A listener for commits of other processes, so that checking for changes costs no round trip."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from keepsaid.errors import KeepsaidError
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.postgres.connection.source import Connection, PostgresSource, connect, run_statements

RECONNECT_INTERVAL = 1.0
"""Seconds between two attempts to reconnect."""


class PostgresListener:
    """The process's listening connection, in its own thread."""

    def __init__(self, source: PostgresSource, heard: Callable[[], None]) -> None:
        self._source = source
        self._audience = ListenerGroup(heard)
        self._starting = threading.Lock()
        self._closing = threading.Event()
        self._connection: Connection | None = None
        self._thread: threading.Thread | None = None
        self._count = 0
        self._seen = ""
        self._listening = False

    def commit_counter(self) -> int | None:
        """Return a number that grows with every commit of another process; None while not connected."""
        if self._thread is None:
            self._start()
        return self._count if self._listening else None

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None or self._closing.is_set():
                return
            self._connect()
            self._thread = threading.Thread(target=self._run, name="keepsaid-listen", daemon=True)
            self._thread.start()

    def _connect(self) -> None:
        try:
            connection = connect(self._source)
        except KeepsaidError:
            return
        try:
            run_statements(connection, f"LISTEN {channel_name(self._source)}")
        except psycopg.Error:
            connection.close()
            return
        self._connection = connection
        # Something may have been committed while there was no connection.
        self._count += 1
        self._listening = True

    def _run(self) -> None:
        while not self._closing.is_set():
            if self._connection is None:
                self._connect()
            if self._connection is None:
                self._closing.wait(RECONNECT_INTERVAL)
                continue
            try:
                self._follow(self._connection)
            except (psycopg.Error, OSError):
                self._listening = False
                self._connection.close()
                self._connection = None

    def _follow(self, connection: Connection) -> None:
        for notice in connection.notifies(timeout=RECONNECT_INTERVAL):
            if notice.payload != self._source.name:
                self._count += 1
                self._audience.notify()
            if self._closing.is_set():
                return
        self._poll_snapshot(connection)

    def _poll_snapshot(self, connection: Connection) -> None:
        """Check whether a transaction has ended since the last check: a process may have died before it notified."""
        ((now,),) = run_statements(connection, "SELECT pg_current_snapshot()::text")
        if now != self._seen:
            self._seen = now
            self._count += 1
            self._audience.notify()

    def close(self) -> None:
        """Stop the thread and close its connection."""
        with self._starting:
            self._closing.set()
        if self._thread is None:
            return
        if self._listening:
            self._wake()
        self._listening = False
        self._thread.join(timeout=2 * RECONNECT_INTERVAL)
        if self._connection is not None:
            self._connection.close()

    def _wake(self) -> None:
        """Wake the thread from its wait for a notification."""
        with suppress(KeepsaidError, psycopg.Error):
            connection = connect(self._source, connect_timeout=2)
            run_statements(connection, f"NOTIFY {channel_name(self._source)}, '{self._source.name}'")
            connection.close()


def channel_name(source: PostgresSource) -> str:
    """The notification channel of a store's commits.

    >>> channel_name(PostgresSource("postgresql://localhost/chat"))
    'keepsaid_keepsaid'
    """
    return f"keepsaid_{source.schema}"[:63]
