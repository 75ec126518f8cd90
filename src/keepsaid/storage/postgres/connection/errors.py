"""Translation of PostgreSQL errors into errors of this package."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from keepsaid.errors import (
    ConfigError,
    Conflict,
    Erased,
    InvalidTransition,
    KeepsaidError,
    MessageConflict,
    MessageTooLarge,
    NotFound,
    RevisionConflict,
    StorageError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)


class PostgresDuplicateMessage(KeepsaidError):
    """A message id is already in the store: the append must be repeated without it."""


class UncertainCommitError(StoreUnavailable):
    """The connection failed while a commit was in flight: the change may have been stored."""


ERRORS_BY_CODE: dict[str, type[KeepsaidError]] = {
    "KS208": PostgresDuplicateMessage,
    "KS404": NotFound,
    "KS409": Conflict,
    "KS410": Erased,
    "KS411": MessageConflict,
    "KS412": RevisionConflict,
    "KS413": InvalidTransition,
}
"""Errors that our own SQL functions raise, by their error code."""

RETRYABLE_CODES = ("40001", "40P01", "55006")
"""Codes of conflicts in which this transaction was rolled back: it may be retried."""

POOLER_HINT = "the connection pooler in front of the server must use session pooling: see docs/postgres.md"
"""The hint for errors that occur only if clients share server sessions, as with PgBouncer's `pool_mode = transaction`."""

_TEXTS_BY_CODE: tuple[tuple[str, type[KeepsaidError], str], ...] = (
    ("23505", Conflict, "this is already in the store"),
    ("25006", StoreReadOnly, "the server accepts no changes: it is a standby or set to read-only"),
    ("42501", StoreReadOnly, "the database user has no permission for this"),
    ("53100", StoreFull, "the server's disk is full; nothing of this call was kept"),
    ("53300", StoreBusy, "the server has no free connection"),
    ("53", StoreFull, "the server is out of resources; nothing of this call was kept"),
    ("42P05", ConfigError, POOLER_HINT),
    ("54000", MessageTooLarge, "larger than PostgreSQL can store"),
    ("55P03", StoreBusy, "timed out waiting for a lock of another transaction"),
    ("57014", StoreUnavailable, "the server did not finish in time"),
    ("57", StoreUnavailable, "the server shut down or ended the connection"),
    ("08", StoreUnavailable, "the connection to the server failed"),
    ("26000", ConfigError, POOLER_HINT),
    ("28", StoreUnavailable, "the server rejected this user or password"),
    ("3D000", StoreUnavailable, "there is no such database"),
    ("XX001", StoreCorrupt, "the server reports damaged data"),
    ("XX002", StoreCorrupt, "the server reports a damaged index"),
    *((code, StoreBusy, "every attempt conflicted with other transactions") for code in RETRYABLE_CODES),
)


def translate_error(error: Exception) -> Exception:
    """Translate a PostgreSQL error into one of our errors.

    >>> translate_error(psycopg.errors.DiskFull("no space left"))
    StoreFull("the server's disk is full; nothing of this call was kept (no space left)")
    """
    if isinstance(error, psycopg_pool.PoolClosed):
        return StoreClosed("the store is closed")
    if not isinstance(error, psycopg.Error):
        return error
    code = error.sqlstate or ""
    if code in ERRORS_BY_CODE:
        return ERRORS_BY_CODE[code](error.diag.message_primary or "")
    for beginning, ours, words in _TEXTS_BY_CODE:
        if code.startswith(beginning):
            return ours(f"{words} ({_first_line(error)})")
    if isinstance(error, psycopg.OperationalError):
        if "unsupported startup parameter" in _first_line(error):
            return ConfigError(f"{POOLER_HINT} ({_first_line(error)})")
        return StoreUnavailable(f"the server cannot be reached, or the connection failed ({_first_line(error)})")
    if isinstance(error, psycopg.ProgrammingError) and not code:
        # An error of the driver, not of the server. Its text may repeat the URL with the password, so leave it out.
        return ConfigError("the PostgreSQL URL cannot be parsed: percent-encode special characters in the password")
    return StorageError(f"the store failed: {type(error).__name__}: {_first_line(error)}")


def _first_line(error: psycopg.Error) -> str:
    """The first line of PostgreSQL's error message. Its details may quote a user's text."""
    return (error.diag.message_primary or str(error)).partition("\n")[0]


def is_connection_failure(error: Exception) -> bool:
    """Whether the connection failed, so that the statements sent may not have run.

    >>> is_connection_failure(psycopg.OperationalError("server closed the connection unexpectedly"))
    True
    >>> is_connection_failure(psycopg.errors.UniqueViolation("twice"))
    False
    """
    code = getattr(error, "sqlstate", None) or ""
    if code:
        return code[:2] == "08" or code in ("57P01", "57P02", "57P03", "57P05")
    return isinstance(error, psycopg.OperationalError)


@contextmanager
def translated_errors() -> Generator[None]:
    """Translate errors that PostgreSQL raises in this context into our errors."""
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolClosed, psycopg_pool.PoolTimeout) as error:
        raise translate_error(error) from error
