"""The words of one language that the engine needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DateWords:
    """How a language names times. Values are regular expressions over text in lower case without accents, unless said
    otherwise; accents in them are taken off as well."""

    days: Mapping[str, int]
    """Words for days, by how many days they are from today."""
    which: tuple[str, str, str]
    """Words for the last, this and the next (week, month, year), before or after the unit."""
    units: Mapping[str, str]
    """Words for day, week, weekend, month and year."""
    weekdays: tuple[str, ...]
    """Monday first."""
    months: tuple[str, ...]
    numbers: Mapping[str, int]
    """Words for counts; 0 stands for a few."""
    ago: tuple[str, ...] = ()
    """Patterns with {n} and {unit} for a time in the past."""
    ahead: tuple[str, ...] = ()
    """The same for a time to come."""
    periods: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Words that are a unit and a distance in one: "先週" is the last week."""
    signs: str = ""
    """Prepositions that make a month or a year of the word behind them."""
    month_ending: str = ""
    """What stands behind a month as such a sign."""
    year_words: str = ""
    """Words beside the number of a year."""
    before: str = ""
    after: str = ""
    since: str = ""
    until: str = ""
    weekdays_have_week: bool = False
    """Whether a weekday's name has the word for week in it, so that "last" belongs to the week: 上周二."""
    gap: str = r"\s+"
    """What may stand between two of these words."""


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """Word lists of one language. Lists are written as text with spaces between the words.

    `stop_words` say nothing about what is looked for. `cues` are other frequent words; together with `letters`, which few
    other languages have, they tell in which language a text is written.
    """

    code: str
    stemmer: str | None
    """The name of the Snowball algorithm; None for scripts that are indexed by characters and pairs."""
    stop_words: str
    cues: str = ""
    letters: str = ""
    lookalikes: str = ""
    """Words and names of this language that are function words of others."""
    first_person: str = ""
    """I, me, my, we, us, our, and forms of frequent verbs that only a speaker has."""
    first_person_pattern: str = ""
    """A regular expression for endings that only a speaker's words have."""
    questions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Question words by what they ask for, phrases parted by commas."""
    requests: str = ""
    """Beginnings of questions without a question word and of requests for something known, parted by commas."""
    question_endings: str = ""
    """Endings of questions, parted by commas."""
    pronouns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Words that point back to a person ("person"), a thing ("thing") or several ("several"), and phrases in which such
    words mean nothing ("empty"). An underscore stands for a space."""
    dates: DateWords | None = None
