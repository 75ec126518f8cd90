"""Opening a connection: encryption key, pragmas, lock timeout, and the SQL function for the keyword index."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import apsw

from keepsaid.errors import NotAStore, StorageError, StoreReadOnly, WrongKey
from keepsaid.storage.sqlite import schema
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.erase import raw_file
from keepsaid.storage.sqlite.rows import message_terms

HEADER = b"SQLite format 3\0"

MAPPED_BYTES = 1 << 30
"""Bytes of the file that reading connections map into memory, which takes half of the time of reading vectors. An encrypted
file is never mapped."""


@dataclass(frozen=True, slots=True)
class SqliteSource:
    """Where the file is and how it is opened."""

    path: Path
    key: str | bytes | None = field(default=None, repr=False)
    durable: bool = True
    busy_timeout: float = 60.0
    vfs: str | None = None


def connect_for_reading(source: SqliteSource) -> SqliteConnection:
    """Open the file for a connection that only reads.

    The writer and the doctor do not map the file: their errors must be exceptions, while a mapped page that the disk cannot
    read ends the process.
    """
    db = connect(source)
    with translated_errors():
        db.pragma("mmap_size", MAPPED_BYTES)
    return db


def connect(source: SqliteSource) -> SqliteConnection:
    """Open the file, or create it. A wrong key, a foreign file and a missing or read-only folder are clear errors."""
    _check_header(source)
    if not source.path.parent.is_dir():
        raise StoreReadOnly(f"the folder {source.path.parent} does not exist")
    _make_private(source.path)
    with translated_errors():
        db = cast(SqliteConnection, apsw.Connection(str(source.path), vfs=source.vfs, statementcachesize=200))
        try:
            _prepare(db, source)
        except apsw.NotADBError:
            db.close()
            raise _unreadable_error(source) from None
        except BaseException:
            db.close()
            raise
    return db


def _make_private(path: Path) -> None:
    """Create a missing file so that only its user can access it. SQLite gives the log the same permissions."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreReadOnly(f"the store cannot be created: {error}") from None


def sync_log(source: SqliteSource) -> None:
    """Write the log to disk, with all commits in it."""
    try:
        file = os.open(f"{source.path}-wal", os.O_RDWR)
        try:
            os.fsync(file)
        finally:
            os.close(file)
    except FileNotFoundError:
        return  # the last connection has closed it, after writing everything to the file
    except OSError as error:
        raise StorageError(f"the store's log could not be written to disk: {error.strerror}") from error


def _prepare(db: SqliteConnection, source: SqliteSource) -> None:
    if source.key is not None:
        db.pragma("key", format_key(source.key))
    db.set_busy_handler(make_busy_handler(source.busy_timeout))
    schema.refuse_foreign(db)
    if db.pragma("journal_mode") != "wal":
        _use_log(db, make_busy_handler(source.busy_timeout))
    db.pragma("synchronous", "full" if source.durable else "normal")
    db.pragma("secure_delete", "on")
    db.create_scalar_function("keyword_text", keyword_text, 3, deterministic=True)


def _use_log(db: SqliteConnection, wait: Callable[[int], bool]) -> None:
    """Switch a new file to the write-ahead log. Here SQLite does not call the busy handler, so we wait ourselves."""
    tries = 0
    while True:
        try:
            db.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1


def format_key(key: str | bytes) -> str:
    """Return a key in SQLite's format: bytes are the raw key, text is a passphrase from which the key is derived."""
    return f"raw:{key.hex()}" if isinstance(key, bytes) else key


def make_busy_handler(seconds: float) -> Callable[[int], bool]:
    """Return a busy handler that sleeps longer each time, with random jitter so that waiting processes do not retry in
    step."""
    deadline = 0.0

    def wait(tries: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if tries == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(random.uniform(0.3, 1.0) * min(0.02, 0.0002 * 2 ** min(tries, 10)))
        return True

    return wait


def _check_header(source: SqliteSource) -> None:
    if source.path.is_dir():
        raise NotAStore(f"{source.path} is a folder")
    if not source.path.exists():
        return
    # SQLite treats a file of one byte as empty. Read the size before the header: another process may be creating the store.
    size = source.path.stat().st_size
    try:
        with raw_file.open_raw_file(source.path) as file:
            header = file.read(0, len(HEADER))
    except apsw.Error as error:
        raise StoreReadOnly(f"{source.path} cannot be read: {error}") from None
    if header == HEADER and source.key is not None:
        raise WrongKey(f"{source.path} is not encrypted, but a key was given")
    foreign = header != HEADER if header else size == 1
    if foreign and source.key is None:
        raise NotAStore(f"{source.path} is not a Keepsaid store, or it is encrypted and needs its key")


def _unreadable_error(source: SqliteSource) -> Exception:
    if source.key is not None:
        return WrongKey(f"the key does not open {source.path} (or it is not a Keepsaid store)")
    return NotAStore(f"{source.path} is not a Keepsaid store")


def keyword_text(owner: int, text: str, extra: str | None) -> str:
    """Return the text to index for a message: its terms, each prefixed with its owner's number.

    So every owner has separate posting lists: a search never reads another owner's, is not slowed down by them, and learns
    nothing from them (docs/decisions/0002-keyword-index.md).

    >>> keyword_text(7, "My sisters moved", None), keyword_text(7, "Hi", '{"name":"Ann"}')
    ('7:my 7:sister 7:move', '7:ann 7:hi')
    """
    found = message_terms(text, extra)
    prefix = f"{owner}:"
    return prefix + f" {prefix}".join(found) if found else ""
