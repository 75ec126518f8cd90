"""Find attributes and belongings of the speaker: "my favourite colour is green", "my best time of 25:50", "my dog, Max"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from keepsaid.engine.facts.claim import ClaimKind
from keepsaid.engine.facts.statement_parser import find_people
from keepsaid.engine.facts.statements import StatementClause
from keepsaid.engine.facts.third_person import SpeakerIdentity, convert_to_third_person
from keepsaid.engine.facts.words import ABOUT, NUMBER, any_of, build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern


class PersonalAttribute(NamedTuple):
    """A bullet about something of the speaker. `start` and `end` are the span of its value in the statement."""

    text: str
    kind: ClaimKind
    about: str
    start: int
    end: int
    confidence: float


_IS = r"(?:is|are|was|['’]s|has to be|will be)"
_BEFORE = r"(?:(?:so far|currently|right now|at the moment|these days|of all time|ever) )?"
_AFTER = r"(?:(?:now|currently|still|also|actually|only|just|already|definitely) ){0,3}"
_FAVOURITE = EnglishPattern(
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
_ATTRIBUTE = EnglishPattern(
    rf"(?:my|our) (?P<slot>(?:[\w'’-]+ ){{0,3}}?{_ATTRIBUTES}) {_BEFORE}{_IS} {_AFTER}(?P<value>.{{1,80}})$"
)
_THINGS = any_of("car bike phone laptop computer motorcycle van truck camera guitar piano instrument bank gym")
_THING_IS = EnglishPattern(
    rf"(?:my|our) (?P<slot>(?:(?:new|current|main|work|first|other) ){{0,2}}{_THINGS}) (?:is|['’]s) {_AFTER}"
    r"(?P<value>(?:an? |the )(?:[\w'’-]+ ){0,4}[\w'’-]+|(?-i:[A-Z]).{1,40})$"
)
_MEASURES = (
    "time score record best goal budget salary weight rent average total balance level streak limit size rate income"
    " mileage distance pace price cost debt savings followers list commute height age"
)
_UNITS = (
    r"minutes?|seconds?|hours?|days?|points?|percent|%|pounds?|lbs?|kg|kilos?|grams?|miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?"
    r"|cm|feet|foot|inch(?:es)?|euros?|eur|dollars?|usd|cents?|quid|gbp|francs?|chf|yen|rupees?|kron(?:er|or)"
    r"|(?:a|per) (?:month|week|year|day)"
)
_FIGURE = build_cued_pattern(
    _MEASURES,
    rf"\b(?:my|our) (?P<slot>(?:[\w'’-]+ ){{0,4}}?{any_of(_MEASURES)}(?: (?:in|on|at|for) (?:[\w'’-]+ ){{0,3}}?[\w'’-]+)?)"
    rf" {_BEFORE}(?:{_IS}|of|:|-|–) {_AFTER}{ABOUT}(?P<value>{NUMBER}"
    rf"(?: (?:and|{_UNITS}|{NUMBER})\b){{0,6}})",
)
_UNREACHED = EnglishPattern(
    r"\b(?:want|hope|hoping|like|aim|aiming|trying|reduce|increase|raise|set|change|lower|cut)(?: \w+)? $"
)
_AFTER_A_NOUN = any_of(
    "and or to for in on at with from is are was has have that which who since because so as when while lately recently"
    " soon now can will could would should it i by last this about nonstop a here there today yesterday every under over"
    " after before during"
)
_NEW = build_cued_pattern(
    "new", rf"\bmy (?P<value>(?:brand[- ])?new (?:[\w'’-]+ ){{0,4}}?[\w'’-]+)(?=,|$| {_AFTER_A_NOUN}\b)"
)
_NOT_A_THING = EnglishPattern(
    r"\b(?:routine|hobby|hobbies|project|schedule|goals?|ideas?|plans?|ones?|approach|habits?|found|skills?|purchases?"
    r"|favou?rite|recipes?|year|year['’]s|lifestyle|friends?|journey|chapter|knowledge|adventure|life|way|look|normal|things?"
    r"|setup|stuff|space|place|\w+ing|\w+ly)$"
)
_PLURAL = re.compile(r"(?<!lens)(?<![su]s)(?<=s)$")
_APPOSED = build_cued_pattern(
    "favourite favorite",
    r"\b(?:my|our) (?P<slot>(?:(?:all-time|current) )?favou?rite [\w'’ -]{2,30}), "
    r"(?P<value>(?-i:[A-Z][\w'’.-]*(?: (?:(?:of|the|and) )?[A-Z][\w'’.-]*){0,4}))",
)
_JOURNEY = build_cued_pattern(
    "recent last latest",
    r"\bmy (?P<slot>(?:recent|last|latest|most recent) (?P<value>(?:[\w-]+ ){0,2}"
    r"(?:trip|vacation|holiday|visit|getaway|honeymoon) to (?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,3})))",
)
_REMEMBERED = EnglishPattern(r"(?:the|my|our) (?P<slot>[\w'’ -]{2,50}?) (?:is|are) (?P<value>.{1,80})$")
_REMIND = EnglishPattern(r"remind me (?P<value>(?:to|about|that|of) .{3,100})$")
_GO_WITH = EnglishPattern(r"let['’]s (?:just )?(?P<verb>go with|use|stick with|settle on) (?P<value>.{2,80})$")
_CHAT = EnglishPattern(
    r"(?:so|very|really|pretty|quite|too|not|a bit|to (?:be|see|hear)|that|it|this|what|how|there|going|doing|here|great"
    r"|good|fine|bad|awesome|amazing|the (?:same|best|one)|up|done|over|always|something|about|approaching|coming)\b"
)
_POINTS = EnglishPattern(r"\b(?:it|you|your|them|these|those|ones?|which|because of)\b")


def find_attributes(statement: StatementClause, speaker: SpeakerIdentity) -> Iterator[PersonalAttribute]:
    """Yield what a statement says about attributes and belongings of the speaker, anywhere in it.

    >>> colour = StatementClause("my favourite colour is green", 0, 28, "")
    >>> [own.text for own in find_attributes(colour, SpeakerIdentity.of(None))]
    ["User's favourite colour is green"]
    >>> time = StatementClause("I want to beat my best time of 25:50", 0, 36, "")
    >>> [own.text for own in find_attributes(time, SpeakerIdentity.of("Ana"))]
    ["Ana's best time is 25:50"]
    """
    text = statement.text
    words = collect_words(text)
    if own := _main_attribute(text, speaker) or (_to_remember(text, speaker) if statement.asked else _wish(text, speaker)):
        yield own
    elif (match := _FIGURE.search(text, words)) and not _UNREACHED.search(text[: match.start()]):
        bullet = f"{speaker.owner(match['slot'])} is {match['value']}"
        yield PersonalAttribute(
            bullet, _kind_of_attribute(match["slot"]), _slot_name(match["slot"]), *match.span("value"), 0.85
        )
    if not _POSSESSIVES.isdisjoint(words):
        yield from _mentioned_in_passing(text, words, speaker)


_POSSESSIVES = frozenset(("my", "our"))


def _mentioned_in_passing(text: str, words: frozenset[str], speaker: SpeakerIdentity) -> Iterator[PersonalAttribute]:
    """Yield what a statement mentions in passing: people and things that the speaker has."""
    if match := _APPOSED.search(text, words):
        bullet = f"{speaker.owner(match['slot'])} is {match['value']}"
        yield PersonalAttribute(bullet, "preference", _slot_name(match["slot"]), *match.span("value"), 0.85)
    if match := _JOURNEY.search(text, words):
        about = _slot_name(match["slot"].partition(" to ")[0])
        yield PersonalAttribute(f"{speaker.name} recently had a {match['value']}", "event", about, *match.span("value"), 0.8)
    for person, start, _ in find_people(text):
        if person.named and not person.is_several:
            at = text.index(person.named, start)
            who = person.words.removesuffix(person.named).strip()
            yield PersonalAttribute(
                f"{speaker.owner(who)} is called {person.named}", "person", "", at, at + len(person.named), 0.85
            )
    if (match := _NEW.search(text, words)) and match.start() > 0 and not _NOT_A_THING.search(match["value"]):
        article = "" if _PLURAL.search(match["value"]) else "a "
        yield PersonalAttribute(
            f"{speaker.name} has {article}{match['value']}", "possession", "", *match.span("value"), 0.75
        )


def _main_attribute(text: str, speaker: SpeakerIdentity) -> PersonalAttribute | None:
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
    bullet = f"{speaker.owner(convert_to_third_person(slot))} {verb} {convert_to_third_person(match['value'])}"
    return PersonalAttribute(bullet, kind, _slot_name(slot), *match.span("value"), 0.9)


def _kind_of_attribute(slot: str) -> ClaimKind:
    if find_people(f"my {slot}") or _OF_A_PERSON.search(slot):
        return "person"
    for kind, words in _ATTRIBUTE_KINDS:
        if not words.isdisjoint(slot.lower().split()):
            return kind
    return "identity"


_OF_A_PERSON = EnglishPattern(r"['’]s ")
_ATTRIBUTE_KINDS: tuple[tuple[ClaimKind, frozenset[str]], ...] = (
    ("constraint", frozenset("diet allergy allergies budget".split())),
    ("preference", frozenset("hobby hobbies bedtime commute schedule".split())),
    ("project", frozenset("goal flight appointment interview wedding exam deadline date surgery".split())),
)


def _to_remember(text: str, speaker: SpeakerIdentity) -> PersonalAttribute | None:
    """Return what the speaker asked to have remembered: "the gate code is 4711"."""
    match = _REMEMBERED.match(text)
    if match is None or _POINTS.search(match[0]):
        return None
    bullet = f"{speaker.name} asked to remember: {convert_to_third_person(text)}"
    return PersonalAttribute(bullet, "identity", _slot_name(match["slot"]), *match.span("value"), 0.85)


def _wish(text: str, speaker: SpeakerIdentity) -> PersonalAttribute | None:
    if (match := _REMIND.match(text)) and not _POINTS.search(match["value"]):
        return PersonalAttribute(
            f"{speaker.name} wants to be reminded {convert_to_third_person(match['value'])}",
            "project",
            "",
            *match.span("value"),
            0.9,
        )
    if (match := _GO_WITH.match(text)) and not _POINTS.search(match["value"]):
        bullet = f"{speaker.name} decided to {match['verb'].lower()} {convert_to_third_person(match['value'])}"
        return PersonalAttribute(bullet, "project", "", *match.span("value"), 0.75)
    return None


def _slot_name(words: str) -> str:
    """Return the name of a slot: "my new address" fills the same slot as "my address"."""
    named = words.lower().replace("favorite", "favourite").split()
    return " ".join(word for word in named if word not in _NEW_WORDS) or words.lower()


_NEW_WORDS = frozenset("new current latest brand-new".split())
