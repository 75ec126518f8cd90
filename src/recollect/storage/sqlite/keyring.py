"""The keys of servers in front of a store."""

from __future__ import annotations

from typing import Any

from recollect.ports import Key
from recollect.storage.sqlite.database import Database

_COLUMNS = "id, digest, name, owner, tenant, scopes, created, expires"


def keep(db: Database, key: Key) -> None:
    """Keeps a new key."""
    row = (*key[:5], " ".join(key.scopes), key.created, key.expires)
    db.execute(f"INSERT INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def find(db: Database, id: str) -> Key | None:
    """The key of an id."""
    row = db.execute(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (id,)).fetchone()
    return None if row is None else _key(row)


def listed(db: Database) -> list[Key]:
    """All keys, newest first."""
    return [_key(row) for row in db.execute(f"SELECT {_COLUMNS} FROM keys ORDER BY created DESC, id")]


def drop(db: Database, id: str) -> bool:
    """Forgets a key."""
    return bool(db.execute("DELETE FROM keys WHERE id = ? RETURNING id", (id,)).fetchall())


def _key(row: tuple[Any, ...]) -> Key:
    id, digest, name, owner, tenant, scopes, created, expires = row
    return Key(id, digest, name, owner, tenant, tuple(scopes.split()), created, expires)
