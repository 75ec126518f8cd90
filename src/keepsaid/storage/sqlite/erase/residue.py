"""The search for remains after an erase, to verify that nothing is left.

SQLite overwrites a row that it deletes, but not the copy that stays in the unused middle of a page when the page was split
and the row moved to another. So after an erase the unused parts of all pages are overwritten (`page_gaps`), whatever they
contain: a short text could also be another owner's. Then those pages are searched for pieces of what was erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from keepsaid.storage.sqlite.erase import page_gaps

PIECE_SIZE = 16
"""Size of a piece in bytes. Shorter pieces could also occur in other texts."""

MAX_PIECES = 2000
"""The most pieces that are recorded: searching for more would not make the check more reliable."""

SAMPLES_PER_VECTOR = 8
"""Pieces per vector that are searched for: a copy may be partly overwritten."""

MAX_LOCAL_SIZE = 4096
"""The most bytes of a row that are stored in one page."""


def split_texts(*values: str | None) -> Iterator[bytes]:
    """Split texts into the pieces to search for."""
    for value in values:
        content = (value or "").encode()
        ends = [max(0, len(content) - PIECE_SIZE)]
        for start in [*range(0, len(content) - PIECE_SIZE, PIECE_SIZE), *ends]:
            if len(piece := content[start : start + PIECE_SIZE]) >= PIECE_SIZE // 2:
                yield piece


def sample_vectors(*blobs: bytes) -> Iterator[bytes]:
    """Return pieces of vectors, evenly spread over the part of each that can be in a b-tree page (the rest is in overflow
    pages, which are overwritten as a whole). Pieces of nearly equal bytes are skipped: they occur anywhere."""
    for blob in blobs:
        local = blob[:MAX_LOCAL_SIZE]
        for start in range(0, len(local) - PIECE_SIZE + 1, max(PIECE_SIZE, len(local) // SAMPLES_PER_VECTOR)):
            if len(set(piece := local[start : start + PIECE_SIZE])) >= PIECE_SIZE // 4:
                yield piece


def row_signatures(first: int, word: str, last: int) -> Iterator[bytes]:
    """Return pieces of a row of two numbers with a word between them, as stored in the file: the word with the bytes before
    it, and with those after it. A short word alone could also be in other rows, and a copy may be overwritten at one end."""
    content = word.encode()
    (_, before), (kind, after) = _encode_number(first), _encode_number(last)
    yield content + after
    if 2 * len(content) + 13 < 128:
        yield bytes((2 * len(content) + 13, kind)) + before + content
    yield from split_texts(word)


def _encode_number(number: int) -> tuple[int, bytes]:
    """Return the serial type and the bytes of a number in SQLite's record format."""
    if number in (0, 1):
        return 8 + number, b""
    for kind, size in enumerate((1, 2, 3, 4, 6), 1):
        if number < 1 << (8 * size - 1):
            return kind, number.to_bytes(size, "big")
    return 6, number.to_bytes(8, "big")


def has_residue(path: Path, wanted: set[bytes], places: Iterable[int] | None = None) -> bool:
    """Whether one of the pieces is in an unused part of the file, or of some of its pages."""
    unused = b"\0".join(page_gaps.read_gaps(path, places))
    return any(piece in unused for piece in wanted)
