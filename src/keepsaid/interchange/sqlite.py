"""Safe reading of other programs' SQLite databases.

A long read transaction would block the other program's writes, so every statement is finished at once: rows are grouped by
session first, and then fetched session by session.

An untrusted database can run code: a view may never end, a virtual table runs its module's code, and pages may refer to one
another in cycles. So only ordinary tables and their stored columns are read, and every statement has limits.
"""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote

import apsw

from keepsaid.errors import ImportProblem
from keepsaid.interchange.json_split import MAX_ELEMENT_BYTES
from keepsaid.interchange.values import JsonObject

BATCH_SIZE = 2000
"""Rows per statement."""
BUSY_TIMEOUT = 10_000
"""Milliseconds to wait while another program is writing."""
MAX_STEPS = 10_000_000
"""The most steps of SQLite's virtual machine per statement: about three times what 2,000 rows of the widest table take."""
MAX_SCHEMA_STEPS = 500_000
"""The most steps to read the schema: enough for about ten thousand tables and indexes."""
MAX_TABLES = 1_000
MAX_COLUMNS = 200
"""The most columns of a table that is read."""
STEPS_BETWEEN_CHECKS = 10_000
MAX_EXPANSION = 4
"""The most bytes that may be read, as a multiple of the file size. A database stores every value once, and only the grouping
column is read twice; but in a forged one, many rows may share the same pages."""
_ROW_NUMBERS = ("rowid", "oid", "_rowid_")
"""SQLite's names of the row number, unless a column has the name."""
_BEFORE_ALL = -(2**63)
"""The smallest row number, which no program uses in practice."""
_SCHEMA = frozenset(("sqlite_schema", "sqlite_master"))
_FUNCTIONS = frozenset(("typeof", "substr", "like"))
_PRAGMAS = frozenset(("encoding", "table_xinfo"))
_SWITCHES = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
)
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, MAX_ELEMENT_BYTES),
    (apsw.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (apsw.SQLITE_LIMIT_COMPOUND_SELECT, 20),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
)


class ConversationTooLarge(Exception):
    """The rows of a session have more bytes than one conversation may have."""


class DatabaseTable(NamedTuple):
    """An ordinary table, its stored columns, and its name of the row number."""

    name: str
    columns: tuple[str, ...]
    row_number: str = "rowid"

    def column(self, *names: str) -> str | None:
        """The first of these columns that the table has; None if it has none.

        >>> DatabaseTable("t", ("id", "Title")).column("name", "title")
        'Title'
        """
        own = {column.lower(): column for column in reversed(self.columns)}
        return next((own[name] for name in names if name in own), None)


class DatabaseReader:
    """Reads the ordinary tables of a database. `size` is that of its files."""

    def __init__(self, db: apsw.Connection, limits: StatementLimits, size: int) -> None:
        self._db = cast(Any, db)
        self._limits = limits
        self._left = MAX_EXPANSION * size
        encoding = str(self._query("PRAGMA encoding")[0][0])
        self._encoding = encoding if encoding.startswith("UTF-16") else "utf-8"

    def all(self) -> list[DatabaseTable]:
        """List every ordinary table that is not SQLite's own. Virtual tables are left out: reading them runs module code.

        SQLite itself normalizes the definition of an ordinary table to start with `CREATE TABLE `, so anything else is not
        an ordinary table.
        """
        names = self._query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            f" AND substr(sql, 1, 13) = 'CREATE TABLE ' LIMIT {MAX_TABLES + 1}"
        )
        if len(names) > MAX_TABLES:
            raise _UnreadableDatabase(f"it has more than {MAX_TABLES:,} tables")
        return [table for (name,) in names if (table := self._table(str(name))) is not None]

    def group_rows(self, table: DatabaseTable, column: str) -> dict[Any, array[int]]:
        """The row numbers of a table by a column's value, in the order of writing."""
        groups: dict[Any, array[int]] = {}
        last = _BEFORE_ALL
        sql = (
            f"SELECT {table.row_number}, {self._readable(column)} FROM {_quoted(table.name)}"
            f" WHERE {table.row_number} > ?1 ORDER BY {table.row_number} LIMIT {BATCH_SIZE}"
        )
        while rows := self._query(sql, (last,)):
            for number, value in rows:
                if number <= last:
                    raise _UnreadableDatabase("its rows are out of order; it is damaged")
                last = number
                groups.setdefault(self._decoded(value), array("q")).append(number)
        return groups

    def rows(self, table: DatabaseTable, numbers: array[int]) -> Iterator[JsonObject]:
        """Read rows by number, each with its number as `rowid`. Raise `ConversationTooLarge` if they have more bytes than a
        conversation may have."""
        columns = ", ".join([table.row_number, *(self._readable(column) for column in table.columns)])
        room = MAX_ELEMENT_BYTES
        for start in range(0, len(numbers), BATCH_SIZE):
            wanted = ", ".join(str(number) for number in numbers[start : start + BATCH_SIZE])
            sql = f"SELECT {columns} FROM {_quoted(table.name)} WHERE {table.row_number} IN ({wanted}) ORDER BY 1"
            before = self._left
            for number, *values in self._query(sql, room=room):
                row = dict(zip(table.columns, map(self._decoded, values), strict=True))
                yield {**row, "rowid": number}
            room -= before - self._left

    def _query(self, sql: str, bindings: tuple[Any, ...] = (), room: int = MAX_ELEMENT_BYTES) -> list[tuple[Any, ...]]:
        """All rows of a statement. Raise if they have more bytes than `room` or than the database's limit."""
        self._limits.begin(MAX_STEPS)
        found: list[tuple[Any, ...]] = []
        for row in self._db.execute(sql, bindings, prepare_flags=apsw.SQLITE_PREPARE_NO_VTAB):
            size = sum(len(value) for value in row if isinstance(value, bytes | str))
            room, self._left = room - size, self._left - size
            if room < 0:
                raise ConversationTooLarge
            if self._left < 0:
                raise _UnreadableDatabase(
                    f"its rows have more than {MAX_EXPANSION} times the bytes of its file; it is damaged"
                )
            found.append(row)
        return found

    def _table(self, name: str) -> DatabaseTable | None:
        """Read a table's stored columns; None if it has too many columns, or no name for the row number."""
        columns = self._query(f"PRAGMA table_xinfo({_quoted(name)})")
        taken = {str(column[1]).lower() for column in columns}
        row_number = next((name for name in _ROW_NUMBERS if name not in taken), None)
        if row_number is None or len(columns) > MAX_COLUMNS:
            return None
        self._limits.readable.add(name)
        # Generated columns are not read: they may call any function.
        return DatabaseTable(name, tuple(str(column[1]) for column in columns if column[6] == 0), row_number)

    def _readable(self, column: str) -> str:
        """SQL that reads text as bytes, because invalid text would end the statement."""
        name = _quoted(column)
        return f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END"

    def _decoded(self, value: Any) -> Any:
        return value.decode(self._encoding, "replace") if isinstance(value, bytes) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class StatementLimits:
    """The limits of statements on a database. SQLite calls it before each statement and while it runs."""

    def __init__(self) -> None:
        self.readable: set[str] = set()
        """The ordinary tables that may be read."""
        self._steps = 0

    def begin(self, most: int) -> None:
        """Begin a statement with a limit of steps."""
        self._steps = most

    def is_exceeded(self) -> bool:
        """Whether the running statement must be ended. SQLite calls this."""
        self._steps -= STEPS_BETWEEN_CHECKS
        return self._steps < 0

    def authorize(self, action: int, first: str | None, second: str | None, _: str | None, within: str | None) -> int:
        """Allow only reads of stored columns of ordinary tables, never through a view or trigger (`within`). SQLite calls
        this for every action of a statement."""
        if within is not None:
            return apsw.SQLITE_DENY
        allowed = (
            action == apsw.SQLITE_SELECT
            or (action == apsw.SQLITE_READ and (first in _SCHEMA or first in self.readable))
            or (action == apsw.SQLITE_FUNCTION and second in _FUNCTIONS)
            or (action == apsw.SQLITE_PRAGMA and first in _PRAGMAS)
        )
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY


class _UnreadableDatabase(Exception):
    """A database cannot be read, or not safely; the message says why."""


@contextmanager
def open_database(path: Path, name: str) -> Generator[DatabaseReader]:
    """Open a database for reading only, with errors translated to `ImportProblem`."""
    limits = StatementLimits()
    try:
        db = _connect(path, limits)
        try:
            yield DatabaseReader(db, limits, _size(path))
        finally:
            db.close()
    except (_UnreadableDatabase, ConversationTooLarge) as error:
        raise ImportProblem(f"{name} is not read: {str(error) or 'its schema is too large'}") from None
    except apsw.InterruptError:
        raise ImportProblem(f"{name} is not read: it takes too long, and may never end") from None
    except apsw.AuthError:
        raise ImportProblem(f"{name} is not read: a table in it is a view or a virtual table") from None
    except apsw.NotADBError:
        raise ImportProblem(f"{name} is not a SQLite database, or it is encrypted") from None
    except apsw.BusyError:
        raise ImportProblem(f"{name} is being written by another program; try again when it is done") from None
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        raise ImportProblem(f"{name} cannot be opened: open it once with the program that made it, then try again") from None
    except apsw.Error as error:
        raise ImportProblem(f"{name} cannot be read to its end: {error}") from error


def _size(path: Path) -> int:
    """Bytes in the database and its log."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _connect(path: Path, limits: StatementLimits) -> apsw.Connection:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        return _restrict(apsw.Connection(address, flags=flags), limits)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # In a read-only folder, SQLite cannot create the log; if there is no log, no other program is writing.
        if path.with_name(path.name + "-wal").exists() or path.with_name(path.name + "-journal").exists():
            raise
        return _restrict(apsw.Connection(address + "&immutable=1", flags=flags), limits)


def _restrict(db: apsw.Connection, limits: StatementLimits) -> apsw.Connection:
    try:
        db.set_busy_timeout(BUSY_TIMEOUT)
        for switch, value in _SWITCHES:
            db.config(switch, value)
        for limit, most in _LIMITS:
            db.limit(limit, most)
        limits.begin(MAX_SCHEMA_STEPS)
        db.set_progress_handler(limits.is_exceeded, STEPS_BETWEEN_CHECKS)
        db.authorizer = limits.authorize
        # The first statement reads the schema. Counting its rows would visit all pages in a single step.
        cast(Any, db).execute("SELECT name FROM sqlite_schema LIMIT 1").fetchall()
    except BaseException:
        db.close()
        raise
    return db
