"""The clean-up: sessions that nobody touched for their time are deleted, deleted ones purged, in bounded batches."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.ports import Sweep
from recollect.storage.sqlite import aftermath, erasure, receipts, spaces, stretches
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.rows import STATUS_NUMBER
from recollect.types import Microseconds, Status

LOOKED_AT = 10_000
"""Sessions passed over in one batch; there is no index by age, because every append would have to keep it."""


def sweep(
    db: Database,
    before: Mapping[Status, Microseconds],
    now: Microseconds,
    after: int,
    limit: int,
    dry_run: bool,
    keep_facts: bool,
) -> Sweep:
    """One batch, in the order the sessions were made. Conditions are looked at in the same transaction, so two clean-ups
    at once do nothing twice."""
    cutoffs = {STATUS_NUMBER[status]: moment for status, moment in before.items()}
    due: list[tuple[int, int, int, str]] = []
    last, seen = after, 0
    for number, owner, status, touched, pinned, id in db.execute(
        "SELECT no, owner, status, touched, pinned, id FROM sessions WHERE no > ? ORDER BY no LIMIT ?", (after, LOOKED_AT)
    ):
        if len(due) == limit:
            break
        last, seen = number, seen + 1
        if not pinned and touched < cutoffs.get(status, touched):
            due.append((number, owner, status, id))
    more = len(due) == limit or seen == LOOKED_AT
    counts = [sum(status == of for _, _, status, _ in due) for of in range(3)]
    messages = 0
    for number, owner, status, id in due:
        if dry_run:
            messages += _messages(db, number) if status == 2 else 0
        else:
            messages += _expire(db, number, owner, id, now) if status < 2 else _purge(db, number, owner, id, keep_facts)
    for owner in {owner for _, owner, status, _ in due if status == 2 and not dry_run}:
        stretches.renew(db, owner)
    return Sweep(counts[0], counts[1], counts[2], messages, last if more else None)


def _messages(db: Database, number: int) -> int:
    return db.execute(
        "SELECT count(*) FROM branches AS b JOIN messages AS m ON m.branch = b.no WHERE b.session = ?", (number,)
    ).fetchall()[0][0]


def _expire(db: Database, number: int, owner: int, id: str, now: Microseconds) -> int:
    db.execute(
        "UPDATE sessions SET status = 2, expired = 1, touched = max(touched, ?), revision = revision + 1 WHERE no = ?",
        (now, number),
    )
    spaces.note(db, owner, "session", id)
    return 0


def _purge(db: Database, number: int, owner: int, id: str, keep_facts: bool) -> int:
    tally = erasure.Tally()
    if keep_facts and db.execute("SELECT 1 FROM sessions WHERE no = ? AND expired = 1", (number,)).fetchone():
        aftermath.detach_facts(db, number, tally)
    erasure.remove_session(db, owner, number, id, tally, remember=False)
    messages = tally.messages
    erasure.remove_documents(db, owner, id, tally, remember=False)
    erasure.ask_to_finish(db, "log")
    spaces.note(db, owner, "erased")
    return messages


def drop_receipts(db: Database, before: Microseconds, limit: int) -> int:
    """Removes old receipts of all owners."""
    dropped = receipts.delete(db, receipts.older(db, before, limit))
    if dropped:
        erasure.ask_to_finish(db, "log")
    return dropped
