"""Blobs: bytes by name, of an owner or of one of his sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.errors import RevisionConflict
from recollect.storage.names import NO_SESSION, between
from recollect.storage.postgres import spaces
from recollect.storage.postgres.database import Database, Row
from recollect.storage.postgres.reading import Reading, Statement, reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Blob, Scope

_COLUMNS = "name, content, revision, author"
_HERE = "unit = %s AND space = %s AND session = %s"
_PUT = """
INSERT INTO blobs (unit, space, session, name, revision, author, content)
SELECT %s, %s, %s, name, 1 + floor(random() * 4503599627370495)::bigint, %s, content
FROM unnest(%s::text[], %s::bytea[]) AS new (name, content)
ON CONFLICT (unit, space, session, name)
DO UPDATE SET revision = blobs.revision + 1, author = excluded.author, content = excluded.content"""


def keep(
    db: Database,
    space: Space,
    scope: Scope,
    contents: Mapping[str, bytes | None],
    expected: Mapping[str, int],
    *more: Statement,
) -> None:
    """Keeps or removes blobs, all or none, and does more with it. Nobody else changes the space meanwhile."""
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
        spaces.ensure(db.secret, space),
        (f"DELETE FROM blobs WHERE {_HERE} AND name = ANY (%s)", (*place, [name for name in contents if name not in kept])),
        *more,
        (_PUT, (*place, author, list(kept), list(kept.values()))),
        last=True,
    )


def read(scope: Scope, names: Sequence[str]) -> Reading[list[Blob]]:
    """Those of these names that there are."""
    asked = f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name = ANY (%s) ORDER BY name"
    return reading(asked, (*_place(scope), list(names)), _made)


def listed(scope: Scope, prefix: str, after: str | None, limit: int, backwards: bool) -> Reading[list[Blob]]:
    """Those whose names begin so."""
    asked = (
        f"SELECT {_COLUMNS} FROM blobs WHERE {_HERE} AND name >= %s AND name < %s"
        f" ORDER BY name {'DESC' if backwards else 'ASC'} LIMIT %s"
    )
    return reading(asked, (*_place(scope), *between(prefix, after, backwards), limit), _made)


def drop(db: Database, space: Space, scope: Scope, prefix: str) -> int:
    """Removes those whose names begin so."""
    gone = f"DELETE FROM blobs WHERE {_HERE} AND name >= %s AND name < %s"
    return db.execute(gone, (*space, scope.session or NO_SESSION, *between(prefix))).rowcount


def sessions(scope: Scope) -> Reading[list[str]]:
    """The sessions that have any."""
    asked = "SELECT DISTINCT session FROM blobs WHERE unit = %s AND space = %s AND session > '' ORDER BY session"
    return reading(asked, spaces.whose(scope), lambda found: [session for (session,) in found])


def of_session(db: Database, space: Space, session: str | None) -> int:
    """Removes what belongs to a session that goes; one without an id has nothing."""
    return db.execute(f"DELETE FROM blobs WHERE {_HERE}", (*space, session)).rowcount


def of_author(db: Database, author: str) -> int:
    """Removes what somebody put into pools; works across them."""
    return db.execute("DELETE FROM blobs WHERE author = %s", (author,)).rowcount


def _place(scope: Scope) -> tuple[str | int, ...]:
    return *spaces.whose(scope), scope.session or NO_SESSION


def _made(found: Sequence[Row]) -> list[Blob]:
    return [Blob(name, bytes(content), *rest) for name, content, *rest in found]
