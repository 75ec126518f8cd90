"""Weigh the phrases of a conversation to find its topics."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from keepsaid.engine.text.phrases import NounPhrase, find_phrases
from keepsaid.engine.text.stopwords import STOP_TERMS
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Role

USER_WEIGHT, ASSISTANT_WEIGHT = 1.0, 0.35
"""Weights of a phrase by the role of its author: an assistant writes a lot about little."""
NAME_WEIGHT = 1.25
MAX_CHARACTERS_READ = 1_500
"""Characters of a message that are read."""
MAX_TAG_WORDS = 3

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


def clean_opening(text: str) -> str:
    """Return the beginning of a text without greetings, markup and links.

    >>> clean_opening("Hey Mel! I joined a **pottery** class.")
    'I joined a  pottery  class.'
    """
    return _GREETING.sub("", _MARKS.sub(" ", text[:MAX_CHARACTERS_READ])).strip()


class SessionTopic(NamedTuple):
    """A phrase and the id of the message that it first occurs in."""

    text: str
    source: str


class TopicWeights:
    """The phrases of a conversation, weighed by frequency, by author, and by whether they are names."""

    def __init__(self, read: Sequence[Message], names: Collection[str], speakers: frozenset[str]) -> None:
        self._weights: dict[tuple[str, ...], float] = {}
        self._first: dict[tuple[str, ...], tuple[NounPhrase, str]] = {}
        self._words: dict[str, float] = {}
        for message in read:
            counts = USER_WEIGHT if message.role == Role.USER else ASSISTANT_WEIGHT
            for phrase in find_phrases(clean_opening(message.text), names):
                key = tuple(terms(phrase.text))
                if is_topic(phrase) and not speakers.intersection(key):
                    self._count(key, phrase, message.id, counts * (NAME_WEIGHT if phrase.is_name else 1.0))

    def _count(self, key: tuple[str, ...], phrase: NounPhrase, source: str, weight: float) -> None:
        self._weights[key] = self._weights.get(key, 0.0) + weight
        self._first.setdefault(key, (phrase, source))
        for word in set(key) - _VAGUE:
            self._words[word] = self._words.get(word, 0.0) + weight

    def weight(self, phrase: NounPhrase) -> float:
        """Return the weight of a phrase: that of its words, relative to its length."""
        return self._weigh(tuple(terms(phrase.text)))

    def _weigh(self, key: tuple[str, ...]) -> float:
        return sum(min(self._words.get(word, 0.0), 6.0) for word in key) / (1 + 0.3 * len(key))

    def best(self, count: int) -> list[SessionTopic]:
        """Return the phrases with the highest weights, as first written, none of which share a word."""
        return self._choose(count, self._first)

    def tags(self, count: int) -> list[SessionTopic]:
        """Return the same in lower case, only short phrases, and without names of people."""
        plain = {key: entry for key, entry in self._first.items() if not entry[0].person and len(key) <= MAX_TAG_WORDS}
        return [topic._replace(text=topic.text.lower()) for topic in self._choose(count, plain)]

    def _choose(self, count: int, among: dict[tuple[str, ...], tuple[NounPhrase, str]]) -> list[SessionTopic]:
        taken: set[str] = set()
        found: list[SessionTopic] = []
        for key in sorted(among, key=lambda key: -(self._weigh(key) + self._weights[key])):
            if len(found) == count:
                break
            if not taken.intersection(key):
                phrase, source = among[key]
                found.append(SessionTopic(format_topic(phrase), source))
                taken.update(key)
        return found


def is_topic(phrase: NounPhrase) -> bool:
    """Whether a phrase can be listed: not a time, a number or an address, and not only vague words."""
    if phrase.is_time or has_personal_value(phrase.text) or _is_description(phrase):
        return False
    return any(term not in _VAGUE and term not in STOP_TERMS and len(term) > 1 for term in terms(phrase.text))


def has_personal_value(text: str) -> bool:
    """Whether a text has a number, an address or a link, which do not belong in a list.

    >>> has_personal_value("ana@example.org"), has_personal_value("weekend trip")
    (True, False)
    """
    return _PRIVATE.search(text) is not None


def _is_description(phrase: NounPhrase) -> bool:
    """Whether a phrase describes how something is: "it was tough", "so grateful"."""
    if phrase.is_name or " " in phrase.text:
        return False
    return phrase.lead.rpartition(" ")[2] in _DESCRIBING or _ADJECTIVE.search(phrase.text) is not None


def format_topic(phrase: NounPhrase) -> str:
    """Return a phrase for a list, without a capital that it only has at the beginning of a sentence."""
    return phrase.text if phrase.is_name else phrase.text[:1].lower() + phrase.text[1:]
