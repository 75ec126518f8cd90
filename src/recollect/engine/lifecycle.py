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
from typing import Literal

from recollect.errors import IllegalMove
from recollect.types import Microseconds, RetentionPolicy, Status

DAY = 86_400_000_000
FOR_EVER = 365_000
"""Days after which nobody will be there to look."""

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


def spans(policy: RetentionPolicy) -> dict[Status, Microseconds | None]:
    """How long each stage lasts when nobody touches the session; None for ever.

    >>> spans(RetentionPolicy(active_days=1, archived_days=None))[Status.ACTIVE]
    86400000000
    """
    days = {
        Status.ACTIVE: policy.active_days,
        Status.ARCHIVED: policy.archived_days,
        Status.DELETED: policy.deleted_days,
    }
    return {status: None if of is None or of > FOR_EVER else int(of * DAY) for status, of in days.items()}


def cutoffs(policy: RetentionPolicy, now: Microseconds) -> dict[Status, Microseconds]:
    """For each stage that ends: sessions last touched before this moment have reached its end."""
    return {status: now - span for status, span in spans(policy).items() if span is not None}
