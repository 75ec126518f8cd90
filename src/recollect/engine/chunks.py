"""Documents in chunks: pieces of a size that fits a prompt, each with the place that a citation names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from recollect.engine.hygiene import clean_limit
from recollect.engine.pieces import BLOCK, LINE, SECTION, WORD, Block, Piece, pieces_of, spanning
from recollect.errors import InvalidInput

SIZE = 300
"""Tokens that a chunk has at most."""
OVERLAP = 50
"""Tokens, more or less, that a chunk repeats from the one before, so that what is said across the border is found."""
SMALLEST = 8
"""A chunk must be able to hold any one character, and a rare one is up to 6 tokens."""


class Chunk(NamedTuple):
    """A piece of a document, with its place and its number; the first is 1."""

    text: str
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class _Measure:
    count: Callable[[str], int]
    size: int
    overlap: int


def chunks(blocks: Iterable[Block], count: Callable[[str], int], size: int = SIZE, overlap: int = OVERLAP) -> list[Chunk]:
    """A document in chunks of at most `size` tokens, as `count` counts them, that overlap by about `overlap`.

    A chunk ends with a paragraph, else a sentence or a line if it can. It stays within its section unless the sections are
    small: of those as many as fit make one chunk. Nothing but white space is left out.

    >>> words = lambda text: len(text.split())
    >>> text = Block("One two three four. Five six seven. Eight nine ten.", "page 1")
    >>> for chunk in chunks([text, Block("Eleven twelve.", "page 2")], words, size=9, overlap=3):
    ...     print(chunk.number, chunk.place, repr(chunk.text))
    1 page 1 'One two three four. Five six seven.'
    2 pages 1–2 'Five six seven. Eight nine ten.\\n\\nEleven twelve.'
    """
    measure = _Measure(count, clean_limit(size, "size", SMALLEST), clean_limit(overlap, "overlap", 0))
    if overlap >= size:
        raise InvalidInput(f"chunks of {size} tokens cannot overlap by {overlap}: choose a smaller overlap or a larger size")
    found: list[Chunk] = []
    for pieces in _groups(_sections(blocks, measure), measure.size):
        for first, end in _windows(pieces, measure):
            number = len(found) + 1
            found.append(Chunk(_joined(pieces, first, end), _place(pieces[first:end]) or f"part {number}", number))
    return found


def _sections(blocks: Iterable[Block], measure: _Measure) -> Iterator[list[Piece]]:
    """The pieces by section. A section begins with its headings: one that has no text of its own joins what follows."""
    section: list[Piece] = []
    before: Block | None = None
    for block in blocks:
        if section and block.kind == "heading" and not section[-1].heading:
            yield section
            section = []
        section.extend(pieces_of(block, _border(before, block), measure.count, measure.size))
        before = block
    if section:
        yield section


def _border(before: Block | None, block: Block) -> int:
    """How good a place to cut is between two blocks: not behind a heading, nor where a sentence goes on on the next page."""
    if block.kind == "heading":
        return SECTION
    if before and before.kind == "heading":
        return WORD
    if before and before.kind == block.kind == "text" and block.text.lstrip()[:1].islower():
        return LINE
    return BLOCK


def _groups(sections: Iterable[list[Piece]], size: int) -> Iterator[list[Piece]]:
    """Sections of up to half a chunk together, as many as fit in one; every larger section for itself."""
    group: list[Piece] = []
    filled = 0
    for section in sections:
        tokens = sum(piece.cost for piece in section)
        if group and (tokens > size // 2 or filled + tokens > size):
            yield group
            group, filled = [], 0
        group.extend(section)
        filled += tokens
        if tokens > size // 2:
            yield group
            group, filled = [], 0
    if group:
        yield group


def _windows(pieces: Sequence[Piece], measure: _Measure) -> Iterator[tuple[int, int]]:
    """Which pieces make a chunk, from the first to before the last."""
    sums = list(accumulate((piece.cost for piece in pieces), initial=0))
    first = done = 0
    while done < len(pieces):
        if done:
            first = _begin(pieces, sums, first + 1, done, measure.overlap)
        first, done = _fit(pieces, sums, first, done, measure)
        yield first, done


def _begin(pieces: Sequence[Piece], sums: Sequence[int], lowest: int, done: int, overlap: int) -> int:
    """With which piece the next chunk begins: from half to one and a half of the overlap back, where the best border is."""
    earliest = bisect_left(sums, sums[done] - overlap * 1.5, lowest, done)
    latest = bisect_right(sums, sums[done] - overlap / 2, lowest, done) - 1
    if latest < earliest:
        return earliest
    wanted = sums[done] - overlap
    return max(range(earliest, latest + 1), key=lambda at: (pieces[at].border, -abs(sums[at] - wanted)))


def _fit(pieces: Sequence[Piece], sums: Sequence[int], first: int, done: int, measure: _Measure) -> tuple[int, int]:
    """The chunk that begins with `first`, or later if that leaves no room for the piece behind those that are `done`.

    Sums of counts are close, not exact, for a tokenizer looks across borders: so the whole is counted before it is believed.
    """
    room = measure.size
    while True:
        end = bisect_right(sums, sums[first + 1] - pieces[first].tokens + room, first) - 1
        if end <= done and first < done:
            first = min(done, max(first + 1, bisect_left(sums, sums[done + 1] - room)))
            continue
        end = _end(pieces, sums, first, max(end, done + 1), done)
        excess = measure.count(_joined(pieces, first, end)) - measure.size
        if excess <= 0 or first == done == end - 1:
            return first, end
        room = min(room, sums[end] - sums[first]) - excess


def _end(pieces: Sequence[Piece], sums: Sequence[int], first: int, last: int, done: int) -> int:
    """Before which piece a chunk ends: the best border in the second half of what would fit, the last of equals."""
    if last == len(pieces):
        return last
    half = bisect_left(sums, (sums[first] + sums[last]) / 2, first, last)
    return max(range(max(half, done + 1), last + 1), key=lambda at: (pieces[at].border, at))


def _joined(pieces: Sequence[Piece], first: int, end: int) -> str:
    return pieces[first].text + "".join(piece.gap + piece.text for piece in pieces[first + 1 : end])


def _place(pieces: Sequence[Piece]) -> str:
    """The places of the text; a heading above it says no more."""
    places = [piece.place for piece in pieces if not piece.heading] or [piece.place for piece in pieces]
    return spanning(places[0], places[-1])
