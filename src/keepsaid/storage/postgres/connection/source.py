"""The server's address and how to open connections to it."""

from __future__ import annotations

import re
import secrets
import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8BinaryDumper

from keepsaid.errors import ConfigError
from keepsaid.storage.postgres.connection.binary_values import BinaryValue, BinaryValueDumper
from keepsaid.storage.postgres.connection.errors import translated_errors

Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_TIMEOUT = 10
"""Seconds to wait for one connection to open, unless the URL sets another value."""


CONNECTIONS = 16
"""The most connections that one process opens."""

KEEPALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000}
"""Settings that detect a vanished server within about ten seconds (the last one is in milliseconds)."""


@dataclass(frozen=True, slots=True)
class PostgresSource:
    """The location of a store and its options. `url` has the form that libpq takes.

    `schema` is the PostgreSQL schema that holds the store. With `partitions`, the large tables of a new store are split into
    that many table partitions by hash of the column `unit`. `connections` is the most that one process opens, besides the
    listening one.
    """

    url: str = field(repr=False)
    schema: str = "keepsaid"
    partitions: int = 0
    busy_timeout: float = 60.0
    connections: int = CONNECTIONS
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    """Identifies this process, so that it ignores its own notifications."""


def parse_source_url(url: str, busy_timeout: float = 60.0) -> PostgresSource:
    """Parse a URL; `schema`, `partitions` and `connections` in it are our own options.

    >>> source = parse_source_url("postgresql://u:p@db.example.org/chat?schema=team&sslmode=require&partitions=4")
    >>> source.url, source.schema, source.partitions
    ('postgresql://u:p@db.example.org/chat?sslmode=require', 'team', 4)
    >>> parse_source_url("postgresql:///chat").url
    'postgresql:///chat'
    """
    place, _, query = url.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    schema = options.pop("schema", "keepsaid")
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,50}", schema):
        raise ConfigError(f"the schema {schema!r} may only have lowercase letters, digits and underscores")
    partitions, connections = (_number(options, name, low) for name, low in (("partitions", 0), ("connections", 1)))
    place += f"?{urlencode(options, quote_via=quote)}" if options else ""
    return PostgresSource(place, schema, partitions or 0, busy_timeout, connections or CONNECTIONS)


def _number(options: dict[str, str], name: str, low: int) -> int | None:
    text = options.pop(name, None)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,4}", text) or int(text) < low:
        raise ConfigError(f"{name} must be a number from {low} to 9999, not {text!r}")
    return int(text)


def connection_arguments(source: PostgresSource, extensions: str = "public") -> dict[str, Any]:
    """The arguments of every connection. All integers are sent as the same type, so a statement is prepared once, however
    large its numbers are."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(BinaryValue, BinaryValueDumper)
    settings = {
        "search_path": f"{source.schema},{extensions}",
        "keepsaid.me": source.name,
        "client_min_messages": "warning",
        "plan_cache_mode": "force_generic_plan",
        "jit": "off",
    }
    with translated_errors():
        given = conninfo_to_dict(source.url)
    ours = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return {
        "autocommit": True,
        # Prepare on first use: psycopg loses track of prepared statements if the one that crosses the threshold fails.
        "prepare_threshold": 0,
        "context": adapters,
        "options": f"{given.get('options') or ''} {ours}",
        "connect_timeout": given.get("connect_timeout") or CONNECT_TIMEOUT,
        "application_name": given.get("application_name") or "keepsaid",
        **{name: given.get(name) or value for name, value in KEEPALIVE.items()},
    }


def connect(source: PostgresSource, **others: Any) -> Connection:
    """Open one connection outside the pool."""
    make = cast("Callable[..., Connection]", psycopg.connect)
    with translated_errors():
        return make(source.url, **(connection_arguments(source) | others))


def is_closed_by_server(connection: Connection) -> bool:
    """Whether the server has closed an idle connection. This sends nothing: on an idle connection, readable data means that
    the server is closing it."""
    if connection.closed:
        return True
    if not hasattr(select, "poll"):  # Windows, where select() has no limit on descriptor numbers
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    return bool(look.poll(0))


def run_statements(connection: Connection, statements: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run statements on a connection outside the pool. Several statements at once take no values and return no rows."""
    # psycopg accepts only literals, to prevent SQL injection; these statements contain only our own text.
    cursor = connection.execute(cast(Any, statements), values or None, prepare=False)
    return cursor.fetchall() if cursor.description else []
