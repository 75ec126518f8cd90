"""Find the exact values in a text: numbers with units, dates, names, paths, addresses, commands, identifiers, quotations.

A summary usually loses them, and users ask for them later. A word is examined closely only if something about it is unusual
(a digit, a capital, a sign), so ordinary text costs little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from keepsaid.engine.text.patterns import ABBREVIATION_END
from keepsaid.engine.text.value_patterns import (
    CAPITALIZED,
    CODED,
    COMMAND,
    COMMON,
    COUNTED,
    DATED,
    DAY_WORDS,
    EDGES,
    FIRST_OF_SENTENCE,
    FOLLOWING,
    FRACTION,
    INNER,
    NUMBER_WORDS,
    PREDICATES,
    RUN_BEFORE,
    RUNS,
    SIGN,
    SIGNED,
    TOOL_NAMES,
    WATCHED,
    WORDED_NUMBER,
    WORDS,
    ValuePattern,
)

MAX_CHARACTERS_READ = 8000
"""Characters of a text that are read. A longer text was mostly pasted, and should not cost milliseconds."""
MAX_VALUES = 200
"""Maximum values of one text. A table of numbers need not be remembered."""
MAX_WORD_CHARACTERS = 300
"""Characters of a word that are examined. Longer words are encoded data."""

ValueKind = Literal[
    "url", "email", "path", "command", "code", "id", "version", "quote", "date", "day", "time", "money", "number", "name"
]
"""A `date` is an absolute day, month or year. A `day` is relative to today (Friday, tomorrow)."""


class ExactValue(NamedTuple):
    """One exact value: its kind, its text and its span."""

    kind: ValueKind
    text: str
    start: int
    end: int


def find_values(text: str) -> list[ExactValue]:
    """Return the exact values of a text, in order. They do not overlap.

    >>> [(value.kind, value.text) for value in find_values("Ana pays $1,200 on 3 May, see `make pay` in /srv/pay.toml")]
    [('money', '$1,200'), ('date', '3 May'), ('command', 'make pay'), ('path', '/srv/pay.toml')]
    >>> [value.text for value in find_values("The gate code is 4417 and Tom Hale opens at 6:30 am.")]
    ['4417', 'Tom Hale', '6:30 am']
    """
    if len(text) > MAX_CHARACTERS_READ:
        text = text[:MAX_CHARACTERS_READ].rpartition(" ")[0] or text[:MAX_CHARACTERS_READ]
    found: list[ExactValue] = []
    last_end = 0
    for word, end in _unusual_words(text):
        start = max(word, last_end)
        if start >= end:
            continue
        for value in _read(text, start, min(end, start + MAX_WORD_CHARACTERS)):
            found.append(value)
            last_end = value.end
        if len(found) >= MAX_VALUES:
            break
    return found[:MAX_VALUES]


# -- reading


def _unusual_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words that may begin a value. Runs of plain words are skipped at once."""
    for run in RUNS.finditer(text):
        plain, word = run.groups()
        if word is not None:
            if not _is_plain(word):
                yield run.span()
        elif not WATCHED.isdisjoint(plain.split()):
            for one in WORDS.finditer(text, *run.span()):
                if one[0] in WATCHED:
                    yield one.span()


def _is_plain(word: str) -> bool:
    """Whether a word cannot begin a value, which is true of most ordinary words."""
    if not word.islower() or not word.isascii() or word.startswith("--"):
        return word == "I"
    bare = word.strip(EDGES)
    if not bare.isalpha():
        return bare.replace("'", "").replace("-", "").replace("’", "").isalpha() and bare.split("-")[0] not in WATCHED
    return bare not in WATCHED and (bare is word or word[0] not in "\"'“‘")


def _read(text: str, start: int, end: int) -> Iterator[ExactValue]:
    """Yield the values that begin within one word."""
    at: int | None = start
    while at is not None and at < end:
        value = _value_at(text, at, end)
        if value is not None:
            yield value
        inner = INNER.search(text, value.end if value else at + 1, end)
        at = inner.start() if inner else None


def _value_at(text: str, at: int, end: int) -> ExactValue | None:
    while at < end and text[at] in "([{（*<>,;.!?" and not text.startswith(("./", "../", ".env", ".git"), at):
        at += 1
    for pattern in _patterns_for(text[at:end]):
        match = pattern.match(text, at)
        if match is not None and (value := _build_value(text, match)):
            return value
    return None


def _patterns_for(word: str) -> tuple[ValuePattern, ...]:
    """Return the patterns for values that can begin with this word. Trying all would take three times as long."""
    signed = SIGN.search(word) is not None
    if word[:1].isdigit():
        return (DATED, SIGNED, COUNTED) if signed else (DATED, COUNTED)
    bare = word.rstrip(EDGES)
    lowered = bare.lower()
    if signed:
        return (DATED, SIGNED, COUNTED, CAPITALIZED)
    if lowered in DAY_WORDS:
        return (DATED, CAPITALIZED)
    if lowered in NUMBER_WORDS:
        return (WORDED_NUMBER,)
    if bare in TOOL_NAMES:
        return (COMMAND,)
    if word[:1].isalpha():
        return () if bare in COMMON else (CAPITALIZED,)
    return (SIGNED, COUNTED, CAPITALIZED)


def _build_value(text: str, match: re.Match[str]) -> ExactValue | None:
    """Return the value of a match, unless the context shows that it is not a value."""
    group = match.lastgroup or ""
    kind, (start, end) = group.rstrip("234"), match.span(group)
    if kind == "name":
        return _build_name(text, start, end)
    if kind == "path" and not _is_path(match[0], group):
        return None
    if kind == "command" and not _is_command(text, match[0], start):
        return None
    if kind == "code" and group == "code" and " " in match[group]:
        kind = "command"
    if kind == "date" and match[0].lower() in ("may", "march", "mar", "sun", "sat"):
        return None
    if kind == "url" or kind == "time":
        end = start + len(match[group].rstrip(".,;:!?)*"))
    return ExactValue(kind, text[start:end], start, end)  # pyright: ignore[reportArgumentType]  # groups are named for kinds


def _is_path(words: str, group: str) -> bool:
    """Whether it is a path, not "and/or", "24/7" or "km/h"."""
    if group == "path":
        return len(words) > 2
    return group == "path3" or words.count("/") > 1 or ("." in words and not FRACTION.match(words))


def _is_command(text: str, words: str, start: int) -> bool:
    """Whether it is a command. Tools that are also English words need more evidence than an argument."""
    tool, _, arguments = words.partition(" ")
    if tool in (
        "make",
        "go",
        "task",
        "just",
        "node",
        "cp",
        "rails",
        "composer",
        "bundle",
        "flask",
        "heroku",
        "az",
        "dotnet",
    ):
        return CODED.search(arguments) is not None or RUN_BEFORE.search(text[max(0, start - 12) : start]) is not None
    return True


def _build_name(text: str, start: int, end: int) -> ExactValue | None:
    """Return a name, unless its capitals are due to grammar or to an upper-case text."""
    before = text[max(0, start - 16) : start]
    first = (start == 0 or FIRST_OF_SENTENCE.search(before) is not None) and not ABBREVIATION_END.search(before)
    word, _, rest = text[start:end].partition(" ")
    if word.partition("'")[0].partition("’")[0] in COMMON or len(word) + len(rest) < 2:
        return None
    if word.isupper() and len(word) > 5 and not rest:
        return None
    if first and (word.endswith(("ing", "ly", "ed")) or (not rest and not _is_subject(text, word, end))):
        return None
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return ExactValue("name", text[start:end], start, end)


def _is_subject(text: str, word: str, end: int) -> bool:
    """Whether the first word of a sentence is used as the name of a person or thing."""
    if word.endswith(("'s", "’s")) or any(letter.isupper() or letter.isdigit() for letter in word[1:]):
        return True
    following = FOLLOWING.match(text, end)
    return following is not None and following[1] in PREDICATES and not word.endswith(("ing", "ly"))
