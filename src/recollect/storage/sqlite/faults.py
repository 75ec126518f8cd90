"""SQLite's errors in our words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from recollect.errors import (
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
    (apsw.BusyError, StoreBusy, "another process holds the store's lock; it was waited for in vain"),
    (apsw.LockedError, StoreBusy, "the store is locked"),
    (apsw.FullError, StoreFull, "the disk is full; nothing of this call was kept"),
    (apsw.ReadOnlyError, StoreReadOnly, "the store cannot be written"),
    (apsw.CantOpenError, StoreReadOnly, "the store's files cannot be opened or made here"),
    (apsw.PermissionsError, StoreReadOnly, "no permission for the store's files"),
    (apsw.CorruptError, StoreCorrupt, "the store is damaged; `recollect doctor --repair` mends what can be mended"),
    (apsw.NotADBError, NotAStore, "not a Recollect store, or an encrypted one that needs its key"),
    (apsw.TooBigError, MessageTooLarge, "the message is larger than SQLite can keep"),
    (apsw.ConnectionClosedError, StoreClosed, "the store is closed"),
)


def translate(error: Exception) -> Exception:
    """Our error for one of SQLite's."""
    for theirs, ours, words in _WORDS:
        if isinstance(error, theirs):
            return ours(f"{words} ({error})")
    # No room for the shared index of the log is an I/O error; that it is for want of room says the extended code.
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return StoreFull(f"the disk is full; nothing of this call was kept ({error})")
    return StorageError(f"the store failed: {type(error).__name__}: {error}")


@contextmanager
def speaking_plainly() -> Generator[None]:
    """Turns whatever SQLite raises inside into one of our errors."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error) from error
