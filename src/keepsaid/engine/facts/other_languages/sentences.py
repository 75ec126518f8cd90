"""Split a message into the sentences that its author typed, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from keepsaid.engine.facts.typed_lines import find_typed_lines, trim_long_message
from keepsaid.engine.facts.words import collect_words

MAX_WORDS = 40
"""Words. A longer sentence is not a simple statement."""
MAX_CHARACTERS = 300


class MessageSentence(NamedTuple):
    """A sentence as a span of its message, without surrounding white space and final punctuation."""

    text: str
    start: int
    end: int
    asks: bool


_STOP = re.compile(
    r"[.!?…]+[\"'”’)\]»]*(?=\s|$)|[。！？؟।｡]+[」』”）)]*|\.{3,}|…+|\?+|[\U0001f300-\U0001faff\u2600-\u27bf]+"
)
_NO_STOP = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|dr|mr|mme|mlle|sr|sra|dra|prof|st|frau|hr|bzw|ca|evtl|usw|z\.b|d\.h|p\.ej|p\.ex|np|itp|ul"
    r"|т\.е|ул|им|dhr|mevr|bijv|t\.ex|bl\.a|örn|doç|av|inkl|nr|no|tel|min|max|ggf|sog|vgl|approx|sig|dott|ecc|etc)\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:^|\D)\d{1,2}\.$")
_AFTER_ORDINAL = re.compile(
    r"\s*(?:[a-zà-ÿа-я]|(?i:jan|feb|mär|mar|apr|mai|jun|jul|aug|sep|okt|nov|dez|klasse|stock|geburtstag))"
)
_OPENING = " \t\r\n-–—*•·\"'“„«»‘’()[]>،,;:.!…"
_CLOSING = " \t\r\n.!。！।｡…,;،*~"


def split_sentences(text: str) -> list[MessageSentence]:
    """Return the sentences that the author of a message typed, without code, quoted lines and lists.

    >>> found = split_sentences("Am 3. Mai ziehe ich um. Hilfst du?\\n妹は看護師です。それは本当？")
    >>> [(one.text, one.asks) for one in found]
    [('Am 3. Mai ziehe ich um', False), ('Hilfst du', True), ('妹は看護師です', False), ('それは本当', True)]
    """
    found: list[MessageSentence] = []
    for start, end in find_typed_lines(text, collect_words(trim_long_message(text))):
        for first, stop, asks in _pieces(text, start, end):
            piece = text[first:stop]
            trimmed = piece.rstrip(_CLOSING + "?؟？")
            lead = len(trimmed) - len(trimmed.lstrip(_OPENING + "¿¡"))
            trimmed = trimmed[lead:]
            if 2 < len(trimmed) <= MAX_CHARACTERS and trimmed.count(" ") < MAX_WORDS:
                found.append(MessageSentence(trimmed, first + lead, first + lead + len(trimmed), asks))
    return found


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    at = start
    quotes = _QUOTE.search(text, start, end) is not None
    for match in _STOP.finditer(text, start, end):
        mark = match[0]
        before = text[max(at, match.start() - 8) : match.start() + 1]
        if mark == "." and (
            _NO_STOP.search(before) or (_ORDINAL.search(before) and _AFTER_ORDINAL.match(text, match.end()))
        ):
            continue
        if quotes and _inside_quote(text[at : match.start()]):
            continue
        yield at, match.end(), any(sign in mark for sign in "?؟？")
        at = match.end()
    if at < end:
        yield at, end, False


def _inside_quote(piece: str) -> bool:
    """Whether a quotation is open at the end of a piece of text."""
    return any(piece.count(opening) > piece.count(closing) for opening, closing in _QUOTES) or piece.count('"') % 2 == 1


_QUOTE = re.compile('["«「『„]')
_QUOTES = (("«", "»"), ("「", "」"), ("『", "』"), ("„", "“"))
