"""Reads a SQLite file by its format and returns every byte that belongs to nothing: for tests of what an erase leaves.

Written apart from the library's own scanner, and stricter: it follows the trees, the overflow chains and the free list.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

TABLE_LEAF, TABLE_NODE, INDEX_LEAF, INDEX_NODE = 13, 5, 10, 2


def read_in_another_process(path: Path) -> bytes:
    """The bytes of a file of a store that this process may have open.

    If this process opened and closed the file itself, it would lose its POSIX locks on it, and another process could then
    reset the log while it is in use.
    """
    return subprocess.run(["cat", str(path)], stdout=subprocess.PIPE, check=True).stdout


def unowned_bytes(path: Path) -> dict[int, bytes]:
    """Of each page, the bytes that no row, pointer or header owns, if any of them is not zero."""
    content = read_in_another_process(path)
    size = struct.unpack(">H", content[16:18])[0]
    assert content.startswith(b"SQLite format 3\0")
    assert content[20] == 0, "no bytes are reserved at the end of pages"
    return {number: left for number, left in _File(content, size).unowned() if left.strip(b"\0")}


class _File:
    def __init__(self, content: bytes, size: int) -> None:
        self.content, self.size = content, size
        self.overflows: list[tuple[int, int]] = []

    def page(self, number: int) -> bytes:
        return self.content[(number - 1) * self.size : number * self.size]

    def unowned(self) -> Iterator[tuple[int, bytes]]:
        free = dict(self._free())
        chained: set[int] = set()
        for number in range(1, len(self.content) // self.size + 1):
            if number not in free and self.page(number)[100 if number == 1 else 0] in (2, 5, 10, 13):
                yield number, b"".join(self._tree_page(number))
        for first, length in self.overflows:
            number = first
            while number:
                chained.add(number)
                page, here = self.page(number), min(length, self.size - 4)
                yield number, page[4 + here :]
                length, number = length - here, struct.unpack(">I", page[:4])[0]
        yield from free.items()
        for number in range(1, len(self.content) // self.size + 1):
            if number not in free and number not in chained and self.page(number)[100 if number == 1 else 0] == 0:
                yield number, self.page(number)

    def _free(self) -> Iterator[tuple[int, bytes]]:
        (trunk,) = struct.unpack(">I", self.content[32:36])
        while trunk:
            page = self.page(trunk)
            following, count = struct.unpack(">II", page[:8])
            yield trunk, page[8 + 4 * count :]
            for leaf in struct.unpack(f">{count}I", page[8 : 8 + 4 * count]):
                yield leaf, self.page(leaf)
            trunk = following

    def _tree_page(self, number: int) -> Iterator[bytes]:
        page, header = self.page(number), 100 if number == 1 else 0
        kind = page[header]
        block, cells, start, _ = struct.unpack(">HHHB", page[header + 1 : header + 8])
        begin = header + (12 if kind in (2, 5) else 8)
        owned = [(0, begin + 2 * cells)]
        for (place,) in struct.iter_unpack(">H", page[begin : begin + 2 * cells]):
            owned.append((place, place + self._cell(page, kind, place)))
        while block:
            owned.append((block, block + 4))
            (block,) = struct.unpack(">H", page[block : block + 2])
        end = 0
        for first, last in sorted(owned):
            if first - end > 3 or first <= (start or 65536):  # a fragment of up to 3 bytes is what is left of a header
                yield page[end:first]
            end = max(end, last)
        yield page[end:]

    def _cell(self, page: bytes, kind: int, place: int) -> int:
        at = place + (4 if kind in (2, 5) else 0)
        if kind == TABLE_NODE:
            return _varint(page, at)[1] - place
        payload, at = _varint(page, at)
        if kind == TABLE_LEAF:
            at = _varint(page, at)[1]
        most = self.size - 35 if kind == TABLE_LEAF else (self.size - 12) * 64 // 255 - 23
        if payload <= most:
            return max(4, at + payload - place)
        least = (self.size - 12) * 32 // 255 - 23
        local = least + (payload - least) % (self.size - 4)
        local = local if local <= most else least
        self.overflows.append((struct.unpack(">I", page[at + local : at + local + 4])[0], payload - local))
        return at + local + 4 - place


def _varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = page[at + step]
        if step == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 127
        if byte < 128:
            return value, at + step + 1
    raise AssertionError
