"""Find dates in languages other than English, by one grammar and the date words of each language.

Recognized are days ("gestern"), the last, this and the next week, month, year, weekend and weekday ("la semana pasada"),
times ago and ahead ("vor drei Wochen", "3日前"), dates with the name or number of a month ("12 mars 2024", "5월 13일",
"13.05.2026"), and months and years after a preposition ("im März"). A weekday alone is not: it is as often in the future.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from keepsaid.engine.languages.detect import detect_language, foreign_language
from keepsaid.engine.languages.registry import language_tables
from keepsaid.engine.languages.table import DateWords
from keepsaid.engine.text.calendar import CalendarPeriod, RelativeCalendar, shift_months

_HAN = re.compile("[\u4e00-\u9fff]")
A_FEW = (2, 5)
"""The range meant by "a few"."""
_UNSPACED = ("zh", "ja", "ko")
_LETTERS = str.maketrans("łıİ", "lii")
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NUMERIC = r"(?P<day>\d{1,2})(?P<mark>[./-])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)(?![\d/.-]*\d)"
_EAST_ASIAN = (
    r"(?:(?P<year>\d{4})\s?[年년]\s?)?(?P<month>\d{1,2})\s?[月월](?:\s?(?P<day>\d{1,2})\s?[日号號일])?(?![曜요])",
    r"(?P<year>(?:19|20)\d\d)\s?[年년](?!\s?\d)",
)


class DateMention(NamedTuple):
    """A period, its span in the text, and the bound before it: "before", "after", "since", "until" or ""."""

    period: CalendarPeriod
    start: int
    end: int
    bound: str


class _DateWordRule(NamedTuple):
    pattern: re.Pattern[str]
    period: Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]


def date_languages(text: str) -> tuple[str, ...]:
    """Return the languages other than English that a text may be in. A few Han characters may be in two languages.

    >>> date_languages("Was war gestern?"), date_languages("先週"), date_languages("What was yesterday?")
    (('de',), ('ja', 'zh'), ())
    """
    language = foreign_language(text)
    if language is not None:
        return (language,)
    return ("ja", "zh") if not text.isascii() and _HAN.search(text) and detect_language(text) is None else ()


def find_dates(text: str, language: str, calendar: RelativeCalendar) -> list[DateMention]:
    """Return the times that a text names in a language, in order.

    >>> from datetime import UTC, datetime
    >>> calendar = RelativeCalendar(datetime(2026, 5, 13, 12, tzinfo=UTC))
    >>> [str(mention.period.start.date()) for mention in find_dates("Was war letzte Woche und gestern?", "de", calendar)]
    ['2026-05-04', '2026-05-12']
    """
    words = language_tables()[language].dates
    if words is None:
        return []
    plain = _plain(text, language)
    found: list[DateMention] = []
    read = bytearray(len(plain))
    for rule in _rules(language):
        for match in rule.pattern.finditer(plain):
            if any(read[match.start() : match.end()]):
                continue
            try:
                period = rule.period(calendar, match)
            except (ValueError, OverflowError):
                continue  # not a calendar date
            bound, start = _bound(plain, match, _bounds(language))
            found.append(DateMention(period, start, match.end(), bound))
            read[start : match.end()] = b"\1" * (match.end() - start)
    return sorted(found, key=lambda mention: mention.start)


def _plain(text: str, language: str) -> str:
    """Return the text in lower case without accents, with every character at the same position."""
    if language in _UNSPACED or text.isascii():
        return text.lower() if text.isascii() else "".join(_lower_character(character) for character in text)
    return "".join(_lower_character(unicodedata.normalize("NFD", character)[0]) for character in text.translate(_LETTERS))


def _lower_character(character: str) -> str:
    small = character.lower()
    return small if len(small) == 1 else character


def _bound(plain: str, match: re.Match[str], bounds: Mapping[str, re.Pattern[str]]) -> tuple[str, int]:
    """Return the bound before a period or in its preposition, and where it begins."""
    at, sign = match.start(), match.groupdict().get("sign")
    for bound, pattern in bounds.items():
        if sign and pattern.fullmatch(sign):
            return bound, at
        if before := pattern.search(plain, max(0, at - 24), at):
            return bound, before.start()
    return "", at


@cache
def _bounds(language: str) -> dict[str, re.Pattern[str]]:
    words = language_tables()[language].dates
    named = (
        {} if words is None else {"before": words.before, "after": words.after, "since": words.since, "until": words.until}
    )
    return {
        bound: re.compile(rf"(?<!\w)(?:{_plain(text, language)})\s+(?:\w{{1,4}}\s+)?$")
        for bound, text in named.items()
        if text
    }


# -- the grammar


@cache
def _rules(language: str) -> tuple[_DateWordRule, ...]:
    """Return the rules of a language. Text read by an earlier rule is skipped by later ones."""
    words = language_tables()[language].dates
    assert words is not None
    words = replace(words, numbers={_plain_pattern(text, language): count for text, count in words.numbers.items()})

    def compiled(pattern: str) -> re.Pattern[str]:
        edges = ("", "") if language in _UNSPACED else (r"(?<!\w)", r"(?!\w)")
        return re.compile(edges[0] + "(?:" + _plain_pattern(pattern, language) + ")" + edges[1])

    return tuple(
        _DateWordRule(compiled(pattern), period) for pattern, period in (*_dates(words), *_distances(words), *_months(words))
    )


def _plain_pattern(pattern: str, language: str) -> str:
    """Return a pattern without accents. Its letters are already in lower case, and its escapes must not change."""
    if language in _UNSPACED:
        return pattern
    return "".join(unicodedata.normalize("NFD", character)[0] for character in pattern.translate(_LETTERS))


DatePatterns = Iterator[tuple[str, Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]]]


def _dates(words: DateWords) -> DatePatterns:
    """Yield patterns for dates with numbers."""
    month = _indexed_groups("month", words.months)
    of = r"(?:\.|er|º|ª|:?e)?\s+(?:d[eiu]\s+|d['’])?"
    year = rf"(?:,?\s+(?:de\s+|del\s+|do\s+)?{_YEAR})?"
    yield rf"(?P<day>\d{{1,2}}){of}(?:{month}){year}(?!\w)", _day_of_month
    yield _NUMERIC, _numeric
    for pattern in _EAST_ASIAN:
        yield pattern, _east_asian


def _distances(words: DateWords) -> DatePatterns:
    """Yield patterns for times by their distance from today."""
    gap, which = words.gap, _indexed_groups("which", words.which)
    units = _indexed_groups("unit", [words.units[unit] for unit in ("week", "weekend", "month", "year")])
    weekday = _indexed_groups("weekday", words.weekdays)
    count = rf"(?P<n>\d{{1,3}}|{'|'.join(words.numbers)})"
    every = _indexed_groups("unit", list(words.units.values()))
    yield "|".join(f"(?P<p{place}>{text})" for place, text in enumerate(words.periods)) or r"(?!)", _fixed_period(words)
    for patterns, sign in ((words.ago, -1), (words.ahead, 1)):
        for pattern in patterns:
            text = pattern.replace(" ", r"\s+").replace("{n}", count).replace("{unit}", f"(?:{every})")
            yield text, _counted_distance(words, sign)
    yield rf"(?:{which}){gap}(?:{words.units['week']}){gap}(?:{weekday})", _weekday_of_week
    yield rf"(?:{which}){gap}(?:{weekday})", _weekday_of_week if words.weekdays_have_week else _weekday
    yield rf"(?:{weekday}){gap}(?:{which})", _weekday
    yield rf"(?:{which}){gap}(?:{units})", _adjacent_period
    if gap.startswith(r"\s+"):
        yield rf"(?:{units}){gap}(?:{which})", _adjacent_period
    yield "|".join(f"(?P<p{place}>{text})" for place, text in enumerate(words.days)), _named_day(words)


def _months(words: DateWords) -> DatePatterns:
    """Yield patterns for months and years that are marked as such by a preposition, an ending or a year."""
    month = _indexed_groups("month", words.months)
    year = rf"(?:,?\s+(?:de\s+|del\s+|do\s+)?{_YEAR})"
    signs = rf"(?<!\w)(?P<sign>(?:{words.signs})\s+)(?:\w{{1,3}}\s+)?" if words.signs else ""
    yield rf"(?:{month}){year}", _month
    if signs:
        yield rf"{signs}(?:{month})", _month
    if words.month_ending:
        yield rf"(?:{month})(?:{words.month_ending})", _month
    year_words = words.year_words or r"(?!)"
    yield rf"(?:{year_words})\s+{_YEAR}|(?P<other>(?:19|20)\d\d)['’]?\s?(?:{year_words})", _year
    if signs:
        yield rf"{signs}{_YEAR}(?![.:,/-]?\d)", _year


def _indexed_groups(group: str, alternatives: Iterable[str]) -> str:
    """Return alternatives, each in a group named `group` plus its index, so that a match shows which one it is."""
    return "|".join(f"(?P<{group}{place}>{text})" for place, text in enumerate(alternatives))


def _matched_index(match: re.Match[str], group: str) -> int:
    """Return the index of the alternative of a group that matched."""
    for name, value in match.groupdict().items():
        if value is not None and name.startswith(group) and name[len(group) :].isdecimal():
            return int(name[len(group) :])
    raise ValueError(f"no {group} in {match[0]!r}")


# -- what they mean


def _period_in_year(
    match: re.Match[str], calendar: RelativeCalendar, in_year: Callable[[int], CalendarPeriod]
) -> CalendarPeriod:
    """Return the period in the year that is named, or the most recent one that has begun."""
    if match["year"]:
        return in_year(int(match["year"]))
    for year in range(calendar.today.year, calendar.today.year - 9, -1):  # leap days can be eight years apart
        try:
            period = in_year(year)
        except ValueError:
            continue
        if period.start <= calendar.moment:
            return period
    raise ValueError("no year has this day")


def _day_of_month(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    month, day = _matched_index(match, "month") + 1, int(match["day"])
    return _period_in_year(match, calendar, lambda year: calendar.days(date(year, month, day)))


def _numeric(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    """Return the day of a numeric date: day first, or month first if nothing else is possible."""
    day, month, year = int(match["day"]), int(match["month"]), int(match["year"])
    if month > 12:
        day, month = month, day
    return calendar.days(date(year + 2000 if year < 100 else year, month, day))


def _east_asian(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    groups = match.groupdict()
    if groups.get("month") is None:
        return _year(calendar, match)
    month = int(match["month"])
    if match["day"] is None:
        return _period_in_year(match, calendar, lambda year: calendar.months(year, month))
    return _period_in_year(match, calendar, lambda year: calendar.days(date(year, month, int(match["day"]))))


def _month(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    month = _matched_index(match, "month") + 1
    if match.groupdict().get("year"):
        return calendar.months(int(match["year"]), month)
    year = calendar.today.year - (month > calendar.today.month)
    return calendar.months(year, month)


def _year(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return calendar.months(int(match["year"] or match["other"]), 1, 12, "year")


def _named_day(words: DateWords) -> Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]:
    distances = list(words.days.values())
    return lambda calendar, match: calendar.days(calendar.today + timedelta(distances[_matched_index(match, "p")]))


def _fixed_period(words: DateWords) -> Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]:
    meanings = list(words.periods.values())
    return lambda calendar, match: _period_at_distance(calendar, *meanings[_matched_index(match, "p")])


def _adjacent_period(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    unit = ("week", "weekend", "month", "year")[_matched_index(match, "unit")]
    return _period_at_distance(calendar, unit, _matched_index(match, "which") - 1)


def _period_at_distance(calendar: RelativeCalendar, unit: str, distance: int) -> CalendarPeriod:
    """Return the unit at a distance from the current one."""
    if unit == "day":
        return calendar.days(calendar.today + timedelta(distance))
    if unit == "week":
        return calendar.days(calendar.week(distance), 7, "week")
    if unit == "weekend":
        return calendar.days(calendar.week(distance) + timedelta(5), 2)
    if unit == "year":
        return calendar.months(calendar.today.year + distance, 1, 12, "year")
    first = shift_months(calendar.today.replace(day=1), distance)
    return calendar.months(first.year, first.month)


def _weekday(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    number, distance = _matched_index(match, "weekday"), _matched_index(match, "which") - 1
    ago = (calendar.today.weekday() - number) % 7
    if distance == 0:
        return calendar.days(calendar.week(0) + timedelta(number))
    return calendar.days(calendar.today + timedelta(7 - ago if distance > 0 else -(ago or 7)))


def _weekday_of_week(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
    return calendar.days(calendar.week(_matched_index(match, "which") - 1) + timedelta(_matched_index(match, "weekday")))


def _counted_distance(words: DateWords, sign: int) -> Callable[[RelativeCalendar, re.Match[str]], CalendarPeriod]:
    units = list(words.units)
    numbers = [(re.compile(text), number) for text, number in words.numbers.items()]

    def period(calendar: RelativeCalendar, match: re.Match[str]) -> CalendarPeriod:
        low, high = _count(match["n"], numbers)
        unit = units[_matched_index(match, "unit")]
        if sign < 0:
            return calendar.about(calendar.moment, -high, -low, unit)
        return calendar.about(calendar.moment, low, high, unit)

    return period


def _count(text: str, numbers: Iterable[tuple[re.Pattern[str], int]]) -> tuple[int, int]:
    if text.isdecimal():
        return int(text), int(text)
    for pattern, number in numbers:
        if pattern.fullmatch(text):
            return (number, number) if number else A_FEW
    raise ValueError(f"{text!r} is not a number")
