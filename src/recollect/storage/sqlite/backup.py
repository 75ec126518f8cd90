"""A copy of the file while it is in use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import apsw

from recollect.errors import InvalidInput, RecollectError
from recollect.ports import Progress
from recollect.storage.sqlite.connection import Source, connect, key_text
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly

AT_ONCE = 2_000
"""Pages copied between two words to whoever is told of the progress."""


def copy_to(source: Source, target: Path, progress: Progress | None = None) -> None:
    """A consistent copy with the same key, made beside the target and then put in its place."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; name a new file")
    unfinished = target.with_name(target.name + ".part")
    unfinished.unlink(missing_ok=True)
    try:
        with speaking_plainly():
            db = connect(source)
            try:
                copy_out(db, source, unfinished, progress)
            finally:
                db.close()
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def copy_out(db: Database, source: Source, target: Path, progress: Progress | None = None) -> None:
    """Copies what a connection sees at this moment into a new file."""
    copy = cast(Database, apsw.Connection(str(target)))
    try:
        target.chmod(0o600)
        if source.key is not None:
            copy.pragma("key", key_text(source.key))
        # A transaction holds the copy to one moment. Without it, every commit of others would make it begin anew.
        db.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        try:
            copy_pages(db, copy, progress)
        finally:
            db.execute("ROLLBACK")
    finally:
        copy.close()


def copy_pages(db: Database, copy: Database, progress: Progress | None = None) -> None:
    """Copies every page of one connection's file into another's, in one transaction there."""
    size = db.pragma("page_size")
    with copy.backup("main", db, "main") as work:
        while not work.step(AT_ONCE if progress else -1):
            if progress:
                progress((work.page_count - work.remaining) * size, work.page_count * size)
        if progress:
            progress(work.page_count * size, work.page_count * size)


def is_copy(source: Source, path: Path) -> bool:
    """Whether a file is a copy of this very store, which the store's own secret tells."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        ours = _secret(source, str(source.path), apsw.SQLITE_OPEN_READONLY)
        # Immutable, so that looking leaves no log beside it.
        there = path.absolute().as_uri() + "?immutable=1"
        return ours is not None and ours == _secret(source, there, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except (apsw.Error, RecollectError):
        return False


def _secret(source: Source, name: str, flags: int) -> str | None:
    db = cast(Database, apsw.Connection(name, flags=flags))
    try:
        if source.key is not None:
            db.pragma("key", key_text(source.key))
        row = db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        return row[0] if row else None
    finally:
        db.close()
