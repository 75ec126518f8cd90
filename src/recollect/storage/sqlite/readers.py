"""A few connections that only read, lent out one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import apsw

from recollect.errors import StoreClosed
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import translate
from recollect.storage.sqlite.writer import Job, Result

KEPT = 16
"""Idle connections beyond this are closed: each holds a page cache."""


class Readers:
    """Lends connections; opens a new one when all are out."""

    def __init__(self, open_one: Callable[[], Database]) -> None:
        self._open = open_one
        self._idle: deque[Database] = deque()
        self._closed = False

    def run(self, job: Job[Result]) -> Result:
        """Runs the job in a read transaction, so that everything it reads belongs to one moment."""
        if self._closed:
            raise StoreClosed("the store is closed")
        try:
            db = self._idle.pop()
        except IndexError:
            db = self._open()
        try:
            db.execute("BEGIN")
            try:
                return job(db)
            finally:
                db.execute("COMMIT")
        except apsw.Error as error:
            raise translate(error) from error
        finally:
            if self._closed or len(self._idle) >= KEPT:
                db.close()
            else:
                self._idle.append(db)
                if self._closed:
                    self.close()  # it was closed while we were reading

    def close(self) -> None:
        """Closes what is idle now and what comes back later."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
