"""API keys of servers that use a store. They belong to the store, not to an owner."""

from __future__ import annotations

from keepsaid.ports import ServerKey
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read

_COLUMNS = "id, digest, name, owner, tenant, scopes, created, expires"


def keep_key(db: PostgresConnection, key: ServerKey) -> None:
    """Store a new key."""
    row = (*key[:5], " ".join(key.scopes), key.created, key.expires)
    db.last(f"INSERT INTO keys ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)


def find_key(id: str) -> PostgresReadOperation[ServerKey | None]:
    """Read the key with this id."""
    return single_statement_read(
        f"SELECT {_COLUMNS} FROM keys WHERE id = %s", (id,), lambda found: _key(found[0]) if found else None
    )


def list_keys() -> PostgresReadOperation[list[ServerKey]]:
    """Read all keys, newest first."""
    return single_statement_read(
        f"SELECT {_COLUMNS} FROM keys ORDER BY created DESC, id", (), lambda found: [_key(row) for row in found]
    )


def drop_key(db: PostgresConnection, id: str) -> bool:
    """Delete a key; return whether it existed."""
    return bool(db.last("DELETE FROM keys WHERE id = %s RETURNING id", (id,)).fetchall())


def _key(row: Row) -> ServerKey:
    id, digest, name, owner, tenant, scopes, created, expires = row
    return ServerKey(id, digest, name, owner, tenant, tuple(scopes.split()), created, expires)
