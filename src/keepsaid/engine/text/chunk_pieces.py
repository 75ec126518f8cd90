"""The parts of a document: blocks with places, and their pieces, which are never cut further."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.text.terms import UNSPACED
from keepsaid.errors import InvalidInput

LONG_WORD_STEP = 16
"""Characters per piece of a word that is larger than a whole chunk."""

INSIDE, WORD, LINE, SENTENCE, PARAGRAPH, BLOCK, SECTION = range(7)
"""Kinds of boundaries for cuts, the worst first. A line of a list, a table or a program counts as a sentence."""

_SENTENCE_END = re.compile(r"[.!?…]['\"’”)\]]{0,3}\s+(?=[^\sa-z])|[。！？｡][’”」』）]{0,3}\s*")
_LINE_END = re.compile(r"\n")
_PHRASE_END = re.compile(r"(?:\S+\s*){1,8}")
_WORD_END = re.compile(rf"[{UNSPACED}]{{1,8}}[、。，．！？｡）」』…]{{0,8}}|[^\s{UNSPACED}]+")
_CHIP_END = re.compile(rf"(?s:.{{{LONG_WORD_STEP}}})")
_CHARACTER_END = re.compile(r"(?s:.)")
_NUMBERED = re.compile(r"(line|page)s? (\d+)(?:–(\d+))?")
_BY_LINE = frozenset(("code", "table", "list"))


class DocumentBlock(NamedTuple):
    """A part of a document that belongs together: a heading, a paragraph, a list, a table, a piece of code, a page.

    A block with the place "lines 10–42" has exactly those lines of the file, so that its parts can be cited exactly.

    >>> DocumentBlock("Run the installer.", "§ Installation › Linux").kind
    'text'
    """

    text: str
    place: str
    """The place for a citation: "page 3", "§ Installation › Linux", "lines 10–42"; empty if there is none."""
    kind: str = "text"
    """heading, text, list, table or code."""


class DocumentPiece(NamedTuple):
    """A text that is never cut further, with the gap before it if it is not the first in its chunk."""

    text: str
    gap: str
    border: int
    tokens: int
    place: str
    heading: bool

    @property
    def cost(self) -> int:
        """Its tokens if it is not the first in its chunk. A space is part of the next word."""
        return self.tokens + ("\n" in self.gap)


def join_places(first: str, last: str) -> str:
    """Return the place of a text that extends from one place to another.

    >>> join_places("page 3", "page 4"), join_places("lines 10–14", "line 16"), join_places("§ Setup", "§ Use")
    ('pages 3–4', 'lines 10–16', '§ Setup … § Use')
    """
    if first == last or not (first and last):
        return first or last
    one, two = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(last)
    if one and two and one[1] == two[1]:
        return format_place(one[1], int(one[2]), int(two[3] or two[2]))
    return f"{first} … {last}"


def format_place(noun: str, first: int, last: int) -> str:
    """Return a place with its numbers.

    >>> format_place("line", 10, 42), format_place("page", 3, 3)
    ('lines 10–42', 'page 3')
    """
    return f"{noun} {first}" if first == last else f"{noun}s {first}–{last}"


def split_block(block: DocumentBlock, border: int, count: Callable[[str], int], size: int) -> Iterator[DocumentPiece]:
    """Yield the sentences of a block, or its lines if it is a list, a table or code, cut into smaller pieces if too large.

    `border` is the kind of boundary before the first piece.

    >>> [piece.text for piece in split_block(DocumentBlock("One, two. Three!", "page 1"), BLOCK, len, size=60)]
    ['One, two.', 'Three!']
    """
    text, end = block.text, 0
    numbers = _NUMBERED.fullmatch(block.place)
    line = int(numbers[2]) if numbers and numbers[1] == "line" else None
    place, gap = block.place, "\n\n"
    levels = _LINE_BY_LINE if block.kind in _BY_LINE else _PROSE
    for span in _cut_spans(text, (0, len(text)), levels, count, size):
        between = text.count("\n", end, span.start)
        if end:
            border = PARAGRAPH if between > 1 else span.border
            gap = "\n" * min(between, 2) or " " * (span.start > end)
        end = span.end
        if line is not None:
            line += between
            last = line + text.count("\n", span.start, end)
            place, line = format_place("line", line, last), last
        yield DocumentPiece(text[span.start : end], gap, border, span.tokens, place, block.kind == "heading")


class _PieceSpan(NamedTuple):
    start: int
    end: int
    border: int
    """The kind of boundary before it."""
    tokens: int


class _CutLevel(NamedTuple):
    """One way to cut a text, and the maximum size of its pieces as a share of a chunk."""

    cut: re.Pattern[str]
    border: int
    share: float
    indented: bool = False


_IN_WORDS = (_CutLevel(_WORD_END, WORD, 1), _CutLevel(_CHIP_END, INSIDE, 1), _CutLevel(_CHARACTER_END, INSIDE, 1))
# Pieces are smaller than a chunk, else one long sentence would leave a chunk half empty or without its overlap.
_PROSE = (
    _CutLevel(_SENTENCE_END, SENTENCE, 1 / 6),
    _CutLevel(_LINE_END, LINE, 1 / 6),
    _CutLevel(_PHRASE_END, WORD, 1 / 6),
    *_IN_WORDS,
)
_LINE_BY_LINE = (_CutLevel(_LINE_END, SENTENCE, 1, indented=True), *_IN_WORDS)


def _cut_spans(
    text: str, within: tuple[int, int], levels: Sequence[_CutLevel], count: Callable[[str], int], size: int
) -> Iterator[_PieceSpan]:
    """Yield the pieces of a text: cut by the first level, and pieces that are still too large by the next levels."""
    level, finer = levels[0], levels[1:]
    for start, end in _trimmed_spans(text, within, level):
        tokens = count(text[start:end])
        if tokens <= size * level.share:
            yield _PieceSpan(start, end, level.border, tokens)
        elif finer:
            first, *others = _cut_spans(text, (start, end), finer, count, size)
            yield first._replace(border=level.border)
            yield from others
        else:
            raise InvalidInput(f"{text[start:end]!r} alone has {tokens} tokens, more than a chunk of {size} can hold")


def _trimmed_spans(text: str, within: tuple[int, int], level: _CutLevel) -> Iterator[tuple[int, int]]:
    """Yield the spans between the cuts, without surrounding white space. A line of a program keeps its indentation."""
    start, stop = within
    ends = [match.end() for match in level.cut.finditer(text, start, stop)]
    for end in (*ends, stop):
        part = text[start:end]
        if bare := part.rstrip():
            blank = 0 if level.indented else len(bare) - len(bare.lstrip())
            yield start + blank, start + len(bare)
        start = end
