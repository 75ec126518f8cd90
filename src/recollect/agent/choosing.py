"""What of all that was found is quoted, and in which order: what is about the question, the newest of it first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from recollect.agent.answer import Cited
from recollect.agent.following import is_someone
from recollect.engine.asks import asks
from recollect.engine.digest.sentences import sentences
from recollect.engine.pattern import Pattern
from recollect.engine.query import understand
from recollect.engine.rank import is_question
from recollect.engine.stopwords import STOP_WORDS, telling
from recollect.engine.terms import terms
from recollect.engine.verbs import VERBS
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

_SHE = Pattern(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b")
_WORD = re.compile(r"[^\W\d_]+")
_MOST_NAMED = 8
_OWNED = Pattern(r"\bof (?:my|our|the)\b|\w['’]s\b")
_SAYING = (VERBS | frozenset(f"{STOP_WORDS} today tonight tomorrow".split())) - frozenset(
    "of my our the a an in on at for with from and or s".split()
)


def names_only(text: str) -> bool:
    """Whether words only name something of somebody's, as people type them to search for it.

    >>> names_only("hobbies of my sister"), names_only("my sister rows"), names_only("Mum's PIN: 4711")
    (True, False, False)
    """
    words = _WORD.findall(text.lower())
    bare = len(words) <= _MOST_NAMED and not _NOTES.search(text) and _SAYING.isdisjoint(words)
    return bare and _OWNED.search(text) is not None


_NOTES = re.compile(r"[\d.!:;,=–—]|\w [A-Z]")


class Asked(NamedTuple):
    """What is looked for: its telling words, the names among them, those for whom it is about, and whether it is about how
    things are now. `others` are other words for the same people."""

    wanted: frozenset[str]
    names: frozenset[str]
    who: frozenset[str]
    is_question: bool
    is_present: bool
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, said: Message, searched_for: str) -> Asked:
        """What a message asks for or is about; `searched_for` is the same without "she" and "there"."""
        text = searched_for if searched_for.strip() else said.text
        asking = [sentence for sentence in sentences(text) if asks(sentence)] if len(text) > LONG else []
        text = " ".join(asking) or text
        meant = understand(text, said.created_at, plain=True)
        now = not meant.times and _PAST.search(text) is None
        names = frozenset(meant.names)
        wanted, question = frozenset(telling(terms(text))), asks(said.text) or names_only(said.text)
        return cls(wanted, names, names | _people(text), question, now)

    def also(self, words: Sequence[str]) -> Asked:
        """The same with other words for those whom it is about."""
        found = frozenset[str]().union(*map(terms, words))
        return self._replace(wanted=self.wanted | found, who=self.who | found, others=tuple(words))


class Quote(NamedTuple):
    """Something that may be quoted: the words it shares with the question, how close it is in meaning, the fact that has
    taken its place, and whether the memory itself says that it is about what is asked."""

    cited: Cited
    shared: frozenset[str] = frozenset()
    meaning: float = 0.0
    changed: str = ""
    chosen: bool = False
    who: bool = False
    """Whether it is about those whom the question is about."""

    @property
    def is_close(self) -> bool:
        """Whether it means nearly what is asked."""
        return self.meaning >= CLOSE and (self.cited.score or 0.0) >= SURE


def chosen(candidates: Iterable[Quote], asked: Asked, said: Message, is_own: Callable[[Cited], bool]) -> tuple[Quote, ...]:
    """Of all that was found, what is worth quoting, best first. `is_own` says of something whether the user said it."""
    if not asked.is_question and len(said.text) > LONG:
        return ()  # it shares a word with everything
    fits = _answers if asked.is_question else _is_related
    found = _each_once(candidates, said)
    there = {one.cited.session for one in found if one.shared & asked.who}
    found = [one._replace(who=_is_about_them(one, asked, there)) for one in found]
    kept = _without_repetition(_without_noise([one for one in found if fits(one, asked) and _tells(one)], asked))
    kept = _in_order(kept, asked, is_own)
    return tuple(kept[: QUOTES if asked.is_question else MOST_RELATED])


def _answers(one: Quote, asked: Asked) -> bool:
    return one.chosen or bool(one.shared) or one.is_close or one.who


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


def _is_about_them(one: Quote, asked: Asked, there: AbstractSet[str | None]) -> bool:
    """Whether something names those whom a question is about, or says "she" where they are spoken of."""
    if one.shared & asked.who:
        return True
    return bool(asked.who) and one.cited.session in there and _SHE.search(one.cited.text) is not None


def _tells(one: Quote) -> bool:
    """Whether something tells more than that somebody asks."""
    cited = one.cited
    if cited.kind != "message":
        return True
    told = terms(" ".join(sentence for sentence in sentences(cited.text) if not (asks(sentence) or names_only(sentence))))
    return not one.shared.isdisjoint(told) or len(telling(told)) >= (LITTLE if is_question(cited.text) else 1)


def _without_noise(quotes: Sequence[Quote], asked: Asked) -> list[Quote]:
    """What says something on what is asked, of those whom it is asked about. Where nothing does both, either is enough, and
    where there is neither, a word like "old"."""

    on_them = [one for one in quotes if one.who] or list(quotes)
    if any(one.shared - WEAK - asked.who for one in on_them):
        return [one for one in on_them if one.shared - WEAK - asked.who or one.is_close or (one.chosen and not one.shared)]
    return [one for one in on_them if one.shared - WEAK or one.who or one.is_close] or on_them


def _without_repetition(quotes: Sequence[Quote]) -> list[Quote]:
    """Without the facts that say no more than a message which is quoted."""
    messages = [one for one in quotes if one.cited.kind == "message"]
    return [
        one for one in quotes if one.cited.kind != "fact" or not any(says(message, one.cited.text) for message in messages)
    ]


def says(one: Quote, fact: str) -> bool:
    """Whether something says all that a fact says."""
    words = set(telling(terms(_REMARK.sub("", fact)))) - _BOOKISH
    return plain(one.cited.text) == plain(fact) or (len(words) > 1 and words.issubset(terms(one.cited.text)))


_REMARK = re.compile(r" \([^()]{1,60}\)$")
_BOOKISH = frozenset(terms("user user's others called"))


def _in_order(quotes: list[Quote], asked: Asked, is_own: Callable[[Cited], bool]) -> list[Quote]:
    """What shares words with what is asked about somebody, then what the user said. For a question about the present, of
    what shares the same words the newest first; and before what has changed, what has taken its place."""
    own = {one.cited.id for one in quotes if one.cited.kind != "message" or is_own(one.cited)}

    def rank(one: Quote) -> int:
        on_it = bool(one.shared - WEAK - asked.who)
        return 0 if not asked.who or (on_it and one.cited.id in own) else 1 if on_it else 2 if one.cited.id in own else 3

    ordered = sorted(quotes, key=rank)
    return _newest_first(ordered, asked, own) if asked.is_present else ordered


def _newest_first(quotes: list[Quote], asked: Asked, own: AbstractSet[str]) -> list[Quote]:
    alike: dict[tuple[bool, frozenset[str], frozenset[str]], list[int]] = {}
    for place, one in enumerate(quotes):
        if one.shared and one.cited.id in own and one.cited.kind in ("message", "fact"):
            others = frozenset[str]() if one.who else _people(one.cited.text)
            about = (one.who, one.shared - asked.who, others)
            alike.setdefault(about, []).append(place)
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


def _people(text: str) -> frozenset[str]:
    return frozenset[str]().union(*(terms(word) for word in _WORD.findall(text.lower()) if is_someone(word)))


def _when(one: Quote) -> float:
    return 0.0 if one.cited.at is None else one.cited.at.timestamp()


def plain(text: str) -> str:
    """A text to compare others with.

    >>> plain("My  Sister")
    'my sister'
    """
    return " ".join(text.split()).casefold()
