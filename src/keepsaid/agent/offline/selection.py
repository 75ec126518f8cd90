"""Select and order the quotes of an answer: those that are relevant to the question, newest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from keepsaid.agent.answer import Cited
from keepsaid.agent.offline.name_lookup import is_person_or_pet
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.engine.ranking.signals import is_question
from keepsaid.engine.summary.sentences import split_sentences
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import STOP_WORDS, content_words
from keepsaid.engine.text.terms import terms
from keepsaid.engine.text.verbs import VERBS
from keepsaid.types import Message

MAX_QUOTES = 5
MIN_MEANING = 0.5
"""Minimum semantic similarity of a quote that shares no word with the question."""
MIN_SCORE = 0.1
"""Minimum score of such a quote; from this score on, a memory is considered relevant."""

FEW_CONTENT_WORDS = 4
"""Content words: a question with fewer means little without its context."""

LONG_MESSAGE = 400
"""Characters: in a longer message, only its question sentences are used as the question."""

MIN_SHARED_WORDS = 2
"""Minimum words that a quote must share with a statement to be related to it."""
MAX_RELATED = 3

WEAK_WORDS = frozenset(
    terms(
        "get got getting take took taken make made go goes going went gone come came give gave put think thought know knew"
        " known say said tell told talk want need use try tried keep kept see saw seen look find found feel felt seem mean"
        " happen start let thing things way time times day days kind sort type lot new old big small good bad great nice"
        " long short little first last next right much many name names called favourite favorite best currently today"
        " remember remind list show please number call"
    )
)
"""Common words that say little about the subject of a text."""

_PAST = EnglishPattern(r"\b(?:was|were|did|had|used to|before|previously|formerly|earlier|back then|originally|ago)\b")

_PRONOUNS = EnglishPattern(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b")
_WORD = re.compile(r"[^\W\d_]+")
_MAX_NAMED_WORDS = 8
_OWNED = EnglishPattern(r"\bof (?:my|our|the)\b|\w['’]s\b")
_SENTENCE_WORDS = (VERBS | frozenset(f"{STOP_WORDS} today tonight tomorrow".split())) - frozenset(
    "of my our the a an in on at for with from and or s".split()
)


def is_name_only(text: str) -> bool:
    """Whether a text only names something, as people type to search for it, rather than stating anything.

    >>> is_name_only("hobbies of my sister"), is_name_only("my sister rows"), is_name_only("Mum's PIN: 4711")
    (True, False, False)
    """
    words = _WORD.findall(text.lower())
    bare = len(words) <= _MAX_NAMED_WORDS and not _NOTE_CHARACTERS.search(text) and _SENTENCE_WORDS.isdisjoint(words)
    return bare and _OWNED.search(text) is not None


_NOTE_CHARACTERS = re.compile(r"[\d.!:;,=–—]|\w [A-Z]")


class OfflineQuestion(NamedTuple):
    """The question to answer: its content words, the names among them, the people it is about, whether it is a question, and
    whether it is about the present. `others` are other names of the same people."""

    content_words: frozenset[str]
    names: frozenset[str]
    people: frozenset[str]
    is_question: bool
    is_present: bool
    other_names: tuple[str, ...] = ()

    @classmethod
    def from_message(cls, user_message: Message, searched_for: str) -> OfflineQuestion:
        """Return what a message asks for or is about; `searched_for` is its text with pronouns resolved."""
        text = searched_for if searched_for.strip() else user_message.text
        asking = (
            [sentence for sentence in split_sentences(text) if is_question_text(sentence)]
            if len(text) > LONG_MESSAGE
            else []
        )
        text = " ".join(asking) or text
        meant = parse_query(text, user_message.created_at, plain=True)
        now = not meant.times and _PAST.search(text) is None
        names = frozenset(meant.names)
        wanted, question = (
            frozenset(content_words(terms(text))),
            is_question_text(user_message.text) or is_name_only(user_message.text),
        )
        return cls(wanted, names, names | _people(text), question, now)

    def with_other_names(self, words: Sequence[str]) -> OfflineQuestion:
        """Return the question with other names of the people it is about."""
        found = frozenset[str]().union(*map(terms, words))
        return self._replace(content_words=self.content_words | found, people=self.people | found, other_names=tuple(words))


class QuoteCandidate(NamedTuple):
    """A source that may be quoted: the words it shares with the question, its semantic similarity, the fact that has
    replaced it, and whether the memory itself has selected it for the question."""

    cited: Cited
    shared: frozenset[str] = frozenset()
    meaning: float = 0.0
    replaced_by: str = ""
    is_on_topic: bool = False
    is_about_people: bool = False
    """Whether it is about the people in the question."""

    @property
    def is_close(self) -> bool:
        """Whether it is close in meaning to the question."""
        return self.meaning >= MIN_MEANING and (self.cited.score or 0.0) >= MIN_SCORE


def select_quotes(
    candidates: Iterable[QuoteCandidate], question: OfflineQuestion, user_message: Message, is_own: Callable[[Cited], bool]
) -> tuple[QuoteCandidate, ...]:
    """Return the quotes for an answer, best first. `is_own` tells whether the user said something."""
    if not question.is_question and len(user_message.text) > LONG_MESSAGE:
        return ()  # a long message shares a word with everything
    fits = _is_answer if question.is_question else _is_related
    found = _deduplicate(candidates, user_message)
    there = {one.cited.session for one in found if one.shared & question.people}
    found = [one._replace(is_about_people=_is_about_them(one, question, there)) for one in found]
    kept = _without_repetition(
        _without_noise([one for one in found if fits(one, question) and _is_informative(one)], question)
    )
    kept = _in_order(kept, question, is_own)
    return tuple(kept[: MAX_QUOTES if question.is_question else MAX_RELATED])


def _is_answer(one: QuoteCandidate, question: OfflineQuestion) -> bool:
    return one.is_on_topic or bool(one.shared) or one.is_close or one.is_about_people


def _is_related(one: QuoteCandidate, question: OfflineQuestion) -> bool:
    """Whether a quote is related closely enough to a statement that asks for nothing."""
    return len(one.shared - WEAK_WORDS) >= MIN_SHARED_WORDS or not question.names.isdisjoint(one.shared)


def _deduplicate(candidates: Iterable[QuoteCandidate], user_message: Message) -> list[QuoteCandidate]:
    kept = {normalize_text(user_message.text)}
    once: list[QuoteCandidate] = []
    for one in sorted(candidates, key=lambda one: -(one.cited.score or 0.0)):
        text = normalize_text(one.cited.text)
        if text not in kept:
            kept.add(text)
            once.append(one)
    return once


def _is_about_them(one: QuoteCandidate, question: OfflineQuestion, there: AbstractSet[str | None]) -> bool:
    """Whether a quote names the people in the question, or refers to them by a pronoun in the same conversation."""
    if one.shared & question.people:
        return True
    return bool(question.people) and one.cited.session in there and _PRONOUNS.search(one.cited.text) is not None


def _is_informative(one: QuoteCandidate) -> bool:
    """Whether a quote contains information rather than only a question."""
    cited = one.cited
    if cited.kind != "message":
        return True
    statement_terms = terms(
        " ".join(
            sentence
            for sentence in split_sentences(cited.text)
            if not (is_question_text(sentence) or is_name_only(sentence))
        )
    )
    return not one.shared.isdisjoint(statement_terms) or len(content_words(statement_terms)) >= (
        FEW_CONTENT_WORDS if is_question(cited.text) else 1
    )


def _without_noise(quotes: Sequence[QuoteCandidate], question: OfflineQuestion) -> list[QuoteCandidate]:
    """Keep quotes that match both the people and the subject of the question. If none match both, either is enough; if none
    match either, a weak word such as "old" is."""

    on_them = [one for one in quotes if one.is_about_people] or list(quotes)
    if any(one.shared - WEAK_WORDS - question.people for one in on_them):
        return [
            one
            for one in on_them
            if one.shared - WEAK_WORDS - question.people or one.is_close or (one.is_on_topic and not one.shared)
        ]
    return [one for one in on_them if one.shared - WEAK_WORDS or one.is_about_people or one.is_close] or on_them


def _without_repetition(quotes: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Drop facts that say no more than a quoted message."""
    messages = [one for one in quotes if one.cited.kind == "message"]
    return [
        one
        for one in quotes
        if one.cited.kind != "fact" or not any(covers_fact(message, one.cited.text) for message in messages)
    ]


def covers_fact(one: QuoteCandidate, fact: str) -> bool:
    """Whether a quote contains everything that a fact says."""
    words = set(content_words(terms(_REMARK.sub("", fact)))) - _FACT_WORDS
    return normalize_text(one.cited.text) == normalize_text(fact) or (
        len(words) > 1 and words.issubset(terms(one.cited.text))
    )


_REMARK = re.compile(r" \([^()]{1,60}\)$")
_FACT_WORDS = frozenset(terms("user user's others called"))


def _in_order(
    quotes: list[QuoteCandidate], question: OfflineQuestion, is_own: Callable[[Cited], bool]
) -> list[QuoteCandidate]:
    """Order quotes: first those that match the subject of a question about people, then those of the user. For a question
    about the present, quotes with the same shared words are ordered newest first, and replacements precede what they
    replace."""
    own = {one.cited.id for one in quotes if one.cited.kind != "message" or is_own(one.cited)}

    def rank(one: QuoteCandidate) -> int:
        on_it = bool(one.shared - WEAK_WORDS - question.people)
        return (
            0 if not question.people or (on_it and one.cited.id in own) else 1 if on_it else 2 if one.cited.id in own else 3
        )

    ordered = sorted(quotes, key=rank)
    return _newest_first(ordered, question, own) if question.is_present else ordered


def _newest_first(quotes: list[QuoteCandidate], question: OfflineQuestion, own: AbstractSet[str]) -> list[QuoteCandidate]:
    alike: dict[tuple[bool, frozenset[str], frozenset[str]], list[int]] = {}
    for place, one in enumerate(quotes):
        if one.shared and one.cited.id in own and one.cited.kind in ("message", "fact"):
            others = frozenset[str]() if one.is_about_people else _people(one.cited.text)
            about = (one.is_about_people, one.shared - question.people, others)
            alike.setdefault(about, []).append(place)
    ordered = list(quotes)
    for places in alike.values():
        newest = sorted((quotes[place] for place in places), key=_timestamp, reverse=True)
        for place, one in zip(places, newest, strict=True):
            ordered[place] = one
    for over in [one for one in ordered if one.replaced_by]:
        instead = next(
            (one for one in ordered if one is not over and not one.replaced_by and covers_fact(one, over.replaced_by)), None
        )
        if instead is not None and ordered.index(instead) > ordered.index(over):
            ordered.remove(instead)
            ordered.insert(ordered.index(over), instead)
    return ordered


def _people(text: str) -> frozenset[str]:
    return frozenset[str]().union(*(terms(word) for word in _WORD.findall(text.lower()) if is_person_or_pet(word)))


def _timestamp(one: QuoteCandidate) -> float:
    return 0.0 if one.cited.at is None else one.cited.at.timestamp()


def normalize_text(text: str) -> str:
    """Normalize a text for comparison.

    >>> normalize_text("My  Sister")
    'my sister'
    """
    return " ".join(text.split()).casefold()
