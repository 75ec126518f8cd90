"""The list of an owner's pools, kept in the owner's partition. Each pool's partition decides about access; the list only
avoids looking into all pools."""

from __future__ import annotations

import json

from keepsaid.storage.sqlite.connection.database import SqliteConnection

_PREFIX = "pool:"


def add(db: SqliteConnection, pool: str) -> None:
    """Record that the owner has a grant for a pool."""
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, '')", (_PREFIX + pool,))


def drop(db: SqliteConnection, pool: str) -> None:
    """Remove a pool from the list."""
    db.execute("DELETE FROM meta WHERE key = ?", (_PREFIX + pool,))


def drop_all(db: SqliteConnection) -> None:
    """Remove all pools from the list."""
    db.execute("DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(_keys(db)),))


def list_pools(db: SqliteConnection) -> list[str]:
    """The pools that the owner had a grant for when a grant last changed."""
    return [key.removeprefix(_PREFIX) for key in _keys(db)]


def _keys(db: SqliteConnection) -> list[str]:
    between = (_PREFIX, _PREFIX + "\U0010ffff")
    return [key for (key,) in db.execute("SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", between)]
