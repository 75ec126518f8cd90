"""Rows as bytes: a version, the columns as one line of JSON, and then the values that are bytes already."""

from __future__ import annotations

import json
from typing import Any

from keepsaid.errors import NewerStore
from keepsaid.storage.replica.ledger import Columns, ColumnValue

VERSION = b"\x01"


def encode(columns: Columns) -> bytes:
    """Encode a row's columns. Equal columns give equal bytes.

    >>> encode({"text": "Hello", "vector": b"123"})
    b'\\x01[{"text":"Hello"},{"vector":3}]\\n123'
    """
    plain: dict[str, ColumnValue] = {}
    lengths: dict[str, int] = {}
    pieces: list[bytes] = []
    for name, value in sorted(columns.items()):
        if isinstance(value, bytes):
            lengths[name] = len(value)
            pieces.append(value)
        else:
            plain[name] = value
    line = json.dumps([plain, lengths], ensure_ascii=False, separators=(",", ":"))
    return b"".join([VERSION, line.encode("utf-8", "surrogatepass"), b"\n", *pieces])


def decode(encoded: bytes) -> Columns:
    """Decode the columns of a row.

    >>> decode(encode({"text": "Hello", "vector": b"123"}))
    {'text': 'Hello', 'vector': b'123'}
    """
    if encoded[:1] != VERSION:
        raise NewerStore("a row was written by a newer Keepsaid than this one")
    line, _, rest = encoded[1:].partition(b"\n")
    plain: dict[str, Any]
    lengths: dict[str, int]
    plain, lengths = json.loads(line.decode("utf-8", "surrogatepass"))
    start = 0
    for name, length in lengths.items():
        plain[name] = rest[start : start + length]
        start += length
    return plain
