"""Retention: sessions without activity for a given time are deleted, and deleted ones purged, in bounded batches."""

from __future__ import annotations

from collections.abc import Mapping

from keepsaid.ports import SweepBatch
from keepsaid.storage.sqlite import partitions, receipts
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import cascade, completion, erasure
from keepsaid.storage.sqlite.rows import STATUS_NUMBER
from keepsaid.storage.sqlite.search import time_ranges
from keepsaid.types import Microseconds, SessionStatus

SCAN_LIMIT = 10_000
"""Sessions scanned in one batch. There is no index by age, because every append would have to update it."""


def sweep(
    db: SqliteConnection,
    before: Mapping[SessionStatus, Microseconds],
    now: Microseconds,
    after: int,
    limit: int,
    dry_run: bool,
    keep_facts: bool,
) -> SweepBatch:
    """Process one batch, in the order in which the sessions were created. The conditions are checked in the same
    transaction, so two concurrent clean-ups do nothing twice."""
    cutoffs = {STATUS_NUMBER[status]: moment for status, moment in before.items()}
    due: list[tuple[int, int, int, str]] = []
    last, seen = after, 0
    for number, owner, status, touched, pinned, id in db.execute(
        "SELECT no, owner, status, touched, pinned, id FROM sessions WHERE no > ? ORDER BY no LIMIT ?", (after, SCAN_LIMIT)
    ):
        if len(due) == limit:
            break
        last, seen = number, seen + 1
        if not pinned and touched < cutoffs.get(status, touched):
            due.append((number, owner, status, id))
    more = len(due) == limit or seen == SCAN_LIMIT
    counts = [sum(status == of for _, _, status, _ in due) for of in range(3)]
    messages = 0
    for number, owner, status, id in due:
        if dry_run:
            messages += _messages(db, number) if status == 2 else 0
        else:
            messages += _expire(db, number, owner, id, now) if status < 2 else _purge(db, number, owner, id, keep_facts)
    for owner in {owner for _, owner, status, _ in due if status == 2 and not dry_run}:
        time_ranges.rebuild_ranges(db, owner)
    return SweepBatch(counts[0], counts[1], counts[2], messages, last if more else None)


def _messages(db: SqliteConnection, number: int) -> int:
    return db.execute(
        "SELECT count(*) FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?", (number,)
    ).fetchall()[0][0]


def _expire(db: SqliteConnection, number: int, owner: int, id: str, now: Microseconds) -> int:
    db.execute(
        "UPDATE sessions SET status = 2, expired = 1, touched = max(touched, ?), revision = revision + 1 WHERE no = ?",
        (now, number),
    )
    partitions.record_change(db, owner, "session", id)
    return 0


def _purge(db: SqliteConnection, number: int, owner: int, id: str, keep_facts: bool) -> int:
    record = erasure.SqliteEraseRecord()
    if keep_facts and db.execute("SELECT 1 FROM sessions WHERE no = ? AND expired = 1", (number,)).fetchone():
        cascade.detach_facts(db, number, record)
    erasure.remove_session(db, owner, number, id, record, remember=False)
    messages = record.messages
    erasure.remove_documents(db, owner, id, record, remember=False)
    completion.request_completion(db, "pages")
    partitions.record_change(db, owner, "erased")
    return messages


def drop_receipts(db: SqliteConnection, before: Microseconds, limit: int) -> int:
    """Delete old receipts of all owners."""
    dropped = receipts.delete(db, receipts.find_older(db, before, limit))
    if dropped:
        completion.request_completion(db, "log")
    return dropped
