"""The outermost keys of a JSON document, from its beginning, which may be truncated."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import NamedTuple

MAX_DEPTH = 4
MAX_TOKENS = 300_000
"""The most strings and brackets that are read: the first conversation of an export has far fewer."""
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"(?:\s*+(:))?|[{}\[\]]', re.DOTALL)


class KeyOutline(NamedTuple):
    """The keys of a file's objects: of its outermost object or of those in its outermost list, and of the nested ones."""

    outer: frozenset[str]
    inner: frozenset[str]


def outline_keys(head: bytes) -> KeyOutline:
    """Return the outermost keys of some JSON, which may end anywhere.

    >>> sorted(outline_keys(b'[{"id": 1, "chat": {"title": "x", "histo').outer)
    ['chat', 'id']
    """
    outer: set[str] = set()
    inner: set[str] = set()
    open: list[bytes] = []
    for token in islice(_TOKEN.finditer(head), MAX_TOKENS):
        mark = token[0][:1]
        if mark in (b"{", b"["):
            open.append(mark)
        elif mark in (b"}", b"]"):
            if open:
                open.pop()
        elif token[2] and 0 < len(open) <= MAX_DEPTH:
            key = _key(token[1])
            (outer if open in ([b"{"], [b"[", b"{"]) else inner).add(key)
    return KeyOutline(frozenset(outer), frozenset(inner))


def _key(data: bytes) -> str:
    try:
        return str(json.loads(b'"' + data + b'"'))
    except ValueError:
        return ""
