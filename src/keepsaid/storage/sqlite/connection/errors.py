"""Translation of SQLite's errors to `keepsaid.errors`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from keepsaid.errors import (
    MessageTooLarge,
    NotAStore,
    StorageError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
)

_WORDS: tuple[tuple[type[Exception], type[Exception], str], ...] = (
    (apsw.BusyError, StoreBusy, "timed out waiting for the store's lock, which another process holds"),
    (apsw.LockedError, StoreBusy, "the store is locked"),
    (apsw.FullError, StoreFull, "the disk is full; nothing of this call was saved"),
    (apsw.ReadOnlyError, StoreReadOnly, "the store cannot be written"),
    (apsw.CantOpenError, StoreReadOnly, "the store's files cannot be opened or created"),
    (apsw.PermissionsError, StoreReadOnly, "no permission to access the store's files"),
    (apsw.CorruptError, StoreCorrupt, "the store is damaged; `keepsaid doctor --repair` repairs what it can"),
    (apsw.NotADBError, NotAStore, "not a Keepsaid store, or an encrypted one that needs its key"),
    (apsw.TooBigError, MessageTooLarge, "the message is larger than SQLite can store"),
    (apsw.ConnectionClosedError, StoreClosed, "the store is closed"),
)


def translate_error(error: Exception) -> Exception:
    """Return our error for one of SQLite's."""
    for theirs, ours, words in _WORDS:
        if isinstance(error, theirs):
            return ours(f"{words} ({error})")
    # When there is no space for the shared index of the log, SQLite reports an I/O error; only the extended code says why.
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return StoreFull(f"the disk is full; nothing of this call was saved ({error})")
    return StorageError(f"the store failed: {type(error).__name__}: {error}")


@contextmanager
def translated_errors() -> Generator[None]:
    """Translate every SQLite error that is raised inside the block."""
    try:
        yield
    except apsw.Error as error:
        raise translate_error(error) from error
