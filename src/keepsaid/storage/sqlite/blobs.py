"""Blobs: bytes by name, of an owner or of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepsaid.errors import RevisionConflict
from keepsaid.storage.sql.blob_names import NO_SESSION, name_range
from keepsaid.storage.sqlite import partitions, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import residue
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.types import Blob, PoolAccess, Scope

_COLUMNS = "name, content, revision, author"
_HERE = "owner = ? AND session = ?"


def keep(
    db: SqliteConnection,
    scope: Scope,
    contents: Mapping[str, bytes | None],
    expected: Mapping[str, int],
    record: SqliteEraseRecord,
) -> None:
    """Store or delete blobs, all or none."""
    place = (partitions.find_or_add_partition(db, scope), scope.session or NO_SESSION)
    author = scope.owner if scope.pool else None
    for name, revision in expected.items():
        row = db.execute(f"SELECT revision FROM blobs WHERE {_HERE} AND name = ?", (*place, name)).fetchone()
        if (row[0] if row else 0) != revision:
            raise RevisionConflict(f"{name!r} has changed since it was read")
    for name, content in contents.items():
        if content is None:
            _delete(db, f"{_HERE} AND name = ?", (*place, name), record)
        else:
            db.execute(
                "INSERT INTO blobs (owner, session, name, revision, author, content)"
                " VALUES (?, ?, ?, 1 + (random() & 4503599627370495), ?, ?) ON CONFLICT (owner, session, name)"
                " DO UPDATE SET revision = revision + 1, author = excluded.author, content = excluded.content",
                (*place, name, author, content),
            )


def read(db: SqliteConnection, scope: Scope, names: Sequence[str]) -> list[Blob]:
    """Return the blobs with these names that exist."""
    found = db.execute(
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name IN (SELECT value FROM json_each(?)) ORDER BY name",
        (*_place(db, scope), rows.pack_json(list(names))),
    )
    return [Blob(*row) for row in found]


def list_blobs(
    db: SqliteConnection, scope: Scope, prefix: str, after: str | None, limit: int, backwards: bool
) -> list[Blob]:
    """Return a page of the blobs whose names have a prefix."""
    found = db.execute(
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name >= ? AND name < ?"
        f" ORDER BY name {'DESC' if backwards else 'ASC'} LIMIT ?",
        (*_place(db, scope), *name_range(prefix, after, backwards), limit),
    )
    return [Blob(*row) for row in found]


def drop(db: SqliteConnection, scope: Scope, prefix: str, record: SqliteEraseRecord) -> None:
    """Delete the blobs whose names have a prefix."""
    place = (partitions.find_partition(db, scope, PoolAccess.WRITE), scope.session or NO_SESSION)
    _delete(db, f"{_HERE} AND name >= ? AND name < ?", (*place, *name_range(prefix)), record)


def list_blob_sessions(db: SqliteConnection, scope: Scope) -> list[str]:
    """Return the sessions that have blobs."""
    found = "SELECT DISTINCT session FROM blobs WHERE owner = ? AND session > '' ORDER BY session"
    return [session for (session,) in db.execute(found, (partitions.find_partition(db, scope),))]


def delete_session_blobs(db: SqliteConnection, owner: int, session: str, record: SqliteEraseRecord) -> None:
    """Delete the blobs of a session."""
    _delete(db, _HERE, (owner, session), record)


def delete_partition_blobs(db: SqliteConnection, owner: int, record: SqliteEraseRecord) -> None:
    """Delete all blobs of a partition."""
    _delete(db, "owner = ?", (owner,), record)


def delete_author_blobs(db: SqliteConnection, author: str, record: SqliteEraseRecord) -> None:
    """Delete the blobs that an author stored in pools."""
    _delete(db, "author = ?", (author,), record)


def _place(db: SqliteConnection, scope: Scope) -> tuple[int, str]:
    return partitions.find_partition(db, scope), scope.session or NO_SESSION


def _delete(db: SqliteConnection, where: str, values: Sequence[int | str], record: SqliteEraseRecord) -> None:
    for name, content in db.execute(f"SELECT name, content FROM blobs WHERE {where}", values):
        record.add_pieces(*residue.split_texts(name), *residue.sample_vectors(content))
    db.execute(f"DELETE FROM blobs WHERE {where}", values)
    record.derived += db.changes()
