"""Types for the word lists of one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DateWords:
    """The date words of a language.

    Values are regular expressions for text in lower case without accents, unless stated otherwise. Accents in them are
    removed too.
    """

    days: Mapping[str, int]
    """Words for days, with their distance from today in days."""
    which: tuple[str, str, str]
    """Words for last, this and next (week, month, year), before or after the unit."""
    units: Mapping[str, str]
    """Words for day, week, weekend, month and year."""
    weekdays: tuple[str, ...]
    """Monday first."""
    months: tuple[str, ...]
    numbers: Mapping[str, int]
    """Words for counts. 0 means a few."""
    ago: tuple[str, ...] = ()
    """Patterns with {n} and {unit} for a time in the past."""
    ahead: tuple[str, ...] = ()
    """Patterns with {n} and {unit} for a time in the future."""
    periods: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Words that combine a unit and a distance: "先週" is last week."""
    signs: str = ""
    """Prepositions that mark the next word as a month or a year."""
    month_ending: str = ""
    """Endings that mark the word before them as a month."""
    year_words: str = ""
    """Words next to the number of a year."""
    before: str = ""
    after: str = ""
    since: str = ""
    until: str = ""
    weekdays_have_week: bool = False
    """Whether weekday names contain the word for week, so that "last" refers to the week: 上周二."""
    gap: str = r"\s+"
    """What may be between two of these words."""


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """Word lists of one language. A list is a text with spaces between the words.

    `stop_words` carry no meaning for a search. `cues` are other frequent words. Together with `letters`, which few other
    languages have, they identify the language of a text.
    """

    code: str
    stemmer: str | None
    """The name of the Snowball algorithm; None for scripts that are indexed as characters and pairs."""
    stop_words: str
    cues: str = ""
    letters: str = ""
    lookalikes: str = ""
    """Words and names of this language that are function words of other languages."""
    first_person: str = ""
    """I, me, my, we, us, our, and first-person forms of frequent verbs."""
    first_person_pattern: str = ""
    """A regular expression for first-person endings."""
    questions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Question words by what they ask for, separated by commas."""
    requests: str = ""
    """Beginnings of questions without a question word and of requests for information, separated by commas."""
    question_endings: str = ""
    """Endings of questions, separated by commas."""
    pronouns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Words that refer to a person ("person"), a thing ("thing") or several ("several"), and phrases in which such words
    refer to nothing ("empty"). An underscore stands for a space."""
    dates: DateWords | None = None
