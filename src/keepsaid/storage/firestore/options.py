"""The options of a Firestore URL: where the database is, and which of its collections to use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from keepsaid.errors import ConfigError

EMULATOR_VARIABLE = "FIRESTORE_EMULATOR_HOST"
"""The environment variable by which Google's tools find an emulator."""


@dataclass(frozen=True, slots=True)
class FirestoreOptions:
    """A database, and how to use it. The default project is that of the credentials."""

    project: str = ""
    database: str = "(default)"
    emulator: str = ""
    """Host and port of an emulator to use instead of Google's service."""
    prefix: str = ""
    """Prefix of the collection names, so that several stores can share a database."""
    sessions: str = "chat_sessions"
    messages: str = "messages"
    owner_field: str = "user_id"
    """The field of a session that names its owner."""
    timeout: float = 20.0
    """Seconds to wait for one response."""
    patience: float = 30.0
    """Seconds for which a request is retried while the service is unavailable or busy."""
    log: int = 500
    """Revisions of a partition that are remembered."""
    ttl_days: int = 400
    """Days after which Firestore itself may remove deleted sessions that were never purged; 0 for never."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,99}")
_PREFIX = re.compile(r"[A-Za-z0-9_-]{0,99}")


def parse_url(url: str, environment: Mapping[str, str] | None = None) -> FirestoreOptions:
    """Parse a URL such as `firestore://my-project/?database=chats&prefix=test_`.

    >>> parse_url("firestore://my-project/?prefix=test_").prefix
    'test_'
    >>> parse_url("firestore://my-project", {"FIRESTORE_EMULATOR_HOST": "localhost:8080"}).emulator
    'localhost:8080'
    >>> parse_url("firestore://my-project/?colour=red")
    Traceback (most recent call last):
    ...
    keepsaid.errors.ConfigError: firestore:// has no option 'colour'; known are database, emulator, log, messages, \
owner_field, patience, prefix, sessions, timeout, ttl_days
    """
    parts = urlsplit(url)
    if parts.scheme != "firestore" or parts.path not in ("", "/") or parts.fragment:
        raise ConfigError("this is not a Firestore URL: it has the form firestore://project/?database=…&prefix=…")
    options: dict[str, Any] = {"emulator": (environment or {}).get(EMULATOR_VARIABLE, "")}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _READERS:
            raise ConfigError(f"firestore:// has no option {name!r}; known are {', '.join(sorted(_READERS))}")
        options[name] = _READERS[name](name, value)
    return FirestoreOptions(parts.netloc, **options)


def _text(name: str, value: str) -> str:
    if not value:
        raise ConfigError(f"the option {name!r} of firestore:// is empty")
    return value


def _name(name: str, value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ConfigError(f"the option {name!r} of firestore:// must be a name of letters, digits, _ and -, not {value!r}")
    return value


def _prefix(name: str, value: str) -> str:
    if not _PREFIX.fullmatch(value):
        raise ConfigError(f"the option {name!r} of firestore:// must have only letters, digits, _ and -, not {value!r}")
    return value


def _seconds(name: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise ConfigError(f"the option {name!r} of firestore:// must be a number of seconds up to 3600, not {value!r}")
    return seconds


def _count(least: int) -> Callable[[str, str], int]:
    def read(name: str, value: str) -> int:
        if not value.isdecimal() or not least <= int(value) <= 1_000_000:
            raise ConfigError(f"the option {name!r} of firestore:// must be an integer of at least {least:,}, not {value!r}")
        return int(value)

    return read


_READERS: dict[str, Callable[[str, str], Any]] = {
    "database": _text,
    "emulator": _text,
    "prefix": _prefix,
    "sessions": _name,
    "messages": _name,
    "owner_field": _name,
    "timeout": _seconds,
    "patience": _seconds,
    "log": _count(1),
    "ttl_days": _count(0),
}
