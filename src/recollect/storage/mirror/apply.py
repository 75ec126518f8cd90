"""What others changed, put into the mirror, with all that a mirror makes of it: keyword index, stretches, terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.storage.mirror import sequences
from recollect.storage.mirror.ledger import Columns, Delta, Row
from recollect.storage.mirror.rows import OWN_SETTINGS, Table, is_own, key_values, values_for
from recollect.storage.sqlite import artifacts, doctor, erasure, keywords, residue, spaces, stretches
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.rows import tags_of
from recollect.storage.sqlite.schema import NUMBERS, OWNER_BITS
from recollect.storage.sqlite.tally import Tally

TOLD_APART = frozenset({"sessions", "messages", "artifacts", "receipts", "systems", "blobs"})
"""Tables with a second unique index: what another process did one after the other comes in any order."""

_SAID = ("text", "extra", "tokens")
"""What the keyword index knows of a message."""


class Loss(NamedTuple):
    """What was taken away, and must not be left in a mirror's file: everything, or something that these are pieces of."""

    everything: bool
    pieces: set[bytes]


def apply(db: Database, known: Mapping[str, Table], delta: Delta) -> Loss | None:
    """Puts what changed into the mirror; says what was taken away by that, if anything was."""
    if delta.whole:
        _put_anew(db, known, delta.rows)
        return Loss(True, set())
    changed = [row for row in delta.rows if row.table in known and not is_own(row.table, row.key)]
    gone = [row for row in changed if row.columns is None]
    loss = Loss(False, _pieces(db, known, gone))
    messages = _Messages(db)
    for row in changed:
        if row.table == "messages":
            messages.before(row)
        elif row.table == "artifacts":
            _drop_terms(db, int(row.key))
        elif row.table == "details":
            _drop_tags(db, int(row.key))
    for row in changed:
        # What is told apart by more than its key goes first, or it might be in the way of what takes its place.
        if row.columns is None or row.table in TOLD_APART:
            table = known[row.table]
            db.execute(f"DELETE FROM {table.name} WHERE {table.where}", key_values(table, row.key))
    _upsert(db, known, changed)
    messages.after()
    for row in changed:
        if row.table == "artifacts" and row.columns is not None:
            _write_terms(db, int(row.key))
        elif row.table == "details" and row.columns is not None:
            _write_tags(db, int(row.key))
    if not gone:
        return None
    erasure.ask_to_finish(db, "pages")
    return loss


def _pieces(db: Database, known: Mapping[str, Table], gone: Sequence[Row]) -> set[bytes]:
    """What to look for of rows that are about to go."""
    tally = Tally()
    for row in gone:
        if len(tally.pieces) > residue.TOO_MANY:
            break  # the file is rebuilt, whatever else there is
        table = known[row.table]
        for value in db.execute(table.select, key_values(table, row.key)).fetchone() or ():
            if isinstance(value, str):
                tally.note(*residue.pieces(value))
            elif isinstance(value, bytes):
                tally.note(*residue.samples(value))
    return tally.pieces


def _put_anew(db: Database, known: Mapping[str, Table], rows: Iterable[Row]) -> None:
    """All rows of a ledger instead of all that there were."""
    for table in known.values():
        if table.name != "meta":
            db.execute(f"DELETE FROM {table.name}")
    own = sorted(OWN_SETTINGS)
    db.execute(f"DELETE FROM meta WHERE key NOT IN ({', '.join('?' * len(own))})", own)
    _upsert(db, known, [row for row in rows if row.table in known and not is_own(row.table, row.key)])
    db.execute("DELETE FROM tags")
    for (session,) in db.execute("SELECT session FROM details WHERE tags IS NOT NULL").fetchall():
        _write_tags(db, session)
    doctor.rebuild_keywords(db)
    erasure.ask_to_finish(db, "pages")


def _upsert(db: Database, known: Mapping[str, Table], rows: Sequence[Row]) -> None:
    by_table: dict[str, list[Columns]] = {}
    for row in rows:
        if row.columns is not None:
            by_table.setdefault(row.table, []).append(row.columns)
    for name, some in by_table.items():
        table = known[name]
        db.executemany(table.upsert, [values_for(table, columns) for columns in some])
    if "meta" in by_table:
        sequences.heed(db)


def _drop_terms(db: Database, rid: int) -> None:
    row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
    if row:
        terms = [(rid >> OWNER_BITS, term, rid) for term in artifacts.words(*row)]
        db.executemany("DELETE FROM artifact_terms WHERE owner = ? AND term = ? AND artifact = ?", terms)


def _write_terms(db: Database, rid: int) -> None:
    row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
    if row:
        artifacts.write_terms(db, rid, *row)


def _drop_tags(db: Database, session: int) -> None:
    db.executemany("DELETE FROM tags WHERE owner = ? AND tag = ? AND session = ?", _tags(db, session))


def _write_tags(db: Database, session: int) -> None:
    db.executemany("INSERT INTO tags VALUES (?, ?, ?)", _tags(db, session))


def _tags(db: Database, session: int) -> list[tuple[int, str, int]]:
    row = db.execute(
        "SELECT s.owner, d.tags FROM details AS d JOIN sessions AS s ON s.no = d.session WHERE d.session = ?", (session,)
    ).fetchone()
    return [(row[0], tag, session) for tag in tags_of(row[1])] if row else []


class _Messages:
    """Keeps the keyword index and the stretches in step with messages that come, change and go."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._changed: list[int] = []
        self._lost: set[int] = set()
        self._grown: set[int] = set()

    def before(self, row: Row) -> None:
        """Called while the index can still be told the old words."""
        rid = int(row.key)
        owner = rid >> OWNER_BITS
        if not self._is_indexed(rid):
            self._grown.add(owner)
        elif row.columns is None:
            keywords.forget(self._db, "m.rid = ?", (rid,))
            self._lost.add(owner)
        elif self._said(rid) != tuple(row.columns.get(column) for column in _SAID):
            keywords.take_out(self._db, "m.rid = ?", (rid,))
            self._changed.append(rid)

    def _is_indexed(self, rid: int) -> bool:
        found = "SELECT 1 FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE m.rid = ? AND m.rid <= o.indexed"
        return self._db.execute(found, (rid,)).fetchone() is not None

    def _said(self, rid: int) -> tuple[object, ...] | None:
        return self._db.execute(f"SELECT {', '.join(_SAID)} FROM messages WHERE rid = ?", (rid,)).fetchone()

    def after(self) -> None:
        """Called when the rows are as they are in the ledger."""
        for rid in self._changed:
            keywords.put_in(self._db, rid)
        for owner in self._lost:
            stretches.renew(self._db, owner)
        for owner in self._grown:
            self._index(owner)

    def _index(self, owner: int) -> None:
        row = self._db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
        last = spaces.last_number(self._db, owner)
        if row and (row[0] & NUMBERS) // keywords.TAIL != last // keywords.TAIL:
            keywords.index_tail(self._db, owner, last)
