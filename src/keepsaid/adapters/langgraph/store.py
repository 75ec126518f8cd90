"""A LangGraph store that keeps items, by namespace and key, in Keepsaid.

>>> import keepsaid
>>> store = KeepsaidStore(keepsaid.open("memory://"), owner="ann")
>>> store.put(("likes", "drinks"), "tea", {"kind": "green", "cups": 3})
>>> store.get(("likes", "drinks"), "tea").value
{'kind': 'green', 'cups': 3}
>>> [item.key for item in store.search(("likes",), filter={"cups": {"$gt": 2}})]
['tea']
"""

from __future__ import annotations

import builtins
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from keepsaid.adapters.common import missing_extra, run_to_completion
from keepsaid.errors import KeepsaidError, RevisionConflict, StoreClosed
from keepsaid.memory import Memory
from keepsaid.types import Blob

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError:
    raise missing_extra("LangGraph", "langgraph") from None

from keepsaid.adapters.langgraph.filters import matches_filter
from keepsaid.adapters.langgraph.items import (
    ITEM_PREFIX,
    Namespace,
    StoredItem,
    blob_name_of,
    compute_expiry,
    is_within_namespace,
    matches_conditions,
    name_prefixes,
    pack_item,
    score_items,
    skip_namespace,
    unpack_item,
    vector_to_bytes,
)

SWEEP_MINUTES = 5

logger = logging.getLogger(__name__)


class ItemBlob(NamedTuple):
    """An item and the blob that it was read from."""

    blob: Blob
    item: StoredItem


class BatchVectors(NamedTuple):
    """The vectors of a batch of operations, by text: of search queries and of items that are put."""

    questions: Mapping[str, Sequence[float]]
    texts: Mapping[str, Sequence[float]]


class KeepsaidStore(BaseStore):
    """Keep items in the blob store of an owner. Other owners cannot access them.

    `index` and `ttl` are LangGraph's configs. With an `index` (`dims`, `embed`, `fields`), searches with a query are
    semantic: vectors are stored with their items and compared by exact scan.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._blob_store = memory.blobs(owner=owner, pool=pool)
        self.index_config = index
        self.ttl_config = ttl
        self.embeddings = ensure_embeddings(index.get("embed")) if index else None
        self._sweeper = ExpirySweeper(self.sweep_ttl)

    def batch(self, ops: Iterable[Op]) -> builtins.list[Result]:
        """Run operations: first the reads, then all writes atomically."""
        ops = _normalize_ops(ops)
        questions, texts = self._to_embed(ops)
        embedder = self.embeddings
        question_vectors = [embedder.embed_query(question) for question in questions] if embedder else []
        made = embedder.embed_documents(texts) if embedder and texts else []
        return self._execute(ops, _vectors(questions, question_vectors, texts, made))

    async def abatch(self, ops: Iterable[Op]) -> builtins.list[Result]:
        """Async `batch`."""
        ops = _normalize_ops(ops)
        questions, texts = self._to_embed(ops)
        embedder = self.embeddings
        question_vectors = [await embedder.aembed_query(question) for question in questions] if embedder else []
        made = await embedder.aembed_documents(texts) if embedder and texts else []
        return await run_to_completion(self._execute, ops, _vectors(questions, question_vectors, texts, made))

    def _execute(self, ops: Sequence[Op], vectors: BatchVectors) -> builtins.list[Result]:
        now = datetime.now(UTC)
        gets = self._get_items([op for op in ops if isinstance(op, GetOp)], now)
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                results.append(gets.get((op.namespace, op.key)))
            elif isinstance(op, SearchOp):
                results.append(self._search_items(op, vectors.questions.get(op.query or ""), now))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op, now))
            else:
                results.append(None)
        # Of several puts of the same item, the last one wins.
        self._put({blob_name_of(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}, vectors, now)
        return results

    # -- reading

    def _get_items(self, ops: Sequence[GetOp], now: datetime) -> dict[tuple[Namespace, str], Item]:
        if not ops:
            return {}
        blobs = self._blob_store.get(*{blob_name_of(op.namespace, op.key) for op in ops})
        found = {name: one for name, blob in blobs.items() if not self._is_expired(one := _read_blob(blob), now)}
        wanted = {blob_name_of(op.namespace, op.key) for op in ops if op.refresh_ttl}
        self._refresh([one for name, one in found.items() if name in wanted], now)
        return {(one.item.namespace, one.item.key): Item(**_item_fields(one.item)) for one in found.values()}

    def _search_items(self, op: SearchOp, question: Sequence[float] | None, now: datetime) -> builtins.list[SearchItem]:
        found = [
            one
            for one in self._below(op.namespace_prefix)
            if matches_filter(one.item.value, op.filter or {}) and not self._is_expired(one, now)
        ]
        ranked = self._rank(found, question)[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            self._refresh([one for one, _ in ranked], now)
        return [SearchItem(**_item_fields(one.item), score=score) for one, score in ranked]

    def _rank(
        self, found: Sequence[ItemBlob], question: Sequence[float] | None
    ) -> builtins.list[tuple[ItemBlob, float | None]]:
        """Order items by similarity to a query, without those that have no vector; or latest first without a query."""
        if question is None:
            return [(one, None) for one in sorted(found, key=lambda one: one.item.updated, reverse=True)]
        distance = cast("Mapping[str, Any]", self.index_config or {}).get("distance_type") or "cosine"
        near = score_items([one.item for one in found], question, distance)
        scored = [(one, score) for one, score in zip(found, near, strict=True) if score is not None]
        return [*sorted(scored, key=lambda pair: pair[1], reverse=True)]

    def _namespaces(self, op: ListNamespacesOp, now: datetime) -> builtins.list[Namespace]:
        there = {
            namespace[: op.max_depth]
            for namespace in self._all_namespaces(now)
            if matches_conditions(namespace, op.match_conditions or ())
        }
        return sorted(there)[op.offset : op.offset + op.limit]

    def _all_namespaces(self, now: datetime) -> Iterator[Namespace]:
        after = None
        while blobs := self._blob_store.list(ITEM_PREFIX, after=after, limit=1):
            one = _read_blob(blobs[0])
            over = self._is_expired(one, now)
            if not over:
                yield one.item.namespace
            # After an expired item there may be others in its namespace.
            after = blobs[0].name if over else skip_namespace(blobs[0].name)

    def _below(self, prefix: Namespace) -> Iterator[ItemBlob]:
        """Yield all items of a namespace and of those below it."""
        for beginning in name_prefixes(prefix):
            after = None
            while page := self._blob_store.list(beginning, after=after):
                # Long names are cut, so a prefix may match other namespaces.
                yield from (one for one in map(_read_blob, page) if is_within_namespace(one.item.namespace, prefix))
                after = page[-1].name

    # -- writing

    def _put(self, ops: Mapping[str, PutOp], vectors: BatchVectors, now: datetime) -> None:
        if not ops:
            return
        kept = {name: op for name, op in ops.items() if op.value is not None}
        old = {name: _read_blob(blob).item for name, blob in self._blob_store.get(*kept).items()} if kept else {}
        contents: dict[str, bytes | None] = dict.fromkeys(ops)
        for name, op in kept.items():
            created = old[name].created if name in old else now
            made = [vector_to_bytes(vectors.texts[text]) for text in self._texts(op)]
            value = dict(op.value or {})
            contents[name] = pack_item(
                StoredItem(op.namespace, op.key, value, created, now, compute_expiry(now, op.ttl), op.ttl, made)
            )  # fmt: skip
        self._blob_store.put(contents)

    def _to_embed(self, ops: Sequence[Op]) -> tuple[builtins.list[str], builtins.list[str]]:
        """Return the queries and the item texts that need vectors."""
        if self.embeddings is None:
            return [], []
        questions = dict.fromkeys(op.query for op in ops if isinstance(op, SearchOp) and op.query)
        texts = dict.fromkeys(text for op in ops if isinstance(op, PutOp) for text in self._texts(op))
        return [*questions], [*texts]

    def _texts(self, op: PutOp) -> builtins.list[str]:
        """Return the texts of an item that are indexed for semantic search."""
        if self.index_config is None or op.index is False or op.value is None:
            return []
        settings = cast("Mapping[str, Any]", self.index_config)
        fields: Any = op.index if op.index is not None else settings.get("fields") or settings.get("text_fields") or "$"
        paths = [fields] if isinstance(fields, str) else cast("list[str]", fields)
        return [text for path in paths for text in get_text_at_path(op.value, path if path == "$" else tokenize_path(path))]

    # -- time to live

    def sweep_ttl(self) -> int:
        """Delete expired items permanently; return their number."""
        now = datetime.now(UTC)
        over = [one.blob for one in self._below(()) if one.item.expires is not None and one.item.expires <= now]
        return self._delete_unchanged(over)

    def _delete_unchanged(self, blobs: Sequence[Blob]) -> int:
        """Delete blobs, all at once if possible, except those that have changed: reading an item may extend its expiry."""
        revisions = {blob.name: blob.revision for blob in blobs}
        try:
            self._blob_store.put(dict.fromkeys(revisions), expected=revisions)
        except RevisionConflict:
            half = len(blobs) // 2
            return self._delete_unchanged(blobs[:half]) + self._delete_unchanged(blobs[half:]) if half else 0
        return len(blobs)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Delete expired items periodically in a thread. Stop it by cancelling the returned future or by
        `stop_ttl_sweeper`."""
        settings = self.ttl_config or {}
        return self._sweeper.start(sweep_interval_minutes or settings.get("sweep_interval_minutes") or SWEEP_MINUTES)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop the periodic deletion. Return False if the thread is still running after the timeout."""
        return self._sweeper.stop(timeout)

    def _is_expired(self, one: ItemBlob, now: datetime) -> bool:
        omitted = bool(self.ttl_config and self.ttl_config.get("omit_expired"))
        return omitted and one.item.expires is not None and one.item.expires <= now

    def _refresh(self, found: Iterable[ItemBlob], now: datetime) -> None:
        """Restart the time to live of items that were read, unless they were changed concurrently."""
        for blob, item in found:
            if item.minutes is not None:
                with suppress(RevisionConflict):
                    self._blob_store.put(
                        {blob.name: pack_item(item.with_renewed_expiry(now))}, expected={blob.name: blob.revision}
                    )


class ExpirySweeper:
    """Call a function periodically in a thread of its own."""

    def __init__(self, sweep: Any) -> None:
        self._sweep = sweep
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._future: Future[None] = Future()

    def start(self, minutes: float) -> Future[None]:
        """Start the thread unless it is running."""
        if self._thread is None or not self._thread.is_alive():
            self._stopped.clear()
            self._future = Future()
            self._future.add_done_callback(lambda _: self._stopped.set())
            self._thread = threading.Thread(
                target=self._run, args=(minutes, self._future), name="keepsaid-ttl", daemon=True
            )  # fmt: skip
            self._thread.start()
        return self._future

    def stop(self, timeout: float | None) -> bool:
        """Stop the thread and wait for its end."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout)
        return self._thread is None or not self._thread.is_alive()

    def _run(self, minutes: float, future: Future[None]) -> None:
        while not self._stopped.wait(minutes * 60):
            try:
                self._sweep()
            except StoreClosed:
                break
            except KeepsaidError:
                logger.exception("could not delete expired items")
        if not future.done():
            future.set_result(None)


def _vectors(
    questions: Sequence[str],
    question_vectors: Sequence[Sequence[float]],
    texts: Sequence[str],
    made: Sequence[Sequence[float]],
) -> BatchVectors:
    return BatchVectors(dict(zip(questions, question_vectors, strict=True)), dict(zip(texts, made, strict=True)))


def _normalize_ops(ops: Iterable[Op]) -> builtins.list[Op]:
    ops = list(ops)
    for op in ops:
        validate_op_namespace(op)
    return [_with_tuples(op) for op in ops]


def _with_tuples(op: Op) -> Op:
    """Convert namespaces to tuples; callers may pass lists."""
    if isinstance(op, SearchOp):
        return op._replace(namespace_prefix=tuple(op.namespace_prefix))
    return op._replace(namespace=tuple(op.namespace)) if isinstance(op, GetOp | PutOp) else op


def _read_blob(blob: Blob) -> ItemBlob:
    return ItemBlob(blob, unpack_item(blob.content))


def _item_fields(item: StoredItem) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": item.created,
        "updated_at": item.updated,
    }
