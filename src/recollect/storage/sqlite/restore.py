"""A backup brought back in the place of a store.

The backup itself is only read: a copy of it is checked, and that copy is what comes back. A store that is there is left to
nobody else meanwhile; its pages are replaced in one transaction, so that whatever dies on the way, it is the old one or the
new one. What was there before is kept beside it.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import apsw

from recollect.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt
from recollect.ports import Progress
from recollect.reports import Diagnosis
from recollect.storage.sqlite.backup import copy_out, copy_pages, copy_to
from recollect.storage.sqlite.connection import Source, connect, key_text
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly
from recollect.storage.sqlite.storage import SqliteStorage

SIDE_FILES = ("-wal", "-shm", "-journal")
WAIT = 2.0
"""Seconds that others are waited for to let go of the store."""


class Restored(NamedTuple):
    """What came of it: what the check of the backup found, and whether the old store could only be moved, not copied."""

    diagnosis: Diagnosis
    done: bool
    moved: bool = False


def restore(
    source: Source, backup: Path, aside: Path, *, repair: bool = False, progress: Progress | None = None
) -> Restored:
    """Puts a backup in the place of the store; what is there now is kept as `aside`.

    A backup that is not in order is not brought back, unless `repair` mends the copy of it.
    """
    if not backup.exists():
        raise NotFound(f"there is no backup at {backup}")
    if source.path.exists() and backup.samefile(source.path):
        raise InvalidInput(f"{backup} is the store itself")
    fresh = source.path.with_name(source.path.name + ".restoring")
    _remove(fresh)
    try:
        _copy(replace(source, path=backup), fresh, progress)
        diagnosis = _checked(replace(source, path=fresh), repair)
        if not diagnosis.healthy:
            return Restored(diagnosis, done=False)
        return Restored(diagnosis, done=True, moved=_put(source, fresh, aside, progress))
    finally:
        _remove(fresh)


def _copy(backup: Source, fresh: Path, progress: Progress | None) -> None:
    """Copies the backup without leaving a trace beside it, which may be where nothing can be written."""
    if Path(f"{backup.path}-wal").exists():
        return copy_to(backup, fresh, progress)  # no backup of ours, but a store with its log
    name, flags = backup.path.absolute().as_uri() + "?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with speaking_plainly():
        db = cast(Database, apsw.Connection(name, flags=flags))
        try:
            if backup.key is not None:
                db.pragma("key", key_text(backup.key))
            copy_out(db, backup, fresh, progress)
        finally:
            db.close()


def _checked(source: Source, repair: bool) -> Diagnosis:
    """Opening it also brings it to this program's version."""
    storage = SqliteStorage(source)
    try:
        return storage.check(repair=repair)
    finally:
        storage.close()


def _put(source: Source, fresh: Path, aside: Path, progress: Progress | None) -> bool:
    """Puts the checked copy in place; True if the old store was too damaged for anything but to be moved away."""
    if not source.path.exists() or not source.path.stat().st_size:
        fresh.rename(source.path)
        return False
    try:
        with speaking_plainly(), _alone(source) as db:
            copy_out(db, source, aside)
            with _opened(source, fresh) as new:
                copy_pages(new, db, progress)
        return False
    except StoreCorrupt:
        _remove(aside)
        for ending in ("", *SIDE_FILES):
            with suppress(FileNotFoundError):
                os.rename(f"{source.path}{ending}", f"{aside}{ending}")
        fresh.rename(source.path)
        return True


@contextmanager
def _alone(source: Source) -> Generator[Database]:
    """The store with nobody else in it, until the end."""
    with _opened(source, source.path) as db:
        try:
            db.pragma("locking_mode", "exclusive")
            # Only the last one in can leave the log behind: so this tells whether there are others, and keeps them out.
            if db.pragma("journal_mode", "delete") != "delete":
                raise apsw.BusyError("the log is in use")
            db.execute("BEGIN EXCLUSIVE; COMMIT")
        except apsw.BusyError:
            raise StoreBusy(
                f"{source.path} is in use by another program; close that first, so that it does not go on with what it"
                " remembers of the old one"
            ) from None
        yield db


@contextmanager
def _opened(source: Source, path: Path) -> Generator[Database]:
    """A bare connection, without the log and all that belongs to a store at work."""
    connect(replace(source, path=path, busy_timeout=WAIT)).close()  # says clearly what is wrong with a key or a file
    db = cast(Database, apsw.Connection(str(path)))
    try:
        if source.key is not None:
            db.pragma("key", key_text(source.key))
        yield db
    finally:
        db.close()


def _remove(path: Path) -> None:
    for ending in ("", *SIDE_FILES):
        Path(f"{path}{ending}").unlink(missing_ok=True)
