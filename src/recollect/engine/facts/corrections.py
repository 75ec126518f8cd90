"""What takes back or changes something just said: "Actually no, green", "I sold the Golf and bought a Mazda"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from recollect.engine.facts.claim import Claim
from recollect.engine.facts.statements import Statement
from recollect.engine.facts.words import any_of
from recollect.engine.pattern import Pattern
from recollect.types import Message

LONGEST_VALUE = 4
"""Words of a value that a correction may replace: longer ones are not taken up by a bare "no, green"."""

CORRECTION_CUES = frozenset("actually no nope correction scratch meant make sorry wait".split())
_CORRECTION = Pattern(
    r"[\s\"'*(-]*(?:(?:oh|oops|hmm|well|ah)[\s,.!]+)*(?:(?:actually|wait|sorry|ah)[\s,]+(?:no|nope|not that)"
    r"|no[\s,]+(?:wait|actually|sorry)"
    r"|correction|scratch that|(?:sorry[\s,]+|no[\s,]+)?i meant?|(?:sorry[\s,]+|no[\s,]+|actually[\s,]+)?make (?:that|it))"
    r"[\s,:.!–—-]+(?:it['’]s |it is |i meant |to say |rather |make (?:it|that) )?"
    r"(?P<value>[\w'’&+-]+(?: [\w'’&+-]+){0,3})[\s.!]*$"
)  # fmt: skip
_NO_VALUE = Pattern(
    r"(?:i|it|you|that|this|what|can|could|thanks|thank|problem|worries|need|never|not|please|ok|okay|good|great|wait|don|don['’]t"
    r"|sense|sure|the same|me|my|we|he|she|they|shorter|longer|better|more|less|to)\b"
)


def corrected_claim(message: Message, start: int, end: int, last: Claim | None) -> Claim | None:
    """Return what a sentence makes of the last thing said, if it only gives another value for it."""
    match = _CORRECTION.match(message.text[start:end])
    if match is None or last is None or not last.about or _NO_VALUE.match(match["value"]):
        return None
    value = match["value"]
    if len(last.value.split()) > LONGEST_VALUE or last.value not in last.text or not _is_alike(value, last.value):
        return None
    at = start + match.start("value")
    text = value.join(last.text.rsplit(last.value, 1))
    return replace(last, text=text, value=value, start=at, end=at + len(value), valid_from=message.created, corrects=True)


def is_correction(sentence: str) -> bool:
    """Whether a sentence gives nothing but another value.

    >>> is_correction("Actually no, green."), is_correction("No, thanks.")
    (True, False)
    """
    match = _CORRECTION.match(sentence)
    return match is not None and _NO_VALUE.match(match["value"]) is None


def _is_alike(value: str, other: str) -> bool:
    """Whether both are names or numbers, if the older one is."""
    return other[0].islower() or not value[0].islower()


_OVER = any_of("sold quit left stopped gave_up got_rid_of moved traded_in swapped returned dropped lost broke_up cancelled")
_NEXT = any_of(
    "bought got moved started switched joined adopted took_up purchased leased ordered began became drive live work have"
    " am use signed_up enrolled"
)
_DEEDS = Pattern(
    rf"(?P<subject>i|we)(?:['’]ve| have)?(?: just| recently| finally| also)* {_OVER}\b.{{2,60}}?(?P<and>,? and (?:then |now"
    rf" |just |recently |finally )?)(?={_NEXT}\b)"
)


def split_deeds(statement: Statement) -> Iterator[Statement]:
    """Yield a statement, or the two that it makes if something is over and something else came in its place.

    >>> [part.text for part in split_deeds(Statement("I sold the Golf and bought a Mazda", 0, 34, ""))]
    ['I sold the Golf', 'I bought a Mazda']
    """
    match = _DEEDS.match(statement.text) if " and " in statement.text else None
    if match is None:
        yield statement
        return
    first, second = match.span("and")
    yield statement._replace(text=statement.text[:first], end=statement.start + first)
    subject = match["subject"]
    # The subject is repeated, so the text begins that much earlier than the words that were typed.
    start = statement.start + second - len(subject) - 1
    yield Statement(f"{subject} {statement.text[second:]}", start, statement.end, statement.lead, len(subject) + 1)
