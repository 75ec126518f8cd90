"""Receipts: what each turn was given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from recollect.errors import NotFound
from recollect.ports import StoredReceipt
from recollect.storage.sqlite import branches, rows, spaces
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.schema import OWNER_BITS
from recollect.types import Microseconds, Scope

_SELECT = (
    "SELECT r.id, s.id, r.created, r.leaf, r.question, r.rewritten, y.text, r.data, r.author FROM receipts AS r"
    " JOIN sessions AS s ON s.no = r.session AND s.status < 2 LEFT JOIN systems AS y ON y.no = r.system"
)


def keep(db: Database, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
    """Keeps receipts. One whose session is gone by now is passed over; the same id again replaces."""
    owner = spaces.space(db, scope)
    for receipt in receipts:
        find = "SELECT no FROM sessions WHERE owner = ? AND id = ? AND status < 3"
        session = db.execute(find, (owner, receipt.session)).fetchone()
        if session:
            _put(db, owner, session[0], receipt, scope.owner if scope.pool else None)
    forget_systems(db, owner)


def _put(db: Database, owner: int, session: int, receipt: StoredReceipt, author: str | None) -> None:
    db.execute("DELETE FROM receipts WHERE rid >> 32 = ? AND id = ?", (owner, receipt.id))
    low, high = spaces.rid_range(owner)
    last = db.execute("SELECT max(rid) FROM receipts WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    summary = receipt.data.get("summary")
    db.execute(
        "INSERT INTO receipts (rid, id, session, created, leaf, author, summary, system, question, rewritten, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (last[0] if last and last[0] else low) + 1, receipt.id, session, receipt.created, receipt.leaf, author,
            summary if isinstance(summary, str) else None, _system(db, owner, receipt.system),
            receipt.question, receipt.rewritten, rows.pack(receipt.data),
        ),
    )  # fmt: skip


def _system(db: Database, owner: int, text: str | None) -> int | None:
    """The row of a system text, which the owner's receipts share."""
    if text is None:
        return None
    place = (owner, hashlib.sha256(text.encode()).digest())
    db.execute("INSERT OR IGNORE INTO systems (owner, hash, text) VALUES (?, ?, ?)", (*place, text))
    return db.execute("SELECT no FROM systems WHERE owner = ? AND hash = ?", place).fetchall()[0][0]


def forget_systems(db: Database, owner: int) -> None:
    """Lets go of the owner's system texts that no receipt names any more."""
    db.execute(f"DELETE FROM systems WHERE owner = ? AND {UNNAMED}", (owner,))


UNNAMED = "NOT EXISTS (SELECT 1 FROM receipts WHERE system = systems.no)"
"""Whether a system text is named by no receipt."""


def one(db: Database, scope: Scope, id: str) -> StoredReceipt:
    """One receipt of the scope. In a pool everybody sees his own."""
    owner = spaces.space(db, scope)
    where, values = _own(scope)
    row = db.execute(f"{_SELECT} WHERE r.rid >> 32 = ? AND r.id = ?{where}", (owner, id, *values)).fetchone()
    found = [receipt(row, scope)] if row else []
    if not found or scope.session not in (None, found[0].session):
        raise NotFound("no such receipt, or no access to it")
    return found[0]


def listed(db: Database, scope: Scope, before: Microseconds | None, limit: int) -> list[StoredReceipt]:
    """Receipts of the scope, newest first."""
    owner = spaces.space(db, scope)
    where, values = _own(scope)
    if before is not None:
        where += " AND r.created < ?"
        values.append(before)
    if scope.session is None:
        place, number = "r.rid >> 32", owner
    else:
        place, number = "r.session", branches.live(db, scope).no
    found = db.execute(
        f"{_SELECT} WHERE {place} = ?{where} ORDER BY r.created DESC, r.rid DESC LIMIT ?", (number, *values, limit)
    )
    return [receipt(row, scope) for row in found]


def _own(scope: Scope) -> tuple[str, list[str | int]]:
    return (" AND r.author = ?", [scope.owner]) if scope.pool else ("", [])


def receipt(row: Row, scope: Scope) -> StoredReceipt:
    """A receipt from a row, as whoever acts in the scope sees it."""
    id, session, created, leaf, question, rewritten, system, data, author = row
    return StoredReceipt(id, session, created, leaf, question, rewritten, system, rows.unpack(data), author or scope.owner)


def older(db: Database, before: Microseconds, limit: int) -> list[int]:
    """Rows of receipts of all owners that are older than a moment."""
    found = db.execute(
        "SELECT r.rid FROM owners AS o CROSS JOIN receipts AS r ON r.rid >> 32 = o.no AND r.created < ? LIMIT ?",
        (before, limit),
    )
    return [rid for (rid,) in found]


def delete(db: Database, rids: Iterable[int]) -> int:
    """Removes receipts, and the system texts that only they named; returns how many there were."""
    removed, owners = 0, set[int]()
    for rid in rids:
        db.execute("DELETE FROM receipts WHERE rid = ?", (rid,))
        removed += db.changes()
        owners.add(rid >> OWNER_BITS)
    for owner in owners:
        forget_systems(db, owner)
    return removed
