"""A pool of read-only connections."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import apsw

from keepsaid.errors import StoreClosed
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translate_error
from keepsaid.storage.sqlite.connection.writer import Job, Result

MAX_IDLE_CONNECTIONS = 16
"""More idle connections than this are closed: each holds a page cache."""


class ReaderPool:
    """Runs jobs on pooled connections; opens a new one if none is idle. `after` is called when a transaction has ended."""

    def __init__(self, open_one: Callable[[], SqliteConnection], after: Callable[[], None]) -> None:
        self._open, self._after = open_one, after
        self._idle: deque[SqliteConnection] = deque()
        self._closed = False
        self._thread = threading.local()

    def run(self, job: Job[Result], *, newest: bool = False) -> Result:
        """Run the job in a read transaction, so that it reads one consistent state: that of this thread's session, if there
        is one, unless it needs the `newest`."""
        if self._closed:
            raise StoreClosed("the store is closed")
        session: ReadSession | None = None if newest else getattr(self._thread, "session", None)
        try:
            if session is not None:
                return job(session.begin(self._begin))
            db = self._begin()
            try:
                return job(db)
            finally:
                self._end(db)
        except apsw.Error as error:
            raise translate_error(error) from error

    @contextmanager
    def session(self) -> Generator[None]:
        """Let this thread's jobs in the block share one read transaction, which the first of them begins."""
        if getattr(self._thread, "session", None) is not None:
            yield
            return
        self._thread.session = ReadSession()
        try:
            yield
        finally:
            try:
                self.pause_session()
            finally:
                self._thread.session = None

    def pause_session(self) -> None:
        """End the transaction of this thread's session, before it waits for something. The next job begins a new one."""
        session: ReadSession | None = getattr(self._thread, "session", None)
        if session is not None and (db := session.end()) is not None:
            self._end(db)

    @property
    def session_values(self) -> dict[Any, Any] | None:
        """Values that are valid for the transaction of this thread's session; None without a session."""
        session: ReadSession | None = getattr(self._thread, "session", None)
        return None if session is None else session.values

    def _begin(self) -> SqliteConnection:
        try:
            db = self._idle.pop()
        except IndexError:
            db = self._open()
        try:
            db.execute("BEGIN")
        except BaseException:
            db.close()
            raise
        return db

    def _end(self, db: SqliteConnection) -> None:
        try:
            db.execute("COMMIT")
        except apsw.Error:
            db.close()  # of a damaged file; what the job read, it has read
        else:
            self._keep_idle(db)
        finally:
            self._after()

    def _keep_idle(self, db: SqliteConnection) -> None:
        if self._closed or len(self._idle) >= MAX_IDLE_CONNECTIONS:
            db.close()
            return
        self._idle.append(db)
        if self._closed:
            self.close()  # the pool was closed while the job was running

    def close(self) -> None:
        """Close idle connections now, and those in use when their transactions end."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class ReadSession:
    """The transaction that the jobs of one thread share, and values that they need again."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self._db: SqliteConnection | None = None

    def begin(self, begin: Callable[[], SqliteConnection]) -> SqliteConnection:
        """Return the connection. Begin the transaction if there is none."""
        if self._db is None:
            self._db = begin()
        return self._db

    def end(self) -> SqliteConnection | None:
        """Give up the connection, which is still in its transaction, and the values."""
        db, self._db = self._db, None
        self.values.clear()
        return db
