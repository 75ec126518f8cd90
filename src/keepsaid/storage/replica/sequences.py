"""Numbers that are never reused, in any process. SQLite keeps the last ones in an internal table whose changes cannot be
recorded, so they go to the ledger as settings."""

from __future__ import annotations

from keepsaid.storage.sqlite.connection.database import SqliteConnection

NUMBERED_TABLES = frozenset({"owners", "generations", "token_vectors"})
"""The tables whose numbers are not reused (AUTOINCREMENT)."""

_PREFIX = "last:"


def save_sequences(db: SqliteConnection) -> bool:
    """Save the last numbers in the settings. Return whether any changed."""
    db.execute(
        "INSERT INTO meta SELECT ? || name, CAST(seq AS TEXT) FROM sqlite_sequence WHERE true"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
        (_PREFIX,),
    )
    return db.changes() > 0


def advance_sequences(db: SqliteConnection) -> None:
    """Continue after the last numbers that other processes assigned."""
    for table in sorted(NUMBERED_TABLES):
        row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (_PREFIX + table,)).fetchone()
        if row is None:
            continue
        db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (row[0], table))
        if not db.changes():
            db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, row[0]))
