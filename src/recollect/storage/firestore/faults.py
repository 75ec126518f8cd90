"""Google's errors in our words, and which of them pass by themselves."""

from __future__ import annotations

from recollect.errors import (
    ConfigError,
    MessageTooLarge,
    MissingExtra,
    RecollectError,
    StorageError,
    StoreFull,
    StoreUnavailable,
)

INSTALL = "Firestore needs a package more: pip install 'recollect[firestore]'"

_AWAY = "Firestore cannot be reached, or did not answer in time"
_WORDS: dict[str, tuple[type[RecollectError], str, bool]] = {
    "ServiceUnavailable": (StoreUnavailable, _AWAY, True),
    "DeadlineExceeded": (StoreUnavailable, _AWAY, True),
    "GatewayTimeout": (StoreUnavailable, _AWAY, True),
    "RetryError": (StoreUnavailable, _AWAY, True),
    "TransportError": (StoreUnavailable, _AWAY, True),
    "InternalServerError": (StoreUnavailable, "Firestore failed inside", True),
    "Unknown": (StoreUnavailable, "Firestore failed without saying why", True),
    "Cancelled": (StoreUnavailable, "the request to Firestore was cut off", True),
    "Aborted": (StoreUnavailable, "others kept changing the same documents of Firestore at the same time", True),
    "ResourceExhausted": (StoreFull, "Firestore's quota is used up; nothing of this call was kept", True),
    "PermissionDenied": (ConfigError, "these credentials may not use this Firestore database", False),
    "Forbidden": (ConfigError, "these credentials may not use this Firestore database", False),
    "Unauthenticated": (ConfigError, "Firestore does not accept these credentials", False),
    "RefreshError": (ConfigError, "the credentials for Firestore cannot be renewed", False),
    "DefaultCredentialsError": (
        ConfigError,
        "there are no credentials for Firestore: set GOOGLE_APPLICATION_CREDENTIALS, or run as a service account",
        False,
    ),
    "NotFound": (ConfigError, "there is no such project or Firestore database", False),
    "InvalidArgument": (
        MessageTooLarge,
        "Firestore refused a document: it keeps 1 MiB in one, 10 MiB in one request",
        False,
    ),
}
"""By the name of Google's error or of one that it is derived from, without importing it: our error, its words, and whether
it passes."""


class Clash(Exception):
    """A document was not as it was expected to be; nothing was written."""


CLASHES = frozenset(("AlreadyExists", "FailedPrecondition", "NotFound"))
"""How Firestore says so of a write."""


def names_of(error: BaseException) -> list[str]:
    """The names of an error's class and of those above it."""
    return [one.__name__ for one in type(error).__mro__]


def translate(error: Exception) -> tuple[RecollectError, bool]:
    """Our error for one of Google's, and whether it may pass if one waits.

    >>> class Aborted(Exception): pass
    >>> translate(Aborted("too much contention"))
    (StoreUnavailable('others kept changing the same documents of Firestore at the same time (too much contention)'), True)
    """
    for name in names_of(error):
        if name in _WORDS:
            ours, words, passes = _WORDS[name]
            return ours(f"{words} ({_shortly(error)})"), passes
    return StorageError(f"Firestore failed: {type(error).__name__}: {_shortly(error)}"), False


def _shortly(error: Exception) -> str:
    """What it says in one line; of a long one, the beginning."""
    text = " ".join(str(getattr(error, "message", "") or error).split())
    return text if len(text) <= 300 else f"{text[:300]}…"


def missing(error: ImportError) -> MissingExtra:
    """Our error where Google's client is not installed."""
    return MissingExtra(f"{INSTALL} ({error})")
