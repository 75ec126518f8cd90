"""Split long texts into passages for embedding, because one vector cannot represent many pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from keepsaid.engine.text.terms import UNSPACED

MAX_WHOLE_WORDS = 150
"""Words. A text of up to this length is one passage."""
MAX_PASSAGE_WORDS = 130
"""Maximum words of a passage of a longer text: about 150 to 200 tokens."""
MIN_PASSAGE_WORDS = MAX_PASSAGE_WORDS // 2
"""Minimum words of a passage: it does not end at a paragraph or sentence before that."""
OVERLAP_WORDS = 25
"""Words that a passage repeats from the one before, so that text across the boundary is found."""
OVERLAP_LEEWAY = 10
"""Words by which the overlap may differ, so that a passage begins with a sentence."""
MAX_PASSAGES = 64
"""Maximum passages of one text: about 7,000 words."""
MAX_WORD_LENGTH = 40
"""Characters. Longer runs without a space are links, hashes or encoded data, and are cut into words of fixed length."""
LONG_WORD_STEP = 5

_WORDS = re.compile(f"[{UNSPACED}]|[^\\s{UNSPACED}]+")
_SENTENCE_END = re.compile(r"[.!?…。！？｡]['\"’”)\]」』）]*$")
_CLOSING = frozenset(".,;:!?…)]}’”。、，．！？｡）」』")

INSIDE, WORD, SENTENCE, LINE, PARAGRAPH = range(5)
"""Kinds of boundaries where a text can be cut, the worst first."""


class _PassageWord(NamedTuple):
    start: int
    end: int
    border: int
    """The kind of boundary before it."""


def split_passages(text: str) -> list[tuple[int, int]]:
    """Return the passages of a text as character spans, in order. They overlap a little and omit only white space.

    A passage ends where a paragraph ends, else a line, a sentence or at least a word. The number of passages is limited: the
    rest of a longer text is not embedded, but keyword search still finds it.

    >>> split_passages("My sister moved to Lisbon.")
    [(0, 26)]
    >>> [end - start for start, end in split_passages("word " * 300)]
    [649, 649, 449]
    >>> split_passages("  ")
    []
    """
    words = list(islice(_split(text), MAX_PASSAGES * MAX_PASSAGE_WORDS + 1))
    if len(words) <= MAX_WHOLE_WORDS:
        return [(words[0].start, words[-1].end)] if words else []
    spans: list[tuple[int, int]] = []
    first, end = 0, 0
    while len(spans) < MAX_PASSAGES and end < len(words):
        first = _next_start(words, end) if spans else 0
        end = _passage_end(words, first)
        spans.append((words[first].start, words[end - 1].end))
    return spans


def prefix_speaker(name: str | None, text: str) -> str:
    """Return the text of a message as embedded and indexed, with its name: users ask by name for what a person said.

    >>> prefix_speaker("Ana", "I moved to Lisbon."), prefix_speaker(None, "Where?")
    ('Ana: I moved to Lisbon.', 'Where?')
    """
    return f"{name}: {text}" if name else text


def _split(text: str) -> Iterator[_PassageWord]:
    """Yield the words of a text with the boundaries before them. A character of a script without spaces is a word."""
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
        yield from _split_long_word(start, word, border)
        end = match.end()
        sentence = _SENTENCE_END.search(word, max(0, len(word) - 8)) is not None


def _split_long_word(start: int, word: str, border: int) -> Iterator[_PassageWord]:
    if len(word) <= MAX_WORD_LENGTH:
        yield _PassageWord(start, start + len(word), border)
        return
    for at in range(0, len(word), LONG_WORD_STEP):
        yield _PassageWord(start + at, start + min(at + LONG_WORD_STEP, len(word)), INSIDE if at else border)


def _passage_end(words: list[_PassageWord], first: int) -> int:
    """Return the index of the word before which the passage that begins with `first` ends."""
    longest = first + MAX_PASSAGE_WORDS
    if longest >= len(words):
        return len(words)
    return _best_boundary(words, first + MIN_PASSAGE_WORDS, longest, longest)


def _next_start(words: list[_PassageWord], cut: int) -> int:
    """Return where the passage after a cut begins: some words before it, at a sentence if one begins nearby."""
    wanted = cut - OVERLAP_WORDS
    return _best_boundary(words, wanted - OVERLAP_LEEWAY, wanted + OVERLAP_LEEWAY, wanted)


def _best_boundary(words: list[_PassageWord], lowest: int, highest: int, wanted: int) -> int:
    """Return the best boundary in a range; among equals the one nearest to `wanted`."""
    return max(range(lowest, highest + 1), key=lambda at: (words[at].border, -abs(at - wanted)))
