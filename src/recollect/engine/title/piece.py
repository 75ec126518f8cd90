"""The piece of a message that names most of what a talk is about: what its title is made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.engine.pattern import Pattern
from recollect.engine.phrases import Phrase, phrases
from recollect.engine.terms import UNSPACED
from recollect.engine.title.topics import Topics, matter, worth
from recollect.engine.title.trace import error_of
from recollect.engine.verbs import VERBS

LONGEST_TITLE = 60
"""Characters of a title."""
MOST_WORDS = 7
"""Words of a title."""
MOST_PHRASES = 4
LONGEST_UNSPACED = 20
"""Characters of a title in a script without spaces."""
EARLIER = 0.85
"""What each further sentence of a message is worth: people begin with what they want."""
ASKING, TELLING, REACTING = 2.5, 1.5, 0.4
"""How much a request, what somebody tells of themselves, and what is said to be kind count against other sentences."""
ERROR = 6.0
"""What an error counts whose stack trace somebody shows: there is little else that it could be about."""
FURTHER = 0.3
"""How much phrases beside the two that matter most count: a title is no list."""
DOING = 1.2
"""How much more a piece counts that says what is done: "plan a trip to Lisbon"."""


class Piece(NamedTuple):
    """A piece of a text, and whether it is from a request."""

    weight: float
    text: str
    asks: bool = False


def best_piece(text: str, names: Collection[str], talk: Topics) -> Piece | None:
    """The piece whose phrases matter most in the talk, at most as long as a title; None if the text says nothing."""
    if error := error_of(text, LONGEST_TITLE, MOST_WORDS):
        return Piece(ERROR, error, True)
    text = matter(text)
    if _UNSPACED_TEXT.search(text[:60]):
        return _unspaced(text)
    found = [phrase for phrase in phrases(text, names) if worth(phrase)]
    sentences = list(_sentences(text))
    pieces: list[Piece] = []
    for first, phrase in enumerate(found):
        start = _start(text, phrase)
        factor, asks = next(((factor, asks) for behind, factor, asks in sentences if start < behind), (1.0, False))
        factor *= DOING if start < phrase.start else 1.0
        for last in range(first, min(first + MOST_PHRASES, len(found))):
            if _is_one(text, start, found[first : last + 1]):
                weights = sorted(talk.weight(one) for one in found[first : last + 1])
                pieces.append(
                    Piece((sum(weights[-2:]) + FURTHER * sum(weights[:-2])) * factor, text[start : found[last].end], asks)
                )
    return max(pieces, key=lambda piece: (piece.weight, -len(piece.text)), default=None)


def _sentences(text: str) -> Iterator[tuple[int, float, bool]]:
    """Where each sentence ends, how much it counts, and whether it is a request."""
    start, earlier = 0, 1.0
    for match in _SENTENCE.finditer(text):
        sentence = text[start : match.end()]
        asks = _REQUEST.search(sentence) is not None
        yield match.end(), earlier * (ASKING if asks else _importance(sentence)), asks
        start, earlier = match.end(), earlier * EARLIER


def _importance(sentence: str) -> float:
    if _MINE.search(sentence):
        return TELLING
    return REACTING if _KIND.search(sentence) else 1.0


def _start(text: str, phrase: Phrase) -> int:
    """Where a title that begins with a phrase begins: with the verb before it, if that tells something."""
    before = _DEED.search(text[max(0, phrase.start - 40) : phrase.start])
    if before is None or before[1].lower() in _IDLE:
        owner = _OWNER.search(text[max(0, phrase.start - 5) : phrase.start])
        # A sister is somebody's; a trip needs no owner.
        return phrase.start - len(owner[0]) if owner and phrase.person and not phrase.is_name else phrase.start
    return max(0, phrase.start - 40) + before.start(1)


def _is_one(text: str, start: int, found: Sequence[Phrase]) -> bool:
    """Whether the text from there through the last phrase is one short piece of one sentence without a clause in it."""
    piece = text[start : found[-1].end]
    if len(piece) > LONGEST_TITLE or len(piece.split()) > MOST_WORDS:
        return False
    between = " ".join(text[one.end : two.start] for one, two in pairwise(found))
    if any(word in VERBS for word in between.lower().split()):
        return False
    return not (_BREAK.search(between) or _SPEAKING.search(text[start : found[0].start] + " " + between))


def _unspaced(text: str) -> Piece | None:
    """The first sentence of a text in Chinese, Japanese or Thai that says something."""
    for sentence in _UNSPACED_END.split(text[:300]):
        plain = _UNSPACED_GREETING.sub("", sentence.strip()).strip()
        if len(plain) > 3:
            return Piece(1.0, plain[:LONGEST_UNSPACED])
    return None


_SENTENCE = re.compile(r"[.!?\n](?:\s|$)|\Z")
_REQUEST = Pattern(
    r"\b(?:looking (?:for|to|into)|help me|recommend|suggest|advice|tips|planning|plan to|thinking (?:of|about)|trying to"
    r"|want to|need to|how (?:do|can|to|should)|what (?:is|are|does)|can you|could you|explain|write|create|tell me about"
    r"|compare|difference between|i need|i want)\b"
)
_KIND = Pattern(r"\b(?:you|your|you['’]re|you['’]ve|sorry|congrats|congratulations|glad|bummer|thanks|wow)\b")
_MINE = Pattern(r"\b(?:i|i['’]m|i['’]ve|my|we|our)\b")
_DEED = re.compile(
    r"\b([a-z]{3,})\s+(?:(?:a|an|the|my|our|some|new|good|your|this|more|about|up|out|on)\s+){0,2}$", re.IGNORECASE
)
_OWNER = re.compile(r"\b(?:my|our)\s$", re.IGNORECASE)
_BREAK = re.compile(
    r"[.!?;:\n…]|\s[-–—]\s|\b(?:because|since|but|although|which|who|that|when|if|so|where|while|though)\b", re.IGNORECASE
)
_SPEAKING = re.compile(
    r"\b(?:(?:i|you|we|it)(?:['’]\w+)?|he|she|they|me|us|him|her|them|am|was|were|been|is|are)\b", re.IGNORECASE
)
_UNSPACED_TEXT = re.compile(f"[{UNSPACED}]{{2}}")
_UNSPACED_END = re.compile(r"[。！？!?\n，、]")
_UNSPACED_GREETING = re.compile(
    r"^(?:你好|您好|早上好|请问|请|我想|我要|帮我|能不能|可以|こんにちは|おはよう|すみません|はじめまして|안녕하세요)+[、，,！!\s]*"
)
_IDLE = frozenset(
    "want wanted need needed like liked would have had has get got give gave help helped know think thought looking"
    " look find found see saw tell told say said mean meant feel felt let make made take took went going come came"
    " thinking trying tried use used using start started love loved hear heard was were been being are for with from"
    " about into than and just also sure how what when where why who which near any own the that this some really"
    " still recently more can could will should would may might must shall does did done doing has isn't doesn't didn't"
    " there".split()
)
