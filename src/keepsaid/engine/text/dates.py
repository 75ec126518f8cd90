"""Find date words in a text ("last week", "in March", "two days ago") and resolve them relative to the caller's time.

This module handles English; `languages.dates` handles the other languages.

A day, month, season or holiday without a year is the most recent one that has begun. Seasons are those of the northern
hemisphere, and the winter of a year begins in its December. A word that is only sometimes a date ("may", "march", "fall",
"April") needs evidence: a preposition before it or a number after it. Dates that do not exist ("31 February") are not
recognized.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from keepsaid.engine.languages.dates import date_languages, find_dates
from keepsaid.engine.text.calendar import (
    SECONDS_PER_UNIT,
    UNITS,
    CalendarPeriod,
    Precision,
    RelativeCalendar,
    easter_sunday,
    shift_months,
    thanksgiving_day,
)
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.types import Microseconds, to_microseconds

MAX_TIMES = 16
"""Maximum times found in one text. A text with more is a pasted log or table."""
MAX_CHARACTERS_READ = 4_000
"""Characters of a text in another language that are read."""
MAX_TRIED_WORDS = 64
"""Maximum words of one text that are tried as the beginning of a date, and maximum dates per other language."""

BoundWord = Literal["before", "after", "since", "until"]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A time range from `start` up to but excluding `end`. None means unbounded. `span` is its position in the text.

    A soft range is a hint: messages shortly before or after it may be meant too, as far off as `precision` says. A `hard`
    range was requested explicitly and is a condition.
    """

    start: datetime | None
    end: datetime | None
    precision: Precision
    span: tuple[int, int]
    hard: bool = False


def find_times(text: str, now: datetime, *, is_english: bool = False) -> list[TimeRange]:
    """Return the times that a text names, in order, as soft ranges. `now` has the caller's time zone.

    `is_english` skips language detection.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 13, 12, tzinfo=UTC)
    >>> [f"{time.start:%d %b %Y} - {time.end:%d %b %Y}" for time in find_times("Was it last week or in March 2024?", now)]
    ['04 May 2026 - 11 May 2026', '01 Mar 2024 - 01 Apr 2024']
    >>> find_times("May I march on?", now)
    []
    >>> [f"{time.start:%d %b %Y}" for time in find_times("Was haben wir letzte Woche gekocht?", now)]
    ['04 May 2026']
    """
    if not is_english and (languages := date_languages(text)):
        return _foreign_ranges(text, languages, now)
    return _english_ranges(text, now)


def _english_ranges(text: str, now: datetime) -> list[TimeRange]:
    calendar = RelativeCalendar(now)
    ranges: list[TimeRange] = []
    mentions = _mentions(text, calendar, sure=False)
    while mentions:
        mention = mentions.pop(0)
        if mentions and _is_range(text, mention, mentions[0]):
            ranges.append(_joined_range(text, mention, mentions.pop(0)))
        else:
            start, end = _range_bounds(mention.period, mention.bound)
            ranges.append(TimeRange(start, end, mention.period.precision, (mention.start, mention.end)))
    return ranges


def _foreign_ranges(text: str, languages: Sequence[str], now: datetime) -> list[TimeRange]:
    """Return the times that a text in another language names, and its numeric dates, which need no language."""
    found: list[TimeRange] = []
    for language in languages:
        for mention in find_dates(text[:MAX_CHARACTERS_READ], language, RelativeCalendar(now))[:MAX_TRIED_WORDS]:
            start, end = _range_bounds(mention.period, mention.bound)
            _add_range(found, TimeRange(start, end, mention.period.precision, (mention.start, mention.end)))
    for other in _english_ranges(text, now):
        if text[other.span[0]].isdecimal():
            _add_range(found, other)
    return sorted(found, key=lambda one: one.span)[:MAX_TIMES]


def _add_range(found: list[TimeRange], new: TimeRange) -> None:
    """Add a range unless it overlaps another one in the text."""
    if not any(new.span[0] < other.span[1] and other.span[0] < new.span[1] for other in found):
        found.append(new)


def is_within_times(times: Sequence[TimeRange], created: Microseconds) -> bool:
    """Whether a creation time is within one of these times.

    >>> from datetime import UTC
    >>> is_within_times(find_times("yesterday", datetime(1970, 1, 2, 12, tzinfo=UTC)), 3_600_000_000)
    True
    """
    return any(
        (time.start is None or to_microseconds(time.start) <= created)
        and (time.end is None or created < to_microseconds(time.end))
        for time in times
    )


def parse_bound(word: BoundWord, value: str, now: datetime) -> TimeRange | None:
    """Return the hard range for a prefix such as `before:yesterday`; None if the value is not a date.

    "before" ends at the beginning of that day or period, "after" begins at its end, "since" begins at its beginning, and
    "until" ends at its end.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 13, 12, tzinfo=UTC)
    >>> parse_bound("before", "yesterday", now).end.isoformat()
    '2026-05-12T00:00:00+00:00'
    >>> parse_bound("before", "dawn", now)
    """
    mentions = _mentions(value, RelativeCalendar(now), sure=True)
    if len(mentions) != 1 or mentions[0].bound or _THE.sub("", value).strip() != value[mentions[0].start : mentions[0].end]:
        return None
    start, end = _range_bounds(mentions[0].period, word)
    return TimeRange(start, end, mentions[0].period.precision, (0, len(value)), hard=True)


# -- the words

_FINER: dict[Precision, Precision] = {"year": "season", "season": "month", "month": "week", "week": "day"}
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBERS = {name: number % 12 + 1 for number, name in enumerate(_MONTHS + [month[:3] for month in _MONTHS])}
_MONTH_NUMBERS["sept"] = 9
_UNMISTAKABLE = {"january", "february", "july", "september", "october", "november", "december"}
_WEEKDAYS = {
    name: number
    for number, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
    for name in (day, day[:3])
} | {"tues": 1, "thur": 3, "thurs": 3}
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_HOLIDAYS: dict[str, Callable[[int], date]] = {
    "christmas eve": lambda year: date(year, 12, 24),
    "christmas": lambda year: date(year, 12, 25),
    "xmas": lambda year: date(year, 12, 25),
    "new year's eve": lambda year: date(year, 12, 31),
    "new year's": lambda year: date(year, 1, 1),
    "new year": lambda year: date(year, 1, 1),
    "valentine's": lambda year: date(year, 2, 14),
    "halloween": lambda year: date(year, 10, 31),
    "independence day": lambda year: date(year, 7, 4),
    "fourth of july": lambda year: date(year, 7, 4),
    "thanksgiving": thanksgiving_day,
    "easter": easter_sunday,
}
_HOLIDAYS_BY_NAME = {name.replace("'", ""): day for name, day in _HOLIDAYS.items()}
_NAMED_DAYS = {"today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0} | {
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
}
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {name: (number, number) for number, name in enumerate(_NUMBERS, 1)} | {
    "a": (1, 1),
    "an": (1, 1),
    "a couple": (2, 3),
    "couple": (2, 3),
    "a few": (2, 5),
    "few": (2, 5),
    "several": (3, 7),
}
_DISTANCES = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}


def _any_name(names: Iterable[str]) -> str:
    """Return a pattern for any name, the longest first, so that "christmas" does not hide "christmas eve"."""
    return "|".join(sorted(names, key=len, reverse=True))


_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\w|[.,:/]\d)"
_OF_YEAR = rf"(?:,? (?:of |in )?(?:{_YEAR}|(?P<of>last|this|next|previous) year\b))?(?!,?\s?\d)"
_WHICH = rf"(?:(?P<which>{_any_name(_DISTANCES)}) )?"
_COUNT = rf"(?P<count>\d{{1,4}}|{_any_name(_COUNTS)})(?: of)?"
_UNIT = r"(?P<unit>second|minute|min|hour|day|week|weekend|month|year)s?\b"
_MONTH = rf"(?P<month>{_any_name(_MONTH_NUMBERS)})\b\.?"
_WEEKDAY = rf"(?P<weekday>{_any_name(_WEEKDAYS)})\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: ?[-–] ?(?P<last>\d{1,2})(?:st|nd|rd|th)?)?".replace(" ?", r"\s?")
_TIME = r"(?:[t\s](?P<hour>\d\d):(?P<minute>\d\d)(?::\d\d(?:\.\d+)?)?(?P<zone>z|[+-]\d\d:?\d\d)?)?"
_HOLIDAY = _any_name(_HOLIDAYS).replace("'", "['’]?")

_TRIGGER = EnglishPattern(
    rf"(?<!\w)(?:{_any_name([*_MONTH_NUMBERS, *_WEEKDAYS, *_SEASONS, *_DISTANCES])}|{_HOLIDAY}"
    r"|today|tonight|yesterday|tomorrow|the other|q[1-4])\b"
    rf"|(?<!\w){_COUNT} {_UNIT} (?:ago|back|from now)\b"
    r"|(?<![\w.,:/$€£#])(?<!\d-)\d{1,4}(?:st|nd|rd|th)?(?!\w)"
)
_LEAD = EnglishPattern(
    rf"(?:(?:\b{_COUNT} |\bthe )?\b{_UNIT} (?=before|after))?"
    r"(?:\b(?P<bound>before|after|since|until|till|by|prior to|up to|between|from) )?(?:the )?"
    r"(?:\b(?P<part>early|earlier|mid|late|(?:beginning|start|middle|end) of)(?: in)?(?: |-)(?:the )?)?$"
)
_LEAD_LENGTH = 48
_SIGN = EnglishPattern(
    r"\b(?:in|on|since|until|till|before|after|by|during|through|throughout|around|between|prior to|up to"
    r"|early|earlier|mid|late|beginning of|start of|middle of|end of|month of|year|of|for)(?: the)?(?: |-)$"
)
_UNTIL_WORD = r"\s*(?:to|until|till|through|-|–)\s*"
_TO = EnglishPattern(_UNTIL_WORD)
_AND = EnglishPattern(rf"{_UNTIL_WORD}(?:the )?|\s*and (?:the )?")
_THE = re.compile(r"^\s*the\s+", re.IGNORECASE)
_VERB = EnglishPattern(r" (?:be|have|not|also|well|seem|sound|help|take|cause|need|look|mean|get|want|only|just|still)\b")
_THE_BEFORE = EnglishPattern(r"\bthe $")
_FROM = EnglishPattern(r"\bfrom $")
_ON = EnglishPattern(r"\bon $")
_TEXT_ENDS = re.compile(r"\s*[?!.]?\s*\Z")
_HABIT = EnglishPattern(r"\b(?:every|each|any|most|black|good|cyber|ash) $")


# -- meanings of the patterns


def _numeric(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    year, month, day = int(match["year"]), int(match["month"]), match["day"]
    if day is None:
        return calendar.months(year, month)
    if match["hour"] is None:
        return calendar.days(date(year, month, int(day)))
    zone = match["zone"]
    offset = calendar.moment.tzinfo if zone is None else datetime.fromisoformat(f"2000-01-01T00:00:00{zone.upper()}").tzinfo
    start = datetime(year, month, int(day), int(match["hour"]), int(match["minute"]), tzinfo=offset)
    return CalendarPeriod(start, start + timedelta(minutes=1), "hour")


def _slashed(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    """Return the day of a numeric date: month first with slashes if possible, day first with dots."""
    month, day = int(match["one"]), int(match["two"])
    if match["mark"] == "." or month > 12:
        month, day = day, month
    year = int(match["year"])
    return calendar.days(date(year + 2000 if year < 100 else year, month, day))


def _day_of_month(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    month, first = _MONTH_NUMBERS[match["month"].lower()], int(match["day"])
    last = int(match["last"] or first)
    if last < first:
        raise ValueError("the days run backwards")

    def in_year(year: int) -> CalendarPeriod:
        return calendar.between(date(year, month, first), date(year, month, last) + timedelta(1), "day")

    return _resolve_year(calendar, match, in_year)


def _month(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return _resolve_year(calendar, match, lambda year: calendar.months(year, _MONTH_NUMBERS[match["month"].lower()]))


def _season(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return _resolve_year(calendar, match, lambda year: calendar.months(year, _SEASONS[match["season"].lower()], 3, "season"))


def _holiday(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    falls = _HOLIDAYS_BY_NAME[_plain(match["holiday"])]
    return _resolve_year(calendar, match, lambda year: calendar.days(falls(year)))


def _quarter(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return _resolve_year(calendar, match, lambda year: calendar.months(year, 3 * int(match["quarter"]) - 2, 3, "season"))


def _resolve_year(
    calendar: RelativeCalendar, match: re.Match[str], in_year: Callable[[int], CalendarPeriod]
) -> CalendarPeriod:
    """Return the period in the year that is meant, for a month, holiday or season."""
    groups, this_year = match.groupdict(), calendar.today.year
    if groups["year"]:
        return in_year(int(groups["year"]))
    if groups["of"]:
        return in_year(this_year + _DISTANCES[groups["of"].lower()])
    distance = _DISTANCES[groups["which"].lower()] if groups.get("which") else None
    midnight = calendar.days(calendar.today).start
    near: list[CalendarPeriod] = []
    for year in range(this_year - 8, this_year + 9):  # leap days can be eight years apart
        try:
            near.append(in_year(year))
        except ValueError:
            continue
    if distance == 1:
        fitting = [period for period in near if period.start > calendar.moment][:1]
    elif distance == 0:
        fitting = [period for period in near if period.start <= calendar.moment < period.end] or [in_year(this_year)]
    elif distance is None:
        fitting = [period for period in near if period.start <= calendar.moment]
    else:
        fitting = [period for period in near if period.end <= midnight]
    if not fitting:
        raise ValueError("no year has this day")
    return fitting[-1]


def _weekday(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    number = _WEEKDAYS[match["weekday"].lower()]
    which, ago = match["which"], (calendar.today.weekday() - number) % 7
    if match["week"]:
        return calendar.days(calendar.week(_DISTANCES[match["week"].lower()]) + timedelta(number))
    if which is None:
        return calendar.days(calendar.today - timedelta(ago))
    distance = _DISTANCES[which.lower()]
    if distance == 0:
        return calendar.days(calendar.week(0) + timedelta(number))
    return calendar.days(calendar.today + timedelta(7 - ago if distance > 0 else -(ago or 7)))


def _named_day(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    name = _plain(match[0])
    if name == "the other day":
        return calendar.days(calendar.today - timedelta(7), 7, "week")
    return calendar.days(calendar.today + timedelta(_NAMED_DAYS[name]))


def _adjacent_period(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    """Return the calendar period for "last week", "this month", "next year". "The last week" and "the past week" end now."""
    unit, which = match["unit"].lower(), match["which"].lower()
    distance = _DISTANCES[which]
    if distance < 0 and unit not in ("quarter", "weekend") and (which == "past" or _before(match, _THE_BEFORE)):
        return calendar.rolling(1, unit)
    if unit == "week":
        return calendar.days(calendar.week(distance), 7, "week")
    if unit == "weekend":
        return calendar.days(calendar.week(distance) + timedelta(5), 2)
    if unit == "year":
        return calendar.months(calendar.today.year + distance, 1, 12, "year")
    size = 3 if unit == "quarter" else 1
    first = shift_months(calendar.today.replace(day=1), distance * size - (calendar.today.month - 1) % size)
    return calendar.months(first.year, first.month, size, "season" if size == 3 else "month")


def _ago(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    low, high = _count(match["count"])
    unit = _unit(match["unit"])
    if match["side"].lower().startswith("from"):
        return calendar.about(calendar.moment, low, high, unit)
    return calendar.about(calendar.moment, -high, -low, unit)


def _last_some(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return calendar.rolling(_count(match["count"])[1], _unit(match["unit"]))


def _year(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return calendar.months(int(match["year"]), 1, 12, "year")


def _count(words: str) -> tuple[int, int]:
    return (int(words), int(words)) if words.isdecimal() else _COUNTS[_plain(words)]


def _plain(words: str) -> str:
    return " ".join(words.lower().replace("'", "").replace("’", "").split())


def _unit(word: str) -> str:
    return "minute" if word.lower() == "min" else word.lower()


# -- whether a date is meant


def _before(match: re.Match[str], pattern: EnglishPattern) -> bool:
    return pattern.search(match.string[max(0, match.start() - _LEAD_LENGTH) : match.start()]) is not None


def _has_sign(match: re.Match[str]) -> bool:
    """Whether a year, a word such as "last" or a preposition shows that a word is a date."""
    groups = match.groupdict()
    if groups["year"] or groups["of"] or groups["which"]:
        return True
    return _before(match, _SIGN) or (_before(match, _FROM) and _TO.match(match.string, match.end()) is not None)


def _is_verb(match: re.Match[str]) -> bool:
    """Whether a month's name is a verb here: "these 2 may be wrong"."""
    return match["month"].islower() and not match["year"] and _VERB.match(match.string, match.end()) is not None


def _is_day(match: re.Match[str]) -> bool:
    return not _is_verb(match)


def _is_month(match: re.Match[str]) -> bool:
    if match["month"].lower() in _UNMISTAKABLE:
        return True
    if not match["year"] and _before(match, _THE_BEFORE):
        return False  # on the march
    return not _is_verb(match) and _has_sign(match)


def _is_weekday(match: re.Match[str]) -> bool:
    if len(match["weekday"]) < 5 and not (match["which"] or _before(match, _ON)):
        return False  # sat, sun and wed are words
    return not _before(match, _HABIT)


def _is_year(match: re.Match[str]) -> bool:
    ends = _TEXT_ENDS.match(match.string, match.end()) is not None
    return ends or _before(match, _SIGN) or _before(match, _FROM)


def _always(match: re.Match[str]) -> bool:
    return True


class _EnglishDateRule(NamedTuple):
    pattern: EnglishPattern
    period: Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]
    meant: Callable[[re.Match[str]], bool] = _always


_RULES = (
    _EnglishDateRule(
          EnglishPattern(rf"(?P<year>\d{{4}})(?P<mark>[-/])(?P<month>\d\d?)(?:(?P=mark)(?P<day>\d\d?){_TIME})?(?![\w/])"),
          _numeric),
    _EnglishDateRule(EnglishPattern(r"(?P<one>\d\d?)(?P<mark>[/.])(?P<two>\d\d?)(?P=mark)(?P<year>\d{4})(?!\w)"), _slashed),
    _EnglishDateRule(EnglishPattern(r"(?P<one>\d\d?)(?P<mark>/)(?P<two>\d\d?)/(?P<year>\d\d)(?![\w/])"), _slashed),
    _EnglishDateRule(EnglishPattern(rf"(?:{_WEEKDAY},? )?(?:the )?{_DAY} (?:of )?{_MONTH}{_OF_YEAR}"),
          _day_of_month, _is_day),
    _EnglishDateRule(EnglishPattern(rf"(?:{_WEEKDAY},? )?{_MONTH} (?:the )?{_DAY}\b(?![:.%]\d){_OF_YEAR}"), _day_of_month),
    _EnglishDateRule(EnglishPattern(rf"{_COUNT} {_UNIT} (?P<side>ago|back|from now)\b"), _ago),
    _EnglishDateRule(EnglishPattern(rf"(?:last|past|previous) {_COUNT} {_UNIT}"), _last_some),
    _EnglishDateRule(EnglishPattern(rf"(?:{_any_name(_NAMED_DAYS)}|the other day)\b"), _named_day),
    _EnglishDateRule(EnglishPattern(
          r"(?P<which>last|past|previous|this|next|coming) (?P<unit>week|weekend|month|quarter|year)\b(?! of\b)"),
          _adjacent_period),
    _EnglishDateRule(EnglishPattern(rf"{_WHICH}(?P<holiday>{_HOLIDAY})(?: (?:day|sunday))?\b{_OF_YEAR}"), _holiday),
    _EnglishDateRule(EnglishPattern(rf"{_WHICH}{_WEEKDAY}(?:,? (?:of )?(?P<week>last|this|next) week\b)?"),
          _weekday, _is_weekday),
    _EnglishDateRule(EnglishPattern(rf"{_WHICH}{_MONTH}{_OF_YEAR}"), _month, _is_month),
    _EnglishDateRule(EnglishPattern(rf"{_WHICH}(?P<season>{_any_name(_SEASONS)})\b{_OF_YEAR}"), _season, _has_sign),
    _EnglishDateRule(EnglishPattern(rf"q(?P<quarter>[1-4])\b{_OF_YEAR}"), _quarter),
    _EnglishDateRule(EnglishPattern(_YEAR), _year, _is_year),
)  # fmt: skip


# -- reading


class _PeriodMention(NamedTuple):
    """A period in a text: `at` is where its name begins; `start` and `end` include the words that lead up to it."""

    period: CalendarPeriod
    at: int
    start: int
    end: int
    bound: str


def _mentions(text: str, calendar: RelativeCalendar, *, sure: bool) -> list[_PeriodMention]:
    """Return every period that the text names. With `sure`, the text is known to be a date."""
    found: list[_PeriodMention] = []
    at = 0
    for _ in range(MAX_TRIED_WORDS):
        trigger = _TRIGGER.search(text, at)
        if trigger is None or len(found) == MAX_TIMES:
            break
        last_end = found[-1].end if found else 0
        goes_on = bool(found) and found[-1].bound in ("between", "from") and _AND.fullmatch(text, last_end, trigger.start())
        mention, at = _read(text, trigger, calendar, last_end, sure=sure or bool(goes_on))
        if mention:
            found.append(mention)
    return found


def _read(
    text: str, trigger: re.Match[str], calendar: RelativeCalendar, last_end: int, *, sure: bool
) -> tuple[_PeriodMention | None, int]:
    """Return the period named at a trigger, if any, and where to continue. `last_end` is the end of the previous one."""
    at = trigger.start()
    for rule in _RULES:
        match = rule.pattern.match(text, at)
        if not match or not (sure or rule.meant(match)):
            continue
        try:
            period = rule.period(calendar, match)
            return _with_lead(text, _PeriodMention(period, at, at, match.end(), ""), calendar, last_end), match.end()
        except (ValueError, OverflowError):
            return None, match.end()  # not a calendar date
    return None, trigger.end()


def _with_lead(text: str, mention: _PeriodMention, calendar: RelativeCalendar, last_end: int) -> _PeriodMention:
    """Return the mention extended by the words before it: "early", "before", "two days after"."""
    lead = _LEAD.search(text[max(last_end, mention.at - _LEAD_LENGTH) : mention.at])
    if lead is None:
        return mention
    period, bound = mention.period, _plain(lead["bound"] or "")
    if lead["part"]:
        period = _part_of(period, _plain(lead["part"]).split()[0], calendar)
    if lead["unit"]:
        period, bound = _adjacent_to(period, bound, lead, calendar), ""
    spoken = lead["unit"] or lead["bound"] or lead["part"]
    return mention._replace(period=period, bound=bound, start=mention.at - len(lead[0]) if spoken else mention.at)


def _part_of(period: CalendarPeriod, part: str, calendar: RelativeCalendar) -> CalendarPeriod:
    """Return the first, second or last third of a period. "Earlier" is all of it up to now."""
    if part == "earlier":
        return period._replace(end=calendar.moment) if period.start < calendar.moment < period.end else period
    first, after = period.start.date(), period.end.date()
    third = timedelta((after - first).days // 3)
    if not third or period.precision not in _FINER:
        return period
    if part in ("early", "beginning", "start"):
        after = first + third
    elif part in ("mid", "middle"):
        first, after = first + third, first + 2 * third
    else:
        first += 2 * third
    return calendar.between(first, after, _FINER[period.precision])


def _adjacent_to(period: CalendarPeriod, side: str, lead: re.Match[str], calendar: RelativeCalendar) -> CalendarPeriod:
    """Return the period for "the week before", which ends there, or "two weeks before", which is about that far away."""
    unit = _unit(lead["unit"])
    if lead["count"]:
        low, high = _count(lead["count"])
        if side == "before":
            return calendar.about(period.start, -high, -low, unit)
        return calendar.about(period.end - timedelta(microseconds=1), low, high, unit)
    if unit in SECONDS_PER_UNIT:
        return period
    precision, months, days, _ = UNITS[unit]
    first, after = period.start.date(), period.end.date()
    if side == "before":
        return calendar.between(shift_months(first, -months) - timedelta(days), first, precision)
    return calendar.between(after, shift_months(after, months) + timedelta(days), precision)


def _range_bounds(period: CalendarPeriod, bound: str) -> tuple[datetime | None, datetime | None]:
    if bound in ("before", "prior to"):
        return None, period.start
    if bound == "after":
        return period.end, None
    if bound == "since":
        return period.start, None
    if bound in ("until", "till", "by", "up to"):
        return None, period.end
    return period.start, period.end


def _is_range(text: str, one: _PeriodMention, two: _PeriodMention) -> bool:
    """Whether two mentions are the ends of one range: "between March and May", "Monday to Friday"."""
    if one.bound == "between":
        return _AND.fullmatch(text, one.end, two.at) is not None
    return one.bound in ("", "from") and _TO.fullmatch(text, one.end, two.at) is not None


def _joined_range(text: str, one: _PeriodMention, two: _PeriodMention) -> TimeRange:
    """Return one range from two mentions. If the first is later than the second, it is resolved again: March to May 2023."""
    start = one.period.start
    if start > two.period.start and (trigger := _TRIGGER.match(text, one.at)):
        again, _ = _read(text, trigger, RelativeCalendar(two.period.start), one.start, sure=True)
        start = again.period.start if again else start
    start, end = min(start, two.period.start), max(two.period.end, one.period.end if start == one.period.start else start)
    return TimeRange(start, end, two.period.precision, (one.start, two.end))
