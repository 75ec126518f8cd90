"""Store and read receipts: what each prompt contained."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

from keepsaid.errors import NotFound
from keepsaid.ports import StoredReceipt
from keepsaid.storage.postgres import partitions, rows
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey, partition_key
from keepsaid.types import Microseconds, Scope

_SYSTEM = """
INSERT INTO systems (unit, space, hash, text) VALUES (%s, %s, %s, %s) ON CONFLICT (unit, space, hash) DO NOTHING"""
_PUT = """
WITH place AS (SELECT no FROM sessions WHERE unit = %(unit)s AND space = %(space)s AND id = %(session)s AND status < 3),
counted AS (
    UPDATE spaces SET receipts = receipts + 1 WHERE unit = %(unit)s AND space = %(space)s AND EXISTS (SELECT 1 FROM place)
    RETURNING receipts)
INSERT INTO receipts (
    unit, space, number, id, session, created, leaf, author, summary, system, question, rewritten, data)
SELECT %(unit)s, %(space)s, counted.receipts, %(id)s, place.no, %(created)s, %(leaf)s, %(author)s, %(summary)s, %(system)s,
    %(question)s, %(rewritten)s, %(data)s FROM place CROSS JOIN counted
ON CONFLICT (unit, space, id) DO UPDATE SET number = excluded.number, session = excluded.session,
    created = excluded.created, leaf = excluded.leaf, author = excluded.author, summary = excluded.summary,
    system = excluded.system, question = excluded.question, rewritten = excluded.rewritten, data = excluded.data"""
DELETE_UNUSED_SYSTEMS = """
DELETE FROM systems AS y WHERE y.unit = %s AND y.space = %s AND NOT EXISTS (
    SELECT 1 FROM receipts AS r WHERE r.unit = y.unit AND r.space = y.space AND r.system = y.hash)"""
"""Delete a partition's system texts that no receipt refers to."""

_SELECT = """
SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM receipts AS r
JOIN sessions AS s ON s.unit = r.unit AND s.space = r.space AND s.no = r.session AND s.status < 2
LEFT JOIN systems AS y ON y.unit = r.unit AND y.space = r.space AND y.hash = r.system
WHERE r.unit = %(unit)s AND r.space = %(space)s"""
_LIVE = "SELECT no FROM keepsaid_live(%(unit)s, %(space)s, %(session)s)"


def keep(db: PostgresConnection, space: PartitionKey, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
    """Store receipts. Skip one whose session is gone; replace one with the same id."""
    author = partitions.acting_member(scope)
    kept = [statement for receipt in receipts for statement in _put_statements(space, receipt, author)]
    db.together(*kept, (DELETE_UNUSED_SYSTEMS, space), last=True)


def _put_statements(space: PartitionKey, receipt: StoredReceipt, author: str | None) -> list[tuple[str, Values]]:
    system = None if receipt.system is None else hashlib.sha256(receipt.system.encode()).digest()
    summary = receipt.data.get("summary")
    values = {
        **space._asdict(),
        "id": receipt.id,
        "session": receipt.session,
        "created": receipt.created,
        "leaf": receipt.leaf,
        "author": author,
        "summary": summary if isinstance(summary, str) else None,
        "system": system,
        "question": receipt.question,
        "rewritten": receipt.rewritten,
        "data": rows.pack_json(receipt.data),
    }
    texts: list[tuple[str, Values]] = [] if system is None else [(_SYSTEM, (*space, system, receipt.system))]
    return [*texts, (_PUT, values)]


def get_receipt(scope: Scope, id: str) -> PostgresReadOperation[StoredReceipt]:
    """Read one receipt of the scope. In a pool, owners see only their own."""
    values = {**partition_key(scope)._asdict(), "id": id, "author": scope.owner}

    def only(found: list[Row]) -> StoredReceipt:
        made = _receipts(scope, found)
        if not made or scope.session not in (None, made[0].session):
            raise NotFound("no such receipt, or no access to it")
        return made[0]

    return single_statement_read(f"{_SELECT} AND r.id = %(id)s{_own(scope)}", values, only)


def list_receipts(scope: Scope, before: Microseconds | None, limit: int) -> PostgresReadOperation[list[StoredReceipt]]:
    """Read receipts of the scope, newest first."""
    values = {
        **partition_key(scope)._asdict(),
        "author": scope.owner,
        "session": scope.session,
        "before": before,
        "limit": limit,
    }
    where = _own(scope)
    where += "" if before is None else " AND r.created < %(before)s"
    where += "" if scope.session is None else f" AND r.session = ({_LIVE})"
    statement = f"{_SELECT}{where} ORDER BY r.created DESC, r.number DESC LIMIT %(limit)s"
    return single_statement_read(statement, values, partial(_receipts, scope))


def _own(scope: Scope) -> str:
    return " AND r.author = %(author)s" if scope.pool else ""


def _receipts(scope: Scope, found: list[Row]) -> list[StoredReceipt]:
    return [
        StoredReceipt(id, session, created, leaf, question, rewritten, system, rows.unpack_json(data), author or scope.owner)
        for id, session, created, leaf, question, rewritten, system, data, author in found
    ]


def has_older(before: Microseconds) -> PostgresReadOperation[bool]:
    """Whether there are receipts older than a time; works across owners."""
    return single_statement_read(
        "SELECT EXISTS (SELECT 1 FROM receipts WHERE created < %s)", (before,), lambda found: found[0][0]
    )


def drop_older(db: PostgresConnection, before: Microseconds, limit: int) -> int:
    """Delete up to `limit` receipts of all owners that are older than a time, and system texts only they referred to."""
    found = db.execute("SELECT unit, space, number FROM receipts WHERE created < %s LIMIT %s", (before, limit)).fetchall()
    by_space: dict[PartitionKey, list[int]] = {}
    for unit, space, number in found:
        by_space.setdefault(PartitionKey(unit, space), []).append(number)
    return sum(delete(db, space, numbers) for space, numbers in by_space.items())


def delete(db: PostgresConnection, space: PartitionKey, numbers: Sequence[int]) -> int:
    """Delete receipts and the system texts only they referred to; return how many there were."""
    going = "DELETE FROM receipts WHERE unit = %s AND space = %s AND number = ANY (%s)"
    gone, _ = db.together((going, (*space, list(numbers))), (DELETE_UNUSED_SYSTEMS, space))
    return gone.rowcount
