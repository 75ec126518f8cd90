"""Split large JSON into the elements of its outermost list or object, one at a time.

An incremental parser would do for valid files, but broken exports need more care: here an invalid conversation does not
affect others, the position of an error is known to the byte, and lone surrogates are passed on to be counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from keepsaid.errors import ImportProblem
from keepsaid.interchange.stream import CHUNK

MAX_ELEMENT_BYTES = 256 * 1024 * 1024
"""The most bytes in one conversation, which is held in memory as a whole."""
MAX_ELEMENT_DEPTH = 20_000
MAX_ELEMENT_CONTAINERS = 2_000_000
"""The most lists and objects in one conversation: an empty one takes 3 bytes in a file, but 70 in memory."""
_SPACE = re.compile(rb"[ \t\r\n]*+")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}:\"{\[]++")
_TO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+([{}\[\]])', re.DOTALL)


class JsonElement(NamedTuple):
    """An element of a list or object: its key (None in a list), its start in the file, and its bytes (None if it is too
    large, has too many parts or is nested too deeply)."""

    key: str | None
    start: int
    data: bytes | None


class JsonSplitter:
    """Splits a JSON file into elements.

    >>> import io
    >>> splitter = JsonSplitter(io.BytesIO(b'[{"a": 1}, {"b": "]"}]'), "x.json")
    >>> [element.data for element in splitter.elements()]
    [b'{"a": 1}', b'{"b": "]"}']
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._buffer = b""
        self._at = 0
        self._passed = 0
        self._step = CHUNK
        self.count = 0

    @property
    def place(self) -> int:
        """The current position in the file, in bytes."""
        return self._passed + self._at

    def documents(self, path: str | None = None) -> Iterator[JsonElement]:
        """The elements of every top-level list in the file, and every top-level object. With `path`, the elements of that
        entry of each top-level object instead."""
        while mark := self.peek():
            if mark == b"[":
                yield from self.elements()
            elif mark == b"{" and path is not None:
                yield from self._entry(path)
            elif mark == b"{":
                self.count += 1
                yield self._element(None)
            else:
                raise self.problem("is not JSON with conversations")

    def elements(self) -> Iterator[JsonElement]:
        """The elements of the list or object at the current position."""
        named = self.peek() == b"{"
        self._expect(b"{" if named else b"[")
        close = b"}" if named else b"]"
        if self.peek() == close:
            self._expect(close)
            return
        while True:
            self.count += 1
            yield self._element(self._key() if named else None)
            if self.peek() == close:
                self._expect(close)
                return
            self._expect(b",")

    def peek(self) -> bytes:
        """The next byte that is not a space; empty at the end of the file."""
        while True:
            space = _SPACE.match(self._buffer, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._read_more():
                return b""

    def problem(self, what: str) -> ImportProblem:
        """An error with its position."""
        after = f", after {self.count - 1:,} conversations" if self.count > 1 else ""
        return ImportProblem(f"{self._name} {what}: at byte {self.place:,}{after}")

    def _entry(self, path: str) -> Iterator[JsonElement]:
        self._expect(b"{")
        while self.peek() != b"}":
            if self._key() == path and self.peek() in (b"[", b"{"):
                yield from self.elements()
            else:
                self._element(None)
            if self.peek() == b",":
                self._expect(b",")
        self._expect(b"}")

    def _key(self) -> str:
        if self.peek() != b'"':
            raise self._unexpected()
        start = self.place
        data = self._element(None).data or b'""'
        self._expect(b":")
        try:
            return str(json.loads(data.decode(errors="replace"), strict=False))
        except ValueError:
            raise ImportProblem(f"{self._name} has a key that is not valid JSON: at byte {start:,}") from None

    def _element(self, key: str | None) -> JsonElement:
        mark = self.peek()
        start = self.place
        if mark in (b"{", b"["):
            return JsonElement(key, start, self._nested())
        end = self._scalar(_STRING if mark == b'"' else _SCALAR)
        data = self._buffer[self._at : end]
        self._at = end
        return JsonElement(key, start, data)

    def _scalar(self, pattern: re.Pattern[bytes]) -> int:
        while True:
            match = pattern.match(self._buffer, self._at)
            if match and match.end() < len(self._buffer):
                return match.end()
            if match is None and pattern is _SCALAR and self._at < len(self._buffer):
                raise self._unexpected()
            # A match that reaches the end of the chunk may continue in the next one.
            if not self._read_more():
                if match is None:
                    raise self._cut_off()
                return len(self._buffer)

    def _nested(self) -> bytes | None:
        """Read the bytes up to the bracket that closes the one at the current position."""
        kept: bytearray | None = bytearray()
        depth = size = opened = 0
        while True:
            start = self._at
            while match := _TO_BRACKET.match(self._buffer, self._at):
                self._at = match.end()
                opens = match[1] in b"{["
                opened += opens
                depth += 1 if opens else -1
                if depth == 0 or depth > MAX_ELEMENT_DEPTH:
                    break
            size += self._at - start
            if size > MAX_ELEMENT_BYTES or depth > MAX_ELEMENT_DEPTH or opened > MAX_ELEMENT_CONTAINERS:
                kept = None
            if kept is not None:
                kept += memoryview(self._buffer)[start : self._at]
            if depth == 0:
                return None if kept is None else bytes(kept)
            if match is None and not self._read_more():
                raise self._cut_off()

    def _expect(self, mark: bytes) -> None:
        if self.peek() != mark:
            raise self._unexpected()
        self._at += 1

    def _read_more(self) -> bool:
        """Read more bytes. The amount doubles while the position stays, so that a long text is not scanned again and
        again."""
        if self._at:
            self._step = CHUNK
        rest = self._buffer[self._at :]
        if len(rest) > MAX_ELEMENT_BYTES:
            raise self.problem(f"has a text longer than {MAX_ELEMENT_BYTES >> 20} MiB")
        data = self._stream.read(self._step)
        self._step *= 2
        self._passed += self._at
        self._at = 0
        self._buffer = rest + data if rest else data
        return bool(data)

    def _unexpected(self) -> ImportProblem:
        if not self.peek():
            return self._cut_off()
        return self.problem(f"is not valid JSON ({self.peek().decode('latin-1')!r} is not expected here)")

    def _cut_off(self) -> ImportProblem:
        # Reading to the end did not move the position: it is where the last complete element ended.
        return self.problem("ends in the middle; it may not have been downloaded completely")
