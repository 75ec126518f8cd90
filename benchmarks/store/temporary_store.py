"""A temporary store on a user's server, removed after the measurement. Nothing else there is touched."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from benchmarks.store.delaying_proxy import HostAddress
from keepsaid.errors import ConfigError

POSTGRES = ("postgresql", "postgres")
REDIS = ("redis", "rediss")


@dataclass(frozen=True, slots=True)
class TemporaryStore:
    """The URL of an empty store, and its name: a schema, or a key prefix."""

    url: str
    name: str

    @property
    def is_postgres(self) -> bool:
        """Whether the server is PostgreSQL; otherwise it is Redis."""
        return urlsplit(self.url).scheme in POSTGRES

    @property
    def title(self) -> str:
        """The kind of server."""
        return "PostgreSQL" if self.is_postgres else "Redis"

    @property
    def address(self) -> HostAddress:
        """The address of the server."""
        return _postgres_address(self.url) if self.is_postgres else _redis_address(urlsplit(self.url))

    def url_through_port(self, port: int) -> str:
        """The URL of the same store through another port of this machine."""
        if self.is_postgres:
            return with_options(self.url, host="127.0.0.1", port=str(port))
        parts = urlsplit(self.url)
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{user}{at}127.0.0.1:{port}"))


@contextmanager
def temporary_store(url: str) -> Generator[TemporaryStore]:
    """Create a temporary store on the server of a URL."""
    scheme = urlsplit(url).scheme
    name = f"keepsaid_bench_{secrets.token_hex(4)}"
    if scheme in POSTGRES:
        place = TemporaryStore(with_options(url, schema=name), name)
    elif scheme in REDIS:
        place = TemporaryStore(with_options(url, prefix=name), name)
    else:
        raise ConfigError(f"--url takes postgresql:// and redis://, not {scheme or 'a file'}")
    try:
        yield place
    finally:
        (_drop_schema if place.is_postgres else _drop_keys)(url, name)


def with_options(url: str, **options: str) -> str:
    """Return a URL with some of its options set.

    >>> with_options("redis://one:6379/0?wait=1", prefix="bench")
    'redis://one:6379/0?wait=1&prefix=bench'
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True)) | options
    return urlunsplit(parts._replace(query=urlencode(query, safe="/")))


def _postgres_address(url: str) -> HostAddress:
    from psycopg.conninfo import conninfo_to_dict

    from keepsaid.storage.postgres import parse_source_url

    known = conninfo_to_dict(parse_source_url(url).url)
    host, port = str(known.get("host") or "localhost"), int(known.get("port") or 5432)
    if "," in host:
        raise ConfigError("the URL has several hosts: name the one to measure")
    return HostAddress(f"{host}/.s.PGSQL.{port}") if host.startswith("/") else HostAddress(host, port)


def _redis_address(parts: SplitResult) -> HostAddress:
    return HostAddress(parts.hostname or "localhost", parts.port or 6379)


def _drop_schema(url: str, name: str) -> None:
    import psycopg
    from psycopg import sql

    from keepsaid.storage.postgres import parse_source_url

    with psycopg.connect(parse_source_url(url).url, autocommit=True) as db:
        db.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def _drop_keys(url: str, name: str) -> None:
    from benchmarks.store.bare_redis import connect_redis

    client: Any = connect_redis(url)  # redis-py's own types are not whole
    with client:
        for key in client.scan_iter(f"*{name}*", count=1000):
            client.unlink(key)
