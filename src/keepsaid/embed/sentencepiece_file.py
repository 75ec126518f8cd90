"""Reads the pieces of a SentencePiece model file, with the standard library only.

The file is protobuf: a message is a sequence of fields, and a field is its number and kind, then its value. Pieces are field
1 of the model; in a piece, field 1 is its text, 2 its score and 3 its type. The field numbers are those of the public
`sentencepiece_model.proto`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from keepsaid.errors import EmbedderError

VARINT, EIGHT_BYTES, BLOCK, FOUR_BYTES = 0, 1, 2, 5
NORMAL, UNKNOWN, CONTROL = 1, 2, 3


class ScoredPiece(NamedTuple):
    """A piece of a vocabulary. `score` is the logarithm of its probability; only pieces of kind `NORMAL` have one."""

    text: str
    score: float
    kind: int


def read_pieces(content: bytes) -> list[ScoredPiece]:
    """Return the pieces of a model file, in the order of their ids.

    >>> read_pieces(bytes.fromhex("0a0b 0a04 74686520 15 000000c0"))
    [ScoredPiece(text='the ', score=-2.0, kind=1)]
    """
    try:
        return [_piece(value) for field, value in _fields(content) if field == 1 and isinstance(value, bytes)]
    except (IndexError, ValueError, struct.error) as error:
        raise EmbedderError(f"this is not a SentencePiece model ({error})") from None


def _piece(content: bytes) -> ScoredPiece:
    text, score, kind = "", 0.0, NORMAL
    for field, value in _fields(content):
        if field == 1 and isinstance(value, bytes):
            text = value.decode()
        elif field == 2 and isinstance(value, bytes):
            score = struct.unpack("<f", value)[0]
        elif field == 3 and isinstance(value, int):
            kind = value
    return ScoredPiece(text, score, kind)


def _fields(content: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield the number and value of each field of a message."""
    at = 0
    while at < len(content):
        tag, at = _varint(content, at)
        field, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = _varint(content, at)
            yield field, value
            continue
        if kind == BLOCK:
            size, at = _varint(content, at)
        else:
            size = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(kind, -1)
        if size < 0 or at + size > len(content):
            raise ValueError(f"field {field} at byte {at} cannot be read")
        yield field, content[at : at + size]
        at += size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a byte, seven bits to a byte, and the place after it."""
    number, shift = 0, 0
    while True:
        byte = content[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
