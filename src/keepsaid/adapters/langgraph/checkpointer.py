"""A LangGraph checkpointer that keeps the state of an owner's threads in Keepsaid.

>>> import keepsaid
>>> from langgraph.graph import MessagesState, StateGraph
>>> graph = StateGraph(MessagesState).add_node("echo", lambda state: {"messages": [("ai", state["messages"][-1].text)]})
>>> graph = graph.set_entry_point("echo").compile(KeepsaidSaver(keepsaid.open("memory://"), owner="ann"))
>>> _ = graph.invoke({"messages": [("user", "Hello")]}, {"configurable": {"thread_id": "trip"}})
>>> [message.text for message in graph.get_state({"configurable": {"thread_id": "trip"}}).values["messages"]]
['Hello', 'Hello']
"""

from __future__ import annotations

import asyncio
import builtins
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from heapq import merge
from itertools import islice, repeat
from typing import Any, TypeVar, cast

from keepsaid.adapters.common import missing_extra, run_to_completion
from keepsaid.errors import InvalidInput, StorageError
from keepsaid.memory import Memory
from keepsaid.memory.blobs import LIST_LIMIT

try:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        DeltaChannelHistory,
        get_checkpoint_metadata,
        writes_sort_key,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol
except ImportError:
    raise missing_extra("LangGraph", "langgraph") from None

from keepsaid.adapters.langgraph.filters import get_at_path
from keepsaid.adapters.langgraph.state_pieces import SplitValue, StateSplitter
from keepsaid.adapters.langgraph.thread import (
    CheckpointRecord,
    CheckpointThread,
    MissingPieceError,
    PendingWrite,
    RemovalFilter,
    ThreadCodec,
)
from keepsaid.adapters.langgraph.thread_cache import ThreadCache

DELTA_COUNTERS = "counters_since_delta_snapshot"
"""Key in a checkpoint's metadata for channels whose full value is not in every checkpoint."""

MAX_ATTEMPTS = 10
"""Attempts to read a checkpoint while its pieces are removed concurrently."""

Read = TypeVar("Read")
ThreadRecord = tuple[CheckpointThread, CheckpointRecord]


class KeepsaidSaver(BaseCheckpointSaver[Any]):
    """Keep checkpoints in a memory, in one blob store per thread. Values that do not change between checkpoints are stored
    once. Threads of other owners are not accessible."""

    def __init__(
        self, memory: Memory, *, owner: str, pool: str | None = None, serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._memory = memory
        self._owner = owner
        self._pool = pool
        memory.blobs(owner=owner, pool=pool)  # raises now if the owner or pool is invalid
        self._cache = ThreadCache[CheckpointRecord]()

    # -- reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, or the latest of its thread."""
        thread, namespace, id = self._thread(config), _namespace(config), _id(config)
        found = _read_with_retry(thread, lambda: self._to_tuple(thread, thread.record(namespace, id)))
        return found if found is None or id is None else found._replace(config=config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, or of all threads of the owner, latest first."""
        last = _id(before) if before else None
        at_once = LIST_LIMIT if limit is None else max(1, min(limit, LIST_LIMIT))
        return islice(self._matching_tuples(self._select_records(config, last, at_once), filter or {}), limit)

    def _matching_tuples(
        self, found: Iterable[Iterator[ThreadRecord]], filter: Mapping[str, Any]
    ) -> Iterator[CheckpointTuple]:
        loads = ThreadCodec(self.serde).loads
        for thread, record in merge(*found, key=lambda place: place[1].id, reverse=True):
            if _matches(loads(record.metadata), filter):
                found_tuple = _read_with_retry(
                    thread, lambda at=(thread, record): self._to_tuple(at[0], at[0].record(*at[1].key))
                )
                if found_tuple is not None:
                    yield found_tuple

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the last full value of each channel before a checkpoint, and the writes since then."""
        thread, namespace, id = self._thread(config), _namespace(config), _id(config)
        return _read_with_retry(thread, lambda: _history(thread, thread.record(namespace, id), channels))

    # -- writing

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Save a checkpoint. Channels without a new version are taken from the previous checkpoint."""
        thread, namespace, before = self._thread(config), _namespace(config), _id(config)
        codec = ThreadCodec(self.serde)
        rest: dict[str, Any] = {**checkpoint}
        values, versions = rest.pop("channel_values"), rest.pop("channel_versions")
        about = codec.dumps(get_checkpoint_metadata(config, metadata))

        def make(cutter: StateSplitter, parent: CheckpointRecord | None) -> CheckpointRecord:
            old = _unchanged_values(parent, versions, new_versions)
            cuts = {channel: old.get(channel) or cutter.split(value) for channel, value in values.items()}
            return CheckpointRecord(namespace, checkpoint["id"], before, codec.dumps(rest), about, versions, cuts)

        thread.save_record(make, namespace, before)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote after a checkpoint."""
        namespace, id = _namespace(config), _id(config)
        if id is None:
            raise ValueError("writes belong to a checkpoint: the config has no checkpoint_id")
        self._thread(config).save_writes(
            lambda cutter: [
                PendingWrite(
                    namespace, id, task_id, WRITES_IDX_MAP.get(channel, number), task_path, channel, cutter.split(value)
                )
                for number, (channel, value) in enumerate(writes)
            ]
        )

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the next version: a number, or a string if the thread was written by another saver that uses strings."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}.{secrets.randbelow(10**16):016}"

    # -- removing and copying

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread permanently."""
        self._thread_of(thread_id).clear()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of these runs permanently, with all pieces that no other checkpoint uses."""
        wanted = set(run_ids)
        codec = ThreadCodec(self.serde)

        def choose(records: builtins.list[CheckpointRecord]) -> RemovalFilter | None:
            doomed = {record.key for record in records if codec.loads(record.metadata).get("run_id") in wanted}
            return doomed.__contains__ if doomed else None

        for thread in self._threads() if wanted else ():
            thread.remove(choose)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread and their pending writes."""
        self._thread_of(source_thread_id).copy_to(self._thread_of(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep only the latest checkpoint of each namespace of these threads, or none ("delete"). Earlier ones that the
        latest depends on (`DeltaChannel`) stay."""
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"strategy must be keep_latest or delete, not {strategy!r}")
        for thread in map(self._thread_of, thread_ids):
            thread.clear() if strategy == "delete" else thread.remove(self._older_than_latest)

    def _older_than_latest(self, records: builtins.list[CheckpointRecord]) -> RemovalFilter:
        latest = {record.namespace: record for record in sorted(records, key=lambda record: record.id)}
        by_key = {record.key: record for record in records}
        loads = ThreadCodec(self.serde).loads
        kept = {one.key for last in latest.values() for one in _dependencies(last, by_key, loads(last.metadata))}
        # Writes later than the latest checkpoint belong to one that is not saved yet.
        return lambda key: key[0] in latest and key[1] < latest[key[0]].id and key not in kept

    # -- async

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Async `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Async `list`."""
        found = await asyncio.to_thread(self.list, config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Async `get_delta_channel_history`."""
        return await asyncio.to_thread(self.get_delta_channel_history, config=config, channels=channels)

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Async `put`."""
        return await run_to_completion(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Async `put_writes`."""
        await run_to_completion(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Async `delete_thread`."""
        await run_to_completion(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Async `delete_for_runs`."""
        await run_to_completion(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Async `copy_thread`."""
        await run_to_completion(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Async `prune`."""
        await run_to_completion(partial(self.prune, strategy=strategy), thread_ids)

    # -- threads

    def _thread(self, config: RunnableConfig) -> CheckpointThread:
        return self._thread_of(config.get("configurable", {}).get("thread_id"))

    def _thread_of(self, id: str | None) -> CheckpointThread:
        if id is None or id == "":
            raise InvalidInput("a thread_id is needed: {'configurable': {'thread_id': …}}")
        # Thread ids may be numbers.
        blob_store = self._memory.blobs(owner=self._owner, session=str(id), pool=self._pool)
        return CheckpointThread(str(id), blob_store, ThreadCodec(self.serde), self._cache)

    def _threads(self) -> Iterable[CheckpointThread]:
        return map(self._thread_of, self._memory.blobs(owner=self._owner, pool=self._pool).sessions())

    def _select_records(
        self, config: RunnableConfig | None, before: str | None, at_once: int
    ) -> Iterator[Iterator[ThreadRecord]]:
        """Yield the checkpoints that a config selects, latest first, as one iterator per namespace."""
        configurable = config.get("configurable", {}) if config else {}
        namespace, id = configurable.get("checkpoint_ns"), configurable.get("checkpoint_id") or None
        for thread in [self._thread(config)] if config else self._threads():
            for one in thread.namespaces() if namespace is None else [namespace]:
                if id is None:
                    yield zip(repeat(thread), thread.records(one, before=before, at_once=at_once), strict=False)
                elif (record := thread.record(one, id)) and (before is None or id < before):
                    yield iter([(thread, record)])

    def _to_tuple(self, thread: CheckpointThread, record: CheckpointRecord | None) -> CheckpointTuple | None:
        """Return a checkpoint with its values and pending writes as a `CheckpointTuple`."""
        if record is None:
            return None
        loads = ThreadCodec(self.serde).loads
        writes = sorted(thread.writes(*record.key), key=_write_order)
        values = thread.values([*record.values.values(), *(write.value for write in writes)])
        channels = dict(zip(record.values, values, strict=False))
        pending = [
            (write.task, write.channel, value)
            for write, value in zip(writes, values[len(record.values) :], strict=True)
        ]  # fmt: skip
        checkpoint = {**loads(record.checkpoint), "channel_values": channels, "channel_versions": record.versions}
        return CheckpointTuple(
            _config(thread, *record.key),
            cast("Checkpoint", checkpoint),
            loads(record.metadata),
            _config(thread, record.namespace, record.parent) if record.parent else None,
            pending,
        )


def _read_with_retry(thread: CheckpointThread, read: Callable[[], Read]) -> Read:
    """Call `read`, and retry if pieces were removed during the read."""
    for _ in range(MAX_ATTEMPTS):
        with suppress(MissingPieceError):
            return read()
    raise StorageError(f"pieces of thread {thread.id!r} are missing")


def _config(thread: CheckpointThread, namespace: str, id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread.id, "checkpoint_ns": namespace, "checkpoint_id": id}}


def _namespace(config: RunnableConfig) -> str:
    return config.get("configurable", {}).get("checkpoint_ns") or ""


def _id(config: RunnableConfig) -> str | None:
    return config.get("configurable", {}).get("checkpoint_id") or None


def _write_order(write: PendingWrite) -> tuple[str, str, int]:
    return writes_sort_key(write.path, write.task, write.number)


def _matches(metadata: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    return all(value == get_at_path(metadata, key) for key, value in filter.items())


def _unchanged_values(
    parent: CheckpointRecord | None, versions: ChannelVersions, new: ChannelVersions
) -> dict[str, SplitValue]:
    """Return the values that a checkpoint shares with the previous one."""
    if parent is None:
        return {}
    same = {channel for channel, version in versions.items() if parent.versions.get(channel) == version}
    return {channel: cut for channel, cut in parent.values.items() if channel in same and channel not in new}


def _dependencies(
    last: CheckpointRecord, by_key: Mapping[tuple[str, str], CheckpointRecord], metadata: Mapping[str, Any]
) -> Iterator[CheckpointRecord]:
    """Yield a checkpoint and the earlier ones that are needed to compute its delta channels."""
    wanted = set(metadata.get(DELTA_COUNTERS) or ()) - last.values.keys()
    seen: set[str] = set()
    record: CheckpointRecord | None = last
    while record is not None and record.id not in seen:
        yield record
        seen.add(record.id)
        wanted -= record.values.keys()
        record = by_key.get((record.namespace, record.parent)) if wanted and record.parent else None


def _history(
    thread: CheckpointThread, target: CheckpointRecord | None, channels: Sequence[str]
) -> dict[str, DeltaChannelHistory]:
    """Return the last full value of each channel before a checkpoint, and the writes since then."""
    seeds: dict[str, SplitValue] = {}
    writes: list[PendingWrite] = []
    for record in _ancestors(thread, target):
        wanted = set(channels) - seeds.keys()
        if not wanted:
            break
        later_writes = [write for write in thread.writes(*record.key) if write.channel in wanted]
        writes += sorted(later_writes, key=_write_order, reverse=True)
        seeds.update((channel, record.values[channel]) for channel in wanted & record.values.keys())
    writes.reverse()
    values = thread.values([*seeds.values(), *(write.value for write in writes)])
    history: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
    for channel, seed in zip(seeds, values, strict=False):
        history[channel]["seed"] = seed
    for write, value in zip(writes, values[len(seeds) :], strict=True):
        history[write.channel]["writes"].append((write.task, write.channel, value))
    return history


def _ancestors(thread: CheckpointThread, record: CheckpointRecord | None) -> Iterator[CheckpointRecord]:
    """Yield the checkpoints before one, back to the first. Saving one again after its own descendant creates a cycle, which
    ends the iteration."""
    seen: set[str] = set()
    while record is not None and record.parent is not None and record.id not in seen:
        seen.add(record.id)
        record = thread.record(record.namespace, record.parent)
        if record is not None and record.id not in seen:
            yield record
