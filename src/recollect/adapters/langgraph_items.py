"""The items of LangGraph's store as blobs: what they are called, what is in them, which are meant, and how near they are."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

import numpy as np

from recollect.adapters.common import missing

try:
    import ormsgpack
    from langgraph.store.base import MatchCondition
except ImportError:
    raise missing("LangGraph", "langgraph") from None

ALL = "langgraph-store/"

LONGEST = 480
"""Characters of a name. A longer one ends with a hash instead."""

HASH = 32

_SPECIAL = re.compile(r"[%/\x00-\x1f\x7f\ud800-\udfff\U0010ffff]")

Namespace = tuple[str, ...]


class Stored(NamedTuple):
    """An item as it is kept, with the vectors of its texts."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    expires: datetime | None
    minutes: float | None
    vectors: list[bytes]

    def refreshed(self, now: datetime) -> Stored:
        """The item, which lives as long again from now on."""
        return self._replace(expires=expiry(now, self.minutes))


def expiry(now: datetime, minutes: float | None) -> datetime | None:
    """When something ends that lives for so many minutes."""
    return None if minutes is None else now + timedelta(minutes=minutes)


def pack(item: Stored) -> bytes:
    """An item as bytes.

    >>> now = datetime(2026, 11, 5, tzinfo=UTC)
    >>> item = Stored(("users", "ann"), "tea", {"kind": "green"}, now, now, None, None, [])
    >>> unpack(pack(item)) == item
    True
    """
    times = [moment and moment.timestamp() for moment in (item.created, item.updated, item.expires)]
    return ormsgpack.packb([item.namespace, item.key, item.value, *times, item.minutes, item.vectors])


def unpack(content: bytes) -> Stored:
    """The item that these bytes are."""
    namespace, key, value, created, updated, expires, minutes, vectors = ormsgpack.unpackb(content)
    times = [None if time is None else datetime.fromtimestamp(time, UTC) for time in (created, updated, expires)]
    return Stored(tuple(namespace), key, value, cast("Any", times[0]), cast("Any", times[1]), times[2], minutes, vectors)


# -- names


def name_of(namespace: Namespace, key: str) -> str:
    """What an item's blob is called: those of a namespace begin the same, and those of the ones below it.

    >>> name_of(("users", "ann"), "tea/green")
    'langgraph-store/users.ann/tea%2fgreen'
    """
    name = f"{ALL}{path_of(namespace)}/{_quoted(key)}"
    if len(name) <= LONGEST:
        return name
    return name[: LONGEST - HASH] + hashlib.blake2b(name.encode(), digest_size=HASH // 2).hexdigest()


def path_of(namespace: Namespace) -> str:
    """A namespace in a name. No label has a dot in it.

    >>> path_of(("users", "50%"))
    'users.50%25'
    """
    return ".".join(map(_quoted, namespace))


def beginnings(prefix: Namespace) -> tuple[str, ...]:
    """What the names of all items begin with that are in a namespace, or below it.

    >>> beginnings(("users",))
    ('langgraph-store/users/', 'langgraph-store/users.')
    """
    path = ALL + path_of(prefix)
    if not prefix or len(path) >= LONGEST - HASH:
        return (path[: LONGEST - HASH],)
    return f"{path}/", f"{path}."


def behind_its_namespace(name: str) -> str:
    """Behind all names of the namespace that a name is in; a name that was too long is alone.

    >>> behind_its_namespace("langgraph-store/users.ann/tea")
    'langgraph-store/users.ann0'
    """
    path, slash, _ = name[len(ALL) :].partition("/")
    return f"{ALL}{path}{chr(ord('/') + 1)}" if slash and len(name) < LONGEST else name


def _quoted(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"%{ord(found.group()):02x}", text)


# -- which are meant


def is_below(namespace: Namespace, prefix: Namespace) -> bool:
    """Whether a namespace is this one, or one below it."""
    return namespace[: len(prefix)] == prefix


def meets(namespace: Namespace, conditions: Iterable[MatchCondition]) -> bool:
    """Whether a namespace begins or ends as is asked; a star stands for any label.

    >>> meets(("users", "ann", "likes"), [MatchCondition("prefix", ("users", "*")), MatchCondition("suffix", ("likes",))])
    True
    """
    return all(_meets(namespace, condition) for condition in conditions)


def _meets(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


# -- meaning


def as_bytes(vector: Sequence[float]) -> bytes:
    """A vector as it is kept."""
    return np.asarray(vector, dtype="<f4").tobytes()


def scores(items: Sequence[Stored], query: Sequence[float], distance: str) -> list[float | None]:
    """How near each item is to a question, by the nearest of its texts: more is nearer. None if it has no vector that can be
    compared.

    >>> now = datetime.now(UTC)
    >>> items = [Stored(("a",), "b", {}, now, now, None, None, [as_bytes([1, 0]), as_bytes([0, 1])])]
    >>> scores(items, [0, 2], "cosine")
    [1.0]
    """
    asked = np.asarray(query, dtype=np.float32)
    owners = [number for number, item in enumerate(items) for one in item.vectors if len(one) == asked.nbytes]
    if not owners:
        return [None] * len(items)
    kept = b"".join(one for item in items for one in item.vectors if len(one) == asked.nbytes)
    vectors = np.frombuffer(kept, dtype="<f4").reshape(len(owners), -1)
    best = np.full(len(items), -np.inf)
    np.maximum.at(best, owners, _nearness(vectors, asked, distance))
    return [float(score) if np.isfinite(score) else None for score in best]


def _nearness(vectors: Any, asked: Any, distance: str) -> Any:
    if distance == "l2":
        return -np.linalg.norm(vectors - asked, axis=1)
    products = vectors @ asked
    if distance == "inner_product":
        return products
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked)
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
