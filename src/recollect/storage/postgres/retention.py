"""The clean-up: sessions that nobody touched for their time are deleted, deleted ones purged, in bounded batches.

Works across owners. Where a batch ended is told by one number: the space's in its upper bits, and the session's below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.ports import Sweep
from recollect.storage.postgres import aftermath, erasure, spaces
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.rows import STATUS_NUMBER
from recollect.storage.postgres.spaces import Space
from recollect.storage.postgres.tally import Tally
from recollect.types import Microseconds, Status

LOOKED_AT = 10_000
"""Sessions passed over in one batch; there is no index by age, because every append would have to keep it."""

BITS = 32
"""Of the number of a session within its space."""

_NEXT = f"""
SELECT p.no << {BITS} | s.no, s.unit, s.space, s.no, s.status, s.touched, s.pinned, s.id
FROM spaces AS p JOIN sessions AS s ON s.unit = p.unit AND s.space = p.space
WHERE p.no >= %s AND (p.no > %s OR s.no > %s) ORDER BY p.no, s.no LIMIT {LOOKED_AT}"""

_STILL = """
SELECT 1 FROM sessions WHERE unit = %s AND space = %s AND no = %s AND status = %s AND touched < %s AND NOT pinned"""
_EXPIRE = """
UPDATE sessions SET status = 2, expired = true, touched = greatest(touched, %s), revision = revision + 1
WHERE unit = %s AND space = %s AND no = %s"""


class _Due(NamedTuple):
    space: Space
    number: int
    status: int
    id: str


def sweep(
    db: Database,
    before: Mapping[Status, Microseconds],
    now: Microseconds,
    after: int,
    limit: int,
    dry_run: bool,
    keep_facts: bool,
) -> Sweep:
    """One batch, in the order of spaces and sessions. Whether a session is due is looked at again once nobody else can
    change it, so two clean-ups at once do nothing twice."""
    cutoffs = {STATUS_NUMBER[status]: moment for status, moment in before.items()}
    due: list[_Due] = []
    last, seen = after, 0
    place = (after >> BITS, after >> BITS, after & (1 << BITS) - 1)
    for position, unit, space, number, status, touched, pinned, id in db.execute(_NEXT, place):
        if len(due) == limit:
            break
        last, seen = position, seen + 1
        if not pinned and touched < cutoffs.get(status, touched):
            due.append(_Due(Space(unit, space), number, status, id))
    more = len(due) == limit or seen == LOOKED_AT
    if dry_run:
        messages = sum(_messages(db, one) for one in due if one.status == 2)
    else:
        due = [one for one in due if _is_still_due(db, one, cutoffs[one.status])]
        messages = sum(_expire(db, one, now) if one.status < 2 else _purge(db, one, keep_facts) for one in due)
    counts = [sum(one.status == of for one in due) for of in range(3)]
    return Sweep(counts[0], counts[1], counts[2], messages, last if more else None)


def _messages(db: Database, one: _Due) -> int:
    said = (
        "SELECT count(*) FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space AND m.branch = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s"
    )
    return db.execute(said, (*one.space, one.number)).fetchall()[0][0]


def _is_still_due(db: Database, one: _Due, cutoff: Microseconds) -> bool:
    _, found = db.together(
        ("SELECT 1 FROM spaces WHERE unit = %s AND space = %s FOR UPDATE", one.space),
        (_STILL, (*one.space, one.number, one.status, cutoff)),
    )
    return found.fetchone() is not None


def _expire(db: Database, one: _Due, now: Microseconds) -> int:
    db.together(
        (_EXPIRE, (now, *one.space, one.number)),
        spaces.note(one.space, "session", one.id),
    )
    return 0


def _purge(db: Database, one: _Due, keep_facts: bool) -> int:
    there = "SELECT expired FROM sessions WHERE unit = %s AND space = %s AND no = %s AND id = %s"
    found = db.execute(there, (*one.space, one.number, one.id)).fetchone()
    if found is None:
        return 0  # a document that went with its session, in this very batch
    tally = Tally()
    if keep_facts and found[0]:
        aftermath.detach_facts(db, one.space, one.number, tally)
    erasure.remove_session(db, one.space, one.number, one.id, tally, remember=False)
    messages = tally.messages
    erasure.remove_documents(db, one.space, one.id, tally, remember=False)
    db.together(spaces.note(one.space, "erased"), erasure.touched())
    return messages
