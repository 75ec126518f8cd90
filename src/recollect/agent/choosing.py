"""What of all that was found is quoted, and in which order: what is about the question, the newest of it first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.agent.answer import Cited
from recollect.engine.asks import asks
from recollect.engine.digest.sentences import sentences
from recollect.engine.pattern import Pattern
from recollect.engine.query import understand
from recollect.engine.rank import is_question
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import Message

QUOTES = 5
CLOSE = 0.5
"""How close in meaning something is that shares no word with a question and is quoted all the same."""
SURE = 0.1
"""The score that it has besides: from here on a memory is taken to have something on a question."""

LITTLE = 4
"""Telling words: with fewer, a message means nothing without those around it."""

LONG = 400
"""Characters: of what is longer, the sentences that ask say what is asked."""

RELATED = 2
"""Words that something shares with what is told, to be about the same."""
MOST_RELATED = 3

WEAK = frozenset(
    terms(
        "get got getting take took taken make made go goes going went gone come came give gave put think thought know knew"
        " known say said tell told talk want need use try tried keep kept see saw seen look find found feel felt seem mean"
        " happen start let thing things way time times day days kind sort type lot new old big small good bad great nice"
        " long short little first last next right much many name names called favourite favorite best currently today"
        " remember remind list show please number call"
    )
)
"""Words that many a text has and that say little of what it is about."""

_PAST = Pattern(r"\b(?:was|were|did|had|used to|before|previously|formerly|earlier|back then|originally|ago)\b")


class Asked(NamedTuple):
    """What is looked for: its telling words, the names among them, and whether it is about how things are now."""

    wanted: frozenset[str]
    names: frozenset[str]
    is_question: bool
    is_present: bool

    @classmethod
    def of(cls, said: Message, searched_for: str) -> Asked:
        """What a message asks for or is about; `searched_for` is the same without "she" and "there"."""
        text = searched_for if searched_for.strip() else said.text
        asking = [sentence for sentence in sentences(text) if asks(sentence)] if len(text) > LONG else []
        text = " ".join(asking) or text
        meant = understand(text, said.created_at, plain=True)
        now = not meant.times and _PAST.search(text) is None
        return cls(frozenset(telling(terms(text))), frozenset(meant.names), asks(said.text), now)

    def also(self, words: Iterable[str]) -> Asked:
        """The same with other words for what is meant."""
        return self._replace(wanted=self.wanted.union(*map(terms, words)))


class Quote(NamedTuple):
    """Something that may be quoted: the words it shares with the question, how close it is in meaning, the fact that has
    taken its place, and whether the memory itself says that it is about what is asked."""

    cited: Cited
    shared: frozenset[str] = frozenset()
    meaning: float = 0.0
    changed: str = ""
    chosen: bool = False

    @property
    def is_close(self) -> bool:
        """Whether it means nearly what is asked."""
        return self.meaning >= CLOSE and (self.cited.score or 0.0) >= SURE


def chosen(candidates: Iterable[Quote], asked: Asked, said: Message) -> tuple[Quote, ...]:
    """Of all that was found, what is worth quoting, best first."""
    if not asked.is_question and len(said.text) > LONG:
        return ()  # it shares a word with everything
    fits = _answers if asked.is_question else _is_related
    kept = [one for one in _each_once(candidates, said) if fits(one, asked) and _tells(one)]
    kept = _in_order(_without_repetition(_without_noise(kept)), asked)
    return tuple(kept[: QUOTES if asked.is_question else MOST_RELATED])


def _answers(one: Quote, asked: Asked) -> bool:
    return one.chosen or bool(one.shared) or one.is_close


def _is_related(one: Quote, asked: Asked) -> bool:
    """Whether something is really about the same as what somebody tells, who asked for nothing."""
    return len(one.shared - WEAK) >= RELATED or not asked.names.isdisjoint(one.shared)


def _each_once(candidates: Iterable[Quote], said: Message) -> list[Quote]:
    kept = {plain(said.text)}
    once: list[Quote] = []
    for one in sorted(candidates, key=lambda one: -(one.cited.score or 0.0)):
        text = plain(one.cited.text)
        if text not in kept:
            kept.add(text)
            once.append(one)
    return once


def _tells(one: Quote) -> bool:
    """Whether something does not only ask; what is quoted because of what was said next to it must tell more than that."""
    cited = one.cited
    if cited.kind != "message":
        return True
    if cited.score is None and (is_question(cited.text) or len(telling(terms(cited.text))) < LITTLE):
        return False
    return not all(asks(sentence) for sentence in sentences(cited.text))


def _without_noise(quotes: Sequence[Quote]) -> list[Quote]:
    """Where something shares a word that says what it is about, a word like "old" is not enough."""
    if not any(one.shared - WEAK for one in quotes):
        return list(quotes)
    return [one for one in quotes if one.shared - WEAK or one.is_close or (one.chosen and not one.shared)]


def _without_repetition(quotes: Sequence[Quote]) -> list[Quote]:
    """Without the facts that say no more than a message which is quoted."""
    messages = [one for one in quotes if one.cited.kind == "message"]
    return [
        one for one in quotes if one.cited.kind != "fact" or not any(says(message, one.cited.text) for message in messages)
    ]


def says(one: Quote, fact: str) -> bool:
    """Whether something says all that a fact says."""
    words = set(telling(terms(fact))) - _BOOKISH
    return plain(one.cited.text) == plain(fact) or (len(words) > 1 and words.issubset(terms(one.cited.text)))


_BOOKISH = frozenset(terms("user user's others called"))


def _in_order(quotes: list[Quote], asked: Asked) -> list[Quote]:
    """Best first. Of those that share the same words with a question about the present, the newest first; and before what
    has changed, what has taken its place."""
    if not asked.is_present:
        return quotes
    alike: dict[frozenset[str], list[int]] = {}
    for place, one in enumerate(quotes):
        if one.shared and one.cited.kind in ("message", "fact"):
            alike.setdefault(one.shared, []).append(place)
    ordered = list(quotes)
    for places in alike.values():
        newest = sorted((quotes[place] for place in places), key=_when, reverse=True)
        for place, one in zip(places, newest, strict=True):
            ordered[place] = one
    for over in [one for one in ordered if one.changed]:
        instead = next((one for one in ordered if one is not over and not one.changed and says(one, over.changed)), None)
        if instead is not None and ordered.index(instead) > ordered.index(over):
            ordered.remove(instead)
            ordered.insert(ordered.index(over), instead)
    return ordered


def _when(one: Quote) -> float:
    return 0.0 if one.cited.at is None else one.cited.at.timestamp()


def plain(text: str) -> str:
    """A text to compare others with.

    >>> plain("My  Sister")
    'my sister'
    """
    return " ".join(text.split()).casefold()
