"""Who listens to what other processes commit, so that to know whether anything happened costs nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from recollect.errors import RecollectError
from recollect.storage.audience import Audience
from recollect.storage.postgres.connection import Connection, Source, connect, run

PAUSE = 1.0
"""Seconds between two tries to reach a server that is gone."""


class Listener:
    """One connection of the process that only listens, in a thread of its own."""

    def __init__(self, source: Source, heard: Callable[[], None]) -> None:
        self._source = source
        self._audience = Audience(heard)
        self._starting = threading.Lock()
        self._closing = threading.Event()
        self._connection: Connection | None = None
        self._thread: threading.Thread | None = None
        self._count = 0
        self._seen = ""
        self._listening = False

    def heard(self) -> int | None:
        """A number that grows with every commit of another process; None while nobody can tell."""
        if self._thread is None:
            self._start()
        return self._count if self._listening else None

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None or self._closing.is_set():
                return
            self._connect()
            self._thread = threading.Thread(target=self._run, name="recollect-listen", daemon=True)
            self._thread.start()

    def _connect(self) -> None:
        try:
            connection = connect(self._source)
        except RecollectError:
            return
        try:
            run(connection, f"LISTEN {channel(self._source)}")
        except psycopg.Error:
            connection.close()
            return
        self._connection = connection
        # Something may have been committed while nobody listened.
        self._count += 1
        self._listening = True

    def _run(self) -> None:
        while not self._closing.is_set():
            if self._connection is None:
                self._connect()
            if self._connection is None:
                self._closing.wait(PAUSE)
                continue
            try:
                self._follow(self._connection)
            except (psycopg.Error, OSError):
                self._listening = False
                self._connection.close()
                self._connection = None

    def _follow(self, connection: Connection) -> None:
        for notice in connection.notifies(timeout=PAUSE):
            if notice.payload != self._source.name:
                self._count += 1
                self._audience.tell()
            if self._closing.is_set():
                return
        self._look(connection)

    def _look(self, connection: Connection) -> None:
        """Whether anything has ended since the last look: a process may have died before it could tell."""
        ((now,),) = run(connection, "SELECT pg_current_snapshot()::text")
        if now != self._seen:
            self._seen = now
            self._count += 1
            self._audience.tell()

    def close(self) -> None:
        """Ends the thread and its connection."""
        with self._starting:
            self._closing.set()
        if self._thread is None:
            return
        if self._listening:
            self._wake()
        self._listening = False
        self._thread.join(timeout=2 * PAUSE)
        if self._connection is not None:
            self._connection.close()

    def _wake(self) -> None:
        """Makes the thread look up, which waits for a notification."""
        with suppress(RecollectError, psycopg.Error):
            connection = connect(self._source, connect_timeout=2)
            run(connection, f"NOTIFY {channel(self._source)}, '{self._source.name}'")
            connection.close()


def channel(source: Source) -> str:
    """The channel on which the commits of a store are told.

    >>> channel(Source("postgresql://localhost/chat"))
    'recollect_recollect'
    """
    return f"recollect_{source.schema}"[:63]
