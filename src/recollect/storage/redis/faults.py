"""What goes wrong in Redis, in our words: which failures pass, and what the others are."""

from __future__ import annotations

import re

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    MaxConnectionsError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from recollect.errors import ConfigError, RecollectError, StorageError, StoreBusy, StoreFull, StoreUnavailable


class TooFewReplicas(RedisError):
    """A commit is on its server, but not on as many replicas as asked for."""


FAILURES = (RedisError, OSError)
"""Whatever talking to Redis may raise."""

_DENIED = (AuthenticationError, AuthorizationError, NoPermissionError, AuthenticationWrongNumberOfArgsError)
_PASSING = (
    RedisConnectionError,
    RedisTimeoutError,
    ClusterDownError,
    ReadOnlyError,
    AskError,
    TryAgainError,
    TooFewReplicas,
    OSError,
)
_HERE = (TryAgainError, BusyLoadingError, TooFewReplicas)
_PASSING_WORDS = re.compile(r"\b(?:READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|LOADING|BUSY|UNBLOCKED)\b")
_FULL_WORDS = re.compile(r"\b(?:OOM|MISCONF)\b")
_NO_CLUSTER = "cluster support disabled"
_ALL_LENT = "No connection available"


def passes(error: Exception) -> bool:
    """Whether the same may succeed soon: a server that restarts, a replica that takes over, a slot that moves.

    >>> passes(RedisConnectionError("refused")), passes(OutOfMemoryError()), passes(RedisError("BUSY running a script"))
    (True, False, True)
    """
    if isinstance(error, _DENIED) or _is_full(error):
        return False
    # An error inside a script comes as text, with the name of its kind somewhere in it.
    return isinstance(error, _PASSING) or bool(_PASSING_WORDS.search(str(error)))


def is_elsewhere(error: Exception) -> bool:
    """Whether another server may have to be asked.

    >>> is_elsewhere(ReadOnlyError("You can't write")), is_elsewhere(TryAgainError("splits"))
    (True, False)
    """
    return passes(error) and not (isinstance(error, _HERE) or _is_exhausted(error))


def is_moved(error: Exception) -> bool:
    """Whether the server itself says that another one has the key: then nothing is gained by waiting."""
    return isinstance(error, MovedError)


def plainly(error: Exception, patience: float) -> RecollectError:
    """The error of ours that says what happened.

    >>> plainly(RedisConnectionError("refused"), 2.0)
    StoreUnavailable('Redis could not do it within 2 s: refused')
    """
    if isinstance(error, _DENIED):
        return ConfigError(f"Redis denied access: {error}")
    if _is_full(error):
        return StoreFull(f"Redis has no room, or cannot write to its disk: {error}")
    if _is_exhausted(error):
        return StoreBusy("all connections to Redis were in use for too long: raise `connections` in the URL")
    if passes(error):
        return StoreUnavailable(f"Redis could not do it within {patience:g} s: {error}")
    if _NO_CLUSTER in str(error):
        return ConfigError("this Redis is no cluster: leave `cluster` out of the URL")
    return StorageError(f"Redis refused: {error}")


def _is_full(error: Exception) -> bool:
    return isinstance(error, OutOfMemoryError) or bool(_FULL_WORDS.search(str(error)))


def _is_exhausted(error: Exception) -> bool:
    return isinstance(error, MaxConnectionsError) or _ALL_LENT in str(error)
