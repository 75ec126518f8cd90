"""The options of a Redis URL: where the server is and how to use it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from keepsaid.errors import ConfigError

RedisAddress = tuple[str, int]

PORT = 6379
SCHEMES = {"redis": False, "rediss": False, "redis+cluster": True, "rediss+cluster": True}
"""The supported schemes, and whether each means a cluster."""

_NODE = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\[\]:]*)(?::(\d{1,5}))?")
_PREFIX = re.compile(r"[\w.:-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RedisOptions:
    """The options of a Redis URL; docs/redis.md lists them in a table.

    >>> options = RedisOptions.parse("redis+cluster://ann:secret@one:7000,two/?wait=1")
    >>> options.nodes, options.cluster, options.wait
    ((('one', 7000), ('two', 6379)), True, 1)
    >>> "secret" in repr(options)
    False
    """

    nodes: tuple[RedisAddress, ...] = (("localhost", PORT),)
    cluster: bool = False
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    db: int = 0
    prefix: str = "keepsaid"
    wait: int = 0
    wait_timeout: float = 1.0
    log: int = 1000
    patience: float = 10.0
    timeout: float = 5.0
    connections: int = 50
    expire_days: float | None = None
    protocol: int = 2
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def __post_init__(self) -> None:
        if self.cluster and self.db:
            raise ConfigError(f"a Redis Cluster has only database 0, not db={self.db}")
        if not _PREFIX.fullmatch(self.prefix):
            raise ConfigError(f"prefix={self.prefix!r}: 1 to 100 letters, digits and _ . : - are allowed")
        if self.protocol not in (2, 3):
            raise ConfigError(f"protocol={self.protocol}: must be 2 or 3")
        for name, least in (("db", 0), ("wait", 0), ("patience", 0), ("log", 1), ("connections", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name}={getattr(self, name)}: must be {least} or more")
        for name in ("timeout", "wait_timeout", "expire_days"):
            if getattr(self, name) is not None and getattr(self, name) <= 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must be more than 0")
        if self.wait and self.wait_timeout >= self.timeout:
            raise ConfigError(f"wait_timeout={self.wait_timeout}: must be less than timeout={self.timeout}")

    def check_expiry(self, retention_days: float | None) -> None:
        """Raise `ConfigError` if `expire_days` would remove data before retention does. None means unlimited retention.

        >>> RedisOptions(expire_days=30).check_expiry(365)
        Traceback (most recent call last):
        ...
        keepsaid.errors.ConfigError: expire_days=30 would remove what retention keeps for 365 days: make it longer
        """
        if self.expire_days is None:
            return
        option = f"expire_days={self.expire_days:g}"
        if retention_days is None:
            raise ConfigError(f"{option} would remove what retention keeps forever: leave it out")
        if self.expire_days <= retention_days:
            raise ConfigError(f"{option} would remove what retention keeps for {retention_days:g} days: make it longer")

    @classmethod
    def parse(cls, url: str) -> RedisOptions:
        """Parse a URL. Raise `ConfigError` for unknown options."""
        scheme, _, rest = url.partition("://")
        if scheme not in SCHEMES:
            raise ConfigError(f"cannot open {scheme}://…; known are {', '.join(SCHEMES)}")
        place, _, query = rest.partition("?")
        who, _, where = place.rpartition("@")
        hosts, _, db = where.partition("/")
        username, _, password = who.partition(":")
        found: dict[str, Any] = {"cluster": SCHEMES[scheme]}
        if db:
            found["db"] = _read("db", db)
        for name, value in parse_qsl(query, keep_blank_values=True):
            found[name] = _read(name, value)
        return cls(
            nodes=tuple(_node(host) for host in hosts.split(",")),
            tls=scheme.startswith("rediss"),
            username=unquote(username) or None,
            password=unquote(password) or None,
            **found,
        )


def _node(text: str) -> RedisAddress:
    match = _NODE.fullmatch(text)
    port = int(match[2] or PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise ConfigError(f"{text!r} is not host:port")
    return match[1].strip("[]") or "localhost", port


def _yes_or_no(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]


_READERS: Mapping[str, Callable[[str], Any]] = {
    "cluster": _yes_or_no,
    "db": int,
    "prefix": str,
    "wait": int,
    "wait_timeout": float,
    "log": int,
    "patience": float,
    "timeout": float,
    "connections": int,
    "expire_days": float,
    "protocol": int,
    "tls_ca": str,
    "tls_cert": str,
    "tls_key": str,
}


def _read(name: str, text: str) -> Any:
    if name not in _READERS and not name.isidentifier():
        # The name may be part of a password, so it is not repeated.
        raise ConfigError("the Redis URL cannot be read: special characters in a password are percent-encoded")
    if name not in _READERS:
        raise ConfigError(f"a Redis URL has no option {name!r}; known are {', '.join(_READERS)}")
    try:
        return _READERS[name](text)
    except (ValueError, KeyError):
        raise ConfigError(f"{name}={text!r}: invalid value") from None
