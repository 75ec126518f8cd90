"""Values in the form in which PostgreSQL takes and gives them quickly: as lists of numbers they take many times as long.

A vector is how many numbers there are, two unused bytes, and the numbers, each with its high byte first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD = struct.Struct(">HH")


class Wire(bytes):
    """A value in the server's own form; the statement says of which type it is."""


class WireDumper(Dumper):
    """Sends a `Wire` as it is."""

    format = Format.BINARY
    oid = 0

    def dump(self, obj: bytes) -> bytes:
        return bytes(obj)


def halfvec(vector: bytes) -> Wire:
    """A vector as it is stored everywhere, float16 with the low byte first, for a `halfvec`.

    >>> halfvec(b"\\x01<")
    b'\\x00\\x01\\x00\\x00<\\x01'
    """
    return Wire(_HEAD.pack(len(vector) // 2, 0) + _turned(vector))


def little(answer: bytes) -> bytes:
    """The same back from a `halfvec`.

    >>> little(halfvec(b"\\x01<"))
    b'\\x01<'
    """
    return _turned(answer[_HEAD.size :])


def vector(numbers: Sequence[float]) -> Wire:
    """Numbers for a `vector`, which has single precision."""
    return Wire(_HEAD.pack(len(numbers), 0) + struct.pack(f">{len(numbers)}f", *numbers))


def array(numbers: Iterable[int]) -> str:
    """Whole numbers for a `bigint[]`.

    >>> array([3, 1])
    '{3,1}'
    """
    return f"{{{','.join(map(str, numbers))}}}"


def _turned(halves: bytes) -> bytes:
    turned = bytearray(len(halves))
    turned[0::2] = halves[1::2]
    turned[1::2] = halves[0::2]
    return bytes(turned)
