"""Cuts a graph's state into pieces that its checkpoints share, and puts it together again.

A list is cut by its elements and a dictionary by its items; anything else is one piece. A piece is named by a hash of what
is in it, so what stays the same from one checkpoint to the next is there once. The names of the pieces of a long list are
themselves kept in pieces, of some dozens each, and the names of these again: one more message changes one piece on each
level, not the whole list. Where such a piece ends is decided by what is in it, so that one element less at the beginning of
the list changes little, too.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from recollect.adapters.common import missing

try:
    import ormsgpack
except ImportError:
    raise missing("LangGraph", "langgraph") from None

NAME = 16
"""Bytes of a piece's name."""

SMALL = 64
"""What is no longer than this stands where its name would stand."""

LARGE = 512 * 1024
"""What is longer than this is kept in parts: not every place takes more in one piece."""

FEWEST, USUAL, MOST = 8, 32, 128
"""How many names are kept together."""

Entry = Any
"""What stands for an element: the name of its piece (bytes), the names of its parts (a list of bytes), or if it is small
itself (a list of its type and its bytes)."""

Dumps = Callable[[Any], tuple[str, bytes]]
Loads = Callable[[tuple[str, bytes]], Any]
Fetch = Callable[[Iterable[bytes]], Mapping[bytes, bytes]]


class Cut(NamedTuple):
    """What is left of a value when its pieces are taken out. Above level 0, the entries are names of pieces full of entries.

    >>> Cutter(lambda value: ("text", str(value).encode()), b"secret").cut("Hello")
    Cut(kind='whole', levels=0, entries=[['text', b'Hello']])
    """

    kind: str
    levels: int
    entries: list[Entry]


class Cutter:
    """Cuts values; collects their pieces. Without the secret, nobody can tell by a name what is in a piece.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"secret")
    >>> cut = cutter.cut(["Hi", "A longer text, " * 10])
    >>> cut.entries[0], len(cut.entries[1]), len(cutter.pieces)
    (['text', b'Hi'], 16, 1)
    """

    def __init__(self, dumps: Dumps, secret: bytes) -> None:
        self._dumps = dumps
        self._secret = secret
        self.pieces: dict[bytes, bytes] = {}

    def cut(self, value: Any) -> Cut:
        """A value without its pieces."""
        if type(value) is list:
            elements = cast("list[Any]", value)
            if not _only_numbers(elements):
                return self._several("list", elements)
        elif type(value) is dict:
            items = cast("dict[Any, Any]", value).items()
            return self._several("dict", [[key, one] for key, one in items])
        return Cut("whole", 0, [self._entry(value)])

    def _several(self, kind: str, elements: Sequence[Any]) -> Cut:
        entries = [self._entry(element) for element in elements]
        levels = 0
        while len(entries) > USUAL:
            entries = [self._piece(ormsgpack.packb(group)) for group in _groups(entries)]
            levels += 1
        return Cut(kind, levels, entries)

    def _entry(self, element: Any) -> Entry:
        kind, content = self._dumps(element)
        if len(content) <= SMALL:
            return [kind, content]
        packed = ormsgpack.packb([kind, content])
        if len(packed) <= LARGE:
            return self._piece(packed)
        return [self._piece(packed[start : start + LARGE]) for start in range(0, len(packed), LARGE)]

    def _piece(self, content: bytes) -> bytes:
        name = hashlib.blake2b(content, digest_size=NAME, key=self._secret).digest()
        self.pieces[name] = content
        return name


def join(cuts: Sequence[Cut], fetch: Fetch, loads: Loads) -> list[Any]:
    """The values that were cut so. Their pieces are fetched level by level, those of all of them together.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"secret")
    >>> cuts = [cutter.cut([f"message number {number}" * 9 for number in range(500)]), cutter.cut("Hello")]
    >>> texts, hello = join(cuts, lambda names: cutter.pieces, lambda typed: typed[1].decode())
    >>> len(texts), texts[499][:18], hello
    (500, 'message number 499', 'Hello')
    """
    while any(cut.levels for cut in cuts):
        found = fetch(name for cut in cuts if cut.levels for name in cut.entries)
        cuts = [_unfolded(cut, found) if cut.levels else cut for cut in cuts]
    found = fetch(name for cut in cuts for name in _names(cut.entries))
    return [_joined(cut, found, loads) for cut in cuts]


def needed(cuts: Iterable[Cut], fetch: Fetch) -> set[bytes]:
    """The names of all pieces that these cuts are made of.

    >>> cutter = Cutter(lambda value: ("text", str(value).encode()), b"secret")
    >>> cut = cutter.cut([f"message number {number}" * 9 for number in range(500)])
    >>> needed([cut], lambda names: cutter.pieces) == set(cutter.pieces)
    True
    """
    levels: dict[int, set[bytes]] = {}
    for cut in cuts:
        levels.setdefault(cut.levels, set()).update(_names(cut.entries))
    for level in range(max(levels, default=0), 0, -1):
        names = levels.get(level, set())
        found = fetch(names)
        below = levels.setdefault(level - 1, set())
        for name in names:
            below.update(_names(ormsgpack.unpackb(found[name])))
    return {name for names in levels.values() for name in names}


def _only_numbers(elements: Sequence[Any]) -> bool:
    """Whether this is a vector or the like: cut, it would only be slower."""
    return all(isinstance(element, int | float | None) for element in elements)


def _groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    group: list[Entry] = []
    for entry in entries:
        group.append(entry)
        if len(group) == MOST or (len(group) >= FEWEST and _ends_here(entry)):
            yield group
            group = []
    if group:
        yield group


def _ends_here(entry: Entry) -> bool:
    content = entry if isinstance(entry, bytes) else cast("bytes", entry[-1])
    return zlib.crc32(content) % USUAL == 0


def _names(entries: Iterable[Entry]) -> Iterator[bytes]:
    for entry in entries:
        if isinstance(entry, bytes):
            yield entry
        elif isinstance(entry[0], bytes):
            yield from entry


def _unfolded(cut: Cut, found: Mapping[bytes, bytes]) -> Cut:
    return cut._replace(
        levels=cut.levels - 1, entries=[entry for name in cut.entries for entry in ormsgpack.unpackb(found[name])]
    )


def _joined(cut: Cut, found: Mapping[bytes, bytes], loads: Loads) -> Any:
    elements = [loads(_typed(entry, found)) for entry in cut.entries]
    if cut.kind == "list":
        return elements
    return dict(elements) if cut.kind == "dict" else elements[0]


def _typed(entry: Entry, found: Mapping[bytes, bytes]) -> tuple[str, bytes]:
    if not isinstance(entry, bytes) and isinstance(entry[0], str):
        return entry[0], entry[1]
    names = [entry] if isinstance(entry, bytes) else cast("list[bytes]", entry)
    kind, content = ormsgpack.unpackb(b"".join(found[name] for name in names))
    return kind, content
