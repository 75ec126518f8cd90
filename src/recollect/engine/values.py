"""The exact values in a text: numbers with their unit, dates, names, paths, addresses, commands, identifiers, quotations.

They are what a summary usually loses and what people ask for later. A word is looked at closely only if something about it
is unusual (a digit, a capital, a sign), so ordinary talk costs little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.engine.pattern import ABBREVIATED
from recollect.engine.value_patterns import (
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
    Shape,
)

LOOKED_AT = 8000
"""Characters read of a text: who writes more has pasted something, and it should not cost milliseconds."""
MOST = 200
"""Values of one text: a table of numbers is none to remember."""
LONGEST = 300
"""Characters in a word that is looked at: longer ones are encoded data."""

ValueKind = Literal[
    "url", "email", "path", "command", "code", "id", "version", "quote", "date", "day", "time", "money", "number", "name"
]
"""A `date` says which day, month or year it is; a `day` only says so to those who know today (Friday, tomorrow)."""


class Value(NamedTuple):
    """One exact value: what it is, its words, and where they are."""

    kind: ValueKind
    text: str
    start: int
    end: int


def values(text: str) -> list[Value]:
    """The exact values of a text, in order; they do not overlap.

    >>> [(value.kind, value.text) for value in values("Ana pays $1,200 on 3 May, see `make pay` in /srv/pay.toml")]
    [('money', '$1,200'), ('date', '3 May'), ('command', 'make pay'), ('path', '/srv/pay.toml')]
    >>> [value.text for value in values("The gate code is 4417 and Tom Hale opens at 6:30 am.")]
    ['4417', 'Tom Hale', '6:30 am']
    """
    if len(text) > LOOKED_AT:
        text = text[:LOOKED_AT].rpartition(" ")[0] or text[:LOOKED_AT]
    found: list[Value] = []
    behind = 0
    for word, end in _unusual_words(text):
        start = max(word, behind)
        if start >= end:
            continue
        for value in _read(text, start, min(end, start + LONGEST)):
            found.append(value)
            behind = value.end
        if len(found) >= MOST:
            break
    return found[:MOST]


# -- reading


def _unusual_words(text: str) -> Iterator[tuple[int, int]]:
    """Where the words are that may begin a value. Runs of plain words are passed over at once."""
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
    """Whether a word cannot begin a value: most words of ordinary talk."""
    if not word.islower() or not word.isascii() or word.startswith("--"):
        return word == "I"
    bare = word.strip(EDGES)
    if not bare.isalpha():
        return bare.replace("'", "").replace("-", "").replace("’", "").isalpha() and bare.split("-")[0] not in WATCHED
    return bare not in WATCHED and (bare is word or word[0] not in "\"'“‘")


def _read(text: str, start: int, end: int) -> Iterator[Value]:
    """The values that begin within one word."""
    at: int | None = start
    while at is not None and at < end:
        value = _value_at(text, at, end)
        if value is not None:
            yield value
        inner = INNER.search(text, value.end if value else at + 1, end)
        at = inner.start() if inner else None


def _value_at(text: str, at: int, end: int) -> Value | None:
    while at < end and text[at] in "([{（*<>,;.!?" and not text.startswith(("./", "../", ".env", ".git"), at):
        at += 1
    for pattern in _patterns(text[at:end]):
        match = pattern.match(text, at)
        if match is not None and (value := _accepted(text, match)):
            return value
    return None


def _patterns(word: str) -> tuple[Shape, ...]:
    """What a value can be that begins with this word: trying everything would take three times as long."""
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


def _accepted(text: str, match: re.Match[str]) -> Value | None:
    """The value that a match stands for, unless the words around it say that it is none."""
    group = match.lastgroup or ""
    kind, (start, end) = group.rstrip("234"), match.span(group)
    if kind == "name":
        return _name(text, start, end)
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
    return Value(kind, text[start:end], start, end)  # pyright: ignore[reportArgumentType]  # groups are named for kinds


def _is_path(words: str, group: str) -> bool:
    """Not "and/or", "24/7" or "km/h"."""
    if group == "path":
        return len(words) > 2
    return group == "path3" or words.count("/") > 1 or ("." in words and not FRACTION.match(words))


def _is_command(text: str, words: str, start: int) -> bool:
    """Tools that are also English words need more than an argument."""
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


def _name(text: str, start: int, end: int) -> Value | None:
    """A name, if neither grammar nor shouting gives it its capital."""
    before = text[max(0, start - 16) : start]
    first = (start == 0 or FIRST_OF_SENTENCE.search(before) is not None) and not ABBREVIATED.search(before)
    word, _, rest = text[start:end].partition(" ")
    if word.partition("'")[0].partition("’")[0] in COMMON or len(word) + len(rest) < 2:
        return None
    if word.isupper() and len(word) > 5 and not rest:
        return None
    if first and (word.endswith(("ing", "ly", "ed")) or (not rest and not _is_subject(text, word, end))):
        return None
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return Value("name", text[start:end], start, end)


def _is_subject(text: str, word: str, end: int) -> bool:
    """Whether the first word of a sentence is spoken of as somebody or something with a name."""
    if word.endswith(("'s", "’s")) or any(letter.isupper() or letter.isdigit() for letter in word[1:]):
        return True
    following = FOLLOWING.match(text, end)
    return following is not None and following[1] in PREDICATES and not word.endswith(("ing", "ly"))
