"""The baseline: the minimum that a program with raw psycopg has to do for the same result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import psycopg
import psycopg_pool
from psycopg import sql

from benchmarks.store.bare_sqlite import new_id
from keepsaid.storage.postgres import parse_source_url

_TABLE = sql.SQL("""
CREATE TABLE IF NOT EXISTS {} (
    id text PRIMARY KEY, session text, seq bigint, role text, content text, created_at double precision, metadata text
)""")
_PATH = sql.SQL("CREATE INDEX IF NOT EXISTS bare_path ON {} (session, seq)")
_INSERT = sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s, %s, %s)")
_LAST = sql.SQL("""
SELECT id, session, seq, role, content, created_at, metadata FROM {} WHERE session = %s ORDER BY seq DESC LIMIT %s""")

OPTIONS: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0}


class BarePostgres:
    """One table of messages with the two necessary indexes, in an existing schema."""

    def __init__(self, url: str, schema: str) -> None:
        self._table = sql.Identifier(schema, "bare")
        self._db = psycopg.connect(parse_source_url(url).url, **OPTIONS)
        self._db.execute(_TABLE.format(self._table))
        self._db.execute(_PATH.format(self._table))
        self._insert, self._last = _INSERT.format(self._table), _LAST.format(self._table)
        self._seq = 0

    def append(self, texts: Sequence[str]) -> None:
        """Save messages one by one, each in its own transaction."""
        for text in texts:
            self._seq += 1
            self._db.execute(self._insert, _row("s1", self._seq, text))

    def append_batch(self, texts: Sequence[str]) -> None:
        """Save messages in one transaction."""
        first = self._seq + 1
        self._seq += len(texts)
        with self._db.transaction(), self._db.cursor() as cursor:
            cursor.executemany(self._insert, [_row("s1", seq, text) for seq, text in enumerate(texts, first)])

    def last(self, count: int) -> list[str]:
        """Return the last texts, in order."""
        return [row[4] for row in self._db.execute(self._last, ("s1", count)).fetchall()[::-1]]

    def close(self) -> None:
        """Closes the connection."""
        self._db.close()


class AsyncBarePostgres:
    """The same table for an event loop, with a pool of connections."""

    def __init__(self, url: str, schema: str, connections: int) -> None:
        self._insert = _INSERT.format(sql.Identifier(schema, "bare"))
        self._pool = psycopg_pool.AsyncConnectionPool(
            parse_source_url(url).url, kwargs=OPTIONS, min_size=connections, max_size=connections, open=False, timeout=60
        )

    async def open(self) -> None:
        """Open all connections."""
        await self._pool.open(wait=True, timeout=60)

    async def append(self, caller: int, number: int, text: str) -> None:
        """Save one message."""
        async with self._pool.connection() as connection:
            await connection.execute(self._insert, _row(f"s{caller}", number, text))

    async def close(self) -> None:
        """Closes the connections."""
        await self._pool.close()


def _row(session: str, seq: int, text: str) -> tuple[object, ...]:
    return (new_id(), session, seq, "user", text, time.time(), None)
