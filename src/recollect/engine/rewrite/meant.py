"""What an open word of a question means, from what was spoken of: by gender, number, order and recency."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine.pattern import Pattern
from recollect.engine.people import Person, is_pet, leads_to_a_place
from recollect.engine.phrases import phrases
from recollect.engine.rewrite.pointing import Kind, Open
from recollect.engine.rewrite.seen import Seen, Thing
from recollect.engine.terms import terms

TOPICS = 3
"""Things that stand for what was talked about, where a question only says "that" or "why?"."""
MOST_COMPANY = 2
"""Further things that stand for what was said of the thing meant."""

_IT = Pattern(r"\b(?:it|its)\b")
_HE = Pattern(r"\b(?:he|him|his)\b")
_SHE = Pattern(r"\b(?:she|her|hers)\b")
_THEY = Pattern(r"\b(?:they|them|their)\b")
_COMPARES = Pattern(r"\b(?:compare|compared|differ|different|difference|better|cheaper|prefer|choose|versus|vs)\b")


def meant(one: Open, seen: Seen, question: str) -> list[str]:
    """The things that an open word stands for, the likeliest first; none if nothing fits."""
    if one.kind == "he":
        return _with_company(_person(seen, one.kind, _HE), seen, question, _HE)
    if one.kind == "she":
        return _with_company(_person(seen, one.kind, _SHE), seen, question, _SHE)
    if one.kind == "it":
        return _with_company(seen.likely(_is_it, _IT), seen, question, _IT)
    if one.kind == "they":
        return _they(seen, question)
    if one.kind == "there":
        return _texts(seen.likely(_is_place) or seen.likely(_is_it))
    if one.kind == "noun":
        return _that_noun(one.noun, seen)
    return topics(seen) if one.kind in ("that", "topic") else _of_several(one, seen)


def topics(seen: Seen) -> list[str]:
    """What was talked about: the weightiest things, and the weightiest of the last message in any case."""

    def is_last(thing: Thing) -> float:
        return _is_topic(thing) if thing.turn == 0 else 0.0

    best = seen.best(_is_topic, TOPICS)
    last = [thing for thing in seen.best(is_last, 1) if thing not in best]
    return _texts([*best[: TOPICS - len(last)], *last])


def _texts(things: Sequence[Thing]) -> list[str]:
    return [thing.text for thing in things]


def _who(thing: Thing) -> Person:
    for one in thing.mentions:
        if one.phrase.person:
            return one.phrase.person
    return ""


def _person(seen: Seen, kind: Kind, stays: Pattern) -> list[Thing]:
    """People of that gender first, then those who may be, then names of whom nothing is known."""

    def fits(thing: Thing) -> float:
        who = _who(thing)
        if who == kind:
            return 1.0
        if who == "any" or any(is_pet(word.lower()) for word in thing.text.split()):
            return 0.6
        is_named = any(one.phrase.is_name for one in thing.mentions) and not _is_place(thing)
        return 0.15 if not who and is_named else 0.0

    return seen.likely(fits, stays)[:1]


def _is_it(thing: Thing) -> float:
    phrase = thing.last
    return 0.0 if _who(thing) or phrase.is_plural or phrase.is_time else 1.0


def _is_topic(thing: Thing) -> float:
    return 0.0 if thing.last.is_time else 1.0


def _is_place(thing: Thing) -> float:
    fit = 0.0
    for one in thing.mentions:
        lead = one.phrase.lead.split()
        if any(map(leads_to_a_place, lead[-2:])) and not one.phrase.is_time and not one.phrase.person:
            fit = max(fit, 3.0 if one.phrase.is_name else 1.0)
    return fit


def _they(seen: Seen, question: str) -> list[str]:
    """Several things: those named side by side if they are compared, else a plural, a pair, or a firm or team."""
    if seen.groups and _COMPARES.search(question):
        return seen.groups[-1]

    def fits(thing: Thing) -> float:
        phrase = thing.last
        if phrase.is_time:
            return 0.0
        if phrase.is_plural:
            return 1.0
        if phrase.is_name and not _who(thing):
            return 0.3 if _is_place(thing) else 0.5
        return 0.5 if _who(thing) == "any" else 0.0 if _who(thing) else 0.2

    best = seen.likely(fits, _THEY)
    if seen.groups and (not best or best[0].text in seen.groups[-1]):
        group = [thing for thing in seen.things if thing.text in seen.groups[-1]]
        return [*seen.groups[-1], *_with_company(group, seen, question)[len(group) :]]
    return _with_company(best, seen, question, _THEY)


def _that_noun(noun: str, seen: Seen) -> list[str]:
    """ "That trip" is the trip spoken of last, with what was said of it."""
    stem = terms(noun)
    for thing in reversed(seen.things):
        if terms(thing.last.text)[-1:] == stem:
            return [thing.text, *_texts([other for other in seen.companions(thing) if other.last.is_name][:2])]
    return topics(seen)


def _with_company(things: list[Thing], seen: Seen, question: str, stays: Pattern | None = None) -> list[str]:
    """Things, and where the question has hardly a word of its own to search for, what was said of them."""
    own = sum(not phrase.is_time for phrase in phrases(question))
    if not things or own >= MOST_COMPANY:
        return _texts(things)
    company = [other for other in seen.companions(things[0], stays) if other not in things]
    return _texts([*things, *company[:MOST_COMPANY]])


def _of_several(one: Open, seen: Seen) -> list[str]:
    """One of the things listed or named side by side, or all of them where it cannot be told which."""
    groups = seen.lists or seen.groups if one.kind in ("nth", "one") else seen.groups
    group = groups[-1] if groups else _pair(seen)
    if one.kind == "nth":
        place = one.place - 1 if one.place > 0 else one.place
        return [group[place]] if -len(group) <= place < len(group) else group
    if one.kind in ("former", "latter"):
        return [group[0] if one.kind == "former" else group[-1]] if group else []
    if one.kind == "one" and one.noun:
        return [text for text in group if set(terms(one.noun)) & set(terms(text))] or group
    return _not_in_focus(group, seen) if one.kind == "other" else group


def _pair(seen: Seen) -> list[str]:
    """The two things most spoken of, in the order in which they came up."""
    best = seen.best(_is_it, 2)
    return [thing.text for thing in seen.things if any(thing is one for one in best)]


def _not_in_focus(group: list[str], seen: Seen) -> list[str]:
    """The others of a group: those that the last message does not name, if it names any."""
    last = seen.messages[-1].text.lower()
    others = [text for text in group if text.lower() not in last]
    return others or group
