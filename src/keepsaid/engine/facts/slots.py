"""Names of the slots that values fill. A newer value of a slot replaces the older one."""

from __future__ import annotations

import re

from keepsaid.engine.facts.words import JOBS, UNIT
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_PLAIN = frozenset("new different total currently far own current".split())
_UNITS = EnglishPattern(rf"\b{UNIT}\b")
_MORE = EnglishPattern(r"\b(?:more|another|other|additional|extra|out of|times)\b")
_WHEN = re.compile(r"\b(?:on|every|each|at|next|this|tomorrow|tonight|by)\b")
_JOB = EnglishPattern(rf"(?:(?:a|an|the) )?(?:[\w-]+ ){{0,3}}{JOBS}\b(?! of)")
_PLACE = re.compile(
    r"(?:the )?(?:[A-Z]|suburb|city|country|countryside)|a (?:new )?(?:apartment|house|flat|place|studio|condo)"
)
_ABSTRACT = frozenset(
    "questions problems errors issues bugs options choices ideas things ways reasons points requests steps files lines"
    " columns rows tests people persons others".split()
)
"""Things whose number is not worth keeping."""
_DONE = frozenset("finished done complete finish".split())
_MARITAL = frozenset("married single divorced engaged widowed separated".split())
_DIETS = frozenset("vegetarian vegan pescatarian".split())


def slot_words(text: str) -> str:
    """Return the content words of a text, as spelled in it, in lower case.

    >>> slot_words("my new road bike")
    'road bike'
    """
    return " ".join(
        word for word in _WORD.findall(text) if content_words(terms(word)) and word.lower() not in _PLAIN
    ).lower()


def number_of(match: re.Match[str]) -> str:
    """Name the slot of a count, with its verb: "number of books (read)". Return "" for a passing number."""
    thing, verb = slot_words(match["thing"]), slot_words(match["verb"] or "")
    if not thing or not _ABSTRACT.isdisjoint(thing.split()) or _UNITS.search(match["thing"]) or _MORE.search(match[0]):
        return ""
    return f"number of {thing} ({'completed' if verb in _DONE else verb})" if verb else f"number of {thing}"


def how_long(match: re.Match[str]) -> str:
    """Name the slot for how long a person has done something."""
    return f"how long {slot_words(match['what'])}"


def how_often(match: re.Match[str]) -> str:
    """Name the slot for how often a person does something."""
    return f"how often {slot_words(match['what'])} {slot_words(match.groupdict().get('more') or '')}".strip()


def time_spent(match: re.Match[str]) -> str:
    """Name the slot for the time spent on something."""
    return f"time spent {slot_words(match['what'])}"


def times_done(match: re.Match[str]) -> str:
    """Name the slot for how many times a person did something."""
    return f"times {slot_words(match['verb'])} {slot_words(match['what'])}"


def time_of(match: re.Match[str]) -> str:
    """Name the slot for the time of a class or an appointment: each has one."""
    what = slot_words(_WHEN.split(match["value"], maxsplit=1)[0])
    return f"time of {what}" if what else ""


def progress(match: re.Match[str]) -> str:
    """Name the slot for progress in a book, a series or a game."""
    return f"{match['what'].lower()} {slot_words(match['of'])}".strip()


def goal(match: re.Match[str]) -> str:
    """Name the slot for a goal."""
    return f"goal {slot_words(match['what'])}".strip()


def taste(match: re.Match[str]) -> str:
    """Name the slot for the taste for one thing. A person can like many things, but each one either is liked or is not."""
    return f"taste for {slot_words(match['value'])}"


def job(match: re.Match[str]) -> str:
    """Name the slot "job" if the value is a job, else ""."""
    return "job" if _JOB.match(match["value"]) else ""


def job_or_employer(match: re.Match[str]) -> str:
    """Name the slot for work: "job" for work as something, "employer" for work for or at something."""
    return "job" if match["how"].lower() == "as" else "employer"


def home(match: re.Match[str]) -> str:
    """Name the slot "home" if the value is a place to live, else ""."""
    return "home" if _PLACE.match(match["value"]) else ""


def state(match: re.Match[str]) -> str:
    """Name the slot of a state that excludes others: marital status or diet, else ""."""
    value = match["value"].lower()
    if value in _MARITAL:
        return "marital status"
    return "diet" if value in _DIETS else ""
