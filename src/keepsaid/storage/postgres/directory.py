"""List everything in a store for a full copy: owners and pools, authors, receipts and work progress."""

from __future__ import annotations

from keepsaid.ports import StoredReceipt
from keepsaid.storage.postgres import partitions, rows
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey, partition_key
from keepsaid.types import Scope

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


def everyone() -> PostgresReadOperation[list[Scope]]:
    """Read every owner and pool once, a pool as one of its admins. Works across owners."""
    return single_statement_read(
        _EVERYONE,
        (partitions.ADMIN,),
        lambda found: [partitions.admin_scope(PartitionKey(unit, 0), by) for unit, by in found],
    )


def makers(scope: Scope) -> PostgresReadOperation[dict[str, str]]:
    """Read who created each session of a pool."""
    return single_statement_read(_MAKERS, partition_key(scope), lambda found: {row[0]: row[1] for row in found})


def all_receipts(scope: Scope) -> PostgresReadOperation[list[StoredReceipt]]:
    """Read every receipt of a session."""
    return single_statement_read(
        _RECEIPTS, (*partition_key(scope), scope.session), lambda found: [_receipt(row, scope) for row in found]
    )


def _receipt(row: Row, scope: Scope) -> StoredReceipt:
    id, session, created, leaf, question, rewritten, system, data, author = row
    return StoredReceipt(
        id, session, created, leaf, question, rewritten, system, rows.unpack_json(data), author or scope.owner
    )


def done(scope: Scope, line: str) -> PostgresReadOperation[int]:
    """Read the message number up to which a line of work is done."""
    return single_statement_read(_DONE, (*partition_key(scope), line), lambda found: found[0][0] if found else 0)
