"""Compute days, weeks, months and holidays relative to a time in a time zone.

Days begin at local midnight and weeks on Monday. Dates that do not exist (31 February, the year 10000) raise a `ValueError`
or an `OverflowError`, as the standard library does.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple

Precision = Literal["hour", "day", "week", "month", "season", "year"]

SECONDS_PER_UNIT = {"second": 1, "minute": 60, "hour": 3600}
HALF_AN_HOUR = 1800
UNITS: dict[str, tuple[Precision, int, int, int]] = {
    # precision, months, days, and half of it in days
    "day": ("day", 0, 1, 0),
    "week": ("week", 0, 7, 3),
    "weekend": ("week", 0, 7, 3),
    "month": ("month", 1, 0, 15),
    "year": ("year", 12, 0, 182),
}


class CalendarPeriod(NamedTuple):
    """A time range, excluding its end. `precision` is the unit in which it was given."""

    start: datetime
    end: datetime
    precision: Precision


class RelativeCalendar:
    """Computes periods relative to a time."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment
        self.today = moment.date()

    def days(self, first: date, count: int = 1, precision: Precision = "day") -> CalendarPeriod:
        return self.between(first, first + timedelta(count), precision)

    def between(self, first: date, after: date, precision: Precision) -> CalendarPeriod:
        zone = self.moment.tzinfo
        return CalendarPeriod(datetime.combine(first, time(), zone), datetime.combine(after, time(), zone), precision)

    def months(self, year: int, month: int, count: int = 1, precision: Precision = "month") -> CalendarPeriod:
        first = date(year, month, 1)
        return self.between(first, shift_months(first, count), precision)

    def week(self, distance: int) -> date:
        """Return the Monday of this week, or of the week at a distance in weeks."""
        return self.today + timedelta(7 * distance - self.today.weekday())

    def about(self, moment: datetime, low: int, high: int, unit: str) -> CalendarPeriod:
        """Return the period from `low` to `high` units after a time, extended by half a unit on both sides."""
        if unit in SECONDS_PER_UNIT:
            start = _later(moment, SECONDS_PER_UNIT[unit] * low - HALF_AN_HOUR)
            return CalendarPeriod(start, _later(moment, SECONDS_PER_UNIT[unit] * high + HALF_AN_HOUR), "hour")
        precision, months, days, slack = UNITS[unit]
        first, last = (shift_months(moment.date(), months * count) + timedelta(days * count) for count in (low, high))
        return self.between(first - timedelta(slack), last + timedelta(slack + 1), precision)

    def rolling(self, count: int, unit: str) -> CalendarPeriod:
        """Return the last `count` units up to now."""
        if unit in SECONDS_PER_UNIT:
            return CalendarPeriod(_later(self.moment, -SECONDS_PER_UNIT[unit] * count), self.moment, "hour")
        precision, months, days, _ = UNITS[unit]
        first = shift_months(self.today, -months * count) - timedelta(days * count)
        return self.between(first, self.today + timedelta(1), precision)


def _later(moment: datetime, seconds: int) -> datetime:
    """Return a time some elapsed seconds later. Adding to a local time would ignore daylight saving time changes."""
    return (moment.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(moment.tzinfo)


def shift_months(day: date, months: int) -> date:
    """Return the same day some months later, or the last day of that month if it has no such day."""
    years, month = divmod(day.month - 1 + months, 12)
    following = date(day.year + years + (month == 11), (month + 1) % 12 + 1, 1)
    return date(day.year + years, month + 1, min(day.day, (following - timedelta(1)).day))


def easter_sunday(year: int) -> date:
    """Return Easter Sunday by the Gregorian computus (Butcher's form)."""
    a, (b, c) = year % 19, divmod(year, 100)
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    rest = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, day = divmod(h + rest - 7 * ((a + 11 * h + 22 * rest) // 451) + 114, 31)
    return date(year, month, day + 1)


def thanksgiving_day(year: int) -> date:
    """Return the fourth Thursday of November."""
    return date(year, 11, 22 + (3 - date(year, 11, 22).weekday()) % 7)
