"""The keys near the surface of a JSON document, from as much of its beginning as there is."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

DEEPEST = 4
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"(?:\s*+(:))?|[{}\[\]]', re.DOTALL)


class Outline(NamedTuple):
    """The keys of a file's objects: those that are its outermost, or in its outermost list, and those one and two below."""

    outer: frozenset[str]
    inner: frozenset[str]


def outline(head: bytes) -> Outline:
    """The keys near the surface of some JSON, which may end anywhere.

    >>> sorted(outline(b'[{"id": 1, "chat": {"title": "x", "histo').outer)
    ['chat', 'id']
    """
    outer: set[str] = set()
    inner: set[str] = set()
    open: list[bytes] = []
    for token in _TOKEN.finditer(head):
        mark = token[0][:1]
        if mark in (b"{", b"["):
            open.append(mark)
        elif mark in (b"}", b"]"):
            if open:
                open.pop()
        elif token[2] and 0 < len(open) <= DEEPEST:
            key = _key(token[1])
            (outer if open in ([b"{"], [b"[", b"{"]) else inner).add(key)
    return Outline(frozenset(outer), frozenset(inner))


def _key(data: bytes) -> str:
    try:
        return str(json.loads(b'"' + data + b'"'))
    except ValueError:
        return ""
