"""A clock that moves only when told to, also backwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class HandClock:
    """Stands in for the system clock: `recollect.open(..., clock=HandClock())`.

    >>> clock = HandClock()
    >>> before = clock()
    >>> clock.turn(days=2)
    >>> (clock() - before).days
    2
    """

    def __init__(self, now: datetime = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time it shows."""
        return self.now

    def turn(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Moves the hands, forwards or backwards."""
        self.now += timedelta(days=days, hours=hours, seconds=seconds)
