"""Split a graph's state into pieces that its checkpoints share, and join them again.

Lists are split between elements and dictionaries between items. Long values of any kind are split again at content-defined
boundaries: within each range, after the eight bytes that give the smallest number when multiplied by a secret. So a growing
text, or a list nested in another value, keeps its pieces except for the first and the last ones. A piece is named by a hash
of its content, so unchanged content is stored once across checkpoints. The names of many pieces are stored in pieces of a
few dozen names each, recursively: adding a message changes one piece per level, not the whole list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np

from keepsaid.adapters.common import missing_extra

try:
    import ormsgpack
except ImportError:
    raise missing_extra("LangGraph", "langgraph") from None

NAME_BYTES = 16
"""Bytes of a piece's name."""

INLINE_BYTES = 64
"""Maximum total bytes of a value that is stored inline."""

SHARED_ELEMENT_BYTES = 128
"""Maximum bytes of an element that shares pieces with its neighbors. Longer elements have pieces of their own."""

MIN_PIECE_BYTES, MAX_PIECE_BYTES = 512, 2_048
"""Minimum and maximum bytes of a piece of long content. Content up to the maximum is one piece."""

MIN_GROUP, TARGET_GROUP, MAX_GROUP = 8, 32, 128
"""Minimum, target and maximum names per group."""

WINDOW_BYTES = 8
"""Bytes that together determine whether a piece ends after them."""

LENGTH_BYTES = 4
"""Bytes of an element's length prefix."""

Dumps = Callable[[Any], tuple[str, bytes]]
Loads = Callable[[tuple[str, bytes]], Any]
Fetch = Callable[[Iterable[bytes]], Mapping[bytes, bytes]]


class SplitValue(NamedTuple):
    """A value without its pieces, as their names. At levels above 0, these are names of pieces that contain names. At level
    -1, the value is stored inline.

    >>> cut = StateSplitter(lambda value: ("text", str(value).encode()), b"a secret").split("Hello")
    >>> cut.kind, cut.levels, b"Hello" in cut.entries[0]
    ('whole', -1, True)
    """

    kind: str
    levels: int
    entries: list[bytes]


class StateSplitter:
    """Split values and collect their pieces. Without the secret, neither the name nor the boundaries of a piece reveal its
    content.

    >>> splitter = StateSplitter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cut = splitter.split(["A longer text, " * 20, "And another one, " * 20])
    >>> [len(name) for name in cut.entries], len(splitter.pieces)
    ([16, 16], 2)
    """

    def __init__(self, dumps: Dumps, secret: bytes) -> None:
        self._dumps = dumps
        self._secret = secret
        self._mixer = np.uint64(int.from_bytes(secret[:8], "little") | 1)
        self.pieces: dict[bytes, bytes] = {}

    def split(self, value: Any) -> SplitValue:
        """Split a value; its pieces are added to `pieces`."""
        kind, elements = _split_elements(value)
        packed = [self._pack_element(element) for element in elements]
        if sum(map(len, packed)) <= INLINE_BYTES:
            return SplitValue(kind, -1, [b"".join(packed)])
        names = [self._add_piece(content) for part in _contents_to_split(packed) for content in self._split_content(part)]
        levels = 0
        while len(names) > TARGET_GROUP:
            names = [self._add_piece(b"".join(group)) for group in _group_names(names)]
            levels += 1
        return SplitValue(kind, levels, names)

    def _pack_element(self, element: Any) -> bytes:
        packed = ormsgpack.packb(self._dumps(element))
        return len(packed).to_bytes(LENGTH_BYTES, "little") + packed

    def _split_content(self, content: bytes) -> Iterator[bytes]:
        """Yield pieces whose boundaries depend only on the bytes before them, not on their position."""
        start = 0
        while len(content) - start > MAX_PIECE_BYTES:
            first = start + MIN_PIECE_BYTES
            # A view of all possible ends of this piece, one byte apart, without copying.
            eights: Any = np.ndarray(MAX_PIECE_BYTES - MIN_PIECE_BYTES + 1, "<u8", content, first - WINDOW_BYTES, (1,))
            end = first + int((eights * self._mixer).argmin())
            yield content[start:end]
            start = end
        yield content[start:]

    def _add_piece(self, content: bytes) -> bytes:
        name = hashlib.blake2b(content, digest_size=NAME_BYTES, key=self._secret).digest()
        self.pieces[name] = content
        return name


def join_values(cuts: Sequence[SplitValue], fetch: Fetch, loads: Loads) -> list[Any]:
    """Join split values. The pieces of all values are fetched together, level by level.

    >>> splitter = StateSplitter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cuts = [splitter.split([f"message number {number}" * 9 for number in range(500)]), splitter.split("Hello")]
    >>> texts, hello = join_values(cuts, lambda names: splitter.pieces, lambda typed: typed[1].decode())
    >>> len(texts), texts[499][:18], hello
    (500, 'message number 499', 'Hello')
    """
    while any(cut.levels >= 0 for cut in cuts):
        found = fetch(name for cut in cuts if cut.levels >= 0 for name in cut.entries)
        cuts = [_expand(cut, found) if cut.levels >= 0 else cut for cut in cuts]
    return [_join_value(cut, loads) for cut in cuts]


def collect_piece_names(cuts: Iterable[SplitValue], fetch: Fetch) -> set[bytes]:
    """Return the names of all pieces of split values.

    >>> splitter = StateSplitter(lambda value: ("text", str(value).encode()), b"a secret")
    >>> cut = splitter.split([f"message number {number}" * 9 for number in range(500)])
    >>> collect_piece_names([cut], lambda names: splitter.pieces) == set(splitter.pieces)
    True
    """
    levels: dict[int, set[bytes]] = {}
    for cut in cuts:
        levels.setdefault(cut.levels, set()).update(cut.entries)
    for level in range(max(levels, default=0), 0, -1):
        names = levels.get(level, set())
        found = fetch(names)
        levels.setdefault(level - 1, set()).update(below for name in names for below in _split_names(found[name]))
    return {name for level, names in levels.items() if level >= 0 for name in names}


def _split_elements(value: Any) -> tuple[str, list[Any]]:
    """Return the kind of a value and its elements."""
    if type(value) is list:
        elements = cast("list[Any]", value)
        if not _only_numbers(elements):
            return "list", elements
    elif type(value) is dict:
        # Each item is a dictionary: serializers only handle keys correctly as keys.
        return "dict", [{key: one} for key, one in cast("dict[Any, Any]", value).items()]
    return "whole", [value]


def _only_numbers(elements: Sequence[Any]) -> bool:
    """Whether a list has only numbers, such as a vector: splitting it by element would only be slower."""
    return all(issubclass(kind, (int, float, type(None))) for kind in {*map(type, elements)})


def _contents_to_split(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the contents that are split separately: each long element, and the short ones between long ones together."""
    for is_long, group in groupby(packed, lambda element: len(element) > SHARED_ELEMENT_BYTES):
        elements = list(group)
        yield from elements if is_long else [b"".join(elements)]


def _group_names(names: Sequence[bytes]) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    for name in names:
        group.append(name)
        if len(group) == MAX_GROUP or (len(group) >= MIN_GROUP and name[0] % TARGET_GROUP == 0):
            yield group
            group = []
    if group:
        yield group


def _split_names(content: bytes) -> Iterator[bytes]:
    return (content[start : start + NAME_BYTES] for start in range(0, len(content), NAME_BYTES))


def _expand(cut: SplitValue, found: Mapping[bytes, bytes]) -> SplitValue:
    contents = [found[name] for name in cut.entries]
    below = [name for content in contents for name in _split_names(content)] if cut.levels else [b"".join(contents)]
    return cut._replace(levels=cut.levels - 1, entries=below)


def _join_value(cut: SplitValue, loads: Loads) -> Any:
    elements = [loads(typed) for typed in _unpack_elements(cut.entries[0])]
    if cut.kind == "list":
        return elements
    if cut.kind == "dict":
        return {key: one for element in elements for key, one in element.items()}
    return elements[0]


def _unpack_elements(content: bytes) -> Iterator[tuple[str, bytes]]:
    start = 0
    while start < len(content):
        end = start + LENGTH_BYTES + int.from_bytes(content[start : start + LENGTH_BYTES], "little")
        kind, inner = ormsgpack.unpackb(content[start + LENGTH_BYTES : end])
        yield kind, inner
        start = end
