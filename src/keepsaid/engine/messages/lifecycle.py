"""Lifecycle of a session, and when each stage ends.

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

Retention, if enabled, takes the same steps: an active or archived session that was not used for the configured time is
deleted (and marked as expired), a deleted one is purged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from keepsaid.errors import InvalidTransition
from keepsaid.types import Microseconds, RetentionPolicy, Session, SessionStatus

HOUR = 3_600_000_000
DAY = 24 * HOUR
FOREVER_DAYS = 365_000
"""Number of days that counts as unlimited."""

LifecycleStep = Literal["archive", "unarchive", "delete", "restore"]

STATUS_AFTER_STEP: Mapping[tuple[SessionStatus, LifecycleStep], SessionStatus] = {
    (SessionStatus.ACTIVE, "archive"): SessionStatus.ARCHIVED,
    (SessionStatus.ACTIVE, "delete"): SessionStatus.DELETED,
    (SessionStatus.ARCHIVED, "unarchive"): SessionStatus.ACTIVE,
    (SessionStatus.ARCHIVED, "delete"): SessionStatus.DELETED,
    (SessionStatus.DELETED, "restore"): SessionStatus.ACTIVE,
}


def apply_step(status: SessionStatus, step: LifecycleStep) -> SessionStatus:
    """Return the status after a step. Raise `InvalidTransition` if the step is not possible.

    >>> apply_step(SessionStatus.ACTIVE, "archive")
    <SessionStatus.ARCHIVED: 'archived'>
    """
    try:
        return STATUS_AFTER_STEP[status, step]
    except KeyError:
        possible = [name for at, name in STATUS_AFTER_STEP if at == status]
        raise InvalidTransition(
            f"cannot {step} a session that is {status}; possible from here: {', '.join(possible)}"
        ) from None


def compute_stage_durations(policy: RetentionPolicy) -> dict[SessionStatus, Microseconds | None]:
    """Return how long each stage lasts if the session is not used; None if it does not end.

    >>> compute_stage_durations(RetentionPolicy(active_days=1, archived_days=None))[SessionStatus.ACTIVE]
    86400000000
    """
    days = {
        SessionStatus.ACTIVE: policy.active_days,
        SessionStatus.ARCHIVED: policy.archived_days,
        SessionStatus.DELETED: policy.deleted_days,
    }
    return {status: None if of is None or of > FOREVER_DAYS else int(of * DAY) for status, of in days.items()}


def describe_policy(policy: RetentionPolicy) -> str:
    """Return a short description of a policy. Policies with the same effect have the same description.

    >>> describe_policy(RetentionPolicy(30, 90, 30)), describe_policy(RetentionPolicy(keep_facts=False))
    ('30/90/30 keep', 'off/off/30 purge')
    """
    days = (policy.active_days, policy.archived_days, policy.deleted_days)
    facts = "keep" if policy.keep_facts else "purge"
    return f"{'/'.join('off' if one is None else f'{one:g}' for one in days)} {facts}"


def describe_expiry(session: Session, now: Microseconds) -> str:
    """Return when the current stage of a session ends: in whole days, or hours on the last day. Empty if it does not end.

    >>> trip = Session.new("s1", "u1", 0, title="Trip")
    >>> describe_expiry(trip._replace(expires=12 * DAY), 0), describe_expiry(trip, 0)
    ('expires in 12 days', '')
    >>> describe_expiry(trip._replace(status=SessionStatus.DELETED, expires=DAY), 1)
    'purged in 23 hours'
    """
    if session.expires is None:
        return ""
    verb = "purged" if session.status is SessionStatus.DELETED else "expires"
    left = session.expires - now
    if left <= 0:
        return f"{verb} at the next clean-up"
    number, unit = (left // DAY, "day") if left >= DAY else (max(1, left // HOUR), "hour")
    return f"{verb} in {number:,} {unit}{'' if number == 1 else 's'}"


def compute_cutoffs(policy: RetentionPolicy, now: Microseconds) -> dict[SessionStatus, Microseconds]:
    """Return for each stage that ends the time before which a session must have been last used to have reached its end."""
    return {status: now - span for status, span in compute_stage_durations(policy).items() if span is not None}
