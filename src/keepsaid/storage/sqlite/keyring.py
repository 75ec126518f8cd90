"""API keys of the server."""

from __future__ import annotations

from typing import Any

from keepsaid.ports import ServerKey
from keepsaid.storage.sqlite.connection.database import SqliteConnection

_COLUMNS = "id, digest, name, owner, tenant, scopes, created, expires"


def keep_key(db: SqliteConnection, key: ServerKey) -> None:
    """Store a new key."""
    row = (*key[:5], " ".join(key.scopes), key.created, key.expires)
    db.execute(f"INSERT INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def find_key(db: SqliteConnection, id: str) -> ServerKey | None:
    """Return the key with an id, or None."""
    row = db.execute(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (id,)).fetchone()
    return None if row is None else _key(row)


def list_keys(db: SqliteConnection) -> list[ServerKey]:
    """Return all keys, newest first."""
    return [_key(row) for row in db.execute(f"SELECT {_COLUMNS} FROM keys ORDER BY created DESC, id")]


def drop_key(db: SqliteConnection, id: str) -> bool:
    """Delete a key. Return whether it existed."""
    return bool(db.execute("DELETE FROM keys WHERE id = ? RETURNING id", (id,)).fetchall())


def _key(row: tuple[Any, ...]) -> ServerKey:
    id, digest, name, owner, tenant, scopes, created, expires = row
    return ServerKey(id, digest, name, owner, tenant, tuple(scopes.split()), created, expires)
