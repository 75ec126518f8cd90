"""Large JSON, one element at a time: the file is split where its outermost list or object has its elements.

A parser that builds values as it goes would do, but the exports that need care are the broken ones: here a conversation
that is no JSON costs only itself, the place of a fault is known to the byte, and half a surrogate pair comes through to be
counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from recollect.errors import ImportProblem
from recollect.interchange.stream import CHUNK

LARGEST_ELEMENT = 256 * 1024 * 1024
"""Bytes in one conversation, which is held in memory as a whole."""
DEEPEST_ELEMENT = 20_000
_SPACE = re.compile(rb"[ \t\r\n]*+")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}:\"{\[]++")
_TO_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+([{}\[\]])', re.DOTALL)


class Element(NamedTuple):
    """A piece of JSON: its key (in a list, none), where it begins in the file, and its bytes (None if there are too many,
    or it is nested too deeply)."""

    key: str | None
    start: int
    data: bytes | None


class Splitter:
    """Walks through a file of JSON.

    >>> import io
    >>> splitter = Splitter(io.BytesIO(b'[{"a": 1}, {"b": "]"}]'), "x.json")
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
        """How many bytes of the file are behind."""
        return self._passed + self._at

    def documents(self, path: str | None = None) -> Iterator[Element]:
        """The elements of every list in the file, and every object that stands by itself. With `path`, it is the elements
        of that entry of the object that count."""
        while mark := self.peek():
            if mark == b"[":
                yield from self.elements()
            elif mark == b"{" and path is not None:
                yield from self._entry(path)
            elif mark == b"{":
                self.count += 1
                yield self._element(None)
            else:
                raise self.problem("is no JSON that could hold conversations")

    def elements(self) -> Iterator[Element]:
        """The elements of the list or object that begins here."""
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
        """The next byte that is no space; none at the end of the file."""
        while True:
            space = _SPACE.match(self._buffer, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._more():
                return b""

    def problem(self, what: str) -> ImportProblem:
        """An error that says where it happened."""
        after = f", after {self.count - 1:,} conversations" if self.count > 1 else ""
        return ImportProblem(f"{self._name} {what}: at byte {self.place:,}{after}")

    def _entry(self, path: str) -> Iterator[Element]:
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
            raise ImportProblem(f"{self._name} has a name that is no JSON: at byte {start:,}") from None

    def _element(self, key: str | None) -> Element:
        mark = self.peek()
        start = self.place
        if mark in (b"{", b"["):
            return Element(key, start, self._nested())
        end = self._scalar(_STRING if mark == b'"' else _SCALAR)
        data = self._buffer[self._at : end]
        self._at = end
        return Element(key, start, data)

    def _scalar(self, pattern: re.Pattern[bytes]) -> int:
        while True:
            match = pattern.match(self._buffer, self._at)
            if match and match.end() < len(self._buffer):
                return match.end()
            if match is None and pattern is _SCALAR and self._at < len(self._buffer):
                raise self._unexpected()
            # What reaches the end of the chunk may go on in the next one.
            if not self._more():
                if match is None:
                    raise self._cut_off()
                return len(self._buffer)

    def _nested(self) -> bytes | None:
        """The bytes up to the bracket that closes the one here."""
        kept: bytearray | None = bytearray()
        depth = size = 0
        while True:
            start = self._at
            while match := _TO_BRACKET.match(self._buffer, self._at):
                self._at = match.end()
                depth += 1 if match[1] in b"{[" else -1
                if depth == 0 or depth > DEEPEST_ELEMENT:
                    break
            size += self._at - start
            if size > LARGEST_ELEMENT or depth > DEEPEST_ELEMENT:
                kept = None
            if kept is not None:
                kept += memoryview(self._buffer)[start : self._at]
            if depth == 0:
                return None if kept is None else bytes(kept)
            if match is None and not self._more():
                raise self._cut_off()

    def _expect(self, mark: bytes) -> None:
        if self.peek() != mark:
            raise self._unexpected()
        self._at += 1

    def _more(self) -> bool:
        """Reads on. Each time that the same place is not enough, more is read, so that a long text is not looked through
        again and again."""
        if self._at:
            self._step = CHUNK
        rest = self._buffer[self._at :]
        if len(rest) > LARGEST_ELEMENT:
            raise self.problem(f"has a text of more than {LARGEST_ELEMENT >> 20} MiB")
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
        # Reading to the end moved nothing: the place is where the last complete piece ended.
        return self.problem("ends in the middle; it may not have been downloaded completely")
