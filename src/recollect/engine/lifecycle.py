"""The life of a session, and when each stage of it ends.

            archive             delete
   active ──────────▶ archived ────────▶ deleted ──▶ purged (gone)
     ▲  ▲◀────────────┘    unarchive       │
     │  └──────────────────────────────────┘ restore
     └ delete goes straight to deleted, too

| from \\ step | archive  | unarchive | delete  | restore |
|--------------|----------|-----------|---------|---------|
| active       | archived | –         | deleted | –       |
| archived     | –        | active    | deleted | –       |
| deleted      | –        | –         | –       | active  |

Retention walks the same road: an active or archived session that nobody touched for its time is deleted, a deleted one
purged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from recollect.errors import IllegalMove
from recollect.types import EPOCH, RetentionPolicy, Session, Status

Step = Literal["archive", "unarchive", "delete", "restore"]

MOVES: Mapping[tuple[Status, Step], Status] = {
    (Status.ACTIVE, "archive"): Status.ARCHIVED,
    (Status.ACTIVE, "delete"): Status.DELETED,
    (Status.ARCHIVED, "unarchive"): Status.ACTIVE,
    (Status.ARCHIVED, "delete"): Status.DELETED,
    (Status.DELETED, "restore"): Status.ACTIVE,
}


def move(status: Status, step: Step) -> Status:
    """The status after a step, or an `IllegalMove`.

    >>> move(Status.ACTIVE, "archive")
    <Status.ARCHIVED: 'archived'>
    """
    try:
        return MOVES[status, step]
    except KeyError:
        possible = [name for at, name in MOVES if at == status]
        raise IllegalMove(f"cannot {step} a session that is {status}; possible from here: {', '.join(possible)}") from None


def _days(policy: RetentionPolicy, status: Status) -> float | None:
    return {
        Status.ACTIVE: policy.active_days,
        Status.ARCHIVED: policy.archived_days,
        Status.DELETED: policy.deleted_days,
    }[status]


def expires_at(session: Session, policy: RetentionPolicy) -> datetime | None:
    """When the session's present stage ends, if nobody touches it; None for never."""
    days = _days(policy, session.status)
    if session.pinned or session.temporary or days is None:
        return None
    try:
        return session.touched_at + timedelta(days=days)
    except OverflowError:
        return None


def cutoffs(policy: RetentionPolicy, now: datetime) -> dict[Status, datetime]:
    """For each stage that ends: sessions last touched before this moment have reached its end."""
    found: dict[Status, datetime] = {}
    for status in Status:
        if (days := _days(policy, status)) is not None:
            try:
                found[status] = max(EPOCH, now - timedelta(days=days))
            except OverflowError:
                continue
    return found
