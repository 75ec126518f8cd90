"""Backup of the file while it is in use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import apsw

from keepsaid.errors import InvalidInput, KeepsaidError
from keepsaid.ports import Progress
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.connection.source import SqliteSource, connect, format_key

PAGES_PER_STEP = 2_000
"""Pages copied between two calls of the progress function."""


def copy_store(source: SqliteSource, target: Path, progress: Progress | None = None) -> None:
    """Write a consistent copy with the same key. It is written next to the target and then renamed."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; choose a new file")
    unfinished = target.with_name(target.name + ".part")
    unfinished.unlink(missing_ok=True)
    try:
        with translated_errors():
            db = connect(source)
            try:
                copy_snapshot(db, source, unfinished, progress)
            finally:
                db.close()
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def copy_snapshot(db: SqliteConnection, source: SqliteSource, target: Path, progress: Progress | None = None) -> None:
    """Copy what a connection sees in one transaction to a new file."""
    copy = cast(SqliteConnection, apsw.Connection(str(target)))
    try:
        target.chmod(0o600)
        if source.key is not None:
            copy.pragma("key", format_key(source.key))
        # The transaction gives the copy one consistent state. Without it, every commit of others would restart the copy.
        db.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        try:
            copy_pages(db, copy, progress)
        finally:
            db.execute("ROLLBACK")
    finally:
        copy.close()


def copy_pages(db: SqliteConnection, copy: SqliteConnection, progress: Progress | None = None) -> None:
    """Copy every page of one connection's file to another's, in one transaction of the target."""
    size = db.pragma("page_size")
    with copy.backup("main", db, "main") as work:
        while not work.step(PAGES_PER_STEP if progress else -1):
            if progress:
                progress((work.page_count - work.remaining) * size, work.page_count * size)
        if progress:
            progress(work.page_count * size, work.page_count * size)


def is_copy(source: SqliteSource, path: Path) -> bool:
    """Whether a file is a copy of this store: copies have the same secret."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        ours = _secret(source, str(source.path), apsw.SQLITE_OPEN_READONLY)
        # Immutable, so that reading creates no log next to it.
        uri = path.absolute().as_uri() + "?immutable=1"
        return ours is not None and ours == _secret(source, uri, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except (apsw.Error, KeepsaidError):
        return False


def _secret(source: SqliteSource, name: str, flags: int) -> str | None:
    db = cast(SqliteConnection, apsw.Connection(name, flags=flags))
    try:
        if source.key is not None:
            db.pragma("key", format_key(source.key))
        row = db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        return row[0] if row else None
    finally:
        db.close()
