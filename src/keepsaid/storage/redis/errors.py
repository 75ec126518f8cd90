"""Classification of Redis errors: which are transient, and which of our errors the others become."""

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

from keepsaid.errors import ConfigError, KeepsaidError, StorageError, StoreBusy, StoreFull, StoreUnavailable


class TooFewReplicas(RedisError):
    """A commit is on its server, but on fewer replicas than requested."""


REDIS_FAILURES = (RedisError, OSError)
"""Everything that a call to Redis may raise."""

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
_SAME_SERVER = (TryAgainError, BusyLoadingError, TooFewReplicas)
_PASSING_WORDS = re.compile(r"\b(?:READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|LOADING|BUSY|UNBLOCKED)\b")
_FULL_WORDS = re.compile(r"\b(?:OOM|MISCONF)\b")
_NO_CLUSTER = "cluster support disabled"
_POOL_EXHAUSTED = "No connection available"


def is_transient(error: Exception) -> bool:
    """Whether the same call may succeed soon: a server restarts, a replica takes over, a slot moves.

    >>> (is_transient(RedisConnectionError("refused")), is_transient(OutOfMemoryError()),
    ...  is_transient(RedisError("BUSY running a script")))
    (True, False, True)
    """
    if isinstance(error, _DENIED) or _is_full(error):
        return False
    # An error inside a script is reported as text that contains its code.
    return isinstance(error, _PASSING) or bool(_PASSING_WORDS.search(str(error)))


def may_need_other_server(error: Exception) -> bool:
    """Whether another server may have to be used.

    >>> may_need_other_server(ReadOnlyError("You can't write")), may_need_other_server(TryAgainError("splits"))
    (True, False)
    """
    return is_transient(error) and not (isinstance(error, _SAME_SERVER) or _is_exhausted(error))


def is_moved(error: Exception) -> bool:
    """Whether the server says that another one has the key, so that waiting is useless."""
    return isinstance(error, MovedError)


def translate_error(error: Exception, patience: float) -> KeepsaidError:
    """Translate an error to one of ours.

    >>> translate_error(RedisConnectionError("refused"), 2.0)
    StoreUnavailable('Redis could not do it within 2 s: refused')
    """
    if isinstance(error, _DENIED):
        return ConfigError(f"Redis denied access: {error}")
    if _is_full(error):
        return StoreFull(f"Redis is out of memory, or cannot write to its disk: {error}")
    if _is_exhausted(error):
        return StoreBusy("all connections to Redis were in use for too long: raise `connections` in the URL")
    if is_transient(error):
        return StoreUnavailable(f"Redis could not do it within {patience:g} s: {error}")
    if _NO_CLUSTER in str(error):
        return ConfigError("this Redis is not a cluster: leave `cluster` out of the URL")
    return StorageError(f"Redis refused: {error}")


def _is_full(error: Exception) -> bool:
    return isinstance(error, OutOfMemoryError) or bool(_FULL_WORDS.search(str(error)))


def _is_exhausted(error: Exception) -> bool:
    return isinstance(error, MaxConnectionsError) or _POOL_EXHAUSTED in str(error)
