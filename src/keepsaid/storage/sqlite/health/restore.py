"""Restore of a backup in place of a store.

The backup itself is only read: a copy of it is checked, and the copy is restored. An existing store is locked exclusively in
the meantime. Its pages are replaced in one transaction, so that after a crash the file is either the old store or the new
one. The old store is kept as a separate file.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import apsw

from keepsaid.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt
from keepsaid.ports import Progress
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.connection.source import SqliteSource, connect, format_key
from keepsaid.storage.sqlite.health.backup import copy_pages, copy_snapshot, copy_store
from keepsaid.storage.sqlite.storage import SqliteStorage
from keepsaid.types.reports import StoreDiagnosis

SIDE_FILES = ("-wal", "-shm", "-journal")
LOCK_TIMEOUT = 2.0
"""Seconds to wait until other processes release the store."""


class RestoreResult(NamedTuple):
    """The result: the findings of the backup's check, whether it was restored, and whether the old store was moved because
    it could not be copied."""

    diagnosis: StoreDiagnosis
    done: bool
    moved: bool = False


def restore_backup(
    source: SqliteSource, backup: Path, aside: Path, *, repair: bool = False, progress: Progress | None = None
) -> RestoreResult:
    """Restore a backup in place of the store. The current store is kept as `aside`.

    A backup with findings is not restored, unless `repair` can fix the copy of it.
    """
    if not backup.exists():
        raise NotFound(f"there is no backup at {backup}")
    if source.path.exists() and backup.samefile(source.path):
        raise InvalidInput(f"{backup} is the store itself, not a backup of it")
    fresh = source.path.with_name(source.path.name + ".restoring")
    _remove(fresh)
    try:
        _copy(replace(source, path=backup), fresh, progress)
        diagnosis = _check(replace(source, path=fresh), repair)
        if not diagnosis.healthy:
            return RestoreResult(diagnosis, done=False)
        return RestoreResult(diagnosis, done=True, moved=_put_in_place(source, fresh, aside, progress))
    finally:
        _remove(fresh)


def _copy(backup: SqliteSource, fresh: Path, progress: Progress | None) -> None:
    """Copy the backup without creating files next to it: its folder may be read-only."""
    if Path(f"{backup.path}-wal").exists():
        return copy_store(backup, fresh, progress)  # not one of our backups, but a store with its log
    name, flags = backup.path.absolute().as_uri() + "?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with translated_errors():
        db = cast(SqliteConnection, apsw.Connection(name, flags=flags))
        try:
            if backup.key is not None:
                db.pragma("key", format_key(backup.key))
            copy_snapshot(db, backup, fresh, progress)
        finally:
            db.close()


def _check(source: SqliteSource, repair: bool) -> StoreDiagnosis:
    """Check a store. Opening it also migrates it to this program's version."""
    storage = SqliteStorage(source)
    try:
        return storage.check(repair=repair)
    finally:
        storage.close()


def _put_in_place(source: SqliteSource, fresh: Path, aside: Path, progress: Progress | None) -> bool:
    """Replace the store with the checked copy. Return True if the old store was too damaged to copy and was moved away."""
    if not source.path.exists() or not source.path.stat().st_size:
        fresh.rename(source.path)
        return False
    try:
        with translated_errors(), _lock_exclusively(source) as db:
            copy_snapshot(db, source, aside)
            with _open_bare(source, fresh) as new:
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
def _lock_exclusively(source: SqliteSource) -> Generator[SqliteConnection]:
    """Open the store with an exclusive lock that is held until the end of the block."""
    with _open_bare(source, source.path) as db:
        try:
            db.pragma("locking_mode", "exclusive")
            # Only the last connection can leave WAL mode: this detects other connections, and keeps new ones out.
            if db.pragma("journal_mode", "delete") != "delete":
                raise apsw.BusyError("the log is in use")
            db.execute("BEGIN EXCLUSIVE; COMMIT")
        except apsw.BusyError:
            raise StoreBusy(
                f"{source.path} is in use by another program; close that first, so that it does not continue with cached"
                " data of the old store"
            ) from None
        yield db


@contextmanager
def _open_bare(source: SqliteSource, path: Path) -> Generator[SqliteConnection]:
    """Open a connection without the log and the other settings of a working store."""
    connect(replace(source, path=path, busy_timeout=LOCK_TIMEOUT)).close()  # raises a clear error for a wrong key or file
    db = cast(SqliteConnection, apsw.Connection(str(path)))
    try:
        if source.key is not None:
            db.pragma("key", format_key(source.key))
        yield db
    finally:
        db.close()


def _remove(path: Path) -> None:
    for ending in ("", *SIDE_FILES):
        Path(f"{path}{ending}").unlink(missing_ok=True)
