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

Retention takes the same steps, if it is switched on: an active or archived session that nobody touched for its time is
deleted (and marked as expired), a deleted one purged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from recollect.errors import IllegalMove
from recollect.types import Microseconds, RetentionPolicy, Session, Status

HOUR = 3_600_000_000
DAY = 24 * HOUR
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


def describe_policy(policy: RetentionPolicy) -> str:
    """A policy in a few characters: two that do the same have the same.

    >>> describe_policy(RetentionPolicy(30, 90, 30)), describe_policy(RetentionPolicy(keep_facts=False))
    ('30/90/30 keep', 'off/off/30 purge')
    """
    days = (policy.active_days, policy.archived_days, policy.deleted_days)
    facts = "keep" if policy.keep_facts else "purge"
    return f"{'/'.join('off' if one is None else f'{one:g}' for one in days)} {facts}"


def describe_expiry(session: Session, now: Microseconds) -> str:
    """When the present stage of a session's life ends, in words: whole days, or hours on the last one. Empty for never.

    >>> trip = Session("s1", "u1", "Trip", 0, 0, 0, Status.ACTIVE, 0, 0, False, 1, 0, None, None, None, (), {})
    >>> describe_expiry(trip._replace(expires=12 * DAY), 0), describe_expiry(trip, 0)
    ('expires in 12 days', '')
    >>> describe_expiry(trip._replace(status=Status.DELETED, expires=DAY), 1)
    'purged in 23 hours'
    """
    if session.expires is None:
        return ""
    verb = "purged" if session.status is Status.DELETED else "expires"
    left = session.expires - now
    if left <= 0:
        return f"{verb} at the next clean-up"
    number, unit = (left // DAY, "day") if left >= DAY else (max(1, left // HOUR), "hour")
    return f"{verb} in {number:,} {unit}{'' if number == 1 else 's'}"


def cutoffs(policy: RetentionPolicy, now: Microseconds) -> dict[Status, Microseconds]:
    """For each stage that ends: sessions last touched before this moment have reached its end."""
    return {status: now - span for status, span in spans(policy).items() if span is not None}
