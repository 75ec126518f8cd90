"""What page splits leave behind.

SQLite overwrites a row that it deletes, but not the copy that stays in the unused middle of a page when the page was split
and the row moved to another. So after an erase the unused parts of all pages are looked through for pieces of what was
erased. They are found about once in a hundred erased messages; then the file is rebuilt (VACUUM), which leaves no unused
parts. Pages of an encrypted file cannot be looked into from outside: it is always rebuilt.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from recollect.storage.sqlite import rawfile

PIECE = 16
"""Bytes looked for at a time. Shorter pieces would be found in what others wrote, and the file rebuilt for nothing."""

TOO_MANY = 2000
"""With more pieces than this, rebuilding is quicker than looking."""

SAMPLES = 8
"""Pieces of a vector that are looked for: a copy may be overwritten in part."""

LOCAL = 4096
"""No more of a row than this lies in one page."""

AT_ONCE = 256
"""Pages read at a time."""

_TREE_PAGES = {2: 12, 5: 12, 10: 8, 13: 8}
"""The kinds of b-tree pages, by their first byte, with the size of their header."""


def pieces(*values: str | None) -> Iterator[bytes]:
    """Texts cut into the pieces to look for."""
    for value in values:
        content = (value or "").encode()
        ends = [max(0, len(content) - PIECE)]
        for start in [*range(0, len(content) - PIECE, PIECE), *ends]:
            if len(piece := content[start : start + PIECE]) >= PIECE // 2:
                yield piece


def samples(*blobs: bytes) -> Iterator[bytes]:
    """Pieces out of vectors, evenly spread over what of each can lie in a page of the tree (the rest lies in pages of its
    own, which are overwritten as a whole). One that is nearly all the same byte would be found anywhere."""
    for blob in blobs:
        local = blob[:LOCAL]
        for start in range(0, len(local) - PIECE + 1, max(PIECE, len(local) // SAMPLES)):
            if len(set(piece := local[start : start + PIECE])) >= PIECE // 4:
                yield piece


def row_pieces(first: int, word: str, last: int) -> Iterator[bytes]:
    """A row of two numbers with a word between them, as it stands in the file: the word with what comes before it, and with
    what comes behind. Alone, a short word would be found in what others wrote; and a copy may be overwritten at one end."""
    content = word.encode()
    (_, before), (kind, behind) = _as_stored(first), _as_stored(last)
    yield content + behind
    if 2 * len(content) + 13 < 128:
        yield bytes((2 * len(content) + 13, kind)) + before + content
    yield from pieces(word)


def _as_stored(number: int) -> tuple[int, bytes]:
    """The kind and the bytes of a number in SQLite's rows."""
    if number in (0, 1):
        return 8 + number, b""
    for kind, size in enumerate((1, 2, 3, 4, 6), 1):
        if number < 1 << (8 * size - 1):
            return kind, number.to_bytes(size, "big")
    return 6, number.to_bytes(8, "big")


def is_left(path: Path, wanted: set[bytes]) -> bool:
    """Whether one of the pieces stands in an unused part of the file."""
    unused = b"\0".join(_unused_parts(path))
    return any(piece in unused for piece in wanted)


def _unused_parts(path: Path) -> Iterator[bytes]:
    """What is not zero between the cell pointers and the cells of every b-tree page."""
    with rawfile.opened(path) as file:
        (size,) = struct.unpack(">H", file.read(16, 2))
        size = 65536 if size == 1 else size
        for start in range(0, len(file), size * AT_ONCE):
            content = file.read(start, size * AT_ONCE)
            for page in range(0, len(content), size):
                # The first page begins with the header of the file.
                yield from _unused_part(content[page : page + size], 100 if start + page == 0 else 0)


def _unused_part(page: bytes, header: int) -> Iterator[bytes]:
    length = _TREE_PAGES.get(page[header])
    if length:
        cells, first = struct.unpack(">HH", page[header + 3 : header + 7])
        part = page[header + length + 2 * cells : first or 65536].strip(b"\0")
        if part:
            yield part
