"""Collect what was mentioned in recent messages, with a weight for how likely a follow-up is about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.phrases import NounPhrase, find_capitalized_words, find_phrases
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Role

FADING = 0.75
"""Share of its weight that a thing keeps after each message."""
ROLES = {Role.USER: 1.0, Role.ASSISTANT: 0.8, Role.TOOL: 0.4, Role.SYSTEM: 0.0}
"""Weight of the speaker: a person's follow-up is mostly about what they said themselves."""
NAMED, FIRST, ASKED_ABOUT, IN_PASSING = 1.3, 1.2, 1.5, 0.55
"""Names weigh more, and so does what a sentence begins with or is about. What follows another preposition weighs less."""
DESCRIBING, ASKED_FOR = 0.4, 0.3
"""What stands right after "is" or "be" is more often a description ("noisy") than a thing, and "how many people" refers to
no one."""
CLOSE = 0.6
"""Share of the best weight from which the second best may be meant as well."""

_PREPOSITIONS = frozenset("in on at for with without by from to under over after before near during against as than".split())
_ASKED_FOR = frozenset("how many much what which whose".split())
_BEING = frozenset("is are was were be been am".split())
_BULLET = re.compile(r"^[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t]+(\S.{0,200})", re.MULTILINE)
_ITEM_END = re.compile(r"[:,(;–—]| - |\. ")
_JOINED = EnglishPattern(
    r"\s*,?\s*\b(?:and|or|vs\.?|versus|nor|to)\b"
    r"(?: (?:in|to|at|the|a|an|my|our|your|for|with|on|from|perhaps|maybe|also|then))*\s*$"
)
_COMMA = re.compile(r"\s*,\s*(?:(?:the|a|an|my|our)\s+)?$")
MAX_ITEM_WORDS = 8


class PhraseMention(NamedTuple):
    """A phrase in a message. `turn` counts back from the last message, which is 0."""

    phrase: NounPhrase
    turn: int
    role: Role
    weight: float


@dataclass(slots=True)
class MentionedThing:
    """Something mentioned, under its longest name, with all its mentions."""

    text: str
    words: frozenset[str]
    mentions: list[PhraseMention] = field(default_factory=list[PhraseMention])

    @property
    def last(self) -> NounPhrase:
        return self.mentions[-1].phrase

    @property
    def turn(self) -> int:
        return self.mentions[-1].turn


class ConversationMentions:
    """The things mentioned in the recent messages, in the order of their first mention."""

    def __init__(self, recent: Sequence[Message]) -> None:
        spoken = [message for message in recent if message.role != Role.SYSTEM and message.text.strip()]
        names = set[str]().union(*(find_capitalized_words(message.text) for message in spoken))
        self.messages = spoken
        self.things: list[MentionedThing] = []
        self.groups: list[list[str]] = []
        """Things named side by side ("Lisbon or Porto"), and lists, the latest last."""
        self.lists: list[list[str]] = []
        for place, message in enumerate(spoken):
            found = find_phrases(message.text, names)
            for phrase in found:
                self._add(PhraseMention(phrase, len(spoken) - 1 - place, message.role, _weigh(message, phrase)))
            self.groups.extend(_find_groups(message.text, found))
            if len(items := _find_list_items(message.text)) > 1:
                self.lists.append(items)
                self.groups.append(items)

    def _add(self, mention: PhraseMention) -> None:
        words = frozenset(terms(mention.phrase.text))
        for thing in reversed(self.things):
            if words <= thing.words or (thing.words < words and mention.phrase.is_name and thing.mentions[0].phrase.is_name):
                if thing.words < words:
                    thing.text, thing.words = mention.phrase.text, words
                thing.mentions.append(mention)
                return
        self.things.append(MentionedThing(mention.phrase.text, words, [mention]))

    def best(self, fits: Callable[[MentionedThing], float], count: int) -> list[MentionedThing]:
        """Return the things with the most weight, times how well they fit (0: not at all)."""
        return [thing for _, thing in self._rank_by_weight(fits)[:count]]

    def find_likely(
        self, fits: Callable[[MentionedThing], float], stays: EnglishPattern | None = None
    ) -> list[MentionedThing]:
        """Return the thing with the most weight, and the next one if it comes close.

        A message with a word that matches `stays` continues the topic: it ages nothing, and what it mentions itself is less
        likely meant.
        """
        weighed = self._rank_by_weight(fits, stays)[:2]
        return [thing for weight, thing in weighed if weight >= CLOSE * weighed[0][0]]

    def _rank_by_weight(
        self, fits: Callable[[MentionedThing], float], stays: EnglishPattern | None = None
    ) -> list[tuple[float, MentionedThing]]:
        ages = self._compute_ages(stays)
        found: list[tuple[float, MentionedThing]] = []
        for thing in reversed(self.things):
            if (fit := fits(thing)) > 0:
                weights = [one.weight * FADING ** ages[one.turn][0] * ages[one.turn][1] for one in thing.mentions]
                found.append((fit * sum(weights), thing))
        return sorted(found, key=lambda entry: -entry[0])

    def _compute_ages(self, stays: EnglishPattern | None) -> list[tuple[int, float]]:
        """Return the age of each turn in messages, and the factor for the things it mentions itself."""
        ages: list[tuple[int, float]] = []
        age = 0
        for message in reversed(self.messages):
            goes_on = stays is not None and stays.search(message.text[:400]) is not None
            ages.append((age, 0.6 if goes_on else 1.0))
            age += 0 if goes_on else 1
        return ages

    def find_companions(self, thing: MentionedThing, stays: EnglishPattern | None = None) -> list[MentionedThing]:
        """Return what was said of a thing: the others in the message that last named it, and in later ones that continue
        about it or answer a question about it; those with the most weight in each message first."""
        found: list[MentionedThing] = []
        asked = False
        for turn in range(thing.turn, -1, -1):
            text = self.messages[-1 - turn].text[:400]
            goes_on = stays is not None and stays.search(text) is not None
            if turn == thing.turn or goes_on or asked:
                found.extend(self._of_turn(turn, thing))
            asked = goes_on and text.rstrip().endswith("?")
        return list({id(other): other for other in found}.values())

    def _of_turn(self, turn: int, besides: MentionedThing) -> list[MentionedThing]:
        weights = {
            place: max((one.weight for one in other.mentions if one.turn == turn), default=0.0)
            for place, other in enumerate(self.things)
            if other is not besides and not other.last.is_time
        }
        best = sorted((place for place in weights if weights[place]), key=lambda place: -weights[place])
        return [self.things[place] for place in best[:2]]


def _weigh(message: Message, phrase: NounPhrase) -> float:
    weight = ROLES[message.role] * (NAMED if phrase.is_name else 1.0)
    lead = phrase.lead.split()
    if lead and lead[-1] in _BEING:
        weight *= DESCRIBING
    if _ASKED_FOR.intersection(lead):
        weight *= ASKED_FOR
    if _PREPOSITIONS.intersection(lead):
        return weight * IN_PASSING
    if lead[-1:] == ["about"]:
        return weight * ASKED_ABOUT
    return weight * FIRST if phrase.is_first else weight


def _find_groups(text: str, found: Sequence[NounPhrase]) -> Iterator[list[str]]:
    """Yield things of one kind joined by "and", "or" or commas: "Redis or Memcached". Commas count only together with such a
    word."""
    run: list[NounPhrase] = []
    joined = False
    for phrase in found:
        gap = text[run[-1].end : phrase.start] if run else ""
        joins = bool(run) and len(gap) < 40 and _JOINED.match(gap) is not None
        alike = bool(run) and run[-1].is_name == phrase.is_name and not phrase.is_time
        if alike and (joins or _COMMA.match(gap)):
            run.append(phrase)
            joined = joined or joins
            continue
        if joined:
            yield [one.text for one in run]
        run, joined = [phrase], False
    if joined:
        yield [one.text for one in run]


def _find_list_items(text: str) -> list[str]:
    """Return the items of a list in a text: the beginning of each, which names it."""
    found: list[str] = []
    for match in _BULLET.finditer(text[:8_000]):
        line = match[1].replace("**", "").replace("__", "").strip(' "“”`*')
        name = _ITEM_END.split(line, maxsplit=1)[0].strip(' "“”`*.')
        if name:
            found.append(" ".join(name.split()[:MAX_ITEM_WORDS]))
    return found
