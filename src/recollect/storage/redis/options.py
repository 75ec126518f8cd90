"""Where the Redis is and how to use it: what a URL says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from recollect.errors import ConfigError

Address = tuple[str, int]

PORT = 6379
SCHEMES = {"redis": False, "rediss": False, "redis+cluster": True, "rediss+cluster": True}
"""Which schemes there are, and whether they say that it is a cluster."""

_NODE = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\[\]:]*)(?::(\d{1,5}))?")
_PREFIX = re.compile(r"[\w.:-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RedisOptions:
    """Everything that a URL can say; docs/redis.md has them in a table.

    >>> options = RedisOptions.parse("redis+cluster://ann:secret@one:7000,two/?wait=1")
    >>> options.nodes, options.cluster, options.wait
    ((('one', 7000), ('two', 6379)), True, 1)
    >>> "secret" in repr(options)
    False
    """

    nodes: tuple[Address, ...] = (("localhost", PORT),)
    cluster: bool = False
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    db: int = 0
    prefix: str = "recollect"
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
            raise ConfigError(f"a Redis Cluster has no other database than 0: db={self.db} cannot be")
        if not _PREFIX.fullmatch(self.prefix):
            raise ConfigError(f"prefix={self.prefix!r}: 1 to 100 letters, digits and _ . : - are allowed")
        if self.protocol not in (2, 3):
            raise ConfigError(f"protocol={self.protocol}: Redis speaks 2 and 3")
        for name, least in (("db", 0), ("wait", 0), ("patience", 0), ("log", 1), ("connections", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name}={getattr(self, name)}: must be {least} or more")
        for name in ("timeout", "wait_timeout", "expire_days"):
            if getattr(self, name) is not None and getattr(self, name) <= 0:
                raise ConfigError(f"{name}={getattr(self, name)}: must be more than 0")
        if self.wait and self.wait_timeout >= self.timeout:
            raise ConfigError(f"wait_timeout={self.wait_timeout}: must be less than timeout={self.timeout}")

    def check_net(self, retention_days: float | None) -> None:
        """Refuses `expire_days` that would end a unit before retention does. None is a retention that keeps for ever.

        >>> RedisOptions(expire_days=30).check_net(365)
        Traceback (most recent call last):
        ...
        recollect.errors.ConfigError: expire_days=30 would remove what retention keeps for 365 days: make it longer
        """
        if self.expire_days is None:
            return
        net = f"expire_days={self.expire_days:g}"
        if retention_days is None:
            raise ConfigError(f"{net} would remove what retention keeps for ever: leave it out")
        if self.expire_days <= retention_days:
            raise ConfigError(f"{net} would remove what retention keeps for {retention_days:g} days: make it longer")

    @classmethod
    def parse(cls, url: str) -> RedisOptions:
        """Reads a URL; what it does not know is a `ConfigError`, never ignored."""
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


def _node(text: str) -> Address:
    match = _NODE.fullmatch(text)
    port = int(match[2] or PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise ConfigError(f"{text!r} is no host:port")
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
        # It may be a piece of a password, and is not repeated.
        raise ConfigError("the Redis URL cannot be read: special characters in a password are percent-encoded")
    if name not in _READERS:
        raise ConfigError(f"a Redis URL has no option {name!r}; known are {', '.join(_READERS)}")
    try:
        return _READERS[name](text)
    except (ValueError, KeyError):
        raise ConfigError(f"{name}={text!r}: no such value") from None
