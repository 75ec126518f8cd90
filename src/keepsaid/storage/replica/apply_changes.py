"""Apply changes of other processes to a replica, including the tables derived from them: keyword index, time ranges,
terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from keepsaid.storage.replica import sequences
from keepsaid.storage.replica.ledger import Columns, LedgerRow, PartitionDelta
from keepsaid.storage.replica.rows import REPLICA_SETTINGS, LedgerTable, decode_key, is_replica_only, row_values
from keepsaid.storage.sqlite import artifacts, partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import completion, residue
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.health import doctor
from keepsaid.storage.sqlite.rows import unpack_tags
from keepsaid.storage.sqlite.schema import NUMBER_MASK, OWNER_BITS
from keepsaid.storage.sqlite.search import keyword_index, time_ranges

UNIQUE_TABLES = frozenset({"sessions", "messages", "artifacts", "receipts", "systems", "blobs"})
"""Tables with a second unique index. Changes that another process made in sequence arrive in any order."""

_INDEXED_COLUMNS = ("text", "extra", "tokens")
"""The columns of a message that the keyword index depends on."""


class RemovedContent(NamedTuple):
    """Removed content that must be wiped from a replica's file: everything, or content that contains these pieces."""

    everything: bool
    pieces: set[bytes]


def apply_delta(db: SqliteConnection, known: Mapping[str, LedgerTable], delta: PartitionDelta) -> RemovedContent | None:
    """Apply a delta to the replica. Return what it removed, or None if nothing."""
    if delta.whole:
        _replace_all(db, known, delta.rows)
        return RemovedContent(True, set())
    changed = [row for row in delta.rows if row.table in known and not is_replica_only(row.table, row.key)]
    gone = [row for row in changed if row.columns is None]
    loss = RemovedContent(False, _collect_pieces(db, known, gone))
    messages = _MessageIndexer(db)
    for row in changed:
        if row.table == "messages":
            messages.before(row)
        elif row.table == "artifacts":
            _drop_terms(db, int(row.key))
        elif row.table == "details":
            _drop_tags(db, int(row.key))
    for row in changed:
        # Rows with a second unique index are deleted first: an old one could conflict with its replacement.
        if row.columns is None or row.table in UNIQUE_TABLES:
            table = known[row.table]
            db.execute(f"DELETE FROM {table.name} WHERE {table.where}", decode_key(table, row.key))
    _upsert(db, known, changed)
    messages.after()
    for row in changed:
        if row.table == "artifacts" and row.columns is not None:
            _write_terms(db, int(row.key))
        elif row.table == "details" and row.columns is not None:
            _write_tags(db, int(row.key))
    if not gone:
        return None
    completion.request_completion(db, "pages")
    return loss


def _collect_pieces(db: SqliteConnection, known: Mapping[str, LedgerTable], gone: Sequence[LedgerRow]) -> set[bytes]:
    """Collect pieces of the rows that are about to be removed, to search the file for."""
    tally = SqliteEraseRecord()
    for row in gone:
        if len(tally.pieces) > residue.MAX_PIECES:
            break  # these are enough to find leftovers
        table = known[row.table]
        for value in db.execute(table.select, decode_key(table, row.key)).fetchone() or ():
            if isinstance(value, str):
                tally.add_pieces(*residue.split_texts(value))
            elif isinstance(value, bytes):
                tally.add_pieces(*residue.sample_vectors(value))
    return tally.pieces


def _replace_all(db: SqliteConnection, known: Mapping[str, LedgerTable], rows: Iterable[LedgerRow]) -> None:
    """Replace all rows with the rows of the ledger."""
    for table in known.values():
        if table.name != "meta":
            db.execute(f"DELETE FROM {table.name}")
    own = sorted(REPLICA_SETTINGS)
    db.execute(f"DELETE FROM meta WHERE key NOT IN ({', '.join('?' * len(own))})", own)
    _upsert(db, known, [row for row in rows if row.table in known and not is_replica_only(row.table, row.key)])
    db.execute("DELETE FROM tags")
    for (session,) in db.execute("SELECT session FROM details WHERE tags IS NOT NULL").fetchall():
        _write_tags(db, session)
    doctor.rebuild_keywords(db)
    completion.request_completion(db, "pages")


def _upsert(db: SqliteConnection, known: Mapping[str, LedgerTable], rows: Sequence[LedgerRow]) -> None:
    by_table: dict[str, list[Columns]] = {}
    for row in rows:
        if row.columns is not None:
            by_table.setdefault(row.table, []).append(row.columns)
    for name, some in by_table.items():
        table = known[name]
        db.executemany(table.upsert, [row_values(table, columns) for columns in some])
    if "meta" in by_table:
        sequences.advance_sequences(db)


def _drop_terms(db: SqliteConnection, rid: int) -> None:
    row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
    if row:
        terms = [(rid >> OWNER_BITS, term, rid) for term in artifacts.search_terms(*row)]
        db.executemany("DELETE FROM artifact_terms WHERE owner = ? AND term = ? AND artifact = ?", terms)


def _write_terms(db: SqliteConnection, rid: int) -> None:
    row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
    if row:
        artifacts.write_terms(db, rid, *row)


def _drop_tags(db: SqliteConnection, session: int) -> None:
    db.executemany("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", _tags(db, session))


def _write_tags(db: SqliteConnection, session: int) -> None:
    db.executemany("INSERT INTO tags VALUES (?, ?, ?)", _tags(db, session))


def _tags(db: SqliteConnection, session: int) -> list[tuple[int, str, int]]:
    row = db.execute(
        "SELECT s.owner, d.tags FROM details AS d JOIN sessions AS s ON s.no = d.session WHERE d.session = ?", (session,)
    ).fetchone()
    return [(row[0], tag, session) for tag in unpack_tags(row[1])] if row else []


class _MessageIndexer:
    """Updates the keyword index and the time ranges when messages are added, changed or removed."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db
        self._changed: list[int] = []
        self._shrunk_owners: set[int] = set()
        self._grown_owners: set[int] = set()

    def before(self, row: LedgerRow) -> None:
        """Called before the row changes, while the old words can still be removed from the index."""
        rid = int(row.key)
        owner = rid >> OWNER_BITS
        if not self._is_indexed(rid):
            self._grown_owners.add(owner)
        elif row.columns is None:
            keyword_index.remove_messages(self._db, "m.rid = ?", (rid,))
            self._shrunk_owners.add(owner)
        elif self._indexed_values(rid) != tuple(row.columns.get(column) for column in _INDEXED_COLUMNS):
            keyword_index.remove_words(self._db, "m.rid = ?", (rid,))
            self._changed.append(rid)

    def _is_indexed(self, rid: int) -> bool:
        found = "SELECT 1 FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE m.rid = ? AND m.rid <= o.indexed"
        return self._db.execute(found, (rid,)).fetchone() is not None

    def _indexed_values(self, rid: int) -> tuple[object, ...] | None:
        return self._db.execute(f"SELECT {', '.join(_INDEXED_COLUMNS)} FROM messages WHERE rid = ?", (rid,)).fetchone()

    def after(self) -> None:
        """Called after all rows match the ledger."""
        for rid in self._changed:
            keyword_index.add_words(self._db, rid)
        for owner in self._shrunk_owners:
            time_ranges.rebuild_ranges(self._db, owner)
        for owner in self._grown_owners:
            self._index(owner)

    def _index(self, owner: int) -> None:
        row = self._db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
        last = partitions.last_message_number(self._db, owner)
        if row and (row[0] & NUMBER_MASK) // keyword_index.TAIL_LENGTH != last // keyword_index.TAIL_LENGTH:
            keyword_index.index_tail(self._db, owner, last)
