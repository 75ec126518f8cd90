"""Points in time: microseconds since 1970, and the datetimes that callers see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

Microseconds = int
"""Microseconds since 1970 in UTC: how times are stored and passed on."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> Microseconds:
    """Convert a datetime to microseconds since 1970.

    >>> to_microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (moment - EPOCH) // MICROSECOND


def to_datetime(us: Microseconds) -> datetime:
    """Convert microseconds since 1970 to a datetime.

    >>> to_datetime(1_000_000).second
    1
    """
    return EPOCH + timedelta(microseconds=us)
