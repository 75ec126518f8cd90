"""Other programs' SQLite databases, read without harming them.

A reader that holds on would keep their programs from writing, so every statement is finished at once: rows are grouped by
their session first, then fetched session by session.
"""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote

import apsw

from recollect.errors import ImportProblem
from recollect.interchange.values import Record

BATCH = 2000
"""Rows in one statement."""
PATIENCE = 10_000
"""Milliseconds to wait for a program that is writing."""


class Table(NamedTuple):
    """A table and its columns."""

    name: str
    columns: tuple[str, ...]

    def column(self, *names: str) -> str | None:
        """The first of several columns that it has.

        >>> Table("t", ("id", "Title")).column("name", "title")
        'Title'
        """
        own = {column.lower(): column for column in reversed(self.columns)}
        return next((own[name] for name in names if name in own), None)


class Tables:
    """The tables of a database that is open for reading."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = cast(Any, db)
        encoding = str(self._db.pragma("encoding"))
        self._encoding = encoding if encoding.startswith("UTF-16") else "utf-8"

    def all(self) -> list[Table]:
        """Every table that a program made, but for virtual ones: what they need to be read may not be here."""
        names = self._query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " AND sql NOT LIKE 'CREATE VIRTUAL %'"
        )
        return [Table(str(name), self._columns(str(name))) for (name,) in names]

    def grouped(self, table: Table, column: str) -> dict[Any, array[int]]:
        """The numbers of a table's rows by a column's value, in the order they were written."""
        groups: dict[Any, array[int]] = {}
        last: int | None = None
        sql = (
            f"SELECT rowid, {self._readable(column)} FROM {_quoted(table.name)}"
            " WHERE ?1 IS NULL OR rowid > ?1 ORDER BY rowid LIMIT ?2"
        )
        while rows := self._query(sql, (last, BATCH)):
            for number, value in rows:
                groups.setdefault(self._decoded(value), array("q")).append(int(number))
            last = int(rows[-1][0])
        return groups

    def rows(self, table: Table, numbers: array[int]) -> Iterator[Record]:
        """Rows by their numbers, each with its number as `rowid`."""
        columns = ", ".join(["rowid", *(self._readable(column) for column in table.columns)])
        for start in range(0, len(numbers), BATCH):
            wanted = ", ".join(str(number) for number in numbers[start : start + BATCH])
            sql = f"SELECT {columns} FROM {_quoted(table.name)} WHERE rowid IN ({wanted}) ORDER BY rowid"
            for number, *values in self._query(sql):
                row = dict(zip(table.columns, map(self._decoded, values), strict=True))
                yield {**row, "rowid": number}

    def _query(self, sql: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return self._db.execute(sql, bindings).fetchall()

    def _columns(self, table: str) -> tuple[str, ...]:
        return tuple(str(row[1]) for row in self._query(f"PRAGMA table_info({_quoted(table)})"))

    def _readable(self, column: str) -> str:
        """Text as bytes: what is no valid text would end the reading."""
        name = _quoted(column)
        return f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END"

    def _decoded(self, value: Any) -> Any:
        return value.decode(self._encoding, "replace") if isinstance(value, bytes) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def opened(path: Path, name: str) -> Generator[Tables]:
    """The database, for reading only."""
    try:
        db = _connect(path)
        try:
            yield Tables(db)
        finally:
            db.close()
    except apsw.NotADBError:
        raise ImportProblem(f"{name} is no SQLite database, or it is encrypted") from None
    except apsw.BusyError:
        raise ImportProblem(f"{name} is being written by another program; try again when it is done") from None
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        raise ImportProblem(f"{name} cannot be opened: open it once with the program that made it, then try again") from None
    except apsw.Error as error:
        raise ImportProblem(f"{name} cannot be read to its end: {error}") from error


def _connect(path: Path) -> apsw.Connection:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        return _checked(apsw.Connection(address, flags=flags))
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A log cannot be made beside a database in a folder that is not ours; without one nobody can be writing.
        if path.with_name(path.name + "-wal").exists() or path.with_name(path.name + "-journal").exists():
            raise
        return _checked(apsw.Connection(address + "&immutable=1", flags=flags))


def _checked(db: apsw.Connection) -> apsw.Connection:
    try:
        db.set_busy_timeout(PATIENCE)
        cast(Any, db).execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except BaseException:
        db.close()
        raise
    return db
