"""What belongs to the store itself, and to no owner."""

from __future__ import annotations

from recollect.storage.postgres import doctor
from recollect.storage.postgres.database import Database, Row
from recollect.storage.postgres.reading import Reading, reading


def setting(key: str) -> Reading[str | None]:
    """A setting of the store, if it is kept."""
    return reading("SELECT value FROM meta WHERE key = %s", (key,), lambda found: found[0][0] if found else None)


def settle(db: Database, key: str, value: str) -> str:
    """Keeps a setting, unless it is kept already; returns the one in force."""
    db.execute("INSERT INTO meta VALUES (%s, %s) ON CONFLICT DO NOTHING", (key, value))
    return db.last("SELECT value FROM meta WHERE key = %s", (key,)).fetchall()[0][0]


def forget(db: Database, key: str) -> None:
    """Lets go of a setting."""
    db.last("DELETE FROM meta WHERE key = %s", (key,))


def renew_keywords(db: Database, version: str) -> None:
    """Makes the keyword index anew, where it was made by another version of the program."""
    doctor.rebuild_keywords(db)
    db.execute("UPDATE meta SET value = %s WHERE key = 'terms'", (version,))


def moment() -> Reading[Row]:
    """A value of the server that differs after every commit: which transactions have ended by now."""
    return reading("SELECT pg_current_snapshot()::text", (), lambda found: found[0])
