"""PostgreSQL's errors in our words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from recollect.errors import (
    ConfigError,
    Conflict,
    Erased,
    IllegalMove,
    MessageConflict,
    MessageTooLarge,
    NotFound,
    RecollectError,
    RevisionConflict,
    StorageError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)


class SeenBefore(RecollectError):
    """A message id is in the store already: the append must be done again, carefully."""


class Uncertain(StoreUnavailable):
    """The connection was cut when the end of a change was on its way: it may have been kept."""


OURS: dict[str, type[RecollectError]] = {
    "RC208": SeenBefore,
    "RC404": NotFound,
    "RC409": Conflict,
    "RC410": Erased,
    "RC411": MessageConflict,
    "RC412": RevisionConflict,
    "RC413": IllegalMove,
}
"""What our own functions raise, by the code they raise it with."""

TRY_AGAIN = ("40001", "40P01", "55006")
"""Two transactions stood in each other's way, and this one was undone: it may be tried again."""

POOLER = "a pooler stands before the server, and must keep a session for each client: docs/postgres.md says how"
"""For what is seen only where clients are lent another's session: PgBouncer's `pool_mode = transaction`, say."""

_WORDS: tuple[tuple[str, type[RecollectError], str], ...] = (
    ("23505", Conflict, "this is in the store already"),
    ("25006", StoreReadOnly, "the server takes no changes: a standby, or set to read only"),
    ("42501", StoreReadOnly, "the user has no right to do this"),
    ("53100", StoreFull, "the server's disk is full; nothing of this call was kept"),
    ("53300", StoreBusy, "the server has no connection left"),
    ("53", StoreFull, "the server is out of something it needs; nothing of this call was kept"),
    ("42P05", ConfigError, POOLER),
    ("54000", MessageTooLarge, "larger than PostgreSQL can keep"),
    ("55P03", StoreBusy, "another transaction holds what is needed; it was waited for in vain"),
    ("57014", StoreUnavailable, "the server did not finish in time"),
    ("57", StoreUnavailable, "the server went away"),
    ("08", StoreUnavailable, "the connection to the server failed"),
    ("26000", ConfigError, POOLER),
    ("28", StoreUnavailable, "the server does not let this user in"),
    ("3D000", StoreUnavailable, "there is no such database"),
    ("XX001", StoreCorrupt, "the server says that its data is damaged"),
    ("XX002", StoreCorrupt, "the server says that an index of its is damaged"),
    *((code, StoreBusy, "others were in the way each time this was tried") for code in TRY_AGAIN),
)


def translate(error: Exception) -> Exception:
    """Our error for one of PostgreSQL's.

    >>> translate(psycopg.errors.DiskFull("no space left"))
    StoreFull("the server's disk is full; nothing of this call was kept (no space left)")
    """
    if isinstance(error, psycopg_pool.PoolClosed):
        return StoreClosed("the store is closed")
    if not isinstance(error, psycopg.Error):
        return error
    code = error.sqlstate or ""
    if code in OURS:
        return OURS[code](error.diag.message_primary or "")
    for beginning, ours, words in _WORDS:
        if code.startswith(beginning):
            return ours(f"{words} ({_said(error)})")
    if isinstance(error, psycopg.OperationalError):
        if "unsupported startup parameter" in _said(error):
            return ConfigError(f"{POOLER} ({_said(error)})")
        return StoreUnavailable(f"the server cannot be reached, or the connection was cut ({_said(error)})")
    if isinstance(error, psycopg.ProgrammingError) and not code:
        # Not the server's, but the driver's, which repeats what it cannot read: perhaps a password.
        return ConfigError("the PostgreSQL URL cannot be read: special characters in a password are percent-encoded")
    return StorageError(f"the store failed: {type(error).__name__}: {_said(error)}")


def _said(error: psycopg.Error) -> str:
    """The first line of what PostgreSQL says. Its details may quote what somebody wrote."""
    return (error.diag.message_primary or str(error)).partition("\n")[0]


def is_cut(error: Exception) -> bool:
    """Whether the connection failed, so that what was sent may have come to nothing.

    >>> is_cut(psycopg.OperationalError("server closed the connection unexpectedly"))
    True
    >>> is_cut(psycopg.errors.UniqueViolation("twice"))
    False
    """
    code = getattr(error, "sqlstate", None) or ""
    if code:
        return code[:2] == "08" or code in ("57P01", "57P02", "57P03", "57P05")
    return isinstance(error, psycopg.OperationalError)


@contextmanager
def speaking_plainly() -> Generator[None]:
    """Turns whatever PostgreSQL raises inside into one of our errors."""
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolClosed, psycopg_pool.PoolTimeout) as error:
        raise translate(error) from error
