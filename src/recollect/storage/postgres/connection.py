"""Where the server is, and how its connections are made."""

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

from recollect.errors import ConfigError
from recollect.storage.postgres.faults import speaking_plainly
from recollect.storage.postgres.wire import Wire, WireDumper

Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_TIMEOUT = 10
"""Seconds that the making of one connection may take, unless the URL says otherwise."""


CONNECTIONS = 16
"""How many one process opens at the most."""

KEEPALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 10_000}
"""So that a machine which vanishes without a word is noticed within some ten seconds (the last one is in milliseconds)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the store is and how it is opened. `url` is as libpq takes it.

    `schema` is the PostgreSQL schema that holds all of it. With `partitions`, the large tables of a new store are cut into
    so many by hash of the unit. `connections` is the most that one process opens, besides one that listens.
    """

    url: str = field(repr=False)
    schema: str = "recollect"
    partitions: int = 0
    busy_timeout: float = 60.0
    connections: int = CONNECTIONS
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    """By which this process knows its own notifications."""


def source_of(url: str, busy_timeout: float = 60.0) -> Source:
    """The source that a URL names; `schema`, `partitions` and `connections` are options of ours in it.

    >>> source = source_of("postgresql://u:p@db.example.org/chat?schema=team&sslmode=require&partitions=4")
    >>> source.url, source.schema, source.partitions
    ('postgresql://u:p@db.example.org/chat?sslmode=require', 'team', 4)
    >>> source_of("postgresql:///chat").url
    'postgresql:///chat'
    """
    place, _, query = url.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    schema = options.pop("schema", "recollect")
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,50}", schema):
        raise ConfigError(f"the schema {schema!r} must be small letters, digits and underscores")
    partitions, connections = (_number(options, name, low) for name, low in (("partitions", 0), ("connections", 1)))
    place += f"?{urlencode(options, quote_via=quote)}" if options else ""
    return Source(place, schema, partitions or 0, busy_timeout, connections or CONNECTIONS)


def _number(options: dict[str, str], name: str, low: int) -> int | None:
    text = options.pop(name, None)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,4}", text) or int(text) < low:
        raise ConfigError(f"{name} must be a number from {low} to 9999, not {text!r}")
    return int(text)


def arguments(source: Source, extensions: str = "public") -> dict[str, Any]:
    """What every connection is made with. Results come in binary, and all whole numbers go as the same type: so a statement
    is prepared once, however large its numbers are."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(Wire, WireDumper)
    settings = {
        "search_path": f"{source.schema},{extensions}",
        "recollect.me": source.name,
        "client_min_messages": "warning",
        "plan_cache_mode": "force_generic_plan",
        "jit": "off",
    }
    with speaking_plainly():
        given = conninfo_to_dict(source.url)
    ours = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return {
        "autocommit": True,
        # From the first time on: psycopg loses count of what is prepared if the time it decides is one that fails.
        "prepare_threshold": 0,
        "context": adapters,
        "options": f"{given.get('options') or ''} {ours}",
        "connect_timeout": given.get("connect_timeout") or CONNECT_TIMEOUT,
        "application_name": given.get("application_name") or "recollect",
        **{name: given.get(name) or value for name, value in KEEPALIVE.items()},
    }


def connect(source: Source, **others: Any) -> Connection:
    """One connection outside of the pool."""
    make = cast("Callable[..., Connection]", psycopg.connect)
    with speaking_plainly():
        return make(source.url, **(arguments(source) | others))


def is_forsaken(connection: Connection) -> bool:
    """Whether the server has hung up on a connection that nobody uses. Nothing is sent: to one who asked nothing the server
    says nothing but farewell."""
    if connection.closed:
        return True
    if not hasattr(select, "poll"):  # on Windows, which in turn knows no limit for the other one
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    return bool(look.poll(0))


def run(connection: Connection, statements: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Runs statements on a connection that is ours alone; of several, there are no values and no rows."""
    # psycopg takes literals only, so that nobody writes values into statements; ours are put together of our own words.
    cursor = connection.execute(cast(Any, statements), values or None, prepare=False)
    return cursor.fetchall() if cursor.description else []
