"""LangGraph's checkpointer: the state of every thread of an owner, kept in Recollect.

>>> import recollect
>>> from langgraph.graph import MessagesState, StateGraph
>>> graph = StateGraph(MessagesState).add_node("echo", lambda state: {"messages": [("ai", state["messages"][-1].text)]})
>>> graph = graph.set_entry_point("echo").compile(RecollectSaver(recollect.open("memory://"), owner="ann"))
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

from recollect.adapters.common import missing, settled
from recollect.drawer import AT_ONCE
from recollect.errors import InvalidInput, StorageError
from recollect.memory import Memory

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
    raise missing("LangGraph", "langgraph") from None

from recollect.adapters.langgraph_cut import Cut, Cutter
from recollect.adapters.langgraph_filter import at
from recollect.adapters.langgraph_shelf import Shelf
from recollect.adapters.langgraph_thread import Codec, Goes, Gone, Record, Thread, Write

COUNTERS = "counters_since_delta_snapshot"
"""In a checkpoint's metadata: the channels that are not kept whole in every checkpoint."""

TRIES = 10
"""How often a checkpoint is read whose pieces are removed meanwhile."""

Read = TypeVar("Read")
Place = tuple[Thread, Record]


class RecollectSaver(BaseCheckpointSaver[Any]):
    """Keeps checkpoints in a memory, a drawer for each thread. What stays the same from one checkpoint to the next is kept
    once. Threads of other owners are out of reach."""

    def __init__(
        self, memory: Memory, *, owner: str, pool: str | None = None, serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._memory = memory
        self._owner = owner
        self._pool = pool
        memory.drawer(owner=owner, pool=pool)  # which refuses at once who is nobody
        self._shelf = Shelf[Record]()

    # -- reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint, or the latest of its thread."""
        thread, namespace, id = self._thread(config), _namespace(config), _id(config)
        found = _steadily(thread, lambda: self._told(thread, thread.record(namespace, id)))
        return found if found is None or id is None else found._replace(config=config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints of a thread, or of all threads of the owner, the latest first."""
        last = _id(before) if before else None
        at_once = AT_ONCE if limit is None else max(1, min(limit, AT_ONCE))
        return islice(self._matching(self._found(config, last, at_once), filter or {}), limit)

    def _matching(self, found: Iterable[Iterator[Place]], filter: Mapping[str, Any]) -> Iterator[CheckpointTuple]:
        loads = Codec(self.serde).loads
        for thread, record in merge(*found, key=lambda place: place[1].id, reverse=True):
            if _matches(loads(record.metadata), filter):
                told = _steadily(thread, lambda at=(thread, record): self._told(at[0], at[0].record(*at[1].key)))
                if told is not None:
                    yield told

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What was written to channels since they were last kept whole, on the way to a checkpoint."""
        thread, namespace, id = self._thread(config), _namespace(config), _id(config)
        return _steadily(thread, lambda: _history(thread, thread.record(namespace, id), channels))

    # -- writing

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Keeps a checkpoint. A channel that has no new version is what it was in the checkpoint before."""
        thread, namespace, before = self._thread(config), _namespace(config), _id(config)
        codec = Codec(self.serde)
        rest: dict[str, Any] = {**checkpoint}
        values, versions = rest.pop("channel_values"), rest.pop("channel_versions")
        about = codec.dumps(get_checkpoint_metadata(config, metadata))

        def make(cutter: Cutter, parent: Record | None) -> Record:
            old = _unchanged(parent, versions, new_versions)
            cuts = {channel: old.get(channel) or cutter.cut(value) for channel, value in values.items()}
            return Record(namespace, checkpoint["id"], before, codec.dumps(rest), about, versions, cuts)

        thread.keep_record(make, namespace, before)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keeps what a task wrote behind a checkpoint."""
        namespace, id = _namespace(config), _id(config)
        if id is None:
            raise ValueError("writes belong to a checkpoint: the config has no checkpoint_id")
        self._thread(config).keep_writes(
            lambda cutter: [
                Write(namespace, id, task_id, WRITES_IDX_MAP.get(channel, number), task_path, channel, cutter.cut(value))
                for number, (channel, value) in enumerate(writes)
            ]
        )

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Numbers, or the texts that other savers make of them: a thread may come from one of those."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}.{secrets.randbelow(10**16):016}"

    # -- removing and copying

    def delete_thread(self, thread_id: str) -> None:
        """Removes all checkpoints of a thread, for good."""
        self._thread_of(thread_id).clear()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Removes the checkpoints that these runs made, for good, and whatever only they were made of."""
        wanted = set(run_ids)
        codec = Codec(self.serde)

        def choose(records: builtins.list[Record]) -> Goes | None:
            doomed = {record.key for record in records if codec.loads(record.metadata).get("run_id") in wanted}
            return doomed.__contains__ if doomed else None

        for thread in self._threads() if wanted else ():
            thread.remove(choose)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies all checkpoints of a thread, and what was written behind them."""
        self._thread_of(source_thread_id).copy_to(self._thread_of(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keeps of each namespace of these threads only the latest checkpoint, or none ("delete"). Earlier ones that it is
        built upon (`DeltaChannel`) stay."""
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"the strategy is keep_latest or delete, not {strategy!r}")
        for thread in map(self._thread_of, thread_ids):
            thread.clear() if strategy == "delete" else thread.remove(self._but_the_latest)

    def _but_the_latest(self, records: builtins.list[Record]) -> Goes:
        latest = {record.namespace: record for record in sorted(records, key=lambda record: record.id)}
        by_key = {record.key: record for record in records}
        loads = Codec(self.serde).loads
        kept = {one.key for last in latest.values() for one in _built_upon(last, by_key, loads(last.metadata))}
        # What is later than the latest was written before its checkpoint, which will come.
        return lambda key: key[0] in latest and key[1] < latest[key[0]].id and key not in kept

    # -- the same, for `await`

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
        return await settled(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Async `put_writes`."""
        await settled(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Async `delete_thread`."""
        await settled(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Async `delete_for_runs`."""
        await settled(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Async `copy_thread`."""
        await settled(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Async `prune`."""
        await settled(partial(self.prune, strategy=strategy), thread_ids)

    # -- threads and what is read of them

    def _thread(self, config: RunnableConfig) -> Thread:
        return self._thread_of(config.get("configurable", {}).get("thread_id"))

    def _thread_of(self, id: str | None) -> Thread:
        if id is None or id == "":
            raise InvalidInput("a thread_id is needed: {'configurable': {'thread_id': …}}")
        # Some number their threads.
        drawer = self._memory.drawer(owner=self._owner, session=str(id), pool=self._pool)
        return Thread(str(id), drawer, Codec(self.serde), self._shelf)

    def _threads(self) -> Iterable[Thread]:
        return map(self._thread_of, self._memory.drawer(owner=self._owner, pool=self._pool).sessions())

    def _found(self, config: RunnableConfig | None, before: str | None, at_once: int) -> Iterator[Iterator[Place]]:
        """The checkpoints that a config speaks of, from the latest back, of each namespace for itself."""
        configurable = config.get("configurable", {}) if config else {}
        namespace, id = configurable.get("checkpoint_ns"), configurable.get("checkpoint_id") or None
        for thread in [self._thread(config)] if config else self._threads():
            for one in thread.namespaces() if namespace is None else [namespace]:
                if id is None:
                    yield zip(repeat(thread), thread.records(one, before=before, at_once=at_once), strict=False)
                elif (record := thread.record(one, id)) and (before is None or id < before):
                    yield iter([(thread, record)])

    def _told(self, thread: Thread, record: Record | None) -> CheckpointTuple | None:
        """A checkpoint with its values and what was written behind it, as LangGraph has it."""
        if record is None:
            return None
        loads = Codec(self.serde).loads
        writes = sorted(thread.writes(*record.key), key=_order)
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


def _steadily(thread: Thread, read: Callable[[], Read]) -> Read:
    """What is read, if nothing of it is removed meanwhile: else it is read again."""
    for _ in range(TRIES):
        with suppress(Gone):
            return read()
    raise StorageError(f"pieces of thread {thread.id!r} are missing")


def _config(thread: Thread, namespace: str, id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread.id, "checkpoint_ns": namespace, "checkpoint_id": id}}


def _namespace(config: RunnableConfig) -> str:
    return config.get("configurable", {}).get("checkpoint_ns") or ""


def _id(config: RunnableConfig) -> str | None:
    return config.get("configurable", {}).get("checkpoint_id") or None


def _order(write: Write) -> tuple[str, str, int]:
    return writes_sort_key(write.path, write.task, write.number)


def _matches(metadata: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    return all(value == at(metadata, key) for key, value in filter.items())


def _unchanged(parent: Record | None, versions: ChannelVersions, new: ChannelVersions) -> dict[str, Cut]:
    """The values that a checkpoint has from the one before."""
    if parent is None:
        return {}
    same = {channel for channel, version in versions.items() if parent.versions.get(channel) == version}
    return {channel: cut for channel, cut in parent.values.items() if channel in same and channel not in new}


def _built_upon(last: Record, by_key: Mapping[tuple[str, str], Record], metadata: Mapping[str, Any]) -> Iterator[Record]:
    """A checkpoint, and the earlier ones that are needed to tell what is in those of its channels that it has not whole."""
    wanted = set(metadata.get(COUNTERS) or ()) - last.values.keys()
    seen: set[str] = set()
    record: Record | None = last
    while record is not None and record.id not in seen:
        yield record
        seen.add(record.id)
        wanted -= record.values.keys()
        record = by_key.get((record.namespace, record.parent)) if wanted and record.parent else None


def _history(thread: Thread, target: Record | None, channels: Sequence[str]) -> dict[str, DeltaChannelHistory]:
    """Of each channel where it was last kept whole before a checkpoint, and what was written to it since."""
    seeds: dict[str, Cut] = {}
    writes: list[Write] = []
    for record in _ancestors(thread, target):
        wanted = set(channels) - seeds.keys()
        if not wanted:
            break
        behind = [write for write in thread.writes(*record.key) if write.channel in wanted]
        writes += sorted(behind, key=_order, reverse=True)
        seeds.update((channel, record.values[channel]) for channel in wanted & record.values.keys())
    writes.reverse()
    values = thread.values([*seeds.values(), *(write.value for write in writes)])
    history: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
    for channel, seed in zip(seeds, values, strict=False):
        history[channel]["seed"] = seed
    for write, value in zip(writes, values[len(seeds) :], strict=True):
        history[write.channel]["writes"].append((write.task, write.channel, value))
    return history


def _ancestors(thread: Thread, record: Record | None) -> Iterator[Record]:
    """The checkpoints before one, back to the first. Who puts one again behind its own descendant makes a circle."""
    seen: set[str] = set()
    while record is not None and record.parent is not None and record.id not in seen:
        seen.add(record.id)
        record = thread.record(record.namespace, record.parent)
        if record is not None and record.id not in seen:
            yield record
