"""An index on an existing ChromaDB. The storage remains the source of truth for the vectors.

Each owner (or pool) has a collection in each generation, which follows the storage by its marks. Before a search, new
vectors are added; after an erasure, the collection is rebuilt. Chroma only proposes candidates: they are read from the
storage and scored from there, so nothing is returned that the storage does not have. If Chroma does not answer, the local
index is used.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Protocol

from keepsaid.errors import InvalidInput, KeepsaidError, NotFound, StoreUnavailable
from keepsaid.index.local import LocalIndex
from keepsaid.ports import VectorDelta, VectorMark, VectorMatch, VectorStorage
from keepsaid.types import Scope

RESCORE_FACTOR = 4
"""How many of Chroma's best are rescored for each result, but at least `MIN_RESCORED`."""
MIN_RESCORED = 64

MAX_DIRECT_MESSAGES = 500
"""If a search is restricted to at most this many messages, they are read from the storage: Chroma would not be faster."""

TRIES = 3
"""How often Chroma is tried: another process may be rebuilding the collection."""

GRAPH = {"hnsw": {"space": "ip", "ef_search": 256}}
LOCKS = 64
AT_ONCE = 100
DIGITS = 48


class ChromaCollection(Protocol):
    """The part of a Chroma collection that is used."""

    @property
    def name(self) -> str: ...

    @property
    def metadata(self) -> Mapping[str, Any] | None: ...

    def count(self) -> int: ...

    def get(self, *, include: Any) -> Any: ...

    def query(self, *, query_embeddings: Any, n_results: int, include: Any) -> Any: ...

    def upsert(self, ids: Any, embeddings: Any) -> Any: ...

    def modify(self, *, metadata: Any) -> Any: ...


class ChromaClient(Protocol):
    """The part of a Chroma client that is used, such as `chromadb.PersistentClient` or `chromadb.HttpClient`."""

    def get_collection(self, name: str, *, embedding_function: Any) -> Any: ...

    def create_collection(self, name: str, *, configuration: Any, embedding_function: Any) -> Any: ...

    def delete_collection(self, name: str) -> None: ...

    def list_collections(self, limit: int | None = None, offset: int | None = None) -> Sequence[Any]: ...

    def get_max_batch_size(self) -> int: ...


class ChromaIndexFactory:
    """Chroma as the index of a store: `keepsaid.open(…, index=ChromaIndexFactory(client))`. Stores that share a Chroma need
    different names."""

    def __init__(self, client: ChromaClient, name: str = "keepsaid") -> None:
        self._client = client
        self._name = name
        self._index: ChromaIndex | None = None

    def __call__(self, vectors: VectorStorage) -> ChromaIndex:
        self._index = ChromaIndex(vectors, self._client, self._name)
        return self._index

    def tidy(self) -> int:
        """Remove from Chroma what the store no longer has, as `ChromaIndex.tidy` does. Does nothing before the first
        search."""
        return 0 if self._index is None else self._index.tidy()


class ChromaIndex:
    """Searches the vectors of a storage in Chroma. Safe for threads, and for processes that share one Chroma.

    `failure` is why the last query to Chroma failed, if it did.
    """

    def __init__(self, vectors: VectorStorage, client: ChromaClient, name: str = "keepsaid") -> None:
        self._vectors = vectors
        self._client = client
        self._name = name
        self._local = LocalIndex(vectors)
        self._locks = [threading.Lock() for _ in range(LOCKS)]
        self.failure: str | None = None

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[VectorMatch]:
        """Return the passages nearest to the vector, best first; with `among` only those of these messages."""
        if among is not None and len(among) <= MAX_DIRECT_MESSAGES:
            return self._score_messages(scope, generation, vector, among, limit)
        for _ in range(TRIES):
            try:
                numbers = self._propose_messages(scope, generation, vector, limit, among)
            except KeepsaidError:
                raise
            except Exception as error:  # Chroma may raise anything
                self.failure = f"{type(error).__name__}: {error}"
                continue
            self.failure = None
            return self._score_messages(scope, generation, vector, numbers, limit)
        return self._local.search(scope, generation, vector, limit, among)

    def tidy(self) -> int:
        """Remove the collections that contain vectors the storage no longer has, and return how many. The next search
        rebuilds them. This removes erased data from Chroma without waiting for a search."""
        try:
            return sum(self._tidy_collection(collection) for collection in list(self._collections()))
        except KeepsaidError:
            raise
        except Exception as error:  # Chroma may raise anything
            cause = f"{type(error).__name__}: {error}"
            raise StoreUnavailable(f"Chroma may still have what was erased; tidy again when it answers ({cause})") from error

    def _tidy_collection(self, collection: ChromaCollection) -> bool:
        with self._lock(collection.name):
            return self._is_stale(collection.metadata or {}) and self._delete_collection(collection.name)

    # -- searching

    def _propose_messages(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None
    ) -> list[int]:
        """Return the messages that Chroma finds nearest: more than the limit, restricted to `among`."""
        collection = self._update_collection(scope, generation)
        if collection is None:
            return []
        _check(vector, (collection.metadata or {})["dimensions"])
        allowed, count = None if among is None else set(among), collection.count()
        enough = wanted = max(RESCORE_FACTOR * limit, MIN_RESCORED)
        while True:
            # In a small graph, a vector unlike all others may be unreachable.
            ids = (
                _all_ids(collection)
                if count <= max(wanted, MAX_DIRECT_MESSAGES)
                else _nearest_ids(collection, vector, wanted)
            )
            numbers = dict.fromkeys(int(id.partition(".")[0]) for id in ids)
            found = [number for number in numbers if allowed is None or number in allowed]
            if allowed is None or len(found) >= enough or wanted >= count:
                return found
            wanted *= RESCORE_FACTOR

    def _score_messages(
        self, scope: Scope, generation: str, vector: Sequence[float], numbers: Sequence[int], limit: int
    ) -> list[VectorMatch]:
        """Return the passages of these messages from the storage, best first."""
        import numpy as np

        passages = self._vectors.passages(scope, generation, sorted(numbers))
        if not passages:
            return []
        stored = np.frombuffer(b"".join(passage.vector for passage in passages), "<f2").reshape(len(passages), -1)
        _check(vector, stored.shape[1])
        question = np.asarray(vector, np.float32)
        scores = stored.astype(np.float32) @ (question / max(float(np.linalg.norm(question)), 1e-12))
        order = np.lexsort((-np.arange(len(passages)), -scores))[: max(0, limit)]
        return [VectorMatch(passages[row].number, passages[row].part, float(scores[row])) for row in map(int, order)]

    # -- following the storage

    def _update_collection(self, scope: Scope, generation: str) -> ChromaCollection | None:
        """Return the collection, updated from the storage; None if there are no vectors."""
        name = self._collection_name(scope, generation)
        with self._lock(name):
            collection = self._get_collection(name)
            mark = VectorMark() if collection is None else _mark(collection)
            delta = self._read_delta(scope, generation, mark)
            if delta.fresh:
                self._delete_collection(name)
                if not delta.vectors:
                    return None
                # Do not use a collection that another process created in the meantime: the mark of one process would
                # cover vectors of the other, which may be erased by now. Creating it again fails, and the search is retried.
                collection = self._client.create_collection(name, configuration=GRAPH, embedding_function=None)
            if delta.mark != mark and collection is not None:
                self._add_vectors(collection, delta)
                collection.modify(metadata=_collection_metadata(scope, generation, collection, delta))
            return collection

    def _read_delta(self, scope: Scope, generation: str, mark: VectorMark) -> VectorDelta:
        """Return everything added since a position: the storage may give it in portions."""
        delta = self._vectors.vectors(scope, generation, mark)
        while delta.more:
            after = self._vectors.vectors(scope, generation, delta.mark)
            if not after.fresh:
                after = VectorDelta(
                    delta.fresh,
                    delta.numbers + after.numbers,
                    delta.parts + after.parts,
                    delta.vectors + after.vectors,
                    after.mark,
                    after.more,
                )
            delta = after
        return delta

    def _get_collection(self, name: str) -> ChromaCollection | None:
        """Return a collection, or None only if Chroma says that it does not exist. Other errors are raised."""
        from chromadb.errors import NotFoundError

        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _delete_collection(self, name: str) -> bool:
        from chromadb.errors import NotFoundError

        with suppress(NotFoundError):
            self._client.delete_collection(name)
            return True
        return False

    def _add_vectors(self, collection: ChromaCollection, delta: VectorDelta) -> None:
        import numpy as np

        ids = [f"{number}.{part}" for number, part in zip(delta.numbers, delta.parts, strict=True)]
        step = self._client.get_max_batch_size()
        for start in range(0, len(ids), step):
            some = delta.vectors[start : start + step]
            vectors = np.frombuffer(b"".join(some), "<f2").reshape(len(some), -1).astype(np.float32)
            collection.upsert(ids[start : start + step], vectors)

    def _collections(self) -> Iterator[ChromaCollection]:
        # The name of another store may begin with ours.
        ours, offset = re.compile(rf"{re.escape(self._name)}-[0-9a-f]{{{DIGITS}}}"), 0
        while page := self._client.list_collections(AT_ONCE, offset):
            yield from (collection for collection in page if ours.fullmatch(collection.name))
            offset += len(page)

    def _is_stale(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a collection has vectors that the storage no longer has, or lacks our metadata."""
        try:
            scope = Scope(metadata["owner"], None, metadata.get("pool"), metadata["documents"])
            return self._vectors.vectors(scope, metadata["generation"], _parse_mark(metadata["mark"])).fresh
        except (NotFound, KeyError, ValueError):
            return True

    def _collection_name(self, scope: Scope, generation: str) -> str:
        owner_key = repr(
            (scope.owner if scope.pool is None else scope.pool, scope.pool is not None, scope.documents, generation)
        )
        return f"{self._name}-{sha256(owner_key.encode()).hexdigest()[:DIGITS]}"

    def _lock(self, name: str) -> threading.Lock:
        return self._locks[int(name[-8:], 16) % LOCKS]


def _nearest_ids(collection: ChromaCollection, vector: Sequence[float], count: int) -> list[str]:
    return collection.query(query_embeddings=[list(vector)], n_results=count, include=[])["ids"][0]


def _all_ids(collection: ChromaCollection) -> list[str]:
    return collection.get(include=[])["ids"]


def _mark(collection: ChromaCollection) -> VectorMark:
    """Return the mark up to which a collection follows the storage; an empty mark if its number of rows is wrong."""
    metadata = collection.metadata or {}
    if metadata.get("rows") != collection.count():
        return VectorMark()
    return _parse_mark(metadata["mark"])


def _parse_mark(mark: str) -> VectorMark:
    """Parse a mark from a collection's metadata. It is text, because its numbers can exceed Chroma's integers."""
    return VectorMark(*map(int, mark.split()))


def _collection_metadata(scope: Scope, generation: str, collection: ChromaCollection, delta: VectorDelta) -> dict[str, Any]:
    """Return the metadata of a collection: its owner, and its mark."""
    of = {"owner": scope.owner, "documents": scope.documents, "generation": generation}
    if scope.pool is not None:
        of["pool"] = scope.pool
    known = (collection.metadata or {}).get("dimensions", 0)
    dimensions = len(delta.vectors[0]) // 2 if delta.vectors else known
    mark = " ".join(map(str, delta.mark))
    return {**of, "mark": mark, "rows": collection.count(), "dimensions": dimensions}


def _check(vector: Sequence[float], dimensions: int) -> None:
    if len(vector) != dimensions or not all(map(math.isfinite, vector)):
        raise InvalidInput(f"the question's vector has {len(vector)} numbers; {dimensions} finite ones are needed")
