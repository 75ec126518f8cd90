"""Split documents into chunks: parts that fit a prompt, each with the place that a citation names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from keepsaid.engine.messages.validation import clean_limit
from keepsaid.engine.text.chunk_pieces import (
    BLOCK,
    LINE,
    SECTION,
    WORD,
    DocumentBlock,
    DocumentPiece,
    join_places,
    split_block,
)
from keepsaid.errors import InvalidInput

CHUNK_SIZE = 300
"""Maximum tokens of a chunk."""
CHUNK_OVERLAP = 50
"""Tokens, approximately, that a chunk repeats from the one before, so that text across the boundary is found."""
MIN_CHUNK_SIZE = 8
"""Minimum size of a chunk. It must hold any single character, and a rare one has up to 6 tokens."""


class DocumentChunk(NamedTuple):
    """A part of a document, with its place and its number, starting at 1."""

    text: str
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class _ChunkLimits:
    count: Callable[[str], int]
    size: int
    overlap: int


def split_chunks(
    blocks: Iterable[DocumentBlock], count: Callable[[str], int], size: int = CHUNK_SIZE, overlap: int = CHUNK_OVERLAP
) -> list[DocumentChunk]:
    """Split a document into chunks of at most `size` tokens, as counted by `count`, that overlap by about `overlap` tokens.

    A chunk ends at a paragraph if possible, else at a sentence or a line. It stays within its section, except that small
    sections are combined as long as they fit. Only white space is omitted.

    >>> words = lambda text: len(text.split())
    >>> text = DocumentBlock("One two three four. Five six seven. Eight nine ten.", "page 1")
    >>> for chunk in split_chunks([text, DocumentBlock("Eleven twelve.", "page 2")], words, size=9, overlap=3):
    ...     print(chunk.number, chunk.place, repr(chunk.text))
    1 page 1 'One two three four. Five six seven.'
    2 pages 1–2 'Five six seven. Eight nine ten.\\n\\nEleven twelve.'
    """
    measure = _ChunkLimits(count, clean_limit(size, "size", MIN_CHUNK_SIZE), clean_limit(overlap, "overlap", 0))
    if overlap >= size:
        raise InvalidInput(f"chunks of {size} tokens cannot overlap by {overlap}: choose a smaller overlap or a larger size")
    found: list[DocumentChunk] = []
    for pieces in _groups(_sections(blocks, measure), measure.size):
        for first, end in _chunk_ranges(pieces, measure):
            number = len(found) + 1
            found.append(DocumentChunk(_joined(pieces, first, end), _place(pieces[first:end]) or f"part {number}", number))
    return found


def _sections(blocks: Iterable[DocumentBlock], measure: _ChunkLimits) -> Iterator[list[DocumentPiece]]:
    """Yield the pieces by section. A section begins with its headings; a heading without text joins the next section."""
    section: list[DocumentPiece] = []
    before: DocumentBlock | None = None
    for block in blocks:
        if section and block.kind == "heading" and not section[-1].heading:
            yield section
            section = []
        section.extend(split_block(block, _boundary(before, block), measure.count, measure.size))
        before = block
    if section:
        yield section


def _boundary(before: DocumentBlock | None, block: DocumentBlock) -> int:
    """Return the kind of boundary between two blocks: poor after a heading, or if a sentence continues on the next page."""
    if block.kind == "heading":
        return SECTION
    if before and before.kind == "heading":
        return WORD
    if before and before.kind == block.kind == "text" and block.text.lstrip()[:1].islower():
        return LINE
    return BLOCK


def _groups(sections: Iterable[list[DocumentPiece]], size: int) -> Iterator[list[DocumentPiece]]:
    """Combine sections of up to half a chunk, as many as fit into one chunk. Every larger section is separate."""
    group: list[DocumentPiece] = []
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


def _chunk_ranges(pieces: Sequence[DocumentPiece], measure: _ChunkLimits) -> Iterator[tuple[int, int]]:
    """Yield the ranges of pieces that make a chunk, excluding the end."""
    sums = list(accumulate((piece.cost for piece in pieces), initial=0))
    first = done = 0
    while done < len(pieces):
        if done:
            first = _next_start(pieces, sums, first + 1, done, measure.overlap)
        first, done = _fit(pieces, sums, first, done, measure)
        yield first, done


def _next_start(pieces: Sequence[DocumentPiece], sums: Sequence[int], lowest: int, done: int, overlap: int) -> int:
    """Return the first piece of the next chunk: the best boundary that is half to one and a half overlaps back."""
    earliest = bisect_left(sums, sums[done] - overlap * 1.5, lowest, done)
    latest = bisect_right(sums, sums[done] - overlap / 2, lowest, done) - 1
    if latest < earliest:
        return earliest
    wanted = sums[done] - overlap
    return max(range(earliest, latest + 1), key=lambda at: (pieces[at].border, -abs(sums[at] - wanted)))


def _fit(
    pieces: Sequence[DocumentPiece], sums: Sequence[int], first: int, done: int, measure: _ChunkLimits
) -> tuple[int, int]:
    """Return the range of the chunk from `first` on, or later if that leaves no room for a piece after those `done`.

    Sums of token counts are close but not exact, because a tokenizer merges across boundaries. So the whole is counted.
    """
    room = measure.size
    while True:
        end = bisect_right(sums, sums[first + 1] - pieces[first].tokens + room, first) - 1
        if end <= done and first < done:
            first = min(done, max(first + 1, bisect_left(sums, sums[done + 1] - room)))
            continue
        end = _chunk_end(pieces, sums, first, max(end, done + 1), done)
        excess = measure.count(_joined(pieces, first, end)) - measure.size
        if excess <= 0 or first == done == end - 1:
            return first, end
        room = min(room, sums[end] - sums[first]) - excess


def _chunk_end(pieces: Sequence[DocumentPiece], sums: Sequence[int], first: int, last: int, done: int) -> int:
    """Return the end of a chunk: the best boundary in the second half of what would fit, the last of equals."""
    if last == len(pieces):
        return last
    half = bisect_left(sums, (sums[first] + sums[last]) / 2, first, last)
    return max(range(max(half, done + 1), last + 1), key=lambda at: (pieces[at].border, at))


def _joined(pieces: Sequence[DocumentPiece], first: int, end: int) -> str:
    return pieces[first].text + "".join(piece.gap + piece.text for piece in pieces[first + 1 : end])


def _place(pieces: Sequence[DocumentPiece]) -> str:
    """Return the place of the text, without its headings if there is other text."""
    places = [piece.place for piece in pieces if not piece.heading] or [piece.place for piece in pieces]
    return join_places(places[0], places[-1])
