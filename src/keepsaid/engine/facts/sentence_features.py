"""Features of a sentence that show whether it states something lasting about its author: cues, words and pairs of words.

`note_model.py` weighs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from keepsaid.engine.facts.cues import CUE_PHRASES
from keepsaid.engine.facts.plain_statements import OTHER_PERSON_CUES
from keepsaid.engine.facts.statements import find_assertion_end
from keepsaid.engine.facts.words import build_cued_pattern, collect_words
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.terms import ascii_words

MIN_SENTENCE_WORDS = 3
VERY_SHORT, SHORT, LONG = 6, 10, 18
"""Numbers of words. Sentences shorter than `SHORT` seldom state something lasting, those longer than `LONG` often do."""


class TrimmedSentence(NamedTuple):
    """A sentence without its opening filler and without the question in it, as a span of the message.

    `words` are in lower case and include the filler. `first` is the first word after the filler.
    """

    text: str
    start: int
    end: int
    words: Sequence[str]
    first: str

    @property
    def is_own(self) -> bool:
        """Whether it mentions the speaker, even if only by a verb with its "I" left out."""
        return not FIRST_PERSON.isdisjoint(self.words) or self.first in _DROPPED_I


FIRST_PERSON = frozenset("i im ive my me we our mine us myself mum mom dad grandma granny grandpa nana".split())
_DROPPED_I = frozenset(
    "been love loved used got worked had went started bought haven just trying working joined moved signed tried saw met"
    " found adopted sold quit finished left passed decided switched booked planning thinking".split()
)
"""First words of sentences with their "I" left out."""
_FILLER = EnglishPattern(
    r"[\s\"'*(-]*(?:(?:oh|and|but|so|well|yeah|yep|yes|also|btw|hey|hi|hello|ok|okay|anyway|haha|lol|wow|thanks|thank you"
    r"|great|sure|of course|by the way|plus)\b[\s,!.:-]*)*"
)
_REQUEST = build_cued_pattern(
    "wondering looking could want need hoping help",
    r",? (?:and|so|but) (?:i(?:['’]m| am| was)(?: also)? (?:just )?(?:wondering|curious|looking for|hoping you|not sure)"
    r"|i (?:need|could use|would like|want) (?:some |your |a bit of )?(?:help|advice|tips|ideas|suggestions|recommendations)"
    r"|(?:can|could|would|do) you)\b",
)
_REPORTED = build_cued_pattern(
    "said says thinks think told claims believes asked wrote sings goes lyrics lyric character dream novel story song"
    " movie book poem game script film play quote",
    r"\b(?:said|says|thinks|claims|believes|told (?:me|us)|wrote|sings|goes|(?:people|they|friends) think)"
    r"(?: that)?,?\s*(?:[\"“:]|(?:i|we|my|i['’]m)\b)"
    r"|\b(?:lyrics?|my character|quote)\b"
    r"|\bin (?:the|my|a|this|which) (?:dream|novel|story|song|movie|book|poem|game|script|film|play)\b"
    r"|\bstory (?:in which|where|about)\b",
)
_SECRET = frozenset("password passwords passcode passphrase pin cvv ssn secret".split())
"""Words of sentences that are never kept as typed."""
_QUOTED = re.compile(r"^\s*[\"“]")
_NAME = re.compile(r"(?<=[a-z0-9,;:\"“] )[\"“(]?(?!I\b)[A-Z][a-zA-Z]+")
_OTHERS = frozenset("it they that this these those he she there the".split())
_CLOSING = " .,!…:;*~\n\t\r"


def trim_sentence_at(text: str, start: int, end: int) -> TrimmedSentence | None:
    """Return the part of a sentence that may be kept; None if it asks, supposes or quotes, or mentions no person."""
    return trim_sentence(text[start:end], start, collect_words(text[start:end]))


def trim_sentence(whole: str, start: int, present: frozenset[str]) -> TrimmedSentence | None:
    """Return the part that may be kept of a sentence that begins at `start` and has these words."""
    if _PERSON_WORDS.isdisjoint(present) or not _SECRET.isdisjoint(present):
        return None
    if _QUOTED.match(whole) or _REPORTED.search(whole, present):
        return None
    last = find_assertion_end(whole, present)
    if request := _REQUEST.search(whole, present):
        last = min(last, request.start())
    filler = _FILLER.match(whole)
    first = filler.end() if filler else 0
    kept = whole[first:last].rstrip(_CLOSING)
    words = ascii_words(whole[:last].lower().replace("’", "'"))
    if kept.count(" ") < MIN_SENTENCE_WORDS - 1 or "?" in kept:
        return None
    head = next(iter(ascii_words(kept[:20].lower())), "")
    sentence = TrimmedSentence(kept, start + first, start + first + len(kept), words, head)
    return sentence if sentence.is_own or not OTHER_PERSON_CUES.isdisjoint(words) else None


_PERSON_WORDS = FIRST_PERSON | _DROPPED_I | OTHER_PERSON_CUES


def find_cues(sentence: TrimmedSentence) -> set[str]:
    """Return the names of the cues that a sentence has.

    >>> sorted(find_cues(TrimmedSentence("I take my coffee black", 0, 22, "i take my coffee black".split(), "i")))
    ['my', 'very short']
    """
    words = sentence.words
    phrases = {*words, *map(" ".join, pairwise(words))}
    phrases.update(map(" ".join, zip(words, words[1:], words[2:], strict=False)))
    found = {cue for phrase in _PHRASES & phrases for cue in _CUES_OF[phrase]}
    if "so you know" in phrases:  # it addresses the listener, but is not about them
        found.discard("you")
    names = len(_NAME.findall(sentence.text))
    if names:
        found.add("name" if names == 1 else "names")
    if _DIGIT.search(sentence.text):
        found.add("number")
    if len(words) < SHORT:
        found.add("short" if len(words) >= VERY_SHORT else "very short")
    elif len(words) > LONG:
        found.add("long")
    if sentence.first in _OTHERS:
        found.add("starts with it")
    elif sentence.first in _DROPPED_I:
        found.add("starts without I")
    return found


_DIGIT = re.compile(r"\d")


def _by_phrase(cues: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the cues of each phrase."""
    found: dict[str, tuple[str, ...]] = {}
    for cue, phrases in cues.items():
        for written in phrases.split():
            phrase = " ".join(ascii_words(written.replace("_", " ")))
            found[phrase] = (*found.get(phrase, ()), cue)
    return found


_CUES_OF = _by_phrase(CUE_PHRASES)
_PHRASES = frozenset(_CUES_OF)


def extract_features(sentence: TrimmedSentence) -> set[str]:
    """Return the features for the note model: cues with an "@", words, and pairs of words with "^" before the first word.

    >>> sorted(extract_features(TrimmedSentence("Mine is 42", 0, 10, ["mine", "is", "42"], "mine")))
    ['0', '@my', '@number', '@very short', '^ mine', 'is', 'is 0', 'mine', 'mine is']
    """
    words = ["0" if word[0].isdigit() else word for word in sentence.words]
    return {*(f"@{cue}" for cue in find_cues(sentence)), *words, *map(" ".join, pairwise(["^", *words]))}
