"""Long texts in pieces: what is embedded is a passage, because one vector cannot stand for many pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from recollect.engine.terms import UNSPACED

WHOLE = 150
"""A text of up to so many words is one passage."""
LONGEST = 130
"""Words in a passage of a longer text: about 150 to 200 tokens."""
SHORTEST = LONGEST // 2
"""A paragraph or sentence that ends before this many words is no place to end a passage."""
OVERLAP = 25
"""Words that a passage repeats from the one before, so that what is said across the border is found."""
LEEWAY = 10
"""By how many words the overlap may differ to begin with a sentence."""
MOST = 64
"""Passages of one text: about 7,000 words."""
LONGEST_WORD = 40
"""Longer runs without a space are links, hashes or encoded data: every `CHIP` characters of them count as a word."""
CHIP = 5

_WORDS = re.compile(f"[{UNSPACED}]|[^\\s{UNSPACED}]+")
_SENTENCE_END = re.compile(r"[.!?…。！？｡]['\"’”)\]」』）]*$")
_CLOSING = frozenset(".,;:!?…)]}’”。、，．！？｡）」』")

INSIDE, WORD, SENTENCE, LINE, PARAGRAPH = range(5)
"""How good a place to cut is, the worst first."""


class _Word(NamedTuple):
    start: int
    end: int
    border: int
    """What kind of border is before it."""


def passages(text: str) -> list[tuple[int, int]]:
    """The pieces of a text, as character spans in order. They overlap a little and leave out nothing but white space.

    A piece ends where a paragraph, else a line, a sentence or at least a word ends. A text that is longer than `MOST`
    pieces gets its first `MOST`; the rest is not embedded, and is found by its words.

    >>> passages("My sister moved to Lisbon.")
    [(0, 26)]
    >>> [end - start for start, end in passages("word " * 300)]
    [649, 649, 449]
    >>> passages("  ")
    []
    """
    words = list(islice(_split(text), MOST * LONGEST + 1))
    if len(words) <= WHOLE:
        return [(words[0].start, words[-1].end)] if words else []
    spans: list[tuple[int, int]] = []
    first, behind = 0, 0
    while len(spans) < MOST and behind < len(words):
        first = _begin(words, behind) if spans else 0
        behind = _cut(words, first)
        spans.append((words[first].start, words[behind - 1].end))
    return spans


def spoken(name: str | None, text: str) -> str:
    """What is embedded and indexed of a message: people ask by name for what somebody said.

    >>> spoken("Ana", "I moved to Lisbon."), spoken(None, "Where?")
    ('Ana: I moved to Lisbon.', 'Where?')
    """
    return f"{name}: {text}" if name else text


def _split(text: str) -> Iterator[_Word]:
    """The words of a text with the borders between them. A character of a script without spaces is a word."""
    end = 0
    sentence = False
    for match in _WORDS.finditer(text):
        start, word = match.start(), match[0]
        if start == end and word[0] in _CLOSING:
            border = INSIDE
        elif lines := text.count("\n", end, start):
            border = PARAGRAPH if lines > 1 else LINE
        else:
            border = SENTENCE if sentence else WORD
        yield from _chips(start, word, border)
        end = match.end()
        sentence = _SENTENCE_END.search(word, max(0, len(word) - 8)) is not None


def _chips(start: int, word: str, border: int) -> Iterator[_Word]:
    if len(word) <= LONGEST_WORD:
        yield _Word(start, start + len(word), border)
        return
    for at in range(0, len(word), CHIP):
        yield _Word(start + at, start + min(at + CHIP, len(word)), INSIDE if at else border)


def _cut(words: list[_Word], first: int) -> int:
    """Behind which word the passage that begins with `first` ends."""
    longest = first + LONGEST
    if longest >= len(words):
        return len(words)
    return _best(words, first + SHORTEST, longest, longest)


def _begin(words: list[_Word], cut: int) -> int:
    """Where the passage after a cut begins: some words before it, with a sentence if one begins thereabouts."""
    wanted = cut - OVERLAP
    return _best(words, wanted - LEEWAY, wanted + LEEWAY, wanted)


def _best(words: list[_Word], lowest: int, highest: int, wanted: int) -> int:
    """The best border from lowest to highest; among equals the one nearest to what is wanted."""
    return max(range(lowest, highest + 1), key=lambda at: (words[at].border, -abs(at - wanted)))
