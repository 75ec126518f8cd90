"""Receipts: the record of what each prompt contained."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from keepsaid.errors import NotFound
from keepsaid.ports import StoredReceipt
from keepsaid.storage.sqlite import branches, partitions, rows
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.schema import OWNER_BITS
from keepsaid.types import Microseconds, Scope

_SELECT = (
    "SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM receipts AS r"
    " JOIN sessions AS s ON s.no = r.session AND s.status < 2 LEFT JOIN systems AS y ON y.no = r.system"
)


def keep(db: SqliteConnection, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
    """Store receipts. One whose session no longer exists is skipped; one with a known id replaces the old one."""
    owner = partitions.find_partition(db, scope)
    for receipt in receipts:
        find = "SELECT no FROM sessions WHERE owner = ? AND id = ? AND status < 3"
        session = db.execute(find, (owner, receipt.session)).fetchone()
        if session:
            _put(db, owner, session[0], receipt, scope.owner if scope.pool else None)
    delete_unused_systems(db, owner)


def _put(db: SqliteConnection, owner: int, session: int, receipt: StoredReceipt, author: str | None) -> None:
    db.execute("DELETE FROM receipts WHERE rid >> 32 = ? AND id = ?", (owner, receipt.id))
    low, high = partitions.rid_range(owner)
    last = db.execute("SELECT max(rid) FROM receipts WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    summary = receipt.data.get("summary")
    db.execute(
        "INSERT INTO receipts (rid, id, session, created, leaf, author, summary, system, question, rewritten, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (last[0] if last and last[0] else low) + 1, receipt.id, session, receipt.created, receipt.leaf, author,
            summary if isinstance(summary, str) else None, _system(db, owner, receipt.system),
            receipt.question, receipt.rewritten, rows.pack_json(receipt.data),
        ),
    )  # fmt: skip


def _system(db: SqliteConnection, owner: int, text: str | None) -> int | None:
    """Return the row number of a system text, which is stored once for all of the owner's receipts."""
    if text is None:
        return None
    place = (owner, hashlib.sha256(text.encode()).digest())
    db.execute("INSERT OR IGNORE INTO systems (owner, hash, text) VALUES (?, ?, ?)", (*place, text))
    return db.execute("SELECT no FROM systems WHERE owner = ? AND hash = ?", place).fetchall()[0][0]


def delete_unused_systems(db: SqliteConnection, owner: int) -> None:
    """Delete the owner's system texts that no receipt refers to."""
    db.execute(f"DELETE FROM systems WHERE owner = ? AND {UNUSED_SYSTEM}", (owner,))


UNUSED_SYSTEM = "NOT EXISTS (SELECT 1 FROM receipts WHERE system = systems.no)"
"""Condition on `systems`: no receipt refers to the text."""


def get_receipt(db: SqliteConnection, scope: Scope, id: str) -> StoredReceipt:
    """Return one receipt of the scope. In a pool, members see only their own."""
    owner = partitions.find_partition(db, scope)
    where, values = _own(scope)
    row = db.execute(f"{_SELECT} WHERE r.rid >> 32 = ? AND r.id = ?{where}", (owner, id, *values)).fetchone()
    found = [receipt_from_row(row, scope)] if row else []
    if not found or scope.session not in (None, found[0].session):
        raise NotFound("no such receipt, or no access to it")
    return found[0]


def list_receipts(db: SqliteConnection, scope: Scope, before: Microseconds | None, limit: int) -> list[StoredReceipt]:
    """Return receipts of the scope, newest first. In a pool, members see only their own."""
    owner = partitions.find_partition(db, scope)
    where, values = _own(scope)
    if before is not None:
        where += " AND r.created < ?"
        values.append(before)
    if scope.session is None:
        place, number = "r.rid >> 32", owner
    else:
        place, number = "r.session", branches.load_live_session(db, scope).no
    found = db.execute(
        f"{_SELECT} WHERE {place} = ?{where} ORDER BY r.created DESC, r.rid DESC LIMIT ?", (number, *values, limit)
    )
    return [receipt_from_row(row, scope) for row in found]


def _own(scope: Scope) -> tuple[str, list[str | int]]:
    return (" AND r.author = ?", [scope.owner]) if scope.pool else ("", [])


def receipt_from_row(row: Row, scope: Scope) -> StoredReceipt:
    """Build a receipt from a row. Outside of pools the author is the scope's owner."""
    id, session, created, leaf, question, rewritten, system, data, author = row
    return StoredReceipt(
        id, session, created, leaf, question, rewritten, system, rows.unpack_json(data), author or scope.owner
    )


def find_older(db: SqliteConnection, before: Microseconds, limit: int) -> list[int]:
    """Return the rows of receipts of all owners that are older than a time."""
    found = db.execute(
        "SELECT r.rid FROM owners AS o CROSS JOIN receipts AS r ON r.rid >> 32 = o.no AND r.created < ? LIMIT ?",
        (before, limit),
    )
    return [rid for (rid,) in found]


def delete(db: SqliteConnection, rids: Iterable[int]) -> int:
    """Delete receipts, and the system texts that only they referred to. Return how many receipts there were."""
    removed, owners = 0, set[int]()
    for rid in rids:
        db.execute("DELETE FROM receipts WHERE rid = ?", (rid,))
        removed += db.changes()
        owners.add(rid >> OWNER_BITS)
    for owner in owners:
        delete_unused_systems(db, owner)
    return removed
