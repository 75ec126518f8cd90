"""What the slot is called that a value fills, so that a newer value finds the older one."""

from __future__ import annotations

import re

from recollect.engine.facts.words import JOBS, UNIT
from recollect.engine.pattern import Pattern
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_PLAIN = frozenset("new different total currently far own current".split())
_UNITS = Pattern(rf"\b{UNIT}\b")
_MORE = Pattern(r"\b(?:more|another|other|additional|extra|out of|times)\b")
_WHEN = re.compile(r"\b(?:on|every|each|at|next|this|tomorrow|tonight|by)\b")
_JOB = Pattern(rf"(?:(?:a|an|the) )?(?:[\w-]+ ){{0,3}}{JOBS}\b(?! of)")
_PLACE = re.compile(
    r"(?:the )?(?:[A-Z]|suburb|city|country|countryside)|a (?:new )?(?:apartment|house|flat|place|studio|condo)"
)
_ABSTRACT = frozenset(
    "questions problems errors issues bugs options choices ideas things ways reasons points requests steps files lines"
    " columns rows tests people persons others".split()
)
"""What is counted in passing."""
_DONE = frozenset("finished done complete finish".split())
_MARITAL = frozenset("married single divorced engaged widowed separated".split())
_DIETS = frozenset("vegetarian vegan pescatarian".split())


def slot_words(text: str) -> str:
    """The telling words of a text in its own spelling.

    >>> slot_words("my new road bike")
    'road bike'
    """
    return " ".join(word for word in _WORD.findall(text) if telling(terms(word)) and word.lower() not in _PLAIN).lower()


def number_of(match: re.Match[str]) -> str:
    """A count, with the deed that it counts: "number of books (read)". None for what was added to a number."""
    thing, verb = slot_words(match["thing"]), slot_words(match["verb"] or "")
    if not thing or not _ABSTRACT.isdisjoint(thing.split()) or _UNITS.search(match["thing"]) or _MORE.search(match[0]):
        return ""
    return f"number of {thing} ({'completed' if verb in _DONE else verb})" if verb else f"number of {thing}"


def how_long(match: re.Match[str]) -> str:
    """For how long somebody has done something."""
    return f"how long {slot_words(match['what'])}"


def how_often(match: re.Match[str]) -> str:
    """How often somebody does something."""
    return f"how often {slot_words(match['what'])} {slot_words(match.groupdict().get('more') or '')}".strip()


def time_spent(match: re.Match[str]) -> str:
    """How much time went into something."""
    return f"time spent {slot_words(match['what'])}"


def times_done(match: re.Match[str]) -> str:
    """How many times somebody did something."""
    return f"times {slot_words(match['verb'])} {slot_words(match['what'])}"


def time_of(match: re.Match[str]) -> str:
    """A class has one time in the week, and an appointment one date."""
    what = slot_words(_WHEN.split(match["value"], maxsplit=1)[0])
    return f"time of {what}" if what else ""


def progress(match: re.Match[str]) -> str:
    """How far somebody is in a book, a series, a game."""
    return f"{match['what'].lower()} {slot_words(match['of'])}".strip()


def goal(match: re.Match[str]) -> str:
    """What somebody wants to reach."""
    return f"goal {slot_words(match['what'])}".strip()


def taste(match: re.Match[str]) -> str:
    """One can like many things, but each of them either likes or not."""
    return f"taste for {slot_words(match['value'])}"


def job(match: re.Match[str]) -> str:
    """A job, if that is what somebody became."""
    return "job" if _JOB.match(match["value"]) else ""


def job_or_employer(match: re.Match[str]) -> str:
    """People work as something, or for somebody."""
    return "job" if match["how"].lower() == "as" else "employer"


def home(match: re.Match[str]) -> str:
    """Where somebody lives, if it is a place to live."""
    return "home" if _PLACE.match(match["value"]) else ""


def state(match: re.Match[str]) -> str:
    """Which of the states that exclude each other somebody is in."""
    value = match["value"].lower()
    if value in _MARITAL:
        return "marital status"
    return "diet" if value in _DIETS else ""
