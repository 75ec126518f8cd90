"""Cuts a graph's state into pieces that its checkpoints share, and puts it together again.

A list is cut between its elements and a dictionary between its items. Whatever is long, of whatever kind, is cut once more,
where its bytes say so: in each stretch behind those eight that are the least of all, multiplied by a secret number. So a
text that grows, or a list deep within something else, has the same pieces as before but for the first and the last. A piece
is named by a hash of what is in it, so what stays the same from one checkpoint to the next is there once. The names of many
pieces are themselves kept in pieces, of some dozens each, and the names of these again: one more message changes one piece
on each level, not the whole list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np

from recollect.adapters.common import missing

try:
    import ormsgpack
except ImportError:
    raise missing("LangGraph", "langgraph") from None

NAME = 16
"""Bytes of a piece's name."""

SMALL = 64
"""What is no longer than this in all stays where it is."""

OWN = 128
"""An element that is longer than this has pieces of its own. Shorter ones go together with their neighbours."""

SHORTEST, LONGEST = 512, 2_048
"""Bytes of the pieces of what is long. What is not longer than the longest is one piece."""

FEWEST, MANY, MOST = 8, 32, 128
"""How many names are kept together."""

EIGHT = 8
"""Bytes that decide together whether a piece ends behind them."""

LENGTH = 4
"""Bytes that say how long an element is."""

Dumps = Callable[[Any], tuple[str, bytes]]
Loads = Callable[[tuple[str, bytes]], Any]
Fetch = Callable[[Iterable[bytes]], Mapping[bytes, bytes]]


class Cut(NamedTuple):
    """What is left of a value when its pieces are taken out: their names. Above level 0 they are names of pieces full of
    names. Below it nothing was taken out.

    >>> cut = Cutter(lambda value: ("text", str(value).encode()), b"a secret").cut("Hello")
    >>> cut.kind, cut.levels, b"Hello" in cut.entries[0]
    ('whole', -1, True)
    """

    kind: str
    levels: int
    entries: list[bytes]


class Cutter:
    """Cuts values; collects their pieces. Without the secret, nobody can tell by a piece's name, nor by where it ends, what
    is in it.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cut = cutter.cut(["A longer text, " * 20, "And another one, " * 20])
    >>> [len(name) for name in cut.entries], len(cutter.pieces)
    ([16, 16], 2)
    """

    def __init__(self, dumps: Dumps, secret: bytes) -> None:
        self._dumps = dumps
        self._secret = secret
        self._mixer = np.uint64(int.from_bytes(secret[:8], "little") | 1)
        self.pieces: dict[bytes, bytes] = {}

    def cut(self, value: Any) -> Cut:
        """A value without its pieces."""
        kind, elements = _parted(value)
        packed = [self._packed(element) for element in elements]
        if sum(map(len, packed)) <= SMALL:
            return Cut(kind, -1, [b"".join(packed)])
        names = [self._piece(content) for part in _parts(packed) for content in self._cut_up(part)]
        levels = 0
        while len(names) > MANY:
            names = [self._piece(b"".join(group)) for group in _groups(names)]
            levels += 1
        return Cut(kind, levels, names)

    def _packed(self, element: Any) -> bytes:
        packed = ormsgpack.packb(self._dumps(element))
        return len(packed).to_bytes(LENGTH, "little") + packed

    def _cut_up(self, content: bytes) -> Iterator[bytes]:
        """Pieces that end where their last bytes say so, wherever in the whole these stand."""
        start = 0
        while len(content) - start > LONGEST:
            first = start + SHORTEST
            # All places where this one may end, each one byte behind the other: nothing is copied.
            eights: Any = np.ndarray(LONGEST - SHORTEST + 1, "<u8", content, first - EIGHT, (1,))
            end = first + int((eights * self._mixer).argmin())
            yield content[start:end]
            start = end
        yield content[start:]

    def _piece(self, content: bytes) -> bytes:
        name = hashlib.blake2b(content, digest_size=NAME, key=self._secret).digest()
        self.pieces[name] = content
        return name


def join(cuts: Sequence[Cut], fetch: Fetch, loads: Loads) -> list[Any]:
    """The values that were cut so. Their pieces are fetched level by level, those of all of them together.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cuts = [cutter.cut([f"message number {number}" * 9 for number in range(500)]), cutter.cut("Hello")]
    >>> texts, hello = join(cuts, lambda names: cutter.pieces, lambda typed: typed[1].decode())
    >>> len(texts), texts[499][:18], hello
    (500, 'message number 499', 'Hello')
    """
    while any(cut.levels >= 0 for cut in cuts):
        found = fetch(name for cut in cuts if cut.levels >= 0 for name in cut.entries)
        cuts = [_unfolded(cut, found) if cut.levels >= 0 else cut for cut in cuts]
    return [_joined(cut, loads) for cut in cuts]


def needed(cuts: Iterable[Cut], fetch: Fetch) -> set[bytes]:
    """The names of all pieces that these cuts are made of.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cut = cutter.cut([f"message number {number}" * 9 for number in range(500)])
    >>> needed([cut], lambda names: cutter.pieces) == set(cutter.pieces)
    True
    """
    levels: dict[int, set[bytes]] = {}
    for cut in cuts:
        levels.setdefault(cut.levels, set()).update(cut.entries)
    for level in range(max(levels, default=0), 0, -1):
        names = levels.get(level, set())
        found = fetch(names)
        levels.setdefault(level - 1, set()).update(below for name in names for below in _names(found[name]))
    return {name for level, names in levels.items() if level >= 0 for name in names}


def _parted(value: Any) -> tuple[str, list[Any]]:
    """A value's elements, and what they make together."""
    if type(value) is list:
        elements = cast("list[Any]", value)
        if not _only_numbers(elements):
            return "list", elements
    elif type(value) is dict:
        # One by one as dictionaries: a serializer knows what to do with a key only where it is one.
        return "dict", [{key: one} for key, one in cast("dict[Any, Any]", value).items()]
    return "whole", [value]


def _only_numbers(elements: Sequence[Any]) -> bool:
    """Whether this is a vector or the like: element by element, it would only be slower."""
    return all(issubclass(kind, (int, float, type(None))) for kind in {*map(type, elements)})


def _parts(packed: Iterable[bytes]) -> Iterator[bytes]:
    """What is cut up for itself: an element that is long, and what is short between two of them."""
    for is_long, group in groupby(packed, lambda element: len(element) > OWN):
        elements = list(group)
        yield from elements if is_long else [b"".join(elements)]


def _groups(names: Sequence[bytes]) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    for name in names:
        group.append(name)
        if len(group) == MOST or (len(group) >= FEWEST and name[0] % MANY == 0):
            yield group
            group = []
    if group:
        yield group


def _names(content: bytes) -> Iterator[bytes]:
    return (content[start : start + NAME] for start in range(0, len(content), NAME))


def _unfolded(cut: Cut, found: Mapping[bytes, bytes]) -> Cut:
    contents = [found[name] for name in cut.entries]
    below = [name for content in contents for name in _names(content)] if cut.levels else [b"".join(contents)]
    return cut._replace(levels=cut.levels - 1, entries=below)


def _joined(cut: Cut, loads: Loads) -> Any:
    elements = [loads(typed) for typed in _unpacked(cut.entries[0])]
    if cut.kind == "list":
        return elements
    if cut.kind == "dict":
        return {key: one for element in elements for key, one in element.items()}
    return elements[0]


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    start = 0
    while start < len(content):
        end = start + LENGTH + int.from_bytes(content[start : start + LENGTH], "little")
        kind, inner = ormsgpack.unpackb(content[start + LENGTH : end])
        yield kind, inner
        start = end
