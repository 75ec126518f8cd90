"""The bytes of a file as UTF-8, counted while they are read."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from typing import BinaryIO, cast

CHUNK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Utf8Stream(io.RawIOBase):
    """A file's bytes without a mark at their beginning, recoded if the mark says UTF-16 or UTF-32. `told` hears how many
    bytes each reading took from the file.

    >>> Utf8Stream(io.BytesIO("Zoë".encode("utf-16"))).read()
    b'Zo\\xc3\\xab'
    """

    def __init__(self, file: BinaryIO, told: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._file = file
        self._told = told
        self._pending = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False

    def readable(self) -> bool:
        """Yes: it is there to be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """What `read` is made of."""
        room = cast(memoryview, buffer)
        if not self._begun:
            self._begin()
        while not self._pending:
            data = self._take(max(CHUNK, len(room)))
            self._pending = self._recoded(data)
            if not data:
                break
        given, self._pending = self._pending[: len(room)], self._pending[len(room) :]
        room[: len(given)] = given
        return len(given)

    def close(self) -> None:
        """Closes the file, too."""
        self._file.close()
        super().close()

    def _take(self, amount: int) -> bytes:
        data = self._file.read(amount)
        if self._told is not None:
            self._told(len(data))
        return data

    def _begin(self) -> None:
        """Looks at the mark, which says how the rest is to be decoded."""
        self._begun = True
        beginning = self._take(4)
        encoding = next((encoding for mark, encoding in _MARKS if beginning.startswith(mark)), _unmarked(beginning))
        if encoding in (None, "utf-8"):
            self._pending = beginning.removeprefix(codecs.BOM_UTF8)
        else:
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            self._pending = self._recoded(beginning)

    def _recoded(self, data: bytes) -> bytes:
        """The bytes as UTF-8, which half a pair of surrogates is not part of."""
        return data if self._decoder is None else self._decoder.decode(data, not data).encode(errors="replace")


def _unmarked(beginning: bytes) -> str | None:
    """UTF-16 without a mark shows in the zero next to the first sign, which is ASCII in every JSON."""
    if len(beginning) >= 4 and beginning[1] == 0 and beginning[0] and beginning[2]:
        return "utf-16-le"
    if len(beginning) >= 4 and beginning[0] == 0 and beginning[1] and beginning[3]:
        return "utf-16-be"
    return None


def beginning(stream: Utf8Stream, amount: int) -> bytes:
    """The first bytes, as many as there are.

    >>> beginning(Utf8Stream(io.BytesIO(b"abc")), 2)
    b'ab'
    """
    head = b""
    while len(head) < amount and (more := stream.read(amount - len(head))):
        head += more
    return head
