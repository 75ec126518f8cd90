"""Conversion between replica rows and ledger rows: which tables a ledger keeps, the keys of rows, and which rows changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

import apsw

from keepsaid.storage.replica.ledger import Columns, ColumnValue, LedgerRow
from keepsaid.storage.sqlite.connection.database import SqliteConnection

LEDGER_TABLES = (
    "meta", "owners", "sessions", "details", "branches", "messages", "grants", "changes", "erased", "generations",
    "vectors", "token_vectors", "work", "artifacts", "rests", "receipts", "systems", "keys", "blobs",
)  # fmt: skip
"""The tables that the ledger keeps. Every replica derives the other tables from these."""

POINT_SETTING = "followed"
"""The replica's own setting with the point it is at."""

REPLICA_SETTINGS = frozenset({POINT_SETTING, "terms", "erase_pending"})
"""Settings that belong to the replica and are not in the ledger."""

_OWN_COLUMNS = frozenset({"indexed", "indexed_messages", "indexed_tokens"})


class LedgerTable(NamedTuple):
    """A table of the replica, without the columns that only the replica has."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    """The indexes of the key's columns among all columns."""
    types: tuple[str, ...]
    """The types of the key's columns."""

    @property
    def key_columns(self) -> tuple[str, ...]:
        return tuple(self.columns[place] for place in self.key)

    @property
    def where(self) -> str:
        return " AND ".join(f'"{column}" = ?' for column in self.key_columns)

    @property
    def select(self) -> str:
        """A query for one row by its key."""
        return f"SELECT {_quoted_list(self.columns)} FROM {self.name} WHERE {self.where}"

    @property
    def upsert(self) -> str:
        """A statement that inserts a row, or updates the row with its key."""
        others = [column for column in self.columns if column not in self.key_columns]
        changes = ", ".join(f'"{column}" = excluded."{column}"' for column in others)
        return (
            f"INSERT INTO {self.name} ({_quoted_list(self.columns)}) VALUES ({', '.join('?' * len(self.columns))})"
            f" ON CONFLICT ({_quoted_list(self.key_columns)}) DO {f'UPDATE SET {changes}' if others else 'NOTHING'}"
        )


def _quoted_list(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def ledger_tables(db: SqliteConnection) -> dict[str, LedgerTable]:
    """The tables that the ledger keeps, by name."""
    return {name: _table(db, name) for name in LEDGER_TABLES}


def _table(db: SqliteConnection, name: str) -> LedgerTable:
    found = db.execute(f"PRAGMA table_info({name})").fetchall()
    columns = [(column, kind, place) for _, column, kind, _, _, place in found if column not in _OWN_COLUMNS]
    key = sorted((place, number, kind) for number, (_, kind, place) in enumerate(columns) if place)
    return LedgerTable(
        name, tuple(column for column, _, _ in columns), tuple(n for _, n, _ in key), tuple(kind for *_, kind in key)
    )


def encode_key(key: Iterable[ColumnValue]) -> str:
    """Encode a key as a ledger takes it.

    >>> encode_key((3, 17)), encode_key(("a b:c",)), encode_key((b"x",))
    ('3:17', 'a%20b%3Ac', '78')
    """
    return ":".join(part.hex() if isinstance(part, bytes) else quote(str(part), safe="") for part in key)


def decode_key(table: LedgerTable, text: str) -> tuple[ColumnValue, ...]:
    """Decode the values of a key's columns."""
    return tuple(_value(part, kind) for part, kind in zip(text.split(":"), table.types, strict=True))


def _value(part: str, kind: str) -> ColumnValue:
    if kind == "INTEGER":
        return int(part)
    return bytes.fromhex(part) if kind == "BLOB" else unquote(part)


def is_replica_only(table: str, key: str) -> bool:
    """Whether a row belongs to the replica and is not in the ledger."""
    return table == "meta" and key in REPLICA_SETTINGS


class ChangeRecorder:
    """Records which rows change on a connection while it is open."""

    def __init__(self, db: SqliteConnection, known: dict[str, LedgerTable]) -> None:
        self._db, self._known = db, known
        self._session = apsw.Session(cast(Any, db), "main")
        for name in LEDGER_TABLES:
            self._session.attach(name)

    def changed_rows(self) -> list[LedgerRow]:
        """The changed rows in their current state."""
        found: dict[tuple[str, tuple[Any, ...]], None] = {}
        changes: Any = apsw.Changeset  # APSW's stubs name types that this Python does not have
        for change in changes.iter(self._session.changeset()):
            values = change.new if change.op == "INSERT" else change.old
            found[change.name, tuple(values[place] for place in self._known[change.name].key)] = None
        rows = (self._row(name, key) for name, key in found)
        return [row for row in rows if not is_replica_only(row.table, row.key)]

    def _row(self, name: str, key: tuple[Any, ...]) -> LedgerRow:
        table = self._known[name]
        row = self._db.execute(table.select, key).fetchone()
        return LedgerRow(name, encode_key(key), None if row is None else dict(zip(table.columns, row, strict=True)))

    def close(self) -> None:
        """Stop recording."""
        self._session.close()


def all_rows(db: SqliteConnection, table: LedgerTable) -> Iterable[LedgerRow]:
    """Every row of a table that the ledger keeps."""
    for values in db.execute(f"SELECT {_quoted_list(table.columns)} FROM {table.name}"):
        row = LedgerRow(
            table.name, encode_key(values[place] for place in table.key), dict(zip(table.columns, values, strict=True))
        )
        if not is_replica_only(row.table, row.key):
            yield row


def row_values(table: LedgerTable, columns: Columns) -> list[ColumnValue]:
    """A row's values in the order of the table's columns."""
    return [columns.get(column) for column in table.columns]
