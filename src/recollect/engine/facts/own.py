"""What belongs to a person: "my favourite colour is green", "my best time of 25:50", "my dog, Max", "my new bike"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.engine.facts.claim import Kind
from recollect.engine.facts.parse import people
from recollect.engine.facts.statements import Statement
from recollect.engine.facts.voice import Speaker, retold
from recollect.engine.facts.words import ABOUT, NUMBER, any_of, cued, words_of
from recollect.engine.pattern import Pattern


class Owned(NamedTuple):
    """A bullet about something of the speaker's; `start` and `end` are the place of its value in the statement."""

    text: str
    kind: Kind
    about: str
    start: int
    end: int
    confidence: float


_IS = r"(?:is|are|was|['’]s|has to be|will be)"
_BEFORE = r"(?:(?:so far|currently|right now|at the moment|these days|of all time|ever) )?"
_AFTER = r"(?:(?:now|currently|still|also|actually|only|just|already|definitely) ){0,3}"
_FAVOURITE = Pattern(
    rf"(?:my|our) (?P<slot>(?:(?:all-time|absolute|current|personal) )?favou?rite [\w'’ -]{{2,40}}?) {_BEFORE}{_IS} {_AFTER}"
    r"(?P<value>.{2,80})$"
)
_ATTRIBUTES = any_of(
    "name birthday anniversary job job_title role title profession occupation major degree employer company school"
    " university diet hobby hobbies address email e-mail phone phone_number number shoe_size size weight height"
    " blood_type nationality religion hometown home_town native_language first_language mother_tongue pronouns budget"
    " goal salary rent flight appointment interview wedding exam deadline due_date surgery allergy allergies instagram"
    " handle username timezone time_zone commute bedtime schedule"
)
_ATTRIBUTE = Pattern(
    rf"(?:my|our) (?P<slot>(?:[\w'’-]+ ){{0,3}}?{_ATTRIBUTES}) {_BEFORE}{_IS} {_AFTER}(?P<value>.{{1,80}})$"
)
_THINGS = any_of("car bike phone laptop computer motorcycle van truck camera guitar piano instrument bank gym")
_THING_IS = Pattern(
    rf"(?:my|our) (?P<slot>(?:(?:new|current|main|work|first|other) ){{0,2}}{_THINGS}) (?:is|['’]s) {_AFTER}"
    r"(?P<value>(?:an? |the )(?:[\w'’-]+ ){0,4}[\w'’-]+|(?-i:[A-Z]).{1,40})$"
)
_MEASURES = (
    "time score record best goal budget salary weight rent average total balance level streak limit size rate income"
    " mileage distance pace price cost debt savings followers list commute height age"
)
_FIGURE = cued(
    _MEASURES,
    rf"\b(?:my|our) (?P<slot>(?:[\w'’-]+ ){{0,4}}?{any_of(_MEASURES)}(?: (?:in|on|at|for) (?:[\w'’-]+ ){{0,3}}?[\w'’-]+)?)"
    rf" {_BEFORE}(?:{_IS}|of|:|-|–) {_AFTER}{ABOUT}(?P<value>{NUMBER}"
    rf"(?: (?:and|minutes?|seconds?|hours?|points?|pounds?|kg|kilos|miles?|km|percent|dollars|{NUMBER})){{0,6}})",
)
_UNREACHED = Pattern(r"\b(?:want|hope|hoping|like|aim|aiming|trying|reduce|increase|raise|set|change|lower|cut)(?: \w+)? $")
_AFTER_A_NOUN = any_of(
    "and or to for in on at with from is are was has have that which who since because so as when while lately recently"
    " soon now can will could would should it i by last this about nonstop a here there today yesterday every under over"
    " after before during"
)
_NEW = cued("new", rf"\bmy (?P<value>(?:brand[- ])?new (?:[\w'’-]+ ){{0,4}}?[\w'’-]+)(?=,|$| {_AFTER_A_NOUN}\b)")
_NOT_A_THING = Pattern(
    r"\b(?:routine|hobby|hobbies|project|schedule|goals?|ideas?|plans?|ones?|approach|habits?|found|skills?|purchases?"
    r"|favou?rite|recipes?|year|year['’]s|lifestyle|friends?|journey|chapter|knowledge|adventure|life|way|look|normal|things?"
    r"|setup|stuff|space|place|\w+ing|\w+ly)$"
)
_PLURAL = re.compile(r"(?<!lens)(?<![su]s)(?<=s)$")
_APPOSED = cued(
    "favourite favorite",
    r"\b(?:my|our) (?P<slot>(?:(?:all-time|current) )?favou?rite [\w'’ -]{2,30}), "
    r"(?P<value>(?-i:[A-Z][\w'’.-]*(?: (?:(?:of|the|and) )?[A-Z][\w'’.-]*){0,4}))",
)
_JOURNEY = cued(
    "recent last latest",
    r"\bmy (?P<slot>(?:recent|last|latest|most recent) (?P<value>(?:[\w-]+ ){0,2}"
    r"(?:trip|vacation|holiday|visit|getaway|honeymoon) to (?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,3})))",
)
_REMEMBERED = Pattern(r"(?:the|my|our) (?P<slot>[\w'’ -]{2,50}?) (?:is|are) (?P<value>.{1,80})$")
_REMIND = Pattern(r"remind me (?P<value>(?:to|about|that|of) .{3,100})$")
_GO_WITH = Pattern(r"let['’]s (?:just )?(?P<verb>go with|use|stick with|settle on) (?P<value>.{2,80})$")
_CHAT = Pattern(
    r"(?:so|very|really|pretty|quite|too|not|a bit|to (?:be|see|hear)|that|it|this|what|how|there|going|doing|here|great"
    r"|good|fine|bad|awesome|amazing|the (?:same|best|one)|up|done|over|always|something|about|approaching|coming)\b"
)
_POINTS = Pattern(r"\b(?:it|you|your|them|these|those|ones?|which|because of)\b")


def owned(statement: Statement, speaker: Speaker) -> Iterator[Owned]:
    """What a statement says of the speaker's things, wherever in it.

    >>> [own.text for own in owned(Statement("my favourite colour is green", 0, 28, ""), Speaker.of(None))]
    ["User's favourite colour is green"]
    >>> [own.text for own in owned(Statement("I want to beat my best time of 25:50", 0, 36, ""), Speaker.of("Ana"))]
    ["Ana's best time is 25:50"]
    """
    text = statement.text
    words = words_of(text)
    if own := _stated(text, speaker) or (_asked(text, speaker) if statement.asked else _wanted(text, speaker)):
        yield own
    elif (match := _FIGURE.search(text, words)) and not _UNREACHED.search(text[: match.start()]):
        bullet = f"{speaker.owner(match['slot'])} is {match['value']}"
        yield Owned(bullet, _kind_of_attribute(match["slot"]), _slot(match["slot"]), *match.span("value"), 0.85)
    if not _MINE.isdisjoint(words):
        yield from _mentioned(text, words, speaker)


_MINE = frozenset(("my", "our"))


def _mentioned(text: str, words: frozenset[str], speaker: Speaker) -> Iterator[Owned]:
    """What a statement says in passing: whom and what the speaker has."""
    if match := _APPOSED.search(text, words):
        bullet = f"{speaker.owner(match['slot'])} is {match['value']}"
        yield Owned(bullet, "preference", _slot(match["slot"]), *match.span("value"), 0.85)
    if match := _JOURNEY.search(text, words):
        about = _slot(match["slot"].partition(" to ")[0])
        yield Owned(f"{speaker.name} recently had a {match['value']}", "event", about, *match.span("value"), 0.8)
    for person, start, _ in people(text):
        if person.named and not person.are_many:
            at = text.index(person.named, start)
            who = person.words.removesuffix(person.named).strip()
            yield Owned(f"{speaker.owner(who)} is called {person.named}", "person", "", at, at + len(person.named), 0.85)
    if (match := _NEW.search(text, words)) and match.start() > 0 and not _NOT_A_THING.search(match["value"]):
        article = "" if _PLURAL.search(match["value"]) else "a "
        yield Owned(f"{speaker.name} has {article}{match['value']}", "possession", "", *match.span("value"), 0.75)


def _stated(text: str, speaker: Speaker) -> Owned | None:
    if match := _FAVOURITE.match(text):
        slot, kind = match["slot"], "preference"
    elif match := _THING_IS.match(text):
        slot, kind = match["slot"], "possession"
    elif match := _ATTRIBUTE.match(text):
        slot, kind = match["slot"], _kind_of_attribute(match["slot"])
    else:
        return None
    if _CHAT.match(match["value"]) or _POINTS.search(match[0]):
        return None
    verb = "are" if slot.lower().endswith(("ies", "s")) and not slot.lower().endswith(("ss", "us", "is")) else "is"
    bullet = f"{speaker.owner(retold(slot))} {verb} {retold(match['value'])}"
    return Owned(bullet, kind, _slot(slot), *match.span("value"), 0.9)


def _kind_of_attribute(slot: str) -> Kind:
    if people(f"my {slot}") or _OF_A_PERSON.search(slot):
        return "person"
    for kind, words in _ATTRIBUTE_KINDS:
        if not words.isdisjoint(slot.lower().split()):
            return kind
    return "identity"


_OF_A_PERSON = Pattern(r"['’]s ")
_ATTRIBUTE_KINDS: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("constraint", frozenset("diet allergy allergies budget".split())),
    ("preference", frozenset("hobby hobbies bedtime commute schedule".split())),
    ("project", frozenset("goal flight appointment interview wedding exam deadline date surgery".split())),
)


def _asked(text: str, speaker: Speaker) -> Owned | None:
    """Whatever somebody wants remembered, "the gate code is 4711"."""
    match = _REMEMBERED.match(text)
    if match is None or _POINTS.search(match[0]):
        return None
    bullet = f"{speaker.name} asked to remember: {retold(text)}"
    return Owned(bullet, "identity", _slot(match["slot"]), *match.span("value"), 0.85)


def _wanted(text: str, speaker: Speaker) -> Owned | None:
    if (match := _REMIND.match(text)) and not _POINTS.search(match["value"]):
        return Owned(
            f"{speaker.name} wants to be reminded {retold(match['value'])}", "project", "", *match.span("value"), 0.9
        )
    if (match := _GO_WITH.match(text)) and not _POINTS.search(match["value"]):
        bullet = f"{speaker.name} decided to {match['verb'].lower()} {retold(match['value'])}"
        return Owned(bullet, "project", "", *match.span("value"), 0.75)
    return None


def _slot(words: str) -> str:
    """The name of a slot: "my new address" fills the same one as "my address"."""
    named = words.lower().replace("favorite", "favourite").split()
    return " ".join(word for word in named if word not in _NEWNESS) or words.lower()


_NEWNESS = frozenset("new current latest brand-new".split())
