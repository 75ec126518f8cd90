"""Date words, resolved against a Wednesday in May 2026."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepsaid.engine.text.calendar import easter_sunday, shift_months, thanksgiving_day
from keepsaid.engine.text.dates import MAX_TIMES, find_times, parse_bound

NOW = datetime(2026, 5, 13, 12, 30, tzinfo=UTC)


class Summertime(tzinfo):
    """A zone whose clocks went from two to three o'clock on 29 March 2026."""

    def utcoffset(self, dt):
        summer = dt is not None and dt.replace(tzinfo=UTC) >= datetime(2026, 3, 29, 3, tzinfo=UTC)
        return timedelta(hours=2 if summer else 1)

    def dst(self, dt):
        return self.utcoffset(dt) - timedelta(hours=1)

    def fromutc(self, dt):
        summer = dt.replace(tzinfo=UTC) >= datetime(2026, 3, 29, 1, tzinfo=UTC)
        return dt + timedelta(hours=2 if summer else 1)


def day(moment):
    if moment is None:
        return ""
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"


def read(text, now=NOW):
    """'first..end precision' of the one range in the text, or None."""
    ranges = find_times(text, now)
    assert len(ranges) < 2, ranges
    return f"{day(ranges[0].start)}..{day(ranges[0].end)} {ranges[0].precision}" if ranges else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # named days
        ("what did I say today?", "2026-05-13..2026-05-14 day"),
        ("tonight", "2026-05-13..2026-05-14 day"),
        ("this morning", "2026-05-13..2026-05-14 day"),
        ("Yesterday's dinner", "2026-05-12..2026-05-13 day"),
        ("last night", "2026-05-12..2026-05-13 day"),
        ("tomorrow", "2026-05-14..2026-05-15 day"),
        ("the other day", "2026-05-06..2026-05-13 week"),
        ("the day before yesterday", "2026-05-11..2026-05-12 day"),
        ("the day after tomorrow", "2026-05-15..2026-05-16 day"),
        # this, last, next
        ("this week", "2026-05-11..2026-05-18 week"),
        ("LAST  WEEK", "2026-05-04..2026-05-11 week"),
        ("next week", "2026-05-18..2026-05-25 week"),
        ("this weekend", "2026-05-16..2026-05-18 day"),
        ("last weekend", "2026-05-09..2026-05-11 day"),
        ("this month", "2026-05-01..2026-06-01 month"),
        ("last month", "2026-04-01..2026-05-01 month"),
        ("next month", "2026-06-01..2026-07-01 month"),
        ("this quarter", "2026-04-01..2026-07-01 season"),
        ("last quarter", "2026-01-01..2026-04-01 season"),
        ("Q3 last year", "2025-07-01..2025-10-01 season"),
        ("this year", "2026-01-01..2027-01-01 year"),
        ("last year", "2025-01-01..2026-01-01 year"),
        # week days
        ("last Friday", "2026-05-08..2026-05-09 day"),
        ("last Wednesday", "2026-05-06..2026-05-07 day"),
        ("on Tuesday", "2026-05-12..2026-05-13 day"),
        ("on Wednesday", "2026-05-13..2026-05-14 day"),
        ("on Thursday", "2026-05-07..2026-05-08 day"),
        ("this Thursday", "2026-05-14..2026-05-15 day"),
        ("next Monday", "2026-05-18..2026-05-19 day"),
        ("next Wednesday", "2026-05-20..2026-05-21 day"),
        ("Tuesday last week", "2026-05-05..2026-05-06 day"),
        ("on sat", "2026-05-09..2026-05-10 day"),
        # so long ago
        ("two days ago", "2026-05-11..2026-05-12 day"),
        ("a week ago", "2026-05-03..2026-05-10 week"),
        ("a few weeks ago", "2026-04-05..2026-05-03 week"),
        ("two months ago", "2026-02-26..2026-03-29 month"),
        ("a year ago", "2024-11-12..2025-11-12 year"),
        ("10 minutes ago", "2026-05-13 11:50..2026-05-13 12:50 hour"),
        ("an hour ago", "2026-05-13 11:00..2026-05-13 12:00 hour"),
        ("in the last 3 months", "2026-02-13..2026-05-14 month"),
        ("over the past few days", "2026-05-08..2026-05-14 day"),
        ("in the last 24 hours", "2026-05-12 12:30..2026-05-13 12:30 hour"),
        ("past week", "2026-05-06..2026-05-14 week"),
        ("during the last month", "2026-04-13..2026-05-14 month"),
        # months and years
        ("in March", "2026-03-01..2026-04-01 month"),
        ("in may", "2026-05-01..2026-06-01 month"),
        ("in June", "2025-06-01..2025-07-01 month"),
        ("the October trip", "2025-10-01..2025-11-01 month"),
        ("March 2024", "2024-03-01..2024-04-01 month"),
        ("in May last year", "2025-05-01..2025-06-01 month"),
        ("last May", "2025-05-01..2025-06-01 month"),
        ("last April", "2026-04-01..2026-05-01 month"),
        ("next April", "2027-04-01..2027-05-01 month"),
        ("this June", "2026-06-01..2026-07-01 month"),
        ("Dec. 2023", "2023-12-01..2024-01-01 month"),
        ("in 2022", "2022-01-01..2023-01-01 year"),
        ("goals for 2022", "2022-01-01..2023-01-01 year"),
        # days
        ("3 May", "2026-05-03..2026-05-04 day"),
        ("on 14 May", "2025-05-14..2025-05-15 day"),
        ("the 3rd of May", "2026-05-03..2026-05-04 day"),
        ("May 3rd, 2023", "2023-05-03..2023-05-04 day"),
        ("may 3", "2026-05-03..2026-05-04 day"),
        ("7 May 2023", "2023-05-07..2023-05-08 day"),
        ("Sunday, 7 May 2023", "2023-05-07..2023-05-08 day"),
        ("May 3-5, 2023", "2023-05-03..2023-05-06 day"),
        ("29 February", "2024-02-29..2024-03-01 day"),
        ("2023-05-07", "2023-05-07..2023-05-08 day"),
        ("2023/05/07", "2023-05-07..2023-05-08 day"),
        ("2023-05", "2023-05-01..2023-06-01 month"),
        ("05/07/2023", "2023-05-07..2023-05-08 day"),
        ("25/07/2023", "2023-07-25..2023-07-26 day"),
        ("5.7.2023", "2023-07-05..2023-07-06 day"),
        ("5/7/23", "2023-05-07..2023-05-08 day"),
        ("2023-05-07T12:30+02:00", "2023-05-07 12:30..2023-05-07 12:31 hour"),
        # seasons
        ("spring 2023", "2023-03-01..2023-06-01 season"),
        ("in the fall", "2025-09-01..2025-12-01 season"),
        ("last autumn", "2025-09-01..2025-12-01 season"),
        ("this summer", "2026-06-01..2026-09-01 season"),
        ("last winter", "2025-12-01..2026-03-01 season"),
        ("winter of 2023", "2023-12-01..2024-03-01 season"),
        # holidays
        ("on Christmas Eve", "2025-12-24..2025-12-25 day"),
        ("Christmas 2023", "2023-12-25..2023-12-26 day"),
        ("New Year’s Eve", "2025-12-31..2026-01-01 day"),
        ("new years day", "2026-01-01..2026-01-02 day"),
        ("Valentine's Day", "2026-02-14..2026-02-15 day"),
        ("next Halloween", "2026-10-31..2026-11-01 day"),
        ("valentines day", "2026-02-14..2026-02-15 day"),
        ("Independence Day", "2025-07-04..2025-07-05 day"),
        ("4th of July", "2025-07-04..2025-07-05 day"),
        ("the fourth of July 2020", "2020-07-04..2020-07-05 day"),
        ("Thanksgiving", "2025-11-27..2025-11-28 day"),
        ("Easter Sunday", "2026-04-05..2026-04-06 day"),
        # open and joined
        ("before Christmas", "..2025-12-25 day"),
        ("prior to 2021", "..2021-01-01 year"),
        ("after Easter", "2026-04-06.. day"),
        ("since last Tuesday", "2026-05-12.. day"),
        ("until March", "..2026-04-01 month"),
        ("between March and May 2023", "2023-03-01..2023-06-01 month"),
        ("between April and May", "2026-04-01..2026-06-01 month"),
        ("between November and January", "2025-11-01..2026-02-01 month"),
        ("from Monday to Wednesday", "2026-05-11..2026-05-14 day"),
        ("from March until May", "2026-03-01..2026-06-01 month"),
        ("2023-05-07 to 2023-05-09", "2023-05-07..2023-05-10 day"),
        ("between 2020 and 2022", "2020-01-01..2023-01-01 year"),
        # parts
        ("early June", "2025-06-01..2025-06-11 week"),
        ("mid-June 2025", "2025-06-11..2025-06-21 week"),
        ("the end of March", "2026-03-21..2026-04-01 week"),
        ("late last year", "2025-08-31..2026-01-01 season"),
        ("earlier this week", "2026-05-11..2026-05-13 12:30 week"),
        # beside
        ("the week before Christmas", "2025-12-18..2025-12-25 week"),
        ("two days after Easter", "2026-04-07..2026-04-08 day"),
    ],
)
def test_find_times_resolves_english_date_words(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "May I ask?",
        "you may go",
        "this may be wrong",
        "march on",
        "these 2 may be wrong",
        "financial independence",
        "my valentine",
        "on the march",
        "What did April say to June?",
        "I fall",
        "spring into action",
        "a second time",
        "the sun sat on the mat; we wed",
        "every Friday",
        "31 February",
        "February 30th, 2024",
        "29 February 2023",
        "2023-13-01",
        "45/45/2023",
        "3 May 99999",
        "in 99999",
        "9999 years ago",
        "2000 dollars",
        "$2020 each",
        "10.0.0.1",
        "May 5-3",
        "maybe marching, Mondays, decade",
        "",
    ],
)
def test_find_times_ignores_text_without_date(text):
    assert read(text) is None


def test_find_times_returns_spans_of_all_dates():
    text = "Was it before Christmas, on Friday or in 2022 that I moved?"
    assert [text[slice(*time.span)] for time in find_times(text, NOW)] == ["before Christmas", "Friday", "2022"]
    assert not any(time.hard for time in find_times(text, NOW))


def test_range_start_is_resolved_relative_to_its_end():
    assert read("between March and May 2023") == "2023-03-01..2023-06-01 month"
    assert read("between Thursday and Monday", NOW) == "2026-05-07..2026-05-12 day"


def test_find_times_returns_no_overlapping_spans():
    text = "last week before Christmas"
    assert [text[slice(*time.span)] for time in find_times(text, NOW)] == ["last week", "before Christmas"]


def test_find_times_stops_at_maximum_number_of_dates():
    assert len(find_times("2023-05-07 error\n" * 1000, NOW)) == MAX_TIMES


# -- time zones


def test_days_begin_at_local_midnight():
    evening = datetime(2026, 5, 13, 22, tzinfo=timezone(timedelta(hours=-5)))
    (today,) = find_times("today", evening)
    assert today.start.astimezone(UTC) == datetime(2026, 5, 13, 5, tzinfo=UTC)
    (same_moment,) = find_times("today", evening.astimezone(UTC))
    assert same_moment.start == datetime(2026, 5, 14, tzinfo=UTC)


def test_day_of_clock_change_has_23_hours():
    now = datetime(2026, 3, 30, 9, tzinfo=Summertime())
    (yesterday,) = find_times("yesterday", now)
    assert yesterday.end.astimezone(UTC) - yesterday.start.astimezone(UTC) == timedelta(hours=23)


def test_hour_ranges_count_elapsed_time_across_clock_change():
    now = datetime(2026, 3, 29, 4, tzinfo=Summertime())
    (ago,) = find_times("in the last 3 hours", now)
    assert ago.start.astimezone(UTC) == now.astimezone(UTC) - timedelta(hours=3)
    assert ago.start.hour == 0


# -- bounds


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        ("before", "2024-05-01", "..2024-05-01"),
        ("after", "2024-05-01", "2024-05-02.."),
        ("since", "2024-05-01", "2024-05-01.."),
        ("until", "2024-05-01", "..2024-05-02"),
        ("before", "yesterday", "..2026-05-12"),
        ("after", "last week", "2026-05-11.."),
        ("after", "the last week", "2026-05-14.."),
        ("since", "may", "2026-05-01.."),
        ("until", "2023", "..2024-01-01"),
        ("before", "two weeks ago", "..2026-04-26"),
        ("before", "early June", "..2025-06-01"),
        ("since", "2024-05-01T12:30", "2024-05-01 12:30.."),
    ],
)
def test_parse_bound_resolves_date_words(word, value, expected):
    time = parse_bound(word, value, NOW)
    assert f"{day(time.start)}..{day(time.end)}" == expected
    assert time.hard


@pytest.mark.parametrize("value", ["", "dawn", "99999", "31 February", "yesterday and today", "before May", "2024-05-01 x"])
def test_parse_bound_returns_none_for_invalid_dates(value):
    assert parse_bound("before", value, NOW) is None


# -- the calendar


def test_easter_and_thanksgiving_have_correct_dates():
    assert [easter_sunday(year).isoformat()[5:] for year in (1961, 2000, 2019, 2024, 2038)] == [
        "04-02",
        "04-23",
        "04-21",
        "03-31",
        "04-25",
    ]
    assert [thanksgiving_day(year).day for year in (2018, 2023, 2024, 2026)] == [22, 23, 28, 26]


def test_shift_months_stops_at_end_of_month():
    assert shift_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert shift_months(date(2024, 1, 31), -2) == date(2023, 11, 30)
    assert shift_months(date(2024, 12, 5), 13) == date(2026, 1, 5)


WORDS = """
    last this next past early mid late before after since until between and from to the in on a few two 3 31 2023 99999 ago
    second hours day week weekend month years quarter may March february monday sun spring fall Christmas easter new q2
    2023-02-30 5/6/23 2023-05-07T12:00 - – ' ? , . ſ İ
""".split()
ZONES = [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)), Summertime()]


@given(
    st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=12).map(" ".join) | st.text(),
    st.datetimes(timezones=st.sampled_from(ZONES)),
)
@example("last week before Christmas", NOW)
@example("next May", datetime.max.replace(tzinfo=UTC))
@example("tomorrow", datetime.max.replace(tzinfo=UTC))
@example("two hours ago", datetime.min.replace(tzinfo=UTC))
def test_find_times_returns_valid_ranges_for_any_text(text, now):
    last_end = 0
    for time in find_times(text, now):
        assert time.start is not None or time.end is not None
        assert time.start is None or time.end is None or time.start < time.end
        assert last_end <= time.span[0] < time.span[1] <= len(text)
        last_end = time.span[1]
    parse_bound("before", text, now)
