"""Read a file's bytes as UTF-8, and count them."""

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
    """A file's bytes without the byte order mark, converted to UTF-8 if they are UTF-16 or UTF-32. `on_read` is called with
    the number of bytes of each read from the file.

    >>> Utf8Stream(io.BytesIO("Zoë".encode("utf-16"))).read()
    b'Zo\\xc3\\xab'
    """

    def __init__(self, file: BinaryIO, on_read: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._file = file
        self._on_read = on_read
        self._pending = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False

    def readable(self) -> bool:
        """Return True: the stream is readable."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read into a buffer; the base class implements `read` with it."""
        room = cast(memoryview, buffer)
        if not self._begun:
            self._begin()
        while not self._pending:
            data = self._take(max(CHUNK, len(room)))
            self._pending = self._to_utf8(data)
            if not data:
                break
        given, self._pending = self._pending[: len(room)], self._pending[len(room) :]
        room[: len(given)] = given
        return len(given)

    def close(self) -> None:
        """Close the stream and the file."""
        self._file.close()
        super().close()

    def _take(self, amount: int) -> bytes:
        data = self._file.read(amount)
        if self._on_read is not None:
            self._on_read(len(data))
        return data

    def _begin(self) -> None:
        """Read the byte order mark, which determines the decoder of the rest."""
        self._begun = True
        beginning = self._take(4)
        encoding = next((encoding for mark, encoding in _MARKS if beginning.startswith(mark)), _detect_utf16(beginning))
        if encoding in (None, "utf-8"):
            self._pending = beginning.removeprefix(codecs.BOM_UTF8)
        else:
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            self._pending = self._to_utf8(beginning)

    def _to_utf8(self, data: bytes) -> bytes:
        """Convert the bytes to UTF-8; lone surrogates are replaced."""
        return data if self._decoder is None else self._decoder.decode(data, not data).encode(errors="replace")


def _detect_utf16(beginning: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark: in JSON, the first character is ASCII, so one of its bytes is zero."""
    if len(beginning) >= 4 and beginning[1] == 0 and beginning[0] and beginning[2]:
        return "utf-16-le"
    if len(beginning) >= 4 and beginning[0] == 0 and beginning[1] and beginning[3]:
        return "utf-16-be"
    return None


def read_beginning(stream: Utf8Stream, amount: int) -> bytes:
    """Read the first bytes, at most `amount`.

    >>> read_beginning(Utf8Stream(io.BytesIO(b"abc")), 2)
    b'ab'
    """
    head = bytearray()
    while len(head) < amount and (more := stream.read(amount - len(head))):
        head += more
    return bytes(head)
