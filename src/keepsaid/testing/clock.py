"""A clock that moves only when a test moves it, also backwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Replaces the system clock: `keepsaid.open(..., clock=ManualClock())`.

    >>> clock = ManualClock()
    >>> before = clock()
    >>> clock.advance(days=2)
    >>> (clock() - before).days
    2
    """

    def __init__(self, now: datetime = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the current time."""
        return self.now

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Move the time forwards or, with negative values, backwards."""
        self.now += timedelta(days=days, hours=hours, seconds=seconds)
