"""Corrections and changes of something just stated: "Actually no, green", "I sold the Golf and bought a Mazda"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepsaid.engine.facts.claim import FactClaim
from keepsaid.engine.facts.statements import StatementClause
from keepsaid.engine.facts.words import any_of
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.types import Message

MAX_VALUE_WORDS = 4
"""Maximum number of words of a value that a bare correction ("no, green") can replace."""

CORRECTION_CUES = frozenset("actually no nope correction scratch meant make sorry wait".split())
_CORRECTION = EnglishPattern(
    r"[\s\"'*(-]*(?:(?:oh|oops|hmm|well|ah)[\s,.!]+)*(?:(?:actually|wait|sorry|ah)[\s,]+(?:no|nope|not that)"
    r"|no[\s,]+(?:wait|actually|sorry)"
    r"|correction|scratch that|(?:sorry[\s,]+|no[\s,]+)?i meant?|(?:sorry[\s,]+|no[\s,]+|actually[\s,]+)?make (?:that|it))"
    r"[\s,:.!–—-]+(?:it['’]s |it is |i meant |to say |rather |make (?:it|that) )?"
    r"(?P<value>[\w'’&+-]+(?: [\w'’&+-]+){0,3})[\s.!]*$"
)  # fmt: skip
_NO_VALUE = EnglishPattern(
    r"(?:i|it|you|that|this|what|can|could|thanks|thank|problem|worries|need|never|not|please|ok|okay|good|great|wait|don|don['’]t"
    r"|sense|sure|the same|me|my|we|he|she|they|shorter|longer|better|more|less|to)\b"
)


def apply_correction(message: Message, start: int, end: int, last: FactClaim | None) -> FactClaim | None:
    """Return the last claim with the new value that a sentence gives, if the sentence gives only a value."""
    match = _CORRECTION.match(message.text[start:end])
    if match is None or last is None or not last.about or _NO_VALUE.match(match["value"]):
        return None
    value = match["value"]
    if len(last.value.split()) > MAX_VALUE_WORDS or last.value not in last.text or not _is_similar(value, last.value):
        return None
    at = start + match.start("value")
    text = value.join(last.text.rsplit(last.value, 1))
    return replace(last, text=text, value=value, start=at, end=at + len(value), valid_from=message.created, corrects=True)


def is_correction(sentence: str) -> bool:
    """Whether a sentence only gives another value.

    >>> is_correction("Actually no, green."), is_correction("No, thanks.")
    (True, False)
    """
    match = _CORRECTION.match(sentence)
    return match is not None and _NO_VALUE.match(match["value"]) is None


def _is_similar(value: str, other: str) -> bool:
    """Whether the new value is a name or a number if the older one is."""
    return other[0].islower() or not value[0].islower()


_ENDED = any_of("sold quit left stopped gave_up got_rid_of moved traded_in swapped returned dropped lost broke_up cancelled")
_REPLACING_VERBS = any_of(
    "bought got moved started switched joined adopted took_up purchased leased ordered began became drive live work have"
    " am use signed_up enrolled"
)
_REPLACEMENT = EnglishPattern(
    rf"(?P<subject>i|we)(?:['’]ve| have)?(?: just| recently| finally| also)* {_ENDED}\b.{{2,60}}?(?P<and>,? and (?:then |now"
    rf" |just |recently |finally )?)(?={_REPLACING_VERBS}\b)"
)


def split_replacement(statement: StatementClause) -> Iterator[StatementClause]:
    """Yield a statement, split in two if it says that one thing ended and another replaced it.

    >>> [part.text for part in split_replacement(StatementClause("I sold the Golf and bought a Mazda", 0, 34, ""))]
    ['I sold the Golf', 'I bought a Mazda']
    """
    match = _REPLACEMENT.match(statement.text) if " and " in statement.text else None
    if match is None:
        yield statement
        return
    first, second = match.span("and")
    yield statement._replace(text=statement.text[:first], end=statement.start + first)
    subject = match["subject"]
    # The subject is repeated, so the text begins before the words that were typed.
    start = statement.start + second - len(subject) - 1
    yield StatementClause(f"{subject} {statement.text[second:]}", start, statement.end, statement.lead, len(subject) + 1)
