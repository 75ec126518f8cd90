"""An index on ChromaDB, for those who have one: the vectors are searched there, and remain the storage's.

Each owner (or pool) has a collection of its own in each generation, which follows the storage by its marks: before a search
it takes in what is new, and what was erased makes it begin anew. Chroma only proposes: what it found is read from the
storage and scored there, so nothing comes out that the storage does not have. Where Chroma does not answer, this process
searches itself.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Protocol

from recollect.errors import InvalidInput, NotFound, RecollectError, StoreUnavailable
from recollect.index.local import LocalIndex
from recollect.ports import Near, VectorDelta, VectorMark, Vectors
from recollect.types import Scope

AGAIN = 4
"""For each result so many of Chroma's best are scored again, and never less than `LEAST`."""
LEAST = 64

FEW = 500
"""So many messages, if no others are asked for, are read from the storage at once: Chroma would not be quicker."""

TRIES = 3
"""How often Chroma is asked: another process may be making the collection anew."""

GRAPH = {"hnsw": {"space": "ip", "ef_search": 256}}
LOCKS = 64
AT_ONCE = 100
DIGITS = 48


class Collection(Protocol):
    """What is used of a collection of Chroma's."""

    @property
    def name(self) -> str: ...

    @property
    def metadata(self) -> Mapping[str, Any] | None: ...

    def count(self) -> int: ...

    def get(self, *, include: Any) -> Any: ...

    def query(self, *, query_embeddings: Any, n_results: int, include: Any) -> Any: ...

    def upsert(self, ids: Any, embeddings: Any) -> Any: ...

    def modify(self, *, metadata: Any) -> Any: ...


class Client(Protocol):
    """What is used of a client of Chroma's, such as `chromadb.PersistentClient` or `chromadb.HttpClient`."""

    def get_collection(self, name: str, *, embedding_function: Any) -> Any: ...

    def create_collection(self, name: str, *, configuration: Any, embedding_function: Any) -> Any: ...

    def delete_collection(self, name: str) -> None: ...

    def list_collections(self, limit: int | None = None, offset: int | None = None) -> Sequence[Any]: ...

    def get_max_batch_size(self) -> int: ...


class OnChroma:
    """Chroma as the index of a store: `recollect.open(…, index=OnChroma(client))`. Stores that share a Chroma need names of
    their own."""

    def __init__(self, client: Client, name: str = "recollect") -> None:
        self._client = client
        self._name = name
        self._index: ChromaIndex | None = None

    def __call__(self, vectors: Vectors) -> ChromaIndex:
        self._index = ChromaIndex(vectors, self._client, self._name)
        return self._index

    def tidy(self) -> int:
        """Removes from Chroma what the store has no more, as `ChromaIndex.tidy` does; nothing before the first search."""
        return 0 if self._index is None else self._index.tidy()


class ChromaIndex:
    """Searches in Chroma what a storage has. Safe to share by threads, and by processes over one Chroma.

    `failure` is why Chroma could not be asked last time, if it could not.
    """

    def __init__(self, vectors: Vectors, client: Client, name: str = "recollect") -> None:
        self._vectors = vectors
        self._client = client
        self._name = name
        self._local = LocalIndex(vectors)
        self._locks = [threading.Lock() for _ in range(LOCKS)]
        self.failure: str | None = None

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[Near]:
        """The passages nearest to the vector, best first; with `among` only those of these messages."""
        if among is not None and len(among) <= FEW:
            return self._scored(scope, generation, vector, among, limit)
        for _ in range(TRIES):
            try:
                numbers = self._proposed(scope, generation, vector, limit, among)
            except RecollectError:
                raise
            except Exception as error:  # somebody else's code may fail in any way
                self.failure = f"{type(error).__name__}: {error}"
                continue
            self.failure = None
            return self._scored(scope, generation, vector, numbers, limit)
        return self._local.search(scope, generation, vector, limit, among)

    def tidy(self) -> int:
        """Removes the collections in which something is that the storage has no more; a search makes them anew. Returns how
        many those were. Nobody need wait for a search, so that what was erased is gone from Chroma, too."""
        try:
            return sum(self._tidied(collection) for collection in list(self._collections()))
        except RecollectError:
            raise
        except Exception as error:  # somebody else's code may fail in any way
            told = f"{type(error).__name__}: {error}"
            raise StoreUnavailable(f"Chroma may still have what was erased; tidy again when it answers ({told})") from error

    def _tidied(self, collection: Collection) -> bool:
        with self._lock(collection.name):
            return self._is_behind(collection.metadata or {}) and self._removed(collection.name)

    # -- asking

    def _proposed(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None
    ) -> list[int]:
        """The messages that Chroma finds nearest: some more than are wanted, of those that may be found."""
        collection = self._followed(scope, generation)
        if collection is None:
            return []
        _check(vector, (collection.metadata or {})["dimensions"])
        allowed, count = None if among is None else set(among), collection.count()
        enough = wanted = max(AGAIN * limit, LEAST)
        while True:
            # A graph of few has no way to one that is unlike all others.
            ids = _all(collection) if count <= max(wanted, FEW) else _nearest(collection, vector, wanted)
            numbers = dict.fromkeys(int(id.partition(".")[0]) for id in ids)
            found = [number for number in numbers if allowed is None or number in allowed]
            if allowed is None or len(found) >= enough or wanted >= count:
                return found
            wanted *= AGAIN

    def _scored(
        self, scope: Scope, generation: str, vector: Sequence[float], numbers: Sequence[int], limit: int
    ) -> list[Near]:
        """The passages of these messages as the storage has them, best first."""
        import numpy as np

        passages = self._vectors.passages(scope, generation, sorted(numbers))
        if not passages:
            return []
        stored = np.frombuffer(b"".join(passage.vector for passage in passages), "<f2").reshape(len(passages), -1)
        _check(vector, stored.shape[1])
        question = np.asarray(vector, np.float32)
        scores = stored.astype(np.float32) @ (question / max(float(np.linalg.norm(question)), 1e-12))
        order = np.lexsort((-np.arange(len(passages)), -scores))[: max(0, limit)]
        return [Near(passages[row].number, passages[row].part, float(scores[row])) for row in map(int, order)]

    # -- following

    def _followed(self, scope: Scope, generation: str) -> Collection | None:
        """The collection with all that the storage has by now; None for nothing at all."""
        name = self._collection_name(scope, generation)
        with self._lock(name):
            collection = self._existing(name)
            mark = VectorMark() if collection is None else _mark(collection)
            delta = self._vectors.vectors(scope, generation, mark)
            if delta.fresh:
                self._removed(name)
                if not delta.vectors:
                    return None
                # Never one that another process has made meanwhile: what it took in may be erased by now, or what is taken
                # in here, and the mark of one would stand over what the other brought. Then this fails, and is tried again.
                collection = self._client.create_collection(name, configuration=GRAPH, embedding_function=None)
            if delta.mark != mark and collection is not None:
                self._take_in(collection, delta)
                collection.modify(metadata=_told(scope, generation, collection, delta))
            return collection

    def _existing(self, name: str) -> Collection | None:
        """None only where Chroma says that there is none: what cannot be seen may still be there."""
        from chromadb.errors import NotFoundError

        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _removed(self, name: str) -> bool:
        from chromadb.errors import NotFoundError

        with suppress(NotFoundError):
            self._client.delete_collection(name)
            return True
        return False

    def _take_in(self, collection: Collection, delta: VectorDelta) -> None:
        import numpy as np

        ids = [f"{number}.{part}" for number, part in zip(delta.numbers, delta.parts, strict=True)]
        step = self._client.get_max_batch_size()
        for start in range(0, len(ids), step):
            some = delta.vectors[start : start + step]
            vectors = np.frombuffer(b"".join(some), "<f2").reshape(len(some), -1).astype(np.float32)
            collection.upsert(ids[start : start + step], vectors)

    def _collections(self) -> Iterator[Collection]:
        # The name of another store may begin as ours does.
        ours, offset = re.compile(rf"{re.escape(self._name)}-[0-9a-f]{{{DIGITS}}}"), 0
        while page := self._client.list_collections(AT_ONCE, offset):
            yield from (collection for collection in page if ours.fullmatch(collection.name))
            offset += len(page)

    def _is_behind(self, told: Mapping[str, Any]) -> bool:
        """Whether a collection has something that the storage has no more, or says not what it is of."""
        try:
            scope = Scope(told["owner"], None, told.get("pool"), told["shelf"])
            return self._vectors.vectors(scope, told["generation"], _unpacked(told["mark"])).fresh
        except (NotFound, KeyError, ValueError):
            return True

    def _collection_name(self, scope: Scope, generation: str) -> str:
        whose = repr((scope.owner if scope.pool is None else scope.pool, scope.pool is not None, scope.shelf, generation))
        return f"{self._name}-{sha256(whose.encode()).hexdigest()[:DIGITS]}"

    def _lock(self, name: str) -> threading.Lock:
        return self._locks[int(name[-8:], 16) % LOCKS]


def _nearest(collection: Collection, vector: Sequence[float], count: int) -> list[str]:
    return collection.query(query_embeddings=[list(vector)], n_results=count, include=[])["ids"][0]


def _all(collection: Collection) -> list[str]:
    return collection.get(include=[])["ids"]


def _mark(collection: Collection) -> VectorMark:
    """How far a collection has followed; not at all, if it has not as many rows as it had then."""
    told = collection.metadata or {}
    if told.get("rows") != collection.count():
        return VectorMark()
    return _unpacked(told["mark"])


def _unpacked(mark: str) -> VectorMark:
    """A mark as a collection has it: in words, because its numbers can be larger than those of Chroma."""
    return VectorMark(*map(int, mark.split()))


def _told(scope: Scope, generation: str, collection: Collection, delta: VectorDelta) -> dict[str, Any]:
    """What a collection says of itself: whose it is, and how far it has followed."""
    of = {"owner": scope.owner, "shelf": scope.shelf, "generation": generation}
    if scope.pool is not None:
        of["pool"] = scope.pool
    known = (collection.metadata or {}).get("dimensions", 0)
    dimensions = len(delta.vectors[0]) // 2 if delta.vectors else known
    mark = " ".join(map(str, delta.mark))
    return {**of, "mark": mark, "rows": collection.count(), "dimensions": dimensions}


def _check(vector: Sequence[float], dimensions: int) -> None:
    if len(vector) != dimensions or not all(map(math.isfinite, vector)):
        raise InvalidInput(f"the question's vector has {len(vector)} numbers; {dimensions} finite ones are needed")
