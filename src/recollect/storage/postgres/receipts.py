"""Receipts: what each turn was given."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

from recollect.errors import NotFound
from recollect.ports import StoredReceipt
from recollect.storage.postgres import rows, spaces
from recollect.storage.postgres.database import Database, Row, Values
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space, whose
from recollect.types import Microseconds, Scope

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
FORGET_SYSTEMS = """
DELETE FROM systems AS y WHERE y.unit = %s AND y.space = %s AND NOT EXISTS (
    SELECT 1 FROM receipts AS r WHERE r.unit = y.unit AND r.space = y.space AND r.system = y.hash)"""
"""Lets go of a space's system texts that no receipt names any more."""

_SELECT = """
SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM receipts AS r
JOIN sessions AS s ON s.unit = r.unit AND s.space = r.space AND s.no = r.session AND s.status < 2
LEFT JOIN systems AS y ON y.unit = r.unit AND y.space = r.space AND y.hash = r.system
WHERE r.unit = %(unit)s AND r.space = %(space)s"""
_LIVE = "SELECT no FROM recollect_live(%(unit)s, %(space)s, %(session)s)"


def keep(db: Database, space: Space, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
    """Keeps receipts. One whose session is gone by now is passed over; the same id again replaces."""
    author = spaces.member(scope)
    kept = [statement for receipt in receipts for statement in _putting(space, receipt, author)]
    db.together(*kept, (FORGET_SYSTEMS, space), last=True)


def _putting(space: Space, receipt: StoredReceipt, author: str | None) -> list[tuple[str, Values]]:
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
        "data": rows.pack(receipt.data),
    }
    texts: list[tuple[str, Values]] = [] if system is None else [(_SYSTEM, (*space, system, receipt.system))]
    return [*texts, (_PUT, values)]


def one(scope: Scope, id: str) -> Reading[StoredReceipt]:
    """One receipt of the scope. In a pool everybody sees his own."""
    values = {**whose(scope)._asdict(), "id": id, "author": scope.owner}

    def only(found: list[Row]) -> StoredReceipt:
        made = _receipts(scope, found)
        if not made or scope.session not in (None, made[0].session):
            raise NotFound("no such receipt, or no access to it")
        return made[0]

    return reading(f"{_SELECT} AND r.id = %(id)s{_own(scope)}", values, only)


def listed(scope: Scope, before: Microseconds | None, limit: int) -> Reading[list[StoredReceipt]]:
    """Receipts of the scope, newest first."""
    values = {
        **whose(scope)._asdict(),
        "author": scope.owner,
        "session": scope.session,
        "before": before,
        "limit": limit,
    }
    where = _own(scope)
    where += "" if before is None else " AND r.created < %(before)s"
    where += "" if scope.session is None else f" AND r.session = ({_LIVE})"
    statement = f"{_SELECT}{where} ORDER BY r.created DESC, r.number DESC LIMIT %(limit)s"
    return reading(statement, values, partial(_receipts, scope))


def _own(scope: Scope) -> str:
    return " AND r.author = %(author)s" if scope.pool else ""


def _receipts(scope: Scope, found: list[Row]) -> list[StoredReceipt]:
    return [
        StoredReceipt(id, session, created, leaf, question, rewritten, system, rows.unpack(data), author or scope.owner)
        for id, session, created, leaf, question, rewritten, system, data, author in found
    ]


def any_older(before: Microseconds) -> Reading[bool]:
    """Whether anybody has receipts older than a moment; works across owners."""
    return reading("SELECT EXISTS (SELECT 1 FROM receipts WHERE created < %s)", (before,), lambda found: found[0][0])


def drop_older(db: Database, before: Microseconds, limit: int) -> int:
    """Removes some receipts of all owners that are older than a moment, and system texts that only they named."""
    found = db.execute("SELECT unit, space, number FROM receipts WHERE created < %s LIMIT %s", (before, limit)).fetchall()
    by_space: dict[Space, list[int]] = {}
    for unit, space, number in found:
        by_space.setdefault(Space(unit, space), []).append(number)
    return sum(delete(db, space, numbers) for space, numbers in by_space.items())


def delete(db: Database, space: Space, numbers: Sequence[int]) -> int:
    """Removes receipts, and the system texts that only they named; returns how many there were."""
    going = "DELETE FROM receipts WHERE unit = %s AND space = %s AND number = ANY (%s)"
    gone, _ = db.together((going, (*space, list(numbers))), (FORGET_SYSTEMS, space))
    return gone.rowcount
