"""Find the part of a message that best names what the conversation is about, for its title."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.phrases import NounPhrase, find_phrases
from keepsaid.engine.text.terms import UNSPACED
from keepsaid.engine.text.verbs import VERBS
from keepsaid.engine.titles.stack_trace import find_trace_error
from keepsaid.engine.titles.topics import TopicWeights, clean_opening, is_topic

MAX_TITLE_LENGTH = 60
"""Maximum characters of a title."""
MAX_WORDS = 7
"""Maximum words of a title."""
MAX_PHRASES = 4
MAX_UNSPACED_TITLE_LENGTH = 20
"""Maximum characters of a title in a script without spaces."""
LATER_SENTENCE_WEIGHT = 0.85
"""Weight of each further sentence of a message: people begin with what they want."""
REQUEST_WEIGHT, SELF_WEIGHT, REACTION_WEIGHT = 2.5, 1.5, 0.4
"""Weights of requests, of statements about oneself, and of kind remarks, relative to other sentences."""
ERROR_WEIGHT = 6.0
"""Weight of an error with a stack trace: the conversation is hardly about anything else."""
FURTHER_PHRASE_WEIGHT = 0.3
"""Weight of phrases other than the two best: a title is not a list."""
ACTION_WEIGHT = 1.2
"""Factor for a part that names an action: "plan a trip to Lisbon"."""


class TitleCandidate(NamedTuple):
    """A part of a text that can be a title, its weight, and whether it is from a request."""

    weight: float
    text: str
    asks: bool = False


def find_title(text: str, names: Collection[str], talk: TopicWeights) -> TitleCandidate | None:
    """Return the part of a text with the highest weight that is short enough for a title; None if there is none."""
    if error := find_trace_error(text, MAX_TITLE_LENGTH, MAX_WORDS):
        return TitleCandidate(ERROR_WEIGHT, error, True)
    text = clean_opening(text)
    if _UNSPACED_TEXT.search(text[:60]):
        return _unspaced_title(text)
    found = [phrase for phrase in find_phrases(text, names) if is_topic(phrase)]
    sentences = list(_sentences(text))
    pieces: list[TitleCandidate] = []
    for first, phrase in enumerate(found):
        start = _title_start(text, phrase)
        factor, asks = next(((factor, asks) for end, factor, asks in sentences if start < end), (1.0, False))
        factor *= ACTION_WEIGHT if start < phrase.start else 1.0
        for last in range(first, min(first + MAX_PHRASES, len(found))):
            if _is_one_clause(text, start, found[first : last + 1]):
                weights = sorted(talk.weight(one) for one in found[first : last + 1])
                pieces.append(
                    TitleCandidate(
                        (sum(weights[-2:]) + FURTHER_PHRASE_WEIGHT * sum(weights[:-2])) * factor,
                        text[start : found[last].end],
                        asks,
                    )
                )
    return max(pieces, key=lambda piece: (piece.weight, -len(piece.text)), default=None)


def _sentences(text: str) -> Iterator[tuple[int, float, bool]]:
    """Yield the end of each sentence, its weight, and whether it is a request."""
    start, earlier = 0, 1.0
    for match in _SENTENCE.finditer(text):
        sentence = text[start : match.end()]
        asks = _REQUEST.search(sentence) is not None
        yield match.end(), earlier * (REQUEST_WEIGHT if asks else _importance(sentence)), asks
        start, earlier = match.end(), earlier * LATER_SENTENCE_WEIGHT


def _importance(sentence: str) -> float:
    if _MINE.search(sentence):
        return SELF_WEIGHT
    return REACTION_WEIGHT if _KIND_REMARK.search(sentence) else 1.0


def _title_start(text: str, phrase: NounPhrase) -> int:
    """Return where a title with this first phrase begins: at the verb before it, if that verb is informative."""
    before = _VERB.search(text[max(0, phrase.start - 40) : phrase.start])
    if before is None or before[1].lower() in _UNINFORMATIVE:
        owner = _OWNER.search(text[max(0, phrase.start - 5) : phrase.start])
        # "My sister" keeps its owner; a trip needs none.
        return phrase.start - len(owner[0]) if owner and phrase.person and not phrase.is_name else phrase.start
    return max(0, phrase.start - 40) + before.start(1)


def _is_one_clause(text: str, start: int, found: Sequence[NounPhrase]) -> bool:
    """Whether the text from `start` through the last phrase is short, within one sentence and without a clause."""
    piece = text[start : found[-1].end]
    if len(piece) > MAX_TITLE_LENGTH or len(piece.split()) > MAX_WORDS:
        return False
    between = " ".join(text[one.end : two.start] for one, two in pairwise(found))
    if any(word in VERBS for word in between.lower().split()):
        return False
    return not (_BREAK.search(between) or _SPEAKING.search(text[start : found[0].start] + " " + between))


def _unspaced_title(text: str) -> TitleCandidate | None:
    """Return the first informative sentence of a text in Chinese, Japanese or Thai."""
    for sentence in _UNSPACED_END.split(text[:300]):
        plain = _UNSPACED_GREETING.sub("", sentence.strip()).strip()
        if len(plain) > 3:
            return TitleCandidate(1.0, plain[:MAX_UNSPACED_TITLE_LENGTH])
    return None


_SENTENCE = re.compile(r"[.!?\n](?:\s|$)|\Z")
_REQUEST = EnglishPattern(
    r"\b(?:looking (?:for|to|into)|help me|recommend|suggest|advice|tips|planning|plan to|thinking (?:of|about)|trying to"
    r"|want to|need to|how (?:do|can|to|should)|what (?:is|are|does)|can you|could you|explain|write|create|tell me about"
    r"|compare|difference between|i need|i want)\b"
)
_KIND_REMARK = EnglishPattern(r"\b(?:you|your|you['’]re|you['’]ve|sorry|congrats|congratulations|glad|bummer|thanks|wow)\b")
_MINE = EnglishPattern(r"\b(?:i|i['’]m|i['’]ve|my|we|our)\b")
_VERB = re.compile(
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
_UNINFORMATIVE = frozenset(
    "want wanted need needed like liked would have had has get got give gave help helped know think thought looking"
    " look find found see saw tell told say said mean meant feel felt let make made take took went going come came"
    " thinking trying tried use used using start started love loved hear heard was were been being are for with from"
    " about into than and just also sure how what when where why who which near any own the that this some really"
    " still recently more can could will should would may might must shall does did done doing has isn't doesn't didn't"
    " there".split()
)
