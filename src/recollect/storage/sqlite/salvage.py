"""What can still be read of a damaged file, in a new one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import apsw

from recollect.errors import InvalidInput
from recollect.storage.sqlite import doctor, schema
from recollect.storage.sqlite.connection import Source, connect
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly

TABLES = (
    "meta", "owners", "sessions", "details", "tags", "branches", "messages", "grants", "erased",
    "generations", "vectors", "token_vectors", "work", "artifacts", "rests", "artifact_terms", "receipts", "systems",
)  # fmt: skip
"""The keyword index, the counters and the list of changes are not copied: the first two are made anew."""

LARGEST = 1 << 62
ROWS_OF_A_PAGE = 200


class Reading(NamedTuple):
    """How far a reading came: rows saved, the last key seen, and whether it reached the end."""

    saved: int
    last: int | None
    whole: bool


def salvage(source: Source, target: Path) -> dict[str, int]:
    """Copies every row that can still be read into a new store, and makes indexes and counters anew.

    Returns how many rows of each table were saved.
    """
    if target.exists():
        raise InvalidInput(f"{target} exists already; name a new file")
    with speaking_plainly():
        old = connect(source)
        new = connect(replace(source, path=target))
        try:
            schema.migrate(new)
            with schema.exclusively(new):
                new.execute("DELETE FROM meta")
                saved = {table: _copy_table(old, new, table) for table in TABLES}
                new.execute("INSERT OR IGNORE INTO meta VALUES ('secret', hex(randomblob(32)))")
                doctor.rebuild_keywords(new)
                doctor.check(new, repair=True)
            return saved
        finally:
            old.close()
            new.close()


def _copy_table(old: Database, new: Database, table: str) -> int:
    columns = old.execute(f"SELECT name, type, pk FROM pragma_table_info('{table}')").fetchall()
    if not columns:
        return 0  # the old store is of a version that had no such table
    key, kind = next((name, kind) for name, kind, place in columns if place == 1)
    insert = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
    select = f"SELECT {key}, * FROM {table} NOT INDEXED"
    forwards = _save(old, new, f"{select} ORDER BY {key}", insert)
    if forwards.whole:
        return forwards.saved
    saved = forwards.saved + _save(old, new, f"{select} ORDER BY {key} DESC", insert).saved
    if kind == "INTEGER":
        saved += _step_over(old, new, f"{select} WHERE {key} > ? ORDER BY {key}", insert, forwards.last or 0)
    return saved


def _step_over(old: Database, new: Database, select: str, insert: str, last: int) -> int:
    """Reads on behind a damaged page: row by row for as many as a page holds, then in ever larger steps."""
    saved, misses = 0, 0
    while last < LARGEST:
        reading = _save(old, new, select, insert, last)
        saved += reading.saved
        if reading.whole:
            break
        misses = misses + 1 if reading.last is None else 0
        last = (last if reading.last is None else reading.last) + (1 << max(0, misses - ROWS_OF_A_PAGE))
    return saved


def _save(old: Database, new: Database, select: str, insert: str, *values: int) -> Reading:
    saved, last = 0, None
    try:
        for key, *row in old.execute(select, values):
            # A row that strayed here from another table does not fit the columns' types.
            with suppress(apsw.ConstraintError, apsw.MismatchError):
                new.execute(insert, row)
                saved += new.changes()
            last = key
    except apsw.Error:
        return Reading(saved, last, whole=False)
    return Reading(saved, last, whole=True)
