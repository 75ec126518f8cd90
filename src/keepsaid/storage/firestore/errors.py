"""Translation of Google's errors to ours, and which of them are transient."""

from __future__ import annotations

from keepsaid.errors import (
    ConfigError,
    KeepsaidError,
    MessageTooLarge,
    MissingExtra,
    StorageError,
    StoreFull,
    StoreUnavailable,
)

INSTALL = "Firestore needs another package: pip install 'keepsaid[firestore]'"

_UNAVAILABLE = "Firestore cannot be reached, or did not answer in time"
_TRANSLATIONS: dict[str, tuple[type[KeepsaidError], str, bool]] = {
    "ServiceUnavailable": (StoreUnavailable, _UNAVAILABLE, True),
    "DeadlineExceeded": (StoreUnavailable, _UNAVAILABLE, True),
    "GatewayTimeout": (StoreUnavailable, _UNAVAILABLE, True),
    "RetryError": (StoreUnavailable, _UNAVAILABLE, True),
    "TransportError": (StoreUnavailable, _UNAVAILABLE, True),
    "InternalServerError": (StoreUnavailable, "Firestore had an internal error", True),
    "Unknown": (StoreUnavailable, "Firestore failed without saying why", True),
    "Cancelled": (StoreUnavailable, "the request to Firestore was canceled", True),
    "Aborted": (StoreUnavailable, "other processes kept changing the same Firestore documents", True),
    "ResourceExhausted": (StoreFull, "Firestore's quota is used up; nothing of this call was stored", True),
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
        "Firestore refused a document: it allows 1 MiB in one, 10 MiB in one request",
        False,
    ),
}
"""By the class name of Google's error or of a base class, so that it need not be imported: our error, its text, and whether
it is transient."""


class WriteConflict(Exception):
    """A document was not in the expected state; nothing was written."""


CONFLICT_ERRORS = frozenset(("AlreadyExists", "FailedPrecondition", "NotFound"))
"""The error classes by which Firestore reports this."""


def error_class_names(error: BaseException) -> list[str]:
    """The names of an error's class and of its base classes."""
    return [one.__name__ for one in type(error).__mro__]


def translate_error(error: Exception) -> tuple[KeepsaidError, bool]:
    """Translate one of Google's errors to ours. Also return whether it is transient.

    >>> class Aborted(Exception): pass
    >>> translate_error(Aborted("too much contention"))
    (StoreUnavailable('other processes kept changing the same Firestore documents (too much contention)'), True)
    """
    for name in error_class_names(error):
        if name in _TRANSLATIONS:
            ours, words, passes = _TRANSLATIONS[name]
            return ours(f"{words} ({_one_line(error)})"), passes
    return StorageError(f"Firestore failed: {type(error).__name__}: {_one_line(error)}"), False


def _one_line(error: Exception) -> str:
    """The error's message on one line, shortened if it is long."""
    text = " ".join(str(getattr(error, "message", "") or error).split())
    return text if len(text) <= 300 else f"{text[:300]}…"


def missing_package_error(error: ImportError) -> MissingExtra:
    """Our error if Google's client is not installed."""
    return MissingExtra(f"{INSTALL} ({error})")
