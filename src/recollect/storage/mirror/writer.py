"""The writer of a mirror: what it commits is in the ledger first, or not at all."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from typing import Any

from recollect.errors import RecollectError, StoreBusy, StoreUnavailable, WrongKey
from recollect.storage.mirror import notes, sequences
from recollect.storage.mirror.apply import Loss, apply
from recollect.storage.mirror.drift import drift
from recollect.storage.mirror.ledger import BEGINNING, Header, Ledger, Point, Row
from recollect.storage.mirror.rows import FOLLOWED, Recording, all_rows, tables
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly
from recollect.storage.sqlite.schema import exclusively
from recollect.storage.sqlite.writer import Job, Writer

PATIENCE = 60.0
"""Seconds that a change is tried again because others were quicker."""

LONGEST_PAUSE = 0.1


class _Behind(Exception):
    """The ledger is at another point than the mirror."""


def catch_up(db: Database) -> None:
    """A job that only asks for the mirror to be brought up to date."""


def fill_anew(db: Database) -> None:
    """A job that only asks for all that the ledger has, instead of all that the mirror has."""


class MirrorWriter(Writer):
    """Runs jobs on the mirror, and commits what they change to the ledger before it commits it here.

    The jobs of a batch are one commit to the ledger, too. If others were quicker, or a job fails and the mirror turns out to
    be behind, the mirror catches up and the jobs run again. A commit whose answer was lost leaves the mirror behind, which
    the next one finds.
    """

    def __init__(self, db: Database, unit: str, ledger: Ledger) -> None:
        super().__init__(db)
        self._unit, self._ledger = unit, ledger
        self._tables = tables(db)
        self.header = Header(_followed(db))
        self.filled = 0
        """How often the mirror was filled anew."""
        self.took_away: Callable[[Loss], object] = lambda loss: None

    def _transact(self, jobs: list[Job[Any]]) -> list[Any]:
        if fill_anew in jobs:
            self._catch_up(BEGINNING)
        elif catch_up in jobs:
            self._catch_up()
        if jobs == [catch_up]:
            return [None]
        end, pause = time.monotonic() + PATIENCE, 0.001
        while True:
            try:
                return self._try(jobs)
            except _Behind:
                pass
            except StoreUnavailable:
                raise  # it may have been kept: whoever comes next finds that out, but it is not done again
            except RecollectError:
                if not self._is_behind():
                    raise
            if time.monotonic() > end:
                raise StoreBusy("others kept changing the same memory at the same time: try again")
            time.sleep(random.uniform(0, pause))
            pause = min(pause * 2, LONGEST_PAUSE)
            self._catch_up()

    def _try(self, jobs: list[Job[Any]]) -> list[Any]:
        db = self._db
        with exclusively(db), speaking_plainly():
            recording = Recording(db, self._tables)
            try:
                results = [job(db) for job in jobs]
                changed = recording.changed()
                if any(row.table in sequences.NUMBERED for row in changed) and sequences.note(db):
                    changed = recording.changed()
            finally:
                recording.close()
            if not changed and self._is_behind():
                raise _Behind  # that there was nothing to do may be so only here
            header = self._publish(changed) if changed else self.header
        self.header = header
        return results

    def _publish(self, changed: list[Row]) -> Header:
        db, after = self._db, self.header.point
        if after == BEGINNING:
            changed = [*(row for row in all_rows(db, self._tables["meta"])), *(r for r in changed if r.table != "meta")]
        note, reached = notes.of(db), Point(after.revision + 1, secrets.token_hex(12))
        if not self._ledger.commit(self._unit, after, changed, note, reached.token):
            raise _Behind
        _follow(db, reached)
        return Header(reached, note)

    def _is_behind(self) -> bool:
        return self._ledger.headers([self._unit])[0].point != self.header.point

    def drift(self, db: Database) -> list[str]:
        """A job that says what the mirror has otherwise than the ledger at the same point."""
        delta = self._ledger.load(self._unit, BEGINNING)
        if delta.header.point != self.header.point:
            raise _Behind
        return drift(db, self._tables, delta.rows)

    def _catch_up(self, since: Point | None = None) -> None:
        delta = self._ledger.load(self._unit, self.header.point if since is None else since)
        if since is None and delta.header.point == self.header.point:
            return
        if notes.SEAL in delta.header.note:
            raise WrongKey("this store is encrypted and needs its key")
        with exclusively(self._db), speaking_plainly():
            loss = apply(self._db, self._tables, delta)
            _follow(self._db, delta.header.point)
        was_empty, self.header = self.header.point == BEGINNING, delta.header
        self.filled += delta.whole
        if loss is not None:
            self.took_away(Loss(False, set()) if was_empty else loss)


def _followed(db: Database) -> Point:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (FOLLOWED,)).fetchone()
    if row is None:
        return BEGINNING
    revision, _, token = row[0].partition(":")
    return Point(int(revision), token)


def _follow(db: Database, point: Point) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (FOLLOWED, f"{point.revision}:{point.token}"))
