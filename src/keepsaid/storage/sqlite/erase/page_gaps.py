"""Finding the unused bytes inside b-tree pages and overwriting them with zeros in place.

SQLite overwrites a row that it deletes (secure_delete), but not the copies that stay in the unused middle of a page when
rows move to another page. It never reads those bytes either, so they can be overwritten in the file itself, outside of any
transaction: even if a power cut interrupts the write, the meaning of the page does not change. The caller must ensure two
things: the log is empty and stays so (a checkpoint would restore the old page, or be undone by our write), and afterwards
something is committed, so that no connection writes an old page from its cache (docs/decisions/0026-erased-to-the-byte.md).

Pages of an encrypted file cannot be written in part, and an incomplete write destroys one. Such a file is rebuilt instead.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from keepsaid.storage.sqlite.erase import raw_file
from keepsaid.storage.sqlite.erase.raw_file import RawFile

READ_BATCH_SIZE = 256
"""Pages read at a time."""

TREE_PAGES = {2: 12, 5: 12, 10: 8, 13: 8}
"""The header sizes of b-tree pages, by their first byte."""

MAX_PAGES = 1 << 25
"""In a larger file (137 GB), an overflow page could be mistaken for a b-tree page: it begins with a page number, whose first
byte could then be more than 1."""

POINTERS = struct.Struct(">HHH")
ZEROS = memoryview(bytes(65536))


class PageLayout(NamedTuple):
    """The page format according to the file's header."""

    size: int
    """Bytes of a page."""
    usable: int
    """Bytes of a page that hold rows."""
    plain: bool
    """Whether the first byte of a page reliably identifies b-tree pages."""


def read_layout(file: RawFile) -> PageLayout:
    """Read the header of a file that is not encrypted."""
    header = file.read(0, 100)
    if len(header) < 100:
        return PageLayout(4096, 4096, False)
    (size,) = struct.unpack(">H", header[16:18])
    size = 65536 if size == 1 else size
    has_auto_vacuum = header[52:56] != bytes(4)  # then there are pages of another kind in between
    return PageLayout(size, size - header[20], not has_auto_vacuum and len(file) // size < MAX_PAGES)


def can_clean(path: Path) -> bool:
    """Whether the gaps of this file, which is not encrypted, can be overwritten in place."""
    with raw_file.open_raw_file(path) as file:
        return read_layout(file).plain


def find_dirty_pages(path: Path) -> list[int]:
    """Return the offsets of all pages with non-zero bytes in a gap. Others may read and write in the meantime."""
    with raw_file.open_raw_file(path) as file:
        layout = read_layout(file)
        return [start for start, page in _pages(file, layout.size) if any(_dirty_gaps(page, _first(start), layout.usable))]


def clean_pages(path: Path, places: Iterable[int]) -> None:
    """Overwrite the gaps of these pages. No other process may write to the file or its log in the meantime."""
    with raw_file.open_raw_file(path, writing=True) as file:
        layout = read_layout(file)
        for start in places:
            page = file.read(start, layout.size)
            for first, last in _dirty_gaps(page, _first(start), layout.usable):
                file.write(start + first, bytes(last - first))


def sync_file(path: Path) -> None:
    """Flush the file to disk."""
    with raw_file.open_raw_file(path, writing=True) as file:
        file.sync()


def read_gaps(path: Path, places: Iterable[int] | None = None) -> Iterator[bytes]:
    """Yield the contents of the gaps of a file's pages, or of some pages."""
    with raw_file.open_raw_file(path) as file:
        layout = read_layout(file)
        some = ((at, file.read(at, layout.size)) for at in places) if places is not None else _pages(file, layout.size)
        for start, page in some:
            for first, last in _dirty_gaps(page, _first(start), layout.usable):
                yield page[first:last].strip(b"\0")


def _first(start: int) -> int:
    """Return the offset of a page's header. In the first page it follows the file's header."""
    return 0 if start else 100


def _pages(file: RawFile, size: int) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(file), size * READ_BATCH_SIZE):
        content = file.read(start, size * READ_BATCH_SIZE)
        for place in range(0, len(content) - size + 1, size):
            yield start + place, content[place : place + size]


def _dirty_gaps(page: bytes, header: int, usable: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a page with non-zero unused bytes: between the cell pointers and the cells, and in freed blocks
    among the cells. A page with inconsistent values is skipped."""
    length = TREE_PAGES.get(page[header]) if len(page) > header + 12 else None
    if not length:
        return
    block, cells, cells_at = POINTERS.unpack_from(page, header + 1)
    start, end = header + length + 2 * cells, cells_at or 65536
    if not start <= end <= usable:
        return
    if not page.startswith(ZEROS[: end - start], start):
        if min(struct.unpack_from(f">{cells}H", page, start - 2 * cells), default=end) < end:
            return
        yield start, end
    while block:
        if not end <= block <= usable - 4:
            return
        following, size = struct.unpack_from(">HH", page, block)
        if size < 4 or block + size > usable or 0 < following <= block:
            return
        if not page.startswith(ZEROS[: size - 4], block + 4):
            yield block + 4, block + size
        block = following
