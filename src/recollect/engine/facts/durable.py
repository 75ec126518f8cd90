"""Whether a sentence states something lasting about its author: a weighted sum of cues (`cues.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.engine.facts.claim import Kind
from recollect.engine.facts.cues import BIAS, KINDS, PHRASES, WEIGHTS
from recollect.engine.facts.plain import OTHERS_CUES
from recollect.engine.facts.statements import earnest_end
from recollect.engine.facts.words import cued, words_of
from recollect.engine.pattern import Pattern
from recollect.engine.terms import ascii_words

LEAST_SCORE = 1.3
"""From which score on a sentence is kept: the least one that gives a precision of 88 % in cross-validation. A wrong
note misleads every answer, and a missing one is found by search all the same (docs/decisions/0020-facts-as-typed.md)."""
LEAST_WORDS = 3
SHORT = 8
LONG = 18
"""Words of a sentence: fewer than `SHORT` seldom say something lasting by themselves, more than `LONG` often do."""


class Sentence(NamedTuple):
    """What is left of a sentence without its opening filler and without what it asks, as a span of the message. `words` are
    lower-case and include the filler; `first` is the first word after it."""

    text: str
    start: int
    end: int
    words: Sequence[str]
    first: str

    @property
    def is_own(self) -> bool:
        """Whether it mentions the speaker, if only by a verb whose "I" was left out."""
        return not FIRST_PERSON.isdisjoint(self.words) or self.first in _DROPPED_I


FIRST_PERSON = frozenset("i im ive my me we our mine us myself mum mom dad grandma granny grandpa nana".split())
_DROPPED_I = frozenset(
    "been love loved used got worked had went started bought haven just trying working joined moved signed tried saw met"
    " found adopted sold quit finished left passed decided switched booked planning thinking".split()
)
"""With which a sentence begins whose "I" was left out."""
_FILLER = Pattern(
    r"[\s\"'*(-]*(?:(?:oh|and|but|so|well|yeah|yep|yes|also|btw|hey|hi|hello|ok|okay|anyway|haha|lol|wow|thanks|thank you"
    r"|great|sure|of course|by the way|plus)\b[\s,!.:-]*)*"
)
_REQUEST = cued(
    "wondering looking could want need hoping help",
    r",? (?:and|so|but) (?:i(?:['’]m| am| was)(?: also)? (?:just )?(?:wondering|curious|looking for|hoping you|not sure)"
    r"|i (?:need|could use|would like|want) (?:some |your |a bit of )?(?:help|advice|tips|ideas|suggestions|recommendations)"
    r"|(?:can|could|would|do) you)\b",
)
_REPORTED = cued(
    "said says thinks think told claims believes asked wrote sings goes lyrics lyric character dream novel story song"
    " movie book poem game script film play quote",
    r"\b(?:said|says|thinks|claims|believes|told (?:me|us)|wrote|sings|goes|(?:people|they|friends) think)"
    r"(?: that)?,?\s*(?:[\"“:]|(?:i|we|my|i['’]m)\b)"
    r"|\b(?:lyrics?|my character|quote)\b"
    r"|\bin (?:the|my|a|this|which) (?:dream|novel|story|song|movie|book|poem|game|script|film|play)\b"
    r"|\bstory (?:in which|where|about)\b",
)
_SECRET = frozenset("password passwords passcode passphrase pin cvv ssn secret".split())
"""What is never kept as it was typed."""
_QUOTED = re.compile(r"^\s*[\"“]")
_NAME = re.compile(r"(?<=[a-z0-9,;:\"“] )[\"“(]?(?!I\b)[A-Z][a-zA-Z]+")
_OTHERS = frozenset("it they that this these those he she there the".split())
_CLOSING = " .,!…:;*~\n\t\r"


def sentence_of(text: str, start: int, end: int) -> Sentence | None:
    """Return the part of a sentence that may be kept; None if it asks, supposes, quotes, or is about nobody."""
    return kept_part(text[start:end], start, words_of(text[start:end]))


def kept_part(whole: str, start: int, present: frozenset[str]) -> Sentence | None:
    """Return the same for a sentence that begins at a place and has these words."""
    if _SPOKEN_OF.isdisjoint(present) or not _SECRET.isdisjoint(present):
        return None
    if _QUOTED.match(whole) or _REPORTED.search(whole, present):
        return None
    last = earnest_end(whole, present)
    if request := _REQUEST.search(whole, present):
        last = min(last, request.start())
    filler = _FILLER.match(whole)
    first = filler.end() if filler else 0
    kept = whole[first:last].rstrip(_CLOSING)
    words = ascii_words(whole[:last].lower().replace("’", "'"))
    if kept.count(" ") < LEAST_WORDS - 1 or "?" in kept:
        return None
    head = next(iter(ascii_words(kept[:20].lower())), "")
    sentence = Sentence(kept, start + first, start + first + len(kept), words, head)
    return sentence if sentence.is_own or not OTHERS_CUES.isdisjoint(words) else None


_SPOKEN_OF = FIRST_PERSON | _DROPPED_I | OTHERS_CUES


def cues_of(sentence: Sentence) -> set[str]:
    """Return the names of the cues that a sentence has.

    >>> sorted(cues_of(Sentence("I take my coffee black", 0, 22, "i take my coffee black".split(), "i")))
    ['my', 'short']
    """
    words = sentence.words
    phrases = {*words, *map(" ".join, pairwise(words))}
    phrases.update(map(" ".join, zip(words, words[1:], words[2:], strict=False)))
    found = {cue for phrase in _PHRASES & phrases for cue in _CUES_OF[phrase]}
    if "so you know" in phrases:  # it speaks to somebody, but not about them
        found.discard("you")
    if _NAME.search(sentence.text):
        found.add("name")
    if _DIGIT.search(sentence.text):
        found.add("number")
    if len(words) < SHORT:
        found.add("short")
    elif len(words) > LONG:
        found.add("long")
    if sentence.first in _OTHERS:
        found.add("starts with it")
    elif sentence.first in _DROPPED_I:
        found.add("starts without I")
    return found


_DIGIT = re.compile(r"\d")


def _by_phrase(cues: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The cues that a phrase is one of, by phrase."""
    found: dict[str, tuple[str, ...]] = {}
    for cue, phrases in cues.items():
        for written in phrases.split():
            phrase = " ".join(ascii_words(written.replace("_", " ")))
            found[phrase] = (*found.get(phrase, ()), cue)
    return found


_CUES_OF = _by_phrase(PHRASES)
_PHRASES = frozenset(_CUES_OF)


def score(cues: Iterable[str]) -> float:
    """Return the sum of the weights of some cues: the log-odds that a sentence is worth a note."""
    return BIAS + sum(WEIGHTS[cue] for cue in cues)


def kind_of_cues(cues: Iterable[str]) -> Kind:
    """Return the kind that most of the cues speak for.

    >>> kind_of_cues({"health", "my"}), kind_of_cues({"plan", "name"}), kind_of_cues(set())
    ('constraint', 'project', 'preference')
    """
    votes: dict[Kind, float] = {}
    for cue in cues:
        if cue in KINDS:
            kind, vote = KINDS[cue]
            votes[kind] = votes.get(kind, 0.0) + vote
    return max(sorted(votes), key=votes.__getitem__) if votes else "preference"
