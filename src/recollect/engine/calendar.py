"""Days, weeks, months and holidays, as somebody sees them from a moment in a time zone.

Days begin at local midnight and weeks on Monday. What no calendar has (31 February, the year 10000) is a `ValueError` or an
`OverflowError`, as the standard library raises it.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple

Precision = Literal["hour", "day", "week", "month", "season", "year"]

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
HALF_AN_HOUR = 1800
UNITS: dict[str, tuple[Precision, int, int, int]] = {
    # precision, months, days, and half of it in days
    "day": ("day", 0, 1, 0),
    "week": ("week", 0, 7, 3),
    "weekend": ("week", 0, 7, 3),
    "month": ("month", 1, 0, 15),
    "year": ("year", 12, 0, 182),
}


class Period(NamedTuple):
    """From a moment up to another; `precision` is the unit that somebody spoke in."""

    start: datetime
    end: datetime
    precision: Precision


class Calendar:
    """Periods, seen from a moment."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment
        self.today = moment.date()

    def days(self, first: date, count: int = 1, precision: Precision = "day") -> Period:
        return self.between(first, first + timedelta(count), precision)

    def between(self, first: date, behind: date, precision: Precision) -> Period:
        zone = self.moment.tzinfo
        return Period(datetime.combine(first, time(), zone), datetime.combine(behind, time(), zone), precision)

    def months(self, year: int, month: int, count: int = 1, precision: Precision = "month") -> Period:
        first = date(year, month, 1)
        return self.between(first, shift(first, count), precision)

    def week(self, distance: int) -> date:
        """The Monday of this week, or of one so many weeks away."""
        return self.today + timedelta(7 * distance - self.today.weekday())

    def about(self, moment: datetime, low: int, high: int, unit: str) -> Period:
        """The time between low and high units after a moment, give or take half a unit."""
        if unit in SECONDS:
            start = _later(moment, SECONDS[unit] * low - HALF_AN_HOUR)
            return Period(start, _later(moment, SECONDS[unit] * high + HALF_AN_HOUR), "hour")
        precision, months, days, slack = UNITS[unit]
        first, last = (shift(moment.date(), months * count) + timedelta(days * count) for count in (low, high))
        return self.between(first - timedelta(slack), last + timedelta(slack + 1), precision)

    def rolling(self, count: int, unit: str) -> Period:
        """The last so many units up to this moment."""
        if unit in SECONDS:
            return Period(_later(self.moment, -SECONDS[unit] * count), self.moment, "hour")
        precision, months, days, _ = UNITS[unit]
        first = shift(self.today, -months * count) - timedelta(days * count)
        return self.between(first, self.today + timedelta(1), precision)


def _later(moment: datetime, seconds: int) -> datetime:
    """So many seconds that really pass: adding to a local time would take no notice of clocks that are put forward."""
    return (moment.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(moment.tzinfo)


def shift(day: date, months: int) -> date:
    """The same day in another month, or that month's last day."""
    years, month = divmod(day.month - 1 + months, 12)
    following = date(day.year + years + (month == 11), (month + 1) % 12 + 1, 1)
    return date(day.year + years, month + 1, min(day.day, (following - timedelta(1)).day))


def easter(year: int) -> date:
    """Easter Sunday by the Gregorian computus (Butcher's form)."""
    a, (b, c) = year % 19, divmod(year, 100)
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    rest = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, day = divmod(h + rest - 7 * ((a + 11 * h + 22 * rest) // 451) + 114, 31)
    return date(year, month, day + 1)


def thanksgiving(year: int) -> date:
    """The fourth Thursday of November."""
    return date(year, 11, 22 + (3 - date(year, 11, 22).weekday()) % 7)
