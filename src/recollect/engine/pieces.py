"""The parts of a document: blocks with places, and the pieces of them that are never cut any further."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recollect.engine.terms import UNSPACED
from recollect.errors import InvalidInput

CHIP = 16
"""Characters of a word that is larger than a whole chunk are kept together in so many."""

INSIDE, WORD, LINE, SENTENCE, PARAGRAPH, BLOCK, SECTION = range(7)
"""How good a place to cut is, the worst first. A line of a list, a table or a program counts as a sentence."""

_SENTENCE_END = re.compile(r"[.!?…]['\"’”)\]]{0,3}\s+(?=[^\sa-z])|[。！？｡][’”」』）]{0,3}\s*")
_LINE_END = re.compile(r"\n")
_PHRASE_END = re.compile(r"(?:\S+\s*){1,8}")
_WORD_END = re.compile(rf"[{UNSPACED}]{{1,8}}[、。，．！？｡）」』…]{{0,8}}|[^\s{UNSPACED}]+")
_CHIP_END = re.compile(rf"(?s:.{{{CHIP}}})")
_CHARACTER_END = re.compile(r"(?s:.)")
_NUMBERED = re.compile(r"(line|page)s? (\d+)(?:–(\d+))?")
_BY_LINE = frozenset(("code", "table", "list"))


class Block(NamedTuple):
    """A part of a document that belongs together: a heading, a paragraph, a list, a table, a piece of code, a page.

    A block whose place is "lines 10–42" has those lines of the file as they are, so that its parts can be cited exactly.

    >>> Block("Run the installer.", "§ Installation › Linux").kind
    'text'
    """

    text: str
    place: str
    """What a citation names: "page 3", "§ Installation › Linux", "lines 10–42"; empty where nothing can be named."""
    kind: str = "text"
    """heading, text, list, table or code."""


class Piece(NamedTuple):
    """What is never cut any further, with what stands before it if it is not the first in its chunk."""

    text: str
    gap: str
    border: int
    tokens: int
    place: str
    heading: bool

    @property
    def cost(self) -> int:
        """Its tokens if it is not the first in its chunk; a space is part of the word behind it."""
        return self.tokens + ("\n" in self.gap)


def spanning(first: str, last: str) -> str:
    """The place of what reaches from one place to another.

    >>> spanning("page 3", "page 4"), spanning("lines 10–14", "line 16"), spanning("§ Setup", "§ Use")
    ('pages 3–4', 'lines 10–16', '§ Setup … § Use')
    """
    if first == last or not (first and last):
        return first or last
    one, two = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(last)
    if one and two and one[1] == two[1]:
        return numbered(one[1], int(one[2]), int(two[3] or two[2]))
    return f"{first} … {last}"


def numbered(noun: str, first: int, last: int) -> str:
    """A place by number.

    >>> numbered("line", 10, 42), numbered("page", 3, 3)
    ('lines 10–42', 'page 3')
    """
    return f"{noun} {first}" if first == last else f"{noun}s {first}–{last}"


def pieces_of(block: Block, border: int, count: Callable[[str], int], size: int) -> Iterator[Piece]:
    """The sentences of a block, or its lines if it is a list, a table or code; what is too large of them in smaller pieces.

    `border` is what the first one has before it.

    >>> [piece.text for piece in pieces_of(Block("One, two. Three!", "page 1"), BLOCK, len, size=60)]
    ['One, two.', 'Three!']
    """
    text, end = block.text, 0
    numbers = _NUMBERED.fullmatch(block.place)
    line = int(numbers[2]) if numbers and numbers[1] == "line" else None
    place, gap = block.place, "\n\n"
    levels = _LINE_BY_LINE if block.kind in _BY_LINE else _PROSE
    for span in _spans(text, (0, len(text)), levels, count, size):
        between = text.count("\n", end, span.start)
        if end:
            border = PARAGRAPH if between > 1 else span.border
            gap = "\n" * min(between, 2) or " " * (span.start > end)
        end = span.end
        if line is not None:
            line += between
            last = line + text.count("\n", span.start, end)
            place, line = numbered("line", line, last), last
        yield Piece(text[span.start : end], gap, border, span.tokens, place, block.kind == "heading")


class _Span(NamedTuple):
    start: int
    end: int
    border: int
    """What kind of border is before it."""
    tokens: int


class _Level(NamedTuple):
    """One way to cut a text, and how large what it gives may be: a share of the chunk."""

    cut: re.Pattern[str]
    border: int
    share: float
    indented: bool = False


_IN_WORDS = (_Level(_WORD_END, WORD, 1), _Level(_CHIP_END, INSIDE, 1), _Level(_CHARACTER_END, INSIDE, 1))
# Sentences are cut finer than a chunk, else one long sentence would leave a chunk half empty or without its overlap.
_PROSE = (
    _Level(_SENTENCE_END, SENTENCE, 1 / 6),
    _Level(_LINE_END, LINE, 1 / 6),
    _Level(_PHRASE_END, WORD, 1 / 6),
    *_IN_WORDS,
)
_LINE_BY_LINE = (_Level(_LINE_END, SENTENCE, 1, indented=True), *_IN_WORDS)


def _spans(
    text: str, within: tuple[int, int], levels: Sequence[_Level], count: Callable[[str], int], size: int
) -> Iterator[_Span]:
    """The pieces of a text: cut by the first level, and what is still too large by those after it."""
    level, finer = levels[0], levels[1:]
    for start, end in _trimmed(text, within, level):
        tokens = count(text[start:end])
        if tokens <= size * level.share:
            yield _Span(start, end, level.border, tokens)
        elif finer:
            first, *others = _spans(text, (start, end), finer, count, size)
            yield first._replace(border=level.border)
            yield from others
        else:
            raise InvalidInput(f"{text[start:end]!r} alone has {tokens} tokens, more than a chunk of {size} can hold")


def _trimmed(text: str, within: tuple[int, int], level: _Level) -> Iterator[tuple[int, int]]:
    """The stretches between the cuts, without the white space around them; a line of a program keeps its indentation."""
    start, stop = within
    ends = [match.end() for match in level.cut.finditer(text, start, stop)]
    for end in (*ends, stop):
        stretch = text[start:end]
        if bare := stretch.rstrip():
            blank = 0 if level.indented else len(bare) - len(bare.lstrip())
            yield start + blank, start + len(bare)
        start = end
