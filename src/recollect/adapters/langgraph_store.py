"""LangGraph's store: what a graph keeps beyond its threads, under namespaces and keys, kept in Recollect.

>>> import recollect
>>> store = RecollectStore(recollect.open("memory://"), owner="ann")
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

from recollect.adapters.common import missing, settled
from recollect.errors import RecollectError, RevisionConflict, StoreClosed
from recollect.memory import Memory
from recollect.types import Blob

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
    raise missing("LangGraph", "langgraph") from None

from recollect.adapters.langgraph_filter import matches
from recollect.adapters.langgraph_items import (
    ALL,
    Namespace,
    Stored,
    as_bytes,
    beginnings,
    behind_its_namespace,
    expiry,
    is_below,
    meets,
    name_of,
    pack,
    scores,
    unpack,
)

SWEEP_MINUTES = 5

logger = logging.getLogger(__name__)


class Found(NamedTuple):
    """An item, and the blob that it was read from."""

    blob: Blob
    item: Stored


class Vectors(NamedTuple):
    """What an embedder made of the texts of some operations: of questions, and of what is put."""

    questions: Mapping[str, Sequence[float]]
    texts: Mapping[str, Sequence[float]]


class RecollectStore(BaseStore):
    """Keeps items in the drawer of an owner. Others have no way to them.

    `index` is LangGraph's: `dims`, `embed` and `fields`; with it, a search with a query finds by meaning. The vectors are
    kept with their items, and compared one by one. `ttl` is LangGraph's, too.
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
        self._drawer = memory.drawer(owner=owner, pool=pool)
        self.index_config = index
        self.ttl_config = ttl
        self.embeddings = ensure_embeddings(index.get("embed")) if index else None
        self._sweeper = Sweeper(self.sweep_ttl)

    def batch(self, ops: Iterable[Op]) -> builtins.list[Result]:
        """Does operations together: first those that read, then those that write, all or none of these."""
        ops = _checked(ops)
        questions, texts = self._to_embed(ops)
        embedder = self.embeddings
        asked = [embedder.embed_query(question) for question in questions] if embedder else []
        made = embedder.embed_documents(texts) if embedder and texts else []
        return self._done(ops, _vectors(questions, asked, texts, made))

    async def abatch(self, ops: Iterable[Op]) -> builtins.list[Result]:
        """Async `batch`."""
        ops = _checked(ops)
        questions, texts = self._to_embed(ops)
        embedder = self.embeddings
        asked = [await embedder.aembed_query(question) for question in questions] if embedder else []
        made = await embedder.aembed_documents(texts) if embedder and texts else []
        return await settled(self._done, ops, _vectors(questions, asked, texts, made))

    def _done(self, ops: Sequence[Op], vectors: Vectors) -> builtins.list[Result]:
        now = datetime.now(UTC)
        gets = self._got([op for op in ops if isinstance(op, GetOp)], now)
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                results.append(gets.get((op.namespace, op.key)))
            elif isinstance(op, SearchOp):
                results.append(self._searched(op, vectors.questions.get(op.query or ""), now))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op, now))
            else:
                results.append(None)
        # Of several that put the same, the last one counts.
        self._put({name_of(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}, vectors, now)
        return results

    # -- reading

    def _got(self, ops: Sequence[GetOp], now: datetime) -> dict[tuple[Namespace, str], Item]:
        if not ops:
            return {}
        blobs = self._drawer.get(*{name_of(op.namespace, op.key) for op in ops})
        found = {name: one for name, blob in blobs.items() if not self._is_over(one := _read(blob), now)}
        wanted = {name_of(op.namespace, op.key) for op in ops if op.refresh_ttl}
        self._refresh([one for name, one in found.items() if name in wanted], now)
        return {(one.item.namespace, one.item.key): Item(**_told(one.item)) for one in found.values()}

    def _searched(self, op: SearchOp, question: Sequence[float] | None, now: datetime) -> builtins.list[SearchItem]:
        found = [
            one
            for one in self._below(op.namespace_prefix)
            if matches(one.item.value, op.filter or {}) and not self._is_over(one, now)
        ]
        ranked = self._ranked(found, question)[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            self._refresh([one for one, _ in ranked], now)
        return [SearchItem(**_told(one.item), score=score) for one, score in ranked]

    def _ranked(self, found: Sequence[Found], question: Sequence[float] | None) -> builtins.list[tuple[Found, float | None]]:
        """By nearness to a question, without those that have no vector; or the latest first."""
        if question is None:
            return [(one, None) for one in sorted(found, key=lambda one: one.item.updated, reverse=True)]
        distance = cast("Mapping[str, Any]", self.index_config or {}).get("distance_type") or "cosine"
        near = scores([one.item for one in found], question, distance)
        scored = [(one, score) for one, score in zip(found, near, strict=True) if score is not None]
        return [*sorted(scored, key=lambda pair: pair[1], reverse=True)]

    def _namespaces(self, op: ListNamespacesOp, now: datetime) -> builtins.list[Namespace]:
        there = {
            namespace[: op.max_depth]
            for namespace in self._all_namespaces(now)
            if meets(namespace, op.match_conditions or ())
        }
        return sorted(there)[op.offset : op.offset + op.limit]

    def _all_namespaces(self, now: datetime) -> Iterator[Namespace]:
        after = None
        while blobs := self._drawer.list(ALL, after=after, limit=1):
            one = _read(blobs[0])
            over = self._is_over(one, now)
            if not over:
                yield one.item.namespace
            # Behind one that is over, there may be others of its namespace.
            after = blobs[0].name if over else behind_its_namespace(blobs[0].name)

    def _below(self, prefix: Namespace) -> Iterator[Found]:
        """All items of a namespace and of those below it."""
        for beginning in beginnings(prefix):
            after = None
            while page := self._drawer.list(beginning, after=after):
                # The names of long namespaces are cut off.
                yield from (one for one in map(_read, page) if is_below(one.item.namespace, prefix))
                after = page[-1].name

    # -- writing

    def _put(self, ops: Mapping[str, PutOp], vectors: Vectors, now: datetime) -> None:
        if not ops:
            return
        kept = {name: op for name, op in ops.items() if op.value is not None}
        old = {name: _read(blob).item for name, blob in self._drawer.get(*kept).items()} if kept else {}
        contents: dict[str, bytes | None] = dict.fromkeys(ops)
        for name, op in kept.items():
            created = old[name].created if name in old else now
            made = [as_bytes(vectors.texts[text]) for text in self._texts(op)]
            value = dict(op.value or {})
            contents[name] = pack(
                Stored(op.namespace, op.key, value, created, now, expiry(now, op.ttl), op.ttl, made)
            )  # fmt: skip
        self._drawer.put(contents)

    def _to_embed(self, ops: Sequence[Op]) -> tuple[builtins.list[str], builtins.list[str]]:
        """The questions and the texts that vectors are needed of."""
        if self.embeddings is None:
            return [], []
        questions = dict.fromkeys(op.query for op in ops if isinstance(op, SearchOp) and op.query)
        texts = dict.fromkeys(text for op in ops if isinstance(op, PutOp) for text in self._texts(op))
        return [*questions], [*texts]

    def _texts(self, op: PutOp) -> builtins.list[str]:
        """What of an item is found by its meaning."""
        if self.index_config is None or op.index is False or op.value is None:
            return []
        settings = cast("Mapping[str, Any]", self.index_config)
        fields: Any = op.index if op.index is not None else settings.get("fields") or settings.get("text_fields") or "$"
        paths = [fields] if isinstance(fields, str) else cast("list[str]", fields)
        return [text for path in paths for text in get_text_at_path(op.value, path if path == "$" else tokenize_path(path))]

    # -- time to live

    def sweep_ttl(self) -> int:
        """Removes the items whose time is over, for good; returns how many there were."""
        now = datetime.now(UTC)
        over = [one.blob for one in self._below(()) if one.item.expires is not None and one.item.expires <= now]
        return self._swept(over)

    def _swept(self, blobs: Sequence[Blob]) -> int:
        """Removes blobs, all at once if it can be, but none that has changed: who reads an item gives it more time."""
        revisions = {blob.name: blob.revision for blob in blobs}
        try:
            self._drawer.put(dict.fromkeys(revisions), expected=revisions)
        except RevisionConflict:
            half = len(blobs) // 2
            return self._swept(blobs[:half]) + self._swept(blobs[half:]) if half else 0
        return len(blobs)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweeps from time to time, in a thread. Cancel what it returns, or stop it by `stop_ttl_sweeper`."""
        settings = self.ttl_config or {}
        return self._sweeper.start(sweep_interval_minutes or settings.get("sweep_interval_minutes") or SWEEP_MINUTES)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Sweeps no more. False if it still does after so many seconds."""
        return self._sweeper.stop(timeout)

    def _is_over(self, one: Found, now: datetime) -> bool:
        omitted = bool(self.ttl_config and self.ttl_config.get("omit_expired"))
        return omitted and one.item.expires is not None and one.item.expires <= now

    def _refresh(self, found: Iterable[Found], now: datetime) -> None:
        """Gives items that were read as long again. Who has put one meanwhile has said how long it lives."""
        for blob, item in found:
            if item.minutes is not None:
                with suppress(RevisionConflict):
                    self._drawer.put({blob.name: pack(item.refreshed(now))}, expected={blob.name: blob.revision})


class Sweeper:
    """Does something from time to time, in a thread of its own."""

    def __init__(self, sweep: Any) -> None:
        self._sweep = sweep
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._future: Future[None] = Future()

    def start(self, minutes: float) -> Future[None]:
        """Begins, unless it has begun."""
        if self._thread is None or not self._thread.is_alive():
            self._stopped.clear()
            self._future = Future()
            self._future.add_done_callback(lambda _: self._stopped.set())
            self._thread = threading.Thread(
                target=self._run, args=(minutes, self._future), name="recollect-ttl", daemon=True
            )  # fmt: skip
            self._thread.start()
        return self._future

    def stop(self, timeout: float | None) -> bool:
        """Ends, and waits for the end."""
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
            except RecollectError:
                logger.exception("could not remove items whose time is over")
        if not future.done():
            future.set_result(None)


def _vectors(
    questions: Sequence[str], asked: Sequence[Sequence[float]], texts: Sequence[str], made: Sequence[Sequence[float]]
) -> Vectors:
    return Vectors(dict(zip(questions, asked, strict=True)), dict(zip(texts, made, strict=True)))


def _checked(ops: Iterable[Op]) -> builtins.list[Op]:
    ops = list(ops)
    for op in ops:
        validate_op_namespace(op)
    return [_with_tuples(op) for op in ops]


def _with_tuples(op: Op) -> Op:
    """Some write namespaces as lists."""
    if isinstance(op, SearchOp):
        return op._replace(namespace_prefix=tuple(op.namespace_prefix))
    return op._replace(namespace=tuple(op.namespace)) if isinstance(op, GetOp | PutOp) else op


def _read(blob: Blob) -> Found:
    return Found(blob, unpack(blob.content))


def _told(item: Stored) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": item.created,
        "updated_at": item.updated,
    }
