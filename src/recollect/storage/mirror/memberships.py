"""The pools of an owner, as his own unit knows them: who may do what is for each pool's unit to say, but finding the pools
must not take a look into all of them."""

from __future__ import annotations

import json

from recollect.storage.sqlite.database import Database

_PREFIX = "pool:"


def add(db: Database, pool: str) -> None:
    """Notes that the owner has a grant for a pool."""
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, '')", (_PREFIX + pool,))


def drop(db: Database, pool: str) -> None:
    """Forgets a pool."""
    db.execute("DELETE FROM meta WHERE key = ?", (_PREFIX + pool,))


def drop_all(db: Database) -> None:
    """Forgets all pools."""
    db.execute("DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(_keys(db)),))


def pools(db: Database) -> list[str]:
    """The pools that the owner had a grant for when he was last given or taken one."""
    return [key.removeprefix(_PREFIX) for key in _keys(db)]


def _keys(db: Database) -> list[str]:
    between = (_PREFIX, _PREFIX + "\U0010ffff")
    return [key for (key,) in db.execute("SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", between)]
