"""Settings of the store itself, which belong to no owner."""

from __future__ import annotations

from keepsaid.storage.postgres import doctor
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read


def get_setting(key: str) -> PostgresReadOperation[str | None]:
    """Read a setting of the store; None if it is not set."""
    return single_statement_read(
        "SELECT value FROM meta WHERE key = %s", (key,), lambda found: found[0][0] if found else None
    )


def settle_setting(db: PostgresConnection, key: str, value: str) -> str:
    """Store a setting unless it is set already; return the value in force."""
    db.execute("INSERT INTO meta VALUES (%s, %s) ON CONFLICT DO NOTHING", (key, value))
    return db.last("SELECT value FROM meta WHERE key = %s", (key,)).fetchall()[0][0]


def delete_setting(db: PostgresConnection, key: str) -> None:
    """Delete a setting."""
    db.last("DELETE FROM meta WHERE key = %s", (key,))


def renew_keywords(db: PostgresConnection, version: str) -> None:
    """Rebuild the keyword index and record the version of the term rules it was built with."""
    doctor.rebuild_keywords(db)
    db.execute("UPDATE meta SET value = %s WHERE key = 'terms'", (version,))


def read_commit_stamp() -> PostgresReadOperation[Row]:
    """Read a server value that differs after every commit: the snapshot of completed transactions."""
    return single_statement_read("SELECT pg_current_snapshot()::text", (), lambda found: found[0])
