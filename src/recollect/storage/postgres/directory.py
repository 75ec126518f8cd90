"""Everything there is, for a copy of all of it: whose it is, who made it, and how far each work has come."""

from __future__ import annotations

from recollect.ports import StoredReceipt
from recollect.storage.postgres import rows, spaces
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space, whose
from recollect.types import Scope

_EVERYONE = """
SELECT DISTINCT s.unit, (SELECT min(g.owner) FROM grants AS g WHERE g.unit = s.unit AND g.access = %s)
FROM spaces AS s ORDER BY s.unit"""
_MAKERS = """
SELECT id, author FROM sessions WHERE unit = %s AND space = %s AND status < 3 AND author IS NOT NULL"""
_RECEIPTS = """
SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM receipts AS r
JOIN sessions AS s ON s.unit = r.unit AND s.space = r.space AND s.no = r.session AND s.status < 3
LEFT JOIN systems AS y ON y.unit = r.unit AND y.space = r.space AND y.hash = r.system
WHERE r.unit = %s AND r.space = %s AND s.id = %s ORDER BY r.created, r.number"""
_DONE = """
SELECT w.upto FROM work AS w JOIN generations AS g ON g.no = w.generation
WHERE w.unit = %s AND w.space = %s AND g.name = %s"""


def everyone() -> Reading[list[Scope]]:
    """Every owner and pool once; of a pool an admin. Works across owners."""
    return reading(_EVERYONE, (spaces.ADMIN,), lambda found: [spaces.acting(Space(unit, 0), by) for unit, by in found])


def makers(scope: Scope) -> Reading[dict[str, str]]:
    """Who made each session of a pool."""
    return reading(_MAKERS, whose(scope), lambda found: {row[0]: row[1] for row in found})


def all_receipts(scope: Scope) -> Reading[list[StoredReceipt]]:
    """Every receipt of a session."""
    return reading(_RECEIPTS, (*whose(scope), scope.session), lambda found: [_receipt(row, scope) for row in found])


def _receipt(row: Row, scope: Scope) -> StoredReceipt:
    id, session, created, leaf, question, rewritten, system, data, author = row
    return StoredReceipt(id, session, created, leaf, question, rewritten, system, rows.unpack(data), author or scope.owner)


def done(scope: Scope, line: str) -> Reading[int]:
    """Up to which number messages are done in a line of work."""
    return reading(_DONE, (*whose(scope), line), lambda found: found[0][0] if found else 0)
