"""Date words in a text ("last week", "in March", "two days ago"), resolved against the caller's present.

Here are the English ones; those of other languages are read by `languages.dates`.

A day, month, season or holiday without a year is the most recent one that has begun. Seasons are those of the northern half
of the world, and the winter of a year is the one that begins in its December. A word that is a date only sometimes ("may",
"march", "fall", "April") needs a sign that it is one here: a preposition before it, a number after it. What is no date in
any calendar ("31 February") is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from recollect.engine.calendar import SECONDS, UNITS, Calendar, Period, Precision, easter, shift, thanksgiving
from recollect.engine.languages.dates import date_languages, find_dates
from recollect.engine.pattern import Pattern
from recollect.types import Microseconds, microseconds

MOST = 16
"""Times that one text can name: who names more has pasted a log or a table."""
LONGEST_READ = 4_000
"""Characters of a text in another language that are read."""
MOST_TRIED = 64
"""Words of one text that are looked at because they may begin a date."""

Bound = Literal["before", "after", "since", "until"]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` up to, not including, `end`; None is open. `span` is where the text says so.

    A soft range is a hint, and what was said shortly before or after may be meant as well; `precision` says how far off it
    can be. A `hard` one was asked for in so many words and is a condition.
    """

    start: datetime | None
    end: datetime | None
    precision: Precision
    span: tuple[int, int]
    hard: bool = False


def time_ranges(text: str, now: datetime, *, is_english: bool = False) -> list[TimeRange]:
    """The times that a text speaks of, in the order it does; all of them soft. `now` carries the caller's time zone.
    `is_english` is for callers that know the language already.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 13, 12, tzinfo=UTC)
    >>> [f"{time.start:%d %b %Y} - {time.end:%d %b %Y}" for time in time_ranges("Was it last week or in March 2024?", now)]
    ['04 May 2026 - 11 May 2026', '01 Mar 2024 - 01 Apr 2024']
    >>> time_ranges("May I march on?", now)
    []
    >>> [f"{time.start:%d %b %Y}" for time in time_ranges("Was haben wir letzte Woche gekocht?", now)]
    ['04 May 2026']
    """
    if not is_english and (languages := date_languages(text)):
        return _foreign_ranges(text, languages, now)
    return _english_ranges(text, now)


def _english_ranges(text: str, now: datetime) -> list[TimeRange]:
    calendar = Calendar(now)
    ranges: list[TimeRange] = []
    mentions = _mentions(text, calendar, sure=False)
    while mentions:
        mention = mentions.pop(0)
        if mentions and _joins(text, mention, mentions[0]):
            ranges.append(_between(text, mention, mentions.pop(0)))
        else:
            start, end = _bounded(mention.period, mention.bound)
            ranges.append(TimeRange(start, end, mention.period.precision, (mention.start, mention.end)))
    return ranges


def _foreign_ranges(text: str, languages: Sequence[str], now: datetime) -> list[TimeRange]:
    """The times that a text in another language names, and its dates in numbers, which are the same everywhere."""
    found: list[TimeRange] = []
    for language in languages:
        for mention in find_dates(text[:LONGEST_READ], language, Calendar(now)):
            start, end = _bounded(mention.period, mention.bound)
            _add_range(found, TimeRange(start, end, mention.period.precision, (mention.start, mention.end)))
    for other in _english_ranges(text, now):
        if text[other.span[0]].isdecimal():
            _add_range(found, other)
    return sorted(found, key=lambda one: one.span)[:MOST]


def _add_range(found: list[TimeRange], new: TimeRange) -> None:
    """Adds a range unless its words are those of another one."""
    if not any(new.span[0] < other.span[1] and other.span[0] < new.span[1] for other in found):
        found.append(new)


def is_from(times: Sequence[TimeRange], created: Microseconds) -> bool:
    """Whether something was said within one of these times.

    >>> from datetime import UTC
    >>> is_from(time_ranges("yesterday", datetime(1970, 1, 2, 12, tzinfo=UTC)), 3_600_000_000)
    True
    """
    return any(
        (time.start is None or microseconds(time.start) <= created)
        and (time.end is None or created < microseconds(time.end))
        for time in times
    )


def bound(word: Bound, value: str, now: datetime) -> TimeRange | None:
    """The hard range that somebody asks for with a prefix such as `before:yesterday`; None if the value is no date.

    Before is before the beginning of that day or period, after is from its end; since is from its beginning, until is up
    to its end.

    >>> from datetime import UTC
    >>> now = datetime(2026, 5, 13, 12, tzinfo=UTC)
    >>> bound("before", "yesterday", now).end.isoformat()
    '2026-05-12T00:00:00+00:00'
    >>> bound("before", "dawn", now)
    """
    mentions = _mentions(value, Calendar(now), sure=True)
    if len(mentions) != 1 or mentions[0].bound or _THE.sub("", value).strip() != value[mentions[0].start : mentions[0].end]:
        return None
    start, end = _bounded(mentions[0].period, word)
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
    "thanksgiving": thanksgiving,
    "easter": easter,
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


def _any(names: Iterable[str]) -> str:
    """The longest first, so that "christmas" does not hide "christmas eve"."""
    return "|".join(sorted(names, key=len, reverse=True))


_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\w|[.,:/]\d)"
_OF_YEAR = rf"(?:,? (?:of |in )?(?:{_YEAR}|(?P<of>last|this|next|previous) year\b))?(?!,?\s?\d)"
_WHICH = rf"(?:(?P<which>{_any(_DISTANCES)}) )?"
_COUNT = rf"(?P<count>\d{{1,4}}|{_any(_COUNTS)})(?: of)?"
_UNIT = r"(?P<unit>second|minute|min|hour|day|week|weekend|month|year)s?\b"
_MONTH = rf"(?P<month>{_any(_MONTH_NUMBERS)})\b\.?"
_WEEKDAY = rf"(?P<weekday>{_any(_WEEKDAYS)})\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: ?[-–] ?(?P<last>\d{1,2})(?:st|nd|rd|th)?)?".replace(" ?", r"\s?")
_TIME = r"(?:[t\s](?P<hour>\d\d):(?P<minute>\d\d)(?::\d\d(?:\.\d+)?)?(?P<zone>z|[+-]\d\d:?\d\d)?)?"
_HOLIDAY = _any(_HOLIDAYS).replace("'", "['’]?")

_TRIGGER = Pattern(
    rf"(?<!\w)(?:{_any([*_MONTH_NUMBERS, *_WEEKDAYS, *_SEASONS, *_DISTANCES])}|{_HOLIDAY}"
    r"|today|tonight|yesterday|tomorrow|the other|q[1-4])\b"
    rf"|(?<!\w){_COUNT} {_UNIT} (?:ago|back|from now)\b"
    r"|(?<![\w.,:/$€£#])(?<!\d-)\d{1,4}(?:st|nd|rd|th)?(?!\w)"
)
_LEAD = Pattern(
    rf"(?:(?:\b{_COUNT} |\bthe )?\b{_UNIT} (?=before|after))?"
    r"(?:\b(?P<bound>before|after|since|until|till|by|prior to|up to|between|from) )?(?:the )?"
    r"(?:\b(?P<part>early|earlier|mid|late|(?:beginning|start|middle|end) of)(?: in)?(?: |-)(?:the )?)?$"
)
_LEAD_LENGTH = 48
_SIGN = Pattern(
    r"\b(?:in|on|since|until|till|before|after|by|during|through|throughout|around|between|prior to|up to"
    r"|early|earlier|mid|late|beginning of|start of|middle of|end of|month of|year|of|for)(?: the)?(?: |-)$"
)
_UNTIL_WORD = r"\s*(?:to|until|till|through|-|–)\s*"
_TO = Pattern(_UNTIL_WORD)
_AND = Pattern(rf"{_UNTIL_WORD}(?:the )?|\s*and (?:the )?")
_THE = re.compile(r"^\s*the\s+", re.IGNORECASE)
_VERB = Pattern(r" (?:be|have|not|also|well|seem|sound|help|take|cause|need|look|mean|get|want|only|just|still)\b")
_THE_BEFORE = Pattern(r"\bthe $")
_FROM = Pattern(r"\bfrom $")
_ON = Pattern(r"\bon $")
_TEXT_ENDS = re.compile(r"\s*[?!.]?\s*\Z")
_HABIT = Pattern(r"\b(?:every|each|any|most|black|good|cyber|ash) $")


# -- what the patterns mean


def _numeric(calendar: Calendar, match: re.Match[str]) -> Period:
    year, month, day = int(match["year"]), int(match["month"]), match["day"]
    if day is None:
        return calendar.months(year, month)
    if match["hour"] is None:
        return calendar.days(date(year, month, int(day)))
    zone = match["zone"]
    offset = calendar.moment.tzinfo if zone is None else datetime.fromisoformat(f"2000-01-01T00:00:00{zone.upper()}").tzinfo
    start = datetime(year, month, int(day), int(match["hour"]), int(match["minute"]), tzinfo=offset)
    return Period(start, start + timedelta(minutes=1), "hour")


def _slashed(calendar: Calendar, match: re.Match[str]) -> Period:
    """Month first with slashes, unless that cannot be; day first with dots."""
    month, day = int(match["one"]), int(match["two"])
    if match["mark"] == "." or month > 12:
        month, day = day, month
    year = int(match["year"])
    return calendar.days(date(year + 2000 if year < 100 else year, month, day))


def _day_of_month(calendar: Calendar, match: re.Match[str]) -> Period:
    month, first = _MONTH_NUMBERS[match["month"].lower()], int(match["day"])
    last = int(match["last"] or first)
    if last < first:
        raise ValueError("the days run backwards")

    def in_year(year: int) -> Period:
        return calendar.between(date(year, month, first), date(year, month, last) + timedelta(1), "day")

    return _yearly(calendar, match, in_year)


def _month(calendar: Calendar, match: re.Match[str]) -> Period:
    return _yearly(calendar, match, lambda year: calendar.months(year, _MONTH_NUMBERS[match["month"].lower()]))


def _season(calendar: Calendar, match: re.Match[str]) -> Period:
    return _yearly(calendar, match, lambda year: calendar.months(year, _SEASONS[match["season"].lower()], 3, "season"))


def _holiday(calendar: Calendar, match: re.Match[str]) -> Period:
    falls = _HOLIDAYS_BY_NAME[_plain(match["holiday"])]
    return _yearly(calendar, match, lambda year: calendar.days(falls(year)))


def _quarter(calendar: Calendar, match: re.Match[str]) -> Period:
    return _yearly(calendar, match, lambda year: calendar.months(year, 3 * int(match["quarter"]) - 2, 3, "season"))


def _yearly(calendar: Calendar, match: re.Match[str], in_year: Callable[[int], Period]) -> Period:
    """Which of the years' Mays, Christmases or summers is meant."""
    groups, this_year = match.groupdict(), calendar.today.year
    if groups["year"]:
        return in_year(int(groups["year"]))
    if groups["of"]:
        return in_year(this_year + _DISTANCES[groups["of"].lower()])
    distance = _DISTANCES[groups["which"].lower()] if groups.get("which") else None
    midnight = calendar.days(calendar.today).start
    near: list[Period] = []
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


def _weekday(calendar: Calendar, match: re.Match[str]) -> Period:
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


def _named_day(calendar: Calendar, match: re.Match[str]) -> Period:
    name = _plain(match[0])
    if name == "the other day":
        return calendar.days(calendar.today - timedelta(7), 7, "week")
    return calendar.days(calendar.today + timedelta(_NAMED_DAYS[name]))


def _this_or_that(calendar: Calendar, match: re.Match[str]) -> Period:
    """Last week, this month, next year: the calendar's. But "the last week" and "the past week" end now."""
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
    first = shift(calendar.today.replace(day=1), distance * size - (calendar.today.month - 1) % size)
    return calendar.months(first.year, first.month, size, "season" if size == 3 else "month")


def _ago(calendar: Calendar, match: re.Match[str]) -> Period:
    low, high = _count(match["count"])
    unit = _unit(match["unit"])
    if match["side"].lower().startswith("from"):
        return calendar.about(calendar.moment, low, high, unit)
    return calendar.about(calendar.moment, -high, -low, unit)


def _last_some(calendar: Calendar, match: re.Match[str]) -> Period:
    return calendar.rolling(_count(match["count"])[1], _unit(match["unit"]))


def _year(calendar: Calendar, match: re.Match[str]) -> Period:
    return calendar.months(int(match["year"]), 1, 12, "year")


def _count(words: str) -> tuple[int, int]:
    return (int(words), int(words)) if words.isdecimal() else _COUNTS[_plain(words)]


def _plain(words: str) -> str:
    return " ".join(words.lower().replace("'", "").replace("’", "").split())


def _unit(word: str) -> str:
    return "minute" if word.lower() == "min" else word.lower()


# -- whether they are meant


def _before(match: re.Match[str], pattern: Pattern) -> bool:
    return pattern.search(match.string[max(0, match.start() - _LEAD_LENGTH) : match.start()]) is not None


def _has_sign(match: re.Match[str]) -> bool:
    """A year, a "last" or a preposition makes a date of a word."""
    groups = match.groupdict()
    if groups["year"] or groups["of"] or groups["which"]:
        return True
    return _before(match, _SIGN) or (_before(match, _FROM) and _TO.match(match.string, match.end()) is not None)


def _is_verb(match: re.Match[str]) -> bool:
    """These 2 may be wrong."""
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


class _Rule(NamedTuple):
    pattern: Pattern
    period: Callable[[Calendar, re.Match[str]], Period]
    meant: Callable[[re.Match[str]], bool] = _always


_RULES = (
    _Rule(Pattern(rf"(?P<year>\d{{4}})(?P<mark>[-/])(?P<month>\d\d?)(?:(?P=mark)(?P<day>\d\d?){_TIME})?(?![\w/])"),
          _numeric),
    _Rule(Pattern(r"(?P<one>\d\d?)(?P<mark>[/.])(?P<two>\d\d?)(?P=mark)(?P<year>\d{4})(?!\w)"), _slashed),
    _Rule(Pattern(r"(?P<one>\d\d?)(?P<mark>/)(?P<two>\d\d?)/(?P<year>\d\d)(?![\w/])"), _slashed),
    _Rule(Pattern(rf"(?:{_WEEKDAY},? )?(?:the )?{_DAY} (?:of )?{_MONTH}{_OF_YEAR}"), _day_of_month, _is_day),
    _Rule(Pattern(rf"(?:{_WEEKDAY},? )?{_MONTH} (?:the )?{_DAY}\b(?![:.%]\d){_OF_YEAR}"), _day_of_month),
    _Rule(Pattern(rf"{_COUNT} {_UNIT} (?P<side>ago|back|from now)\b"), _ago),
    _Rule(Pattern(rf"(?:last|past|previous) {_COUNT} {_UNIT}"), _last_some),
    _Rule(Pattern(rf"(?:{_any(_NAMED_DAYS)}|the other day)\b"), _named_day),
    _Rule(Pattern(r"(?P<which>last|past|previous|this|next|coming) (?P<unit>week|weekend|month|quarter|year)\b(?! of\b)"),
          _this_or_that),
    _Rule(Pattern(rf"{_WHICH}(?P<holiday>{_HOLIDAY})(?: (?:day|sunday))?\b{_OF_YEAR}"), _holiday),
    _Rule(Pattern(rf"{_WHICH}{_WEEKDAY}(?:,? (?:of )?(?P<week>last|this|next) week\b)?"), _weekday, _is_weekday),
    _Rule(Pattern(rf"{_WHICH}{_MONTH}{_OF_YEAR}"), _month, _is_month),
    _Rule(Pattern(rf"{_WHICH}(?P<season>{_any(_SEASONS)})\b{_OF_YEAR}"), _season, _has_sign),
    _Rule(Pattern(rf"q(?P<quarter>[1-4])\b{_OF_YEAR}"), _quarter),
    _Rule(Pattern(_YEAR), _year, _is_year),
)  # fmt: skip


# -- reading


class _Mention(NamedTuple):
    """A period in a text: where it is named (`at`), and from where to where it is spoken of."""

    period: Period
    at: int
    start: int
    end: int
    bound: str


def _mentions(text: str, calendar: Calendar, *, sure: bool) -> list[_Mention]:
    """Every period that the text names. With `sure`, it is known to be a date."""
    found: list[_Mention] = []
    at = 0
    for _ in range(MOST_TRIED):
        trigger = _TRIGGER.search(text, at)
        if trigger is None or len(found) == MOST:
            break
        behind = found[-1].end if found else 0
        goes_on = bool(found) and found[-1].bound in ("between", "from") and _AND.fullmatch(text, behind, trigger.start())
        mention, at = _read(text, trigger, calendar, behind, sure=sure or bool(goes_on))
        if mention:
            found.append(mention)
    return found


def _read(text: str, trigger: re.Match[str], calendar: Calendar, behind: int, *, sure: bool) -> tuple[_Mention | None, int]:
    """The period that is named at a trigger, if any, and where to read on; `behind` is where the one before it ends."""
    at = trigger.start()
    for rule in _RULES:
        match = rule.pattern.match(text, at)
        if not match or not (sure or rule.meant(match)):
            continue
        try:
            period = rule.period(calendar, match)
            return _led(text, _Mention(period, at, at, match.end(), ""), calendar, behind), match.end()
        except (ValueError, OverflowError):
            return None, match.end()  # a date of no calendar
    return None, trigger.end()


def _led(text: str, mention: _Mention, calendar: Calendar, behind: int) -> _Mention:
    """The mention with what leads up to it: "early", "before", "two days after"."""
    lead = _LEAD.search(text[max(behind, mention.at - _LEAD_LENGTH) : mention.at])
    if lead is None:
        return mention
    period, bound = mention.period, _plain(lead["bound"] or "")
    if lead["part"]:
        period = _part(period, _plain(lead["part"]).split()[0], calendar)
    if lead["unit"]:
        period, bound = _beside(period, bound, lead, calendar), ""
    spoken = lead["unit"] or lead["bound"] or lead["part"]
    return mention._replace(period=period, bound=bound, start=mention.at - len(lead[0]) if spoken else mention.at)


def _part(period: Period, part: str, calendar: Calendar) -> Period:
    """The first, second or last third of a period; "earlier" is all of it up to now."""
    if part == "earlier":
        return period._replace(end=calendar.moment) if period.start < calendar.moment < period.end else period
    first, behind = period.start.date(), period.end.date()
    third = timedelta((behind - first).days // 3)
    if not third or period.precision not in _FINER:
        return period
    if part in ("early", "beginning", "start"):
        behind = first + third
    elif part in ("mid", "middle"):
        first, behind = first + third, first + 2 * third
    else:
        first += 2 * third
    return calendar.between(first, behind, _FINER[period.precision])


def _beside(period: Period, side: str, lead: re.Match[str], calendar: Calendar) -> Period:
    """ "The week before" is the one that ends there; "two weeks before" is about that far away."""
    unit = _unit(lead["unit"])
    if lead["count"]:
        low, high = _count(lead["count"])
        if side == "before":
            return calendar.about(period.start, -high, -low, unit)
        return calendar.about(period.end - timedelta(microseconds=1), low, high, unit)
    if unit in SECONDS:
        return period
    precision, months, days, _ = UNITS[unit]
    first, behind = period.start.date(), period.end.date()
    if side == "before":
        return calendar.between(shift(first, -months) - timedelta(days), first, precision)
    return calendar.between(behind, shift(behind, months) + timedelta(days), precision)


def _bounded(period: Period, bound: str) -> tuple[datetime | None, datetime | None]:
    if bound in ("before", "prior to"):
        return None, period.start
    if bound == "after":
        return period.end, None
    if bound == "since":
        return period.start, None
    if bound in ("until", "till", "by", "up to"):
        return None, period.end
    return period.start, period.end


def _joins(text: str, one: _Mention, two: _Mention) -> bool:
    """Whether two mentions are the ends of one range: "between March and May", "Monday to Friday"."""
    if one.bound == "between":
        return _AND.fullmatch(text, one.end, two.at) is not None
    return one.bound in ("", "from") and _TO.fullmatch(text, one.end, two.at) is not None


def _between(text: str, one: _Mention, two: _Mention) -> TimeRange:
    """One range from two mentions. The first follows the second where it would come after it: March to May 2023."""
    start = one.period.start
    if start > two.period.start and (trigger := _TRIGGER.match(text, one.at)):
        again, _ = _read(text, trigger, Calendar(two.period.start), one.start, sure=True)
        start = again.period.start if again else start
    start, end = min(start, two.period.start), max(two.period.end, one.period.end if start == one.period.start else start)
    return TimeRange(start, end, two.period.precision, (one.start, two.end))
