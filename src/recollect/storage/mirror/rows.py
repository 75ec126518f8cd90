"""Rows of a mirror as rows of a ledger: which ones a ledger keeps, how they are told apart, and what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

import apsw

from recollect.storage.mirror.ledger import Columns, Row, Value
from recollect.storage.sqlite.database import Database

KEPT = (
    "meta", "owners", "sessions", "details", "branches", "messages", "grants", "changes", "erased", "generations",
    "vectors", "token_vectors", "work", "artifacts", "rests", "receipts", "systems", "keys", "blobs",
)  # fmt: skip
"""The tables that are at home in the ledger. The others are made of these, by every mirror for itself."""

FOLLOWED = "followed"
"""The mirror's own note of the point it is at."""

OWN_SETTINGS = frozenset({FOLLOWED, "terms", "erase_pending"})
"""Settings that are the mirror's own business."""

_OWN_COLUMNS = frozenset({"indexed", "indexed_messages", "indexed_tokens"})


class Table(NamedTuple):
    """A table as the mirror has it, without the columns that are the mirror's own."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    """The places of the key's columns among all columns."""
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
        return f"SELECT {_listed(self.columns)} FROM {self.name} WHERE {self.where}"

    @property
    def upsert(self) -> str:
        """A statement that puts a row in, or changes the one of its key."""
        others = [column for column in self.columns if column not in self.key_columns]
        changes = ", ".join(f'"{column}" = excluded."{column}"' for column in others)
        return (
            f"INSERT INTO {self.name} ({_listed(self.columns)}) VALUES ({', '.join('?' * len(self.columns))})"
            f" ON CONFLICT ({_listed(self.key_columns)}) DO {f'UPDATE SET {changes}' if others else 'NOTHING'}"
        )


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def tables(db: Database) -> dict[str, Table]:
    """The tables that the ledger keeps, by name."""
    return {name: _table(db, name) for name in KEPT}


def _table(db: Database, name: str) -> Table:
    found = db.execute(f"PRAGMA table_info({name})").fetchall()
    columns = [(column, kind, place) for _, column, kind, _, _, place in found if column not in _OWN_COLUMNS]
    key = sorted((place, number, kind) for number, (_, kind, place) in enumerate(columns) if place)
    return Table(
        name, tuple(column for column, _, _ in columns), tuple(n for _, n, _ in key), tuple(kind for *_, kind in key)
    )


def key_text(key: Iterable[Value]) -> str:
    """A key as a ledger takes it.

    >>> key_text((3, 17)), key_text(("a b:c",)), key_text((b"x",))
    ('3:17', 'a%20b%3Ac', '78')
    """
    return ":".join(part.hex() if isinstance(part, bytes) else quote(str(part), safe="") for part in key)


def key_values(table: Table, text: str) -> tuple[Value, ...]:
    """The values of a key's columns."""
    return tuple(_value(part, kind) for part, kind in zip(text.split(":"), table.types, strict=True))


def _value(part: str, kind: str) -> Value:
    if kind == "INTEGER":
        return int(part)
    return bytes.fromhex(part) if kind == "BLOB" else unquote(part)


def is_own(table: str, key: str) -> bool:
    """Whether a row is a mirror's own business."""
    return table == "meta" and key in OWN_SETTINGS


class Recording:
    """Notes which rows change on a connection from its beginning on."""

    def __init__(self, db: Database, known: dict[str, Table]) -> None:
        self._db, self._known = db, known
        self._session = apsw.Session(cast(Any, db), "main")
        for name in KEPT:
            self._session.attach(name)

    def changed(self) -> list[Row]:
        """The rows that have changed, as they are now."""
        found: dict[tuple[str, tuple[Any, ...]], None] = {}
        changes: Any = apsw.Changeset  # APSW's stubs name types that this Python does not have
        for change in changes.iter(self._session.changeset()):
            values = change.new if change.op == "INSERT" else change.old
            found[change.name, tuple(values[place] for place in self._known[change.name].key)] = None
        rows = (self._row(name, key) for name, key in found)
        return [row for row in rows if not is_own(row.table, row.key)]

    def _row(self, name: str, key: tuple[Any, ...]) -> Row:
        table = self._known[name]
        row = self._db.execute(table.select, key).fetchone()
        return Row(name, key_text(key), None if row is None else dict(zip(table.columns, row, strict=True)))

    def close(self) -> None:
        """Stops."""
        self._session.close()


def all_rows(db: Database, table: Table) -> Iterable[Row]:
    """Every row of a table that is not the mirror's own."""
    for values in db.execute(f"SELECT {_listed(table.columns)} FROM {table.name}"):
        row = Row(table.name, key_text(values[place] for place in table.key), dict(zip(table.columns, values, strict=True)))
        if not is_own(row.table, row.key):
            yield row


def values_for(table: Table, columns: Columns) -> list[Value]:
    """A row's values in the order of the table's columns."""
    return [columns.get(column) for column in table.columns]
