"""Copies of the file: a backup while it is in use, and a salvage of one that is damaged."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import apsw

from recollect.errors import InvalidInput
from recollect.storage.sqlite import doctor, schema
from recollect.storage.sqlite.connection import Source, connect, key_text
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.faults import speaking_plainly

PAGES = 2000
"""Pages copied in one step; writers get in between."""


def backup(source: Source, target: Path) -> None:
    """A consistent copy with the same key, made beside the target and then put in its place."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; name a new file")
    unfinished = target.with_name(target.name + ".part")
    unfinished.unlink(missing_ok=True)
    try:
        with speaking_plainly():
            _copy(source, unfinished)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _copy(source: Source, target: Path) -> None:
    db = connect(source)
    copy = cast(Database, apsw.Connection(str(target)))
    try:
        target.chmod(0o600)
        if source.key is not None:
            copy.pragma("key", key_text(source.key))
        with copy.backup("main", db, "main") as work:
            while not work.done:
                work.step(PAGES)
    finally:
        copy.close()
        db.close()


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
            saved: dict[str, int] = {}
            with schema.exclusively(new):
                new.execute("DELETE FROM meta")
                for table in ("meta", "owners", "sessions", "details", "tags", "branches", "messages", "grants", "erased"):
                    saved[table] = _copy_table(old, new, table)
                new.execute("INSERT OR IGNORE INTO meta VALUES ('secret', hex(randomblob(32)))")
                new.execute("UPDATE owners SET indexed = 0, indexed_messages = 0, indexed_tokens = 0")
                doctor.rebuild_keywords(new)
                doctor.check(new, repair=True)
            return saved
        finally:
            old.close()
            new.close()


def _copy_table(old: Database, new: Database, table: str) -> int:
    """Reads forwards until a damaged page stops it, then backwards from the end."""
    columns = old.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
    insert = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
    key = next(name for name, place in columns if place == 1)
    saved = 0
    for direction in ("ASC", "DESC"):
        try:
            for row in old.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY {key} {direction}"):
                # A row that strayed here from another table does not fit the columns' types.
                with suppress(apsw.ConstraintError, apsw.MismatchError):
                    new.execute(insert, row)
                    saved += new.changes()
            break
        except apsw.Error:
            continue
    return saved
