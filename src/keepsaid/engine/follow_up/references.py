"""Resolve an open word of a question to what was mentioned, by gender, number, order and recency."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.follow_up.mentions import ConversationMentions, MentionedThing
from keepsaid.engine.follow_up.pronouns import OpenWord, OpenWordKind
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.person_words import PersonPronoun, is_pet, leads_to_a_place
from keepsaid.engine.text.phrases import find_phrases
from keepsaid.engine.text.terms import terms

TOPICS = 3
"""Number of things that represent the topic, if a question only says "that" or "why?"."""
MAX_COMPANION_THINGS = 2
"""Further things that represent what was said of the thing meant."""

_IT = EnglishPattern(r"\b(?:it|its)\b")
_HE = EnglishPattern(r"\b(?:he|him|his)\b")
_SHE = EnglishPattern(r"\b(?:she|her|hers)\b")
_THEY = EnglishPattern(r"\b(?:they|them|their)\b")
_COMPARES = EnglishPattern(r"\b(?:compare|compared|differ|different|difference|better|cheaper|prefer|choose|versus|vs)\b")


def resolve_open_word(one: OpenWord, seen: ConversationMentions, question: str) -> list[str]:
    """Return the things that an open word stands for, the likeliest first; none if nothing fits."""
    if one.kind == "he":
        return _add_companions(_find_person(seen, one.kind, _HE), seen, question, _HE)
    if one.kind == "she":
        return _add_companions(_find_person(seen, one.kind, _SHE), seen, question, _SHE)
    if one.kind == "it":
        return _add_companions(seen.find_likely(_is_it, _IT), seen, question, _IT)
    if one.kind == "they":
        return _resolve_they(seen, question)
    if one.kind == "there":
        return _list_texts(seen.find_likely(_is_place) or seen.find_likely(_is_it))
    if one.kind == "noun":
        return _resolve_noun(one.noun, seen)
    return find_conversation_topics(seen) if one.kind in ("that", "topic") else _resolve_selection(one, seen)


def find_conversation_topics(seen: ConversationMentions) -> list[str]:
    """Return the topics of the conversation: the things with the most weight, including the top one of the last message."""

    def is_last(thing: MentionedThing) -> float:
        return _is_topic(thing) if thing.turn == 0 else 0.0

    best = seen.best(_is_topic, TOPICS)
    last = [thing for thing in seen.best(is_last, 1) if thing not in best]
    return _list_texts([*best[: TOPICS - len(last)], *last])


def _list_texts(things: Sequence[MentionedThing]) -> list[str]:
    return [thing.text for thing in things]


def _detect_person(thing: MentionedThing) -> PersonPronoun:
    for one in thing.mentions:
        if one.phrase.person:
            return one.phrase.person
    return ""


def _find_person(seen: ConversationMentions, kind: OpenWordKind, stays: EnglishPattern) -> list[MentionedThing]:
    """Return people of that gender first, then possible ones, then names whose gender is unknown."""

    def fits(thing: MentionedThing) -> float:
        who = _detect_person(thing)
        if who == kind:
            return 1.0
        if who == "any" or any(is_pet(word.lower()) for word in thing.text.split()):
            return 0.6
        is_named = any(one.phrase.is_name for one in thing.mentions) and not _is_place(thing)
        return 0.15 if not who and is_named else 0.0

    return seen.find_likely(fits, stays)[:1]


def _is_it(thing: MentionedThing) -> float:
    phrase = thing.last
    return 0.0 if _detect_person(thing) or phrase.is_plural or phrase.is_time else 1.0


def _is_topic(thing: MentionedThing) -> float:
    return 0.0 if thing.last.is_time else 1.0


def _is_place(thing: MentionedThing) -> float:
    fit = 0.0
    for one in thing.mentions:
        lead = one.phrase.lead.split()
        if any(map(leads_to_a_place, lead[-2:])) and not one.phrase.is_time and not one.phrase.person:
            fit = max(fit, 3.0 if one.phrase.is_name else 1.0)
    return fit


def _resolve_they(seen: ConversationMentions, question: str) -> list[str]:
    """Return several things: those named side by side if they are compared, else a plural, a pair, or a firm or team."""
    if seen.groups and _COMPARES.search(question):
        return seen.groups[-1]

    def fits(thing: MentionedThing) -> float:
        phrase = thing.last
        if phrase.is_time:
            return 0.0
        if phrase.is_plural:
            return 1.0
        if phrase.is_name and not _detect_person(thing):
            return 0.3 if _is_place(thing) else 0.5
        return 0.5 if _detect_person(thing) == "any" else 0.0 if _detect_person(thing) else 0.2

    best = seen.find_likely(fits, _THEY)
    if seen.groups and (not best or best[0].text in seen.groups[-1]):
        group = [thing for thing in seen.things if thing.text in seen.groups[-1]]
        return [*seen.groups[-1], *_add_companions(group, seen, question)[len(group) :]]
    return _add_companions(best, seen, question, _THEY)


def _resolve_noun(noun: str, seen: ConversationMentions) -> list[str]:
    """Return what "that trip" means: the trip mentioned last, with what was said of it."""
    stem = terms(noun)
    for thing in reversed(seen.things):
        if terms(thing.last.text)[-1:] == stem:
            return [thing.text, *_list_texts([other for other in seen.find_companions(thing) if other.last.is_name][:2])]
    return find_conversation_topics(seen)


def _add_companions(
    things: list[MentionedThing], seen: ConversationMentions, question: str, stays: EnglishPattern | None = None
) -> list[str]:
    """Return the things and, if the question has hardly a word of its own to search for, what was said of them."""
    own = sum(not phrase.is_time for phrase in find_phrases(question))
    if not things or own >= MAX_COMPANION_THINGS:
        return _list_texts(things)
    company = [other for other in seen.find_companions(things[0], stays) if other not in things]
    return _list_texts([*things, *company[:MAX_COMPANION_THINGS]])


def _resolve_selection(one: OpenWord, seen: ConversationMentions) -> list[str]:
    """Return one of the things listed or named side by side, or all of them if it is unclear which."""
    groups = seen.lists or seen.groups if one.kind in ("nth", "one") else seen.groups
    group = groups[-1] if groups else _find_pair(seen)
    if one.kind == "nth":
        place = one.place - 1 if one.place > 0 else one.place
        return [group[place]] if -len(group) <= place < len(group) else group
    if one.kind in ("former", "latter"):
        return [group[0] if one.kind == "former" else group[-1]] if group else []
    if one.kind == "one" and one.noun:
        return [text for text in group if set(terms(one.noun)) & set(terms(text))] or group
    return _without_last_named(group, seen) if one.kind == "other" else group


def _find_pair(seen: ConversationMentions) -> list[str]:
    """Return the two things mentioned most, in the order of their first mention."""
    best = seen.best(_is_it, 2)
    return [thing.text for thing in seen.things if any(thing is one for one in best)]


def _without_last_named(group: list[str], seen: ConversationMentions) -> list[str]:
    """Return the things of a group that the last message does not name, or all of them if it names every one."""
    last = seen.messages[-1].text.lower()
    others = [text for text in group if text.lower() not in last]
    return others or group
