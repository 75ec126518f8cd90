"""What a conversation is about: the phrases that come up in it, weighed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from recollect.engine.phrases import Phrase, phrases
from recollect.engine.stopwords import STOP_TERMS
from recollect.engine.terms import terms
from recollect.types import Message, Role

USER, ASSISTANT = 1.0, 0.35
"""What a phrase counts by who says it: an assistant says a lot about little."""
NAMED = 1.25
LONGEST = 1_500
"""Characters of a message that are read."""
MOST_TAG_WORDS = 3

_VAGUE = frozenset(
    terms(
        "time people person lot fun stuff thing life idea tip recommendation suggestion advice help information detail"
        " question answer way day week month year today chance moment experience problem issue reason part end place"
        " point case fact kind sort type number list example option bit couple something anything everyone guy friend"
        " sense feeling thought plan look pic news update photo picture thanks matter rest step process difference"
        " support great love talk conversation hour minute morning evening night weekend goal topic area level start top"
        " side word name work job hand mind heart interest interested curious recent current specific general additional"
        " possible potential hope cheers yea yeah"
    )
)
_DESCRIBING = frozenset("is are was were be been am so very really pretty too feel feels felt super how more".split())
_ADJECTIVE = re.compile(r"(?:ful|ous|less|ative|itive|ptive|essive|ish|some|ic|ing|ed|able|ible)$")
_MARKS = re.compile(r"[*#>`|]{1,6}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[[^\]\n]{0,300}\]|https?://\S{1,300}")
_GREETING = re.compile(
    r"^\W*(?:(?:hi|hey|hello|good (?:morning|afternoon|evening)|dear)\b[^.!?\n,]{0,30}[.!?,\n]\s*)+", re.IGNORECASE
)
_PRIVATE = re.compile(r"\d|@|https?:|www\.|/|\\")


def matter(text: str) -> str:
    """The beginning of a text without greetings, marks and links.

    >>> matter("Hey Mel! I joined a **pottery** class.")
    'I joined a  pottery  class.'
    """
    return _GREETING.sub("", _MARKS.sub(" ", text[:LONGEST])).strip()


class Topic(NamedTuple):
    """A phrase and the message it came up in first."""

    text: str
    source: str


class Topics:
    """The phrases of a talk by how much they matter: how often they come up, who says them, and whether they are names."""

    def __init__(self, read: Sequence[Message], names: Collection[str], speakers: frozenset[str]) -> None:
        self._weights: dict[tuple[str, ...], float] = {}
        self._first: dict[tuple[str, ...], tuple[Phrase, str]] = {}
        self._words: dict[str, float] = {}
        for message in read:
            counts = USER if message.role == Role.USER else ASSISTANT
            for phrase in phrases(matter(message.text), names):
                key = tuple(terms(phrase.text))
                if worth(phrase) and not speakers.intersection(key):
                    self._count(key, phrase, message.id, counts * (NAMED if phrase.is_name else 1.0))

    def _count(self, key: tuple[str, ...], phrase: Phrase, source: str, weight: float) -> None:
        self._weights[key] = self._weights.get(key, 0.0) + weight
        self._first.setdefault(key, (phrase, source))
        for word in set(key) - _VAGUE:
            self._words[word] = self._words.get(word, 0.0) + weight

    def weight(self, phrase: Phrase) -> float:
        """How much a phrase matters: what its words do, the last of them most."""
        return self._weigh(tuple(terms(phrase.text)))

    def _weigh(self, key: tuple[str, ...]) -> float:
        return sum(min(self._words.get(word, 0.0), 6.0) for word in key) / (1 + 0.3 * len(key))

    def best(self, count: int) -> list[Topic]:
        """The phrases that matter most, as they were first said; none that repeats another's words."""
        return self._chosen(count, self._first)

    def tags(self, count: int) -> list[Topic]:
        """The same in lower case, short, and without names of people."""
        plain = {key: entry for key, entry in self._first.items() if not entry[0].person and len(key) <= MOST_TAG_WORDS}
        return [topic._replace(text=topic.text.lower()) for topic in self._chosen(count, plain)]

    def _chosen(self, count: int, among: dict[tuple[str, ...], tuple[Phrase, str]]) -> list[Topic]:
        taken: set[str] = set()
        found: list[Topic] = []
        for key in sorted(among, key=lambda key: -(self._weigh(key) + self._weights[key])):
            if len(found) == count:
                break
            if not taken.intersection(key):
                phrase, source = among[key]
                found.append(Topic(shown(phrase), source))
                taken.update(key)
        return found


def worth(phrase: Phrase) -> bool:
    """Whether a phrase may stand in a list: no time, no number, no address, and not only words that say little."""
    if phrase.is_time or is_private(phrase.text) or _is_description(phrase):
        return False
    return any(term not in _VAGUE and term not in STOP_TERMS and len(term) > 1 for term in terms(phrase.text))


def is_private(text: str) -> bool:
    """Whether a text has a number, an address or a link in it, which nobody wants to read in a list.

    >>> is_private("ana@example.org"), is_private("weekend trip")
    (True, False)
    """
    return _PRIVATE.search(text) is not None


def _is_description(phrase: Phrase) -> bool:
    """Whether a phrase tells how something is: "it was tough", "so grateful"."""
    if phrase.is_name or " " in phrase.text:
        return False
    return phrase.lead.rpartition(" ")[2] in _DESCRIBING or _ADJECTIVE.search(phrase.text) is not None


def shown(phrase: Phrase) -> str:
    """A phrase for a list: what has a capital only because a sentence begins with it loses it."""
    return phrase.text if phrase.is_name else phrase.text[:1].lower() + phrase.text[1:]
