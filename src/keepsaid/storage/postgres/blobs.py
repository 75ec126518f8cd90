"""Blobs: bytes by name, of an owner or of one of the owner's sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepsaid.errors import RevisionConflict
from keepsaid.storage.postgres import partitions
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, Statement, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.sql.blob_names import NO_SESSION, name_range
from keepsaid.types import Blob, Scope

_COLUMNS = "name, content, revision, author"
_HERE = "unit = %s AND space = %s AND session = %s"
_PUT = """
INSERT INTO blobs (unit, space, session, name, revision, author, content)
SELECT %s, %s, %s, name, 1 + floor(random() * 4503599627370495)::bigint, %s, content
FROM unnest(%s::text[], %s::bytea[]) AS new (name, content)
ON CONFLICT (unit, space, session, name)
DO UPDATE SET revision = blobs.revision + 1, author = excluded.author, content = excluded.content"""


def keep(
    db: PostgresConnection,
    space: PartitionKey,
    scope: Scope,
    contents: Mapping[str, bytes | None],
    expected: Mapping[str, int],
    *more: Statement,
) -> None:
    """Store or delete blobs, all or none, and run `more` in the same step. The caller holds the partition's lock."""
    place = (*space, scope.session or NO_SESSION)
    if expected:
        there = f"SELECT name, revision FROM blobs WHERE {_HERE} AND name = ANY (%s)"
        known = dict(db.execute(there, (*place, list(expected))).fetchall())
        for name, revision in expected.items():
            if known.get(name, 0) != revision:
                raise RevisionConflict(f"{name!r} has changed since it was read")
    kept = {name: content for name, content in contents.items() if content is not None}
    author = scope.owner if scope.pool else None
    db.together(
        partitions.add_partition(db.secret, space),
        (f"DELETE FROM blobs WHERE {_HERE} AND name = ANY (%s)", (*place, [name for name in contents if name not in kept])),
        *more,
        (_PUT, (*place, author, list(kept), list(kept.values()))),
        last=True,
    )


def read(scope: Scope, names: Sequence[str]) -> PostgresReadOperation[list[Blob]]:
    """Read the blobs with these names; missing ones are left out."""
    asked = f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name = ANY (%s) ORDER BY name"
    return single_statement_read(asked, (*_place(scope), list(names)), _blobs_from_rows)


def list_blobs(
    scope: Scope, prefix: str, after: str | None, limit: int, backwards: bool
) -> PostgresReadOperation[list[Blob]]:
    """Read a page of blobs whose names start with the prefix."""
    asked = (
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name >= %s AND name < %s"
        f" ORDER BY name {'DESC' if backwards else 'ASC'} LIMIT %s"
    )
    return single_statement_read(asked, (*_place(scope), *name_range(prefix, after, backwards), limit), _blobs_from_rows)


def drop(db: PostgresConnection, space: PartitionKey, scope: Scope, prefix: str) -> int:
    """Delete blobs whose names start with the prefix; return how many there were."""
    gone = f"DELETE FROM blobs WHERE {_HERE} AND name >= %s AND name < %s"
    return db.execute(gone, (*space, scope.session or NO_SESSION, *name_range(prefix))).rowcount


def list_blob_sessions(scope: Scope) -> PostgresReadOperation[list[str]]:
    """Read the ids of sessions that have blobs."""
    asked = "SELECT DISTINCT session FROM blobs WHERE unit = %s AND space = %s AND session > '' ORDER BY session"
    return single_statement_read(asked, partitions.partition_key(scope), lambda found: [session for (session,) in found])


def delete_session_blobs(db: PostgresConnection, space: PartitionKey, session: str | None) -> int:
    """Delete the blobs of a session; one without an id has none."""
    return db.execute(f"DELETE FROM blobs WHERE {_HERE}", (*space, session)).rowcount


def delete_author_blobs(db: PostgresConnection, author: str) -> int:
    """Delete the blobs that an author stored in pools; works across pools."""
    return db.execute("DELETE FROM blobs WHERE author = %s", (author,)).rowcount


def _place(scope: Scope) -> tuple[str | int, ...]:
    return *partitions.partition_key(scope), scope.session or NO_SESSION


def _blobs_from_rows(found: Sequence[Row]) -> list[Blob]:
    return [Blob(name, bytes(content), *rest) for name, content, *rest in found]
