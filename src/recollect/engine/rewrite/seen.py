"""What was spoken of shortly before, and how much each thing is on the speakers' minds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.engine.pattern import Pattern
from recollect.engine.phrases import Phrase, capitalised, phrases
from recollect.engine.terms import terms
from recollect.types import Message, Role

FADING = 0.75
"""What is left of a thing's weight when a message has passed."""
ROLES = {Role.USER: 1.0, Role.ASSISTANT: 0.8, Role.TOOL: 0.4, Role.SYSTEM: 0.0}
"""Who said it: a person's follow-up is mostly about what they said themselves."""
NAMED, FIRST, ASKED_ABOUT, IN_PASSING = 1.3, 1.2, 1.5, 0.55
"""Names weigh more, as does what a sentence begins with or is about; what hangs on another preposition weighs less."""
DESCRIBING, ASKED_FOR = 0.4, 0.3
"""What stands right after "is" or "be" tells how something is ("noisy") more often than what, and "how many people" names
nobody."""
CLOSE = 0.6
"""From which share of the best one's weight on the second best may be meant as well."""

_PREPOSITIONS = frozenset("in on at for with without by from to under over after before near during against as than".split())
_ASKED_FOR = frozenset("how many much what which whose".split())
_BEING = frozenset("is are was were be been am".split())
_BULLET = re.compile(r"^[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t]+(\S.{0,200})", re.MULTILINE)
_ITEM_END = re.compile(r"[:,(;–—]| - |\. ")
_JOINED = Pattern(
    r"\s*,?\s*\b(?:and|or|vs\.?|versus|nor|to)\b"
    r"(?: (?:in|to|at|the|a|an|my|our|your|for|with|on|from|perhaps|maybe|also|then))*\s*$"
)
_COMMA = re.compile(r"\s*,\s*(?:(?:the|a|an|my|our)\s+)?$")
MOST_ITEM_WORDS = 8


class Mention(NamedTuple):
    """A phrase in a message: `turn` counts back from the last one, 0."""

    phrase: Phrase
    turn: int
    role: Role
    weight: float


@dataclass(slots=True)
class Thing:
    """Something spoken of, under its longest name, with all the places that did."""

    text: str
    words: frozenset[str]
    mentions: list[Mention] = field(default_factory=list[Mention])

    @property
    def last(self) -> Phrase:
        return self.mentions[-1].phrase

    @property
    def turn(self) -> int:
        return self.mentions[-1].turn


class Seen:
    """The recent messages, read once. Things are in the order in which they came up."""

    def __init__(self, recent: Sequence[Message]) -> None:
        spoken = [message for message in recent if message.role != Role.SYSTEM and message.text.strip()]
        names = set[str]().union(*(capitalised(message.text) for message in spoken))
        self.messages = spoken
        self.things: list[Thing] = []
        self.groups: list[list[str]] = []
        """Things named side by side ("Lisbon or Porto"), and lists, the latest last."""
        self.lists: list[list[str]] = []
        for place, message in enumerate(spoken):
            found = phrases(message.text, names)
            for phrase in found:
                self._add(Mention(phrase, len(spoken) - 1 - place, message.role, _weight(message, phrase)))
            self.groups.extend(_side_by_side(message.text, found))
            if len(items := _items(message.text)) > 1:
                self.lists.append(items)
                self.groups.append(items)

    def _add(self, mention: Mention) -> None:
        words = frozenset(terms(mention.phrase.text))
        for thing in reversed(self.things):
            if words <= thing.words or (thing.words < words and mention.phrase.is_name and thing.mentions[0].phrase.is_name):
                if thing.words < words:
                    thing.text, thing.words = mention.phrase.text, words
                thing.mentions.append(mention)
                return
        self.things.append(Thing(mention.phrase.text, words, [mention]))

    def best(self, fits: Callable[[Thing], float], count: int) -> list[Thing]:
        """The weightiest things by how well they fit (0: not at all)."""
        return [thing for _, thing in self._weighed(fits)[:count]]

    def likely(self, fits: Callable[[Thing], float], stays: Pattern | None = None) -> list[Thing]:
        """The weightiest thing, and the next one if it comes close. A message with the word that `stays` finds goes on about
        what was there before: nothing fades in it, and what it brings up itself is less likely meant."""
        weighed = self._weighed(fits, stays)[:2]
        return [thing for weight, thing in weighed if weight >= CLOSE * weighed[0][0]]

    def _weighed(self, fits: Callable[[Thing], float], stays: Pattern | None = None) -> list[tuple[float, Thing]]:
        ages = self._ages(stays)
        found: list[tuple[float, Thing]] = []
        for thing in reversed(self.things):
            if (fit := fits(thing)) > 0:
                weights = [one.weight * FADING ** ages[one.turn][0] * ages[one.turn][1] for one in thing.mentions]
                found.append((fit * sum(weights), thing))
        return sorted(found, key=lambda entry: -entry[0])

    def _ages(self, stays: Pattern | None) -> list[tuple[int, float]]:
        """How many messages ago each turn was, as far as fading goes, and what its own things are worth."""
        ages: list[tuple[int, float]] = []
        age = 0
        for message in reversed(self.messages):
            goes_on = stays is not None and stays.search(message.text[:400]) is not None
            ages.append((age, 0.6 if goes_on else 1.0))
            age += 0 if goes_on else 1
        return ages

    def companions(self, thing: Thing, stays: Pattern | None = None) -> list[Thing]:
        """What was said of a thing: the others of the message that last named it, and of later ones that go on about it or
        answer a question about it; of each message the weightiest first."""
        found: list[Thing] = []
        asked = False
        for turn in range(thing.turn, -1, -1):
            text = self.messages[-1 - turn].text[:400]
            goes_on = stays is not None and stays.search(text) is not None
            if turn == thing.turn or goes_on or asked:
                found.extend(self._of_turn(turn, thing))
            asked = goes_on and text.rstrip().endswith("?")
        return list({id(other): other for other in found}.values())

    def _of_turn(self, turn: int, besides: Thing) -> list[Thing]:
        weights = {
            place: max((one.weight for one in other.mentions if one.turn == turn), default=0.0)
            for place, other in enumerate(self.things)
            if other is not besides and not other.last.is_time
        }
        best = sorted((place for place in weights if weights[place]), key=lambda place: -weights[place])
        return [self.things[place] for place in best[:2]]


def _weight(message: Message, phrase: Phrase) -> float:
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


def _side_by_side(text: str, found: Sequence[Phrase]) -> Iterator[list[str]]:
    """Things of one kind joined by "and", "or" or commas: "Redis or Memcached"; the commas count only with such a word."""
    run: list[Phrase] = []
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


def _items(text: str) -> list[str]:
    """What a list in a text lists: the beginning of each item, which names it."""
    found: list[str] = []
    for match in _BULLET.finditer(text[:8_000]):
        line = match[1].replace("**", "").replace("__", "").strip(' "“”`*')
        name = _ITEM_END.split(line, maxsplit=1)[0].strip(' "“”`*.')
        if name:
            found.append(" ".join(name.split()[:MOST_ITEM_WORDS]))
    return found
