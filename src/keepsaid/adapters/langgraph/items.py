"""Items of LangGraph's store as blobs: their names, encoding, namespace matching and vector similarity."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

import numpy as np

from keepsaid.adapters.common import missing_extra

try:
    import ormsgpack
    from langgraph.store.base import MatchCondition
except ImportError:
    raise missing_extra("LangGraph", "langgraph") from None

ITEM_PREFIX = "langgraph-store/"

MAX_NAME_LENGTH = 480
"""Maximum characters of a name. A longer one is cut and ends with a hash."""

HASH_LENGTH = 32

_SPECIAL = re.compile(r"[%/\x00-\x1f\x7f\ud800-\udfff\U0010ffff]")

Namespace = tuple[str, ...]


class StoredItem(NamedTuple):
    """An item as stored, with the vectors of its texts."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    expires: datetime | None
    minutes: float | None
    vectors: list[bytes]

    def with_renewed_expiry(self, now: datetime) -> StoredItem:
        """Return the item with its time to live restarted."""
        return self._replace(expires=compute_expiry(now, self.minutes))


def compute_expiry(now: datetime, minutes: float | None) -> datetime | None:
    """Return the expiry time of an item with a time to live in minutes."""
    return None if minutes is None else now + timedelta(minutes=minutes)


def pack_item(item: StoredItem) -> bytes:
    """Encode an item as bytes.

    >>> now = datetime(2026, 11, 5, tzinfo=UTC)
    >>> item = StoredItem(("users", "ann"), "tea", {"kind": "green"}, now, now, None, None, [])
    >>> unpack_item(pack_item(item)) == item
    True
    """
    times = [moment and moment.timestamp() for moment in (item.created, item.updated, item.expires)]
    return ormsgpack.packb([item.namespace, item.key, item.value, *times, item.minutes, item.vectors])


def unpack_item(content: bytes) -> StoredItem:
    """Decode an item from bytes."""
    namespace, key, value, created, updated, expires, minutes, vectors = ormsgpack.unpackb(content)
    times = [None if time is None else datetime.fromtimestamp(time, UTC) for time in (created, updated, expires)]
    return StoredItem(tuple(namespace), key, value, cast("Any", times[0]), cast("Any", times[1]), times[2], minutes, vectors)


# -- names


def blob_name_of(namespace: Namespace, key: str) -> str:
    """Return the name of an item's blob. Items of a namespace and of those below it share a prefix.

    >>> blob_name_of(("users", "ann"), "tea/green")
    'langgraph-store/users.ann/tea%2fgreen'
    """
    name = f"{ITEM_PREFIX}{encode_namespace(namespace)}/{_quoted(key)}"
    if len(name) <= MAX_NAME_LENGTH:
        return name
    return name[: MAX_NAME_LENGTH - HASH_LENGTH] + hashlib.blake2b(name.encode(), digest_size=HASH_LENGTH // 2).hexdigest()


def encode_namespace(namespace: Namespace) -> str:
    """Return a namespace as part of a blob name. Labels do not contain dots.

    >>> encode_namespace(("users", "50%"))
    'users.50%25'
    """
    return ".".join(map(_quoted, namespace))


def name_prefixes(prefix: Namespace) -> tuple[str, ...]:
    """Return the prefixes of the names of all items in a namespace or below it.

    >>> name_prefixes(("users",))
    ('langgraph-store/users/', 'langgraph-store/users.')
    """
    path = ITEM_PREFIX + encode_namespace(prefix)
    if not prefix or len(path) >= MAX_NAME_LENGTH - HASH_LENGTH:
        return (path[: MAX_NAME_LENGTH - HASH_LENGTH],)
    return f"{path}/", f"{path}."


def skip_namespace(name: str) -> str:
    """Return a key that sorts after all names of the namespace that a name is in; for a name that was cut, the name itself.

    >>> skip_namespace("langgraph-store/users.ann/tea")
    'langgraph-store/users.ann0'
    """
    path, slash, _ = name[len(ITEM_PREFIX) :].partition("/")
    return f"{ITEM_PREFIX}{path}{chr(ord('/') + 1)}" if slash and len(name) < MAX_NAME_LENGTH else name


def _quoted(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"%{ord(found.group()):02x}", text)


# -- matching


def is_within_namespace(namespace: Namespace, prefix: Namespace) -> bool:
    """Whether a namespace equals the prefix or is below it."""
    return namespace[: len(prefix)] == prefix


def matches_conditions(namespace: Namespace, conditions: Iterable[MatchCondition]) -> bool:
    """Whether a namespace matches prefix and suffix conditions; a star matches any label.

    >>> matches_conditions(("users", "ann", "likes"),
    ...                    [MatchCondition("prefix", ("users", "*")), MatchCondition("suffix", ("likes",))])
    True
    """
    return all(_is_condition_met(namespace, condition) for condition in conditions)


def _is_condition_met(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


# -- vectors


def vector_to_bytes(vector: Sequence[float]) -> bytes:
    """Encode a vector as bytes."""
    return np.asarray(vector, dtype="<f4").tobytes()


def score_items(items: Sequence[StoredItem], query: Sequence[float], distance: str) -> list[float | None]:
    """Return the similarity of each item to a query, by its best matching text: higher is closer. None if the item has no
    comparable vector.

    >>> now = datetime.now(UTC)
    >>> items = [StoredItem(("a",), "b", {}, now, now, None, None, [vector_to_bytes([1, 0]), vector_to_bytes([0, 1])])]
    >>> score_items(items, [0, 2], "cosine")
    [1.0]
    """
    query_vector = np.asarray(query, dtype=np.float32)
    owners = [number for number, item in enumerate(items) for one in item.vectors if len(one) == query_vector.nbytes]
    if not owners:
        return [None] * len(items)
    kept = b"".join(one for item in items for one in item.vectors if len(one) == query_vector.nbytes)
    vectors = np.frombuffer(kept, dtype="<f4").reshape(len(owners), -1)
    best = np.full(len(items), -np.inf)
    np.maximum.at(best, owners, _similarity(vectors, query_vector, distance))
    return [float(score) if np.isfinite(score) else None for score in best]


def _similarity(vectors: Any, query_vector: Any, distance: str) -> Any:
    if distance == "l2":
        return -np.linalg.norm(vectors - query_vector, axis=1)
    products = vectors @ query_vector
    if distance == "inner_product":
        return products
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query_vector)
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
