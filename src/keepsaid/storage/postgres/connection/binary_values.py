"""Values in PostgreSQL's binary format, which is many times faster to transfer than lists of numbers.

A vector is its number of dimensions, two unused bytes, and the numbers in big-endian order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD = struct.Struct(">HH")


class BinaryValue(bytes):
    """A value in the server's binary format; the statement casts it to its type."""


class BinaryValueDumper(Dumper):
    """Send a `BinaryValue` unchanged."""

    format = Format.BINARY
    oid = 0

    def dump(self, obj: bytes) -> bytes:
        return bytes(obj)


def encode_halfvec(vector: bytes) -> BinaryValue:
    """Convert a little-endian float16 vector, the format of every storage, to a `encode_halfvec`.

    >>> encode_halfvec(b"\\x01<")
    b'\\x00\\x01\\x00\\x00<\\x01'
    """
    return BinaryValue(_HEAD.pack(len(vector) // 2, 0) + _swap_bytes(vector))


def decode_halfvec(answer: bytes) -> bytes:
    """Convert a `encode_halfvec` back to a little-endian float16 vector.

    >>> decode_halfvec(encode_halfvec(b"\\x01<"))
    b'\\x01<'
    """
    return _swap_bytes(answer[_HEAD.size :])


def encode_vector(numbers: Sequence[float]) -> BinaryValue:
    """Convert numbers to a `encode_vector`, which has single precision."""
    return BinaryValue(_HEAD.pack(len(numbers), 0) + struct.pack(f">{len(numbers)}f", *numbers))


def format_bigint_array(numbers: Iterable[int]) -> str:
    """Format integers as a `bigint[]`.

    >>> format_bigint_array([3, 1])
    '{3,1}'
    """
    return f"{{{','.join(map(str, numbers))}}}"


def _swap_bytes(halves: bytes) -> bytes:
    turned = bytearray(len(halves))
    turned[0::2] = halves[1::2]
    turned[1::2] = halves[0::2]
    return bytes(turned)
