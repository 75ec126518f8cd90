"""A place on somebody's server to measure in: of its own, and gone afterwards. Nothing that is there is touched."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from recollect.bench.wire import Address
from recollect.errors import ConfigError

POSTGRES = ("postgresql", "postgres")
REDIS = ("redis", "rediss")


@dataclass(frozen=True, slots=True)
class Place:
    """The URL of an empty store, and the name (of a schema, or before keys) that all of it has."""

    url: str
    name: str

    @property
    def is_postgres(self) -> bool:
        """Whether it is a schema in a PostgreSQL; otherwise it is in a Redis."""
        return urlsplit(self.url).scheme in POSTGRES

    @property
    def title(self) -> str:
        """What kind of server it is on."""
        return "PostgreSQL" if self.is_postgres else "Redis"

    @property
    def address(self) -> Address:
        """Where its server is."""
        return _postgres_address(self.url) if self.is_postgres else _redis_address(urlsplit(self.url))

    def through(self, port: int) -> str:
        """The same place by another port of this machine."""
        if self.is_postgres:
            return with_options(self.url, host="127.0.0.1", port=str(port))
        parts = urlsplit(self.url)
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{user}{at}127.0.0.1:{port}"))


@contextmanager
def borrowed(url: str) -> Generator[Place]:
    """A new place on the server of a URL."""
    scheme = urlsplit(url).scheme
    name = f"recollect_bench_{secrets.token_hex(4)}"
    if scheme in POSTGRES:
        place = Place(with_options(url, schema=name), name)
    elif scheme in REDIS:
        place = Place(with_options(url, prefix=name), name)
    else:
        raise ConfigError(f"--url takes postgresql:// and redis://, not {scheme or 'a file'}")
    try:
        yield place
    finally:
        (_drop_schema if place.is_postgres else _drop_keys)(url, name)


def with_options(url: str, **options: str) -> str:
    """A URL with some of its options set.

    >>> with_options("redis://one:6379/0?wait=1", prefix="bench")
    'redis://one:6379/0?wait=1&prefix=bench'
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True)) | options
    return urlunsplit(parts._replace(query=urlencode(query, safe="/")))


def _postgres_address(url: str) -> Address:
    from psycopg.conninfo import conninfo_to_dict

    from recollect.storage.postgres import source_of

    known = conninfo_to_dict(source_of(url).url)
    host, port = str(known.get("host") or "localhost"), int(known.get("port") or 5432)
    if "," in host:
        raise ConfigError("of several hosts, name the one to measure")
    return Address(f"{host}/.s.PGSQL.{port}") if host.startswith("/") else Address(host, port)


def _redis_address(parts: SplitResult) -> Address:
    return Address(parts.hostname or "localhost", parts.port or 6379)


def _drop_schema(url: str, name: str) -> None:
    import psycopg
    from psycopg import sql

    from recollect.storage.postgres import source_of

    with psycopg.connect(source_of(url).url, autocommit=True) as db:
        db.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def _drop_keys(url: str, name: str) -> None:
    from recollect.bench.bare_redis import connected

    client: Any = connected(url)  # redis-py's own types are not whole
    with client:
        for key in client.scan_iter(f"*{name}*", count=1000):
            client.unlink(key)
