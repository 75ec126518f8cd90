"""Retention: unused sessions are deleted after their time, and deleted ones purged, in bounded batches.

Works across owners. The end of a batch is one number: the partition's number in the upper bits, and the session's below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from keepsaid.ports import SweepBatch
from keepsaid.storage.postgres import partitions
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.erase import cascade, erasure
from keepsaid.storage.postgres.erase.erase_record import PostgresEraseRecord
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.rows import STATUS_NUMBER
from keepsaid.types import Microseconds, SessionStatus

SCAN_LIMIT = 10_000
"""Sessions read in one batch. There is no index by age, because every append would have to update it."""

SESSION_NUMBER_BITS = 32
"""Bits of the number of a session within its partition."""

_NEXT = f"""
SELECT p.no << {SESSION_NUMBER_BITS} | s.no, s.unit, s.space, s.no, s.status, s.touched, s.pinned, s.id
FROM spaces AS p JOIN sessions AS s ON s.unit = p.unit AND s.space = p.space
WHERE p.no >= %s AND (p.no > %s OR s.no > %s) ORDER BY p.no, s.no LIMIT {SCAN_LIMIT}"""

_IS_STILL_DUE = """
SELECT 1 FROM sessions WHERE unit = %s AND space = %s AND no = %s AND status = %s AND touched < %s AND NOT pinned"""
_EXPIRE = """
UPDATE sessions SET status = 2, expired = true, touched = greatest(touched, %s), revision = revision + 1
WHERE unit = %s AND space = %s AND no = %s"""


class _DueSession(NamedTuple):
    space: PartitionKey
    number: int
    status: int
    id: str


def sweep(
    db: PostgresConnection,
    before: Mapping[SessionStatus, Microseconds],
    now: Microseconds,
    after: int,
    limit: int,
    dry_run: bool,
    keep_facts: bool,
) -> SweepBatch:
    """Run one batch, in the order of partitions and sessions. Whether a session is due is checked again under the lock, so
    two sweeps at once do nothing twice."""
    cutoffs = {STATUS_NUMBER[status]: moment for status, moment in before.items()}
    due: list[_DueSession] = []
    last, seen = after, 0
    place = (after >> SESSION_NUMBER_BITS, after >> SESSION_NUMBER_BITS, after & (1 << SESSION_NUMBER_BITS) - 1)
    for position, unit, space, number, status, touched, pinned, id in db.execute(_NEXT, place):
        if len(due) == limit:
            break
        last, seen = position, seen + 1
        if not pinned and touched < cutoffs.get(status, touched):
            due.append(_DueSession(PartitionKey(unit, space), number, status, id))
    more = len(due) == limit or seen == SCAN_LIMIT
    if dry_run:
        messages = sum(_messages(db, one) for one in due if one.status == 2)
    else:
        due = [one for one in due if _is_still_due(db, one, cutoffs[one.status])]
        messages = sum(_expire(db, one, now) if one.status < 2 else _purge(db, one, keep_facts) for one in due)
    counts = [sum(one.status == of for one in due) for of in range(3)]
    return SweepBatch(counts[0], counts[1], counts[2], messages, last if more else None)


def _messages(db: PostgresConnection, one: _DueSession) -> int:
    count_messages = (
        "SELECT count(*) FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space AND m.branch = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s"
    )
    return db.execute(count_messages, (*one.space, one.number)).fetchall()[0][0]


def _is_still_due(db: PostgresConnection, one: _DueSession, cutoff: Microseconds) -> bool:
    _, found = db.together(
        ("SELECT 1 FROM spaces WHERE unit = %s AND space = %s FOR UPDATE", one.space),
        (_IS_STILL_DUE, (*one.space, one.number, one.status, cutoff)),
    )
    return found.fetchone() is not None


def _expire(db: PostgresConnection, one: _DueSession, now: Microseconds) -> int:
    db.together(
        (_EXPIRE, (now, *one.space, one.number)),
        partitions.record_change(one.space, "session", one.id),
    )
    return 0


def _purge(db: PostgresConnection, one: _DueSession, keep_facts: bool) -> int:
    there = "SELECT expired FROM sessions WHERE unit = %s AND space = %s AND no = %s AND id = %s"
    found = db.execute(there, (*one.space, one.number, one.id)).fetchone()
    if found is None:
        return 0  # a document that was removed with its session in this batch
    tally = PostgresEraseRecord()
    if keep_facts and found[0]:
        cascade.detach_facts(db, one.space, one.number, tally)
    erasure.remove_session(db, one.space, one.number, one.id, tally, remember=False)
    messages = tally.messages
    erasure.remove_documents(db, one.space, one.id, tally, remember=False)
    db.together(partitions.record_change(one.space, "erased"), erasure.mark_vacuum_due())
    return messages
