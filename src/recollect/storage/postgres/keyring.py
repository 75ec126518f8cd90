"""The keys of servers in front of a store. They are the store's, and no owner's."""

from __future__ import annotations

from recollect.ports import Key
from recollect.storage.postgres.database import Database, Row
from recollect.storage.postgres.reading import Reading, reading

_COLUMNS = "id, digest, name, owner, tenant, scopes, created, expires"


def keep(db: Database, key: Key) -> None:
    """Keeps a new key."""
    row = (*key[:5], " ".join(key.scopes), key.created, key.expires)
    db.last(f"INSERT INTO keys ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)


def find(id: str) -> Reading[Key | None]:
    """The key of an id."""
    return reading(f"SELECT {_COLUMNS} FROM keys WHERE id = %s", (id,), lambda found: _key(found[0]) if found else None)


def listed() -> Reading[list[Key]]:
    """All keys, newest first."""
    return reading(f"SELECT {_COLUMNS} FROM keys ORDER BY created DESC, id", (), lambda found: [_key(row) for row in found])


def drop(db: Database, id: str) -> bool:
    """Forgets a key."""
    return bool(db.last("DELETE FROM keys WHERE id = %s RETURNING id", (id,)).fetchall())


def _key(row: Row) -> Key:
    id, digest, name, owner, tenant, scopes, created, expires = row
    return Key(id, digest, name, owner, tenant, tuple(scopes.split()), created, expires)
