"""Blobs: bytes by name, of an owner or of one of his sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.errors import RevisionConflict
from recollect.storage.names import NO_SESSION, between
from recollect.storage.sqlite import residue, rows, spaces
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.tally import Tally
from recollect.types import Access, Blob, Scope

_COLUMNS = "name, content, revision, author"
_HERE = "owner = ? AND session = ?"


def keep(
    db: Database, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int], tally: Tally
) -> None:
    """Keeps or removes blobs, all or none."""
    place = (spaces.space_to_write(db, scope), scope.session or NO_SESSION)
    author = scope.owner if scope.pool else None
    for name, revision in expected.items():
        row = db.execute(f"SELECT revision FROM blobs WHERE {_HERE} AND name = ?", (*place, name)).fetchone()
        if (row[0] if row else 0) != revision:
            raise RevisionConflict(f"{name!r} has changed since it was read")
    for name, content in contents.items():
        if content is None:
            _delete(db, f"{_HERE} AND name = ?", (*place, name), tally)
        else:
            db.execute(
                "INSERT INTO blobs (owner, session, name, revision, author, content)"
                " VALUES (?, ?, ?, 1 + (random() & 4503599627370495), ?, ?) ON CONFLICT (owner, session, name)"
                " DO UPDATE SET revision = revision + 1, author = excluded.author, content = excluded.content",
                (*place, name, author, content),
            )


def read(db: Database, scope: Scope, names: Sequence[str]) -> list[Blob]:
    """Those of these names that there are."""
    found = db.execute(
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name IN (SELECT value FROM json_each(?)) ORDER BY name",
        (*_place(db, scope), rows.pack(list(names))),
    )
    return [Blob(*row) for row in found]


def listed(db: Database, scope: Scope, prefix: str, after: str | None, limit: int, backwards: bool) -> list[Blob]:
    """Those whose names begin so."""
    found = db.execute(
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name >= ? AND name < ?"
        f" ORDER BY name {'DESC' if backwards else 'ASC'} LIMIT ?",
        (*_place(db, scope), *between(prefix, after, backwards), limit),
    )
    return [Blob(*row) for row in found]


def drop(db: Database, scope: Scope, prefix: str, tally: Tally) -> None:
    """Removes those whose names begin so."""
    place = (spaces.space(db, scope, Access.WRITE), scope.session or NO_SESSION)
    _delete(db, f"{_HERE} AND name >= ? AND name < ?", (*place, *between(prefix)), tally)


def sessions(db: Database, scope: Scope) -> list[str]:
    """The sessions that have any."""
    found = "SELECT DISTINCT session FROM blobs WHERE owner = ? AND session > '' ORDER BY session"
    return [session for (session,) in db.execute(found, (spaces.space(db, scope),))]


def of_session(db: Database, owner: int, session: str, tally: Tally) -> None:
    """Removes what belongs to a session that goes."""
    _delete(db, _HERE, (owner, session), tally)


def of_space(db: Database, owner: int, tally: Tally) -> None:
    """Removes all that an owner or pool has."""
    _delete(db, "owner = ?", (owner,), tally)


def of_author(db: Database, author: str, tally: Tally) -> None:
    """Removes what somebody put into pools."""
    _delete(db, "author = ?", (author,), tally)


def _place(db: Database, scope: Scope) -> tuple[int, str]:
    return spaces.space(db, scope), scope.session or NO_SESSION


def _delete(db: Database, where: str, values: Sequence[int | str], tally: Tally) -> None:
    for name, content in db.execute(f"SELECT name, content FROM blobs WHERE {where}", values):
        tally.note(*residue.pieces(name), *residue.samples(content))
    db.execute(f"DELETE FROM blobs WHERE {where}", values)
    tally.derived += db.changes()
