"""Salvage of a damaged file: copy everything readable to a new store, and report what is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import apsw

from keepsaid.errors import InvalidInput
from keepsaid.storage.sqlite import schema
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.connection.errors import translated_errors
from keepsaid.storage.sqlite.connection.source import SqliteSource, connect
from keepsaid.storage.sqlite.health import doctor

TABLES = (
    "meta", "owners", "sessions", "details", "tags", "branches", "messages", "grants", "changes", "erased",
    "generations", "vectors", "token_vectors", "work", "artifacts", "rests", "artifact_terms", "receipts", "systems",
    "keys", "blobs", "sqlite_sequence",
)  # fmt: skip

DERIVED_TABLES = ("migrations", "stretches", "keywords", "vocabulary")
"""Tables that are derived from the others, as the counters are. Together with `TABLES`, this is the whole schema."""

MAX_KEY = 1 << 62
ROWS_OF_A_PAGE = 200


@dataclass(frozen=True)
class SalvageReport(Mapping[str, int]):
    """The number of rows saved from each table. `lost` describes for each table what was not saved.

    >>> SalvageReport({"messages": 3}, {"blobs": "2 rows"})["messages"]
    3
    """

    saved: Mapping[str, int]
    lost: Mapping[str, str]

    def __getitem__(self, table: str) -> int:
        return self.saved[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self.saved)

    def __len__(self) -> int:
        return len(self.saved)


class TableCopyResult(NamedTuple):
    """The result of a scan: rows saved, the last key seen, whether it reached the end, and the number of invalid rows."""

    saved: int
    last: int | None
    whole: bool
    misfits: int = 0


def salvage(source: SqliteSource, target: Path) -> SalvageReport:
    """Copy every readable row to a new store, and rebuild its indexes and counters."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; choose a new file")
    with translated_errors():
        old = connect(source)
        new = connect(replace(source, path=target))
        try:
            schema.migrate(new)
            saved, lost = dict[str, int](), dict[str, str]()
            with schema.write_transaction(new):
                new.execute("DELETE FROM meta")
                for table in TABLES:
                    saved[table], missing = _copy_table(old, new, table)
                    if missing:
                        lost[table] = missing
                lost |= _unknown_tables(old)
                new.execute("INSERT OR IGNORE INTO meta VALUES ('secret', hex(randomblob(32)))")
                if "changes" in lost:
                    # Followers of the change feed start over instead of missing changes.
                    new.execute("UPDATE owners SET life = random() & 4503599627370495 | 1")
                doctor.rebuild_keywords(new)
                doctor.check(new, repair=True)
                lost |= _count_removed(new, saved, lost)
            return SalvageReport(saved, lost)
        finally:
            old.close()
            new.close()


def _unknown_tables(old: SqliteConnection) -> dict[str, str]:
    """Return the tables of a file that this program does not know. A newer program may have added them."""
    find = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'keywords%'"
    known = {*TABLES, *DERIVED_TABLES}
    return {name: "all rows: the table is unknown to this program" for (name,) in old.execute(find) if name not in known}


def _count_removed(new: SqliteConnection, saved: dict[str, int], lost: dict[str, str]) -> dict[str, str]:
    """Describe rows that were read but removed by the check, because what they belong to is lost."""
    found = dict[str, str]()
    for table in saved:
        left = new.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        if left < saved[table] and table not in ("meta", "artifact_terms", "sqlite_sequence", "rests"):
            words = f"{saved[table] - left:,} rows whose messages or sessions are lost"
            found[table] = f"{lost[table]}, and {words}" if table in lost else words
            saved[table] = left
    return found


def _copy_table(old: SqliteConnection, new: SqliteConnection, table: str) -> tuple[int, str]:
    """Copy the readable rows of a table. Return how many there were, and a description of what is missing."""
    if table == "sqlite_sequence":
        return _copy_sequences(old, new)
    columns = old.execute(f"SELECT name, type, pk FROM pragma_table_info('{table}')").fetchall()
    if not columns:
        return 0, ""  # the old store has a version without this table
    key, kind = next((name, kind) for name, kind, place in columns if place == 1)
    names = ", ".join(f'"{name}"' for name, _, _ in columns)  # an older store may have fewer
    insert = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"
    select = f'SELECT "{key}", {names} FROM {table} NOT INDEXED'
    forwards = _save(old, new, f"{select} ORDER BY {key}", insert)
    if forwards.whole:
        return forwards.saved, f"{forwards.misfits:,} damaged rows" if forwards.misfits else ""
    saved = forwards.saved + _save(old, new, f"{select} ORDER BY {key} DESC", insert).saved
    if kind == "INTEGER":
        saved += _step_over(old, new, f"{select} WHERE {key} > ? ORDER BY {key}", insert, forwards.last or 0)
    return saved, _missing(old, table, saved)


def _missing(old: SqliteConnection, table: str, saved: int) -> str:
    """Describe how many rows of a damaged table are not saved. An index may still have the total."""
    with suppress(apsw.Error):
        (total,) = old.execute(f"SELECT count(*) FROM {table}").fetchall()[0]
        return f"{total - saved:,} of {total:,} rows" if total > saved else ""
    return "an unknown number of rows on damaged pages"


def _copy_sequences(old: SqliteConnection, new: SqliteConnection) -> tuple[int, str]:
    """Copy the highest numbers ever assigned, so that numbers of erased rows are not reused."""
    try:
        found = old.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
    except apsw.Error:
        return 0, "the highest numbers ever assigned; numbers of erased rows may be reused"
    for name, number in found:
        if new.execute("SELECT 1 FROM sqlite_sequence WHERE name = ?", (name,)).fetchone():
            new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, name))
        else:
            new.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, number))
    return len(found), ""


def _step_over(old: SqliteConnection, new: SqliteConnection, select: str, insert: str, last: int) -> int:
    """Continue after a damaged page: row by row for as many rows as a page holds, then in growing steps."""
    saved, misses = 0, 0
    while last < MAX_KEY:
        reading = _save(old, new, select, insert, last)
        saved += reading.saved
        if reading.whole:
            break
        misses = misses + 1 if reading.last is None else 0
        last = (last if reading.last is None else reading.last) + (1 << max(0, misses - ROWS_OF_A_PAGE))
    return saved


def _save(old: SqliteConnection, new: SqliteConnection, select: str, insert: str, *values: int) -> TableCopyResult:
    saved, last, misfits = 0, None, 0
    found: Iterator[Row] | None = None
    while True:
        try:
            found = iter(old.execute(select, values)) if found is None else found
            row = next(found, None)
        except apsw.Error:
            return TableCopyResult(saved, last, False, misfits)
        if row is None:
            return TableCopyResult(saved, last, True, misfits)
        last = row[0]
        try:
            new.execute(insert, row[1:])
            saved += new.changes()
        except (apsw.ConstraintError, apsw.MismatchError):
            misfits += 1  # a row of another table that ended up here does not match the column types
