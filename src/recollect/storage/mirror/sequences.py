"""Numbers that are never given twice, whichever process gives them. SQLite remembers the last ones in a table of its own,
whose changes cannot be recorded: so they go to the ledger as settings."""

from __future__ import annotations

from recollect.storage.sqlite.database import Database

NUMBERED = frozenset({"owners", "generations", "token_vectors"})
"""The tables whose numbers are not used again (AUTOINCREMENT)."""

_PREFIX = "last:"


def note(db: Database) -> bool:
    """Puts the last numbers into the settings; whether that changed any."""
    db.execute(
        "INSERT INTO meta SELECT ? || name, CAST(seq AS TEXT) FROM sqlite_sequence WHERE true"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
        (_PREFIX,),
    )
    return db.changes() > 0


def heed(db: Database) -> None:
    """Goes on behind the last numbers that others gave."""
    for table in sorted(NUMBERED):
        row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (_PREFIX + table,)).fetchone()
        if row is None:
            continue
        db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (row[0], table))
        if not db.changes():
            db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, row[0]))
