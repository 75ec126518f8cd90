"""The LangGraph checkpointer, beyond LangGraph's own conformance suite."""

import asyncio
import multiprocessing
import operator
import secrets
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from frameworks import framework

import keepsaid
from keepsaid.errors import InvalidInput, StorageError

framework("langgraph")

from langchain_core.messages import HumanMessage  # noqa: E402
from langgraph.channels.delta import DeltaChannel  # noqa: E402
from langgraph.checkpoint.base import empty_checkpoint  # noqa: E402
from langgraph.checkpoint.base.id import uuid6  # noqa: E402
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer  # noqa: E402
from langgraph.graph import MessagesState, StateGraph  # noqa: E402

from keepsaid.adapters.langgraph.checkpointer import KeepsaidSaver  # noqa: E402
from keepsaid.adapters.langgraph.thread import BLOB_PREFIX, PIECE_PREFIX  # noqa: E402


@pytest.fixture
def memory(tmp_path):
    with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
        yield memory


@pytest.fixture
def saver(memory):
    return KeepsaidSaver(memory, owner="ann")


def at(thread: str, **more: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **more}}


def echo(saver):
    def node(state):
        return {"messages": [("ai", f"You said: {state['messages'][-1].text}")]}

    return StateGraph(MessagesState).add_node("echo", node).set_entry_point("echo").compile(saver)


def read_texts(graph, thread="trip"):
    return [message.text for message in graph.get_state(at(thread)).values["messages"]]


def put(saver, thread="trip", *, parent: str = "", metadata=None, **values):
    """Keeps a checkpoint of these values."""
    versions = {channel: str(uuid6()) for channel in values}
    checkpoint = {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}
    checkpoint["id"] = str(uuid6())
    return saver.put(at(thread, checkpoint_id=parent), checkpoint, metadata or {}, versions)


def blobs(memory, thread="trip", prefix=BLOB_PREFIX, owner="ann"):
    store = memory.blobs(owner=owner, session=thread)
    found: list[Any] = []
    while page := store.list(prefix, after=found[-1].name if found else None):
        found += page
    return found


def on_disk(folder):
    """All bytes of a store that may still be open, with those of its log."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


def kept_bytes(memory, thread="trip"):
    return sum(len(blob.name) + len(blob.content) for blob in blobs(memory, thread))


# -- a graph


def test_graph_continues_thread_after_reopening_store(tmp_path):
    for number in range(3):
        with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
            graph = echo(KeepsaidSaver(memory, owner="ann"))
            graph.invoke({"messages": [("user", f"number {number}")]}, at("trip"))
            spoken = read_texts(graph)
    assert spoken == [text for number in range(3) for text in (f"number {number}", f"You said: number {number}")]


def test_async_graphs_store_and_list_states(memory, saver):
    async def main():
        graph = echo(saver)
        await asyncio.gather(
            *(graph.ainvoke({"messages": [("user", f"in {thread}")]}, at(thread)) for thread in ("one", "two"))
        )
        states = [one async for one in saver.alist(None)]
        history = [state async for state in graph.aget_state_history(at("one"))]
        return states, history

    states, history = asyncio.run(main())
    assert {state.config["configurable"]["thread_id"] for state in states} == {"one", "two"}
    assert [message.text for message in history[0].values["messages"]] == ["in one", "You said: in one"]


def test_stored_size_grows_linearly_with_messages(memory, saver):
    graph = echo(saver)
    halves, ends = [], []
    # Where pieces end is a matter of chance, so one thread alone says little.
    for thread in ("one", "two", "three", "four"):
        for turn in range(120):
            graph.invoke({"messages": [("user", secrets.token_hex(250))]}, at(thread))
            if turn == 59:
                halves.append(kept_bytes(memory, thread))
        ends.append(kept_bytes(memory, thread))
    assert sum(ends) < 2.3 * sum(halves)
    assert max(ends) < 120 * 8_000


def one_word():
    return secrets.token_hex(100)


GROWING = {
    "nested": (dict, {"messages": []}, lambda chat: {"messages": [*chat["messages"], one_word()]}),
    "text": (str, "", lambda text: text + one_word()),
    "tuple": (tuple, (), lambda texts: (*texts, one_word())),
    "numbers": (list, [], lambda numbers: [*numbers, *(secrets.randbits(60) for _ in range(12))]),
    "object": (HumanMessage, HumanMessage(""), lambda message: HumanMessage(message.text + one_word())),
}


@pytest.mark.parametrize("shape", GROWING)
def test_stored_size_of_growing_value_is_linear(memory, saver, shape):
    kind, value, grown = GROWING[shape]
    graph = StateGraph(TypedDict("State", {"it": kind})).add_node("grow", lambda state: {"it": grown(state["it"])})
    graph = graph.set_entry_point("grow").compile(saver)
    graph.invoke({"it": value}, at("trip"))
    sizes = []
    for turn in range(240):
        graph.invoke({}, at("trip"))
        if turn in (119, 239):
            sizes.append(kept_bytes(memory))
    assert sizes[1] < 2.6 * sizes[0]  # more than twice: the names of the pieces become more, up to some dozens
    assert sizes[1] < 240 * 8_000


def test_reopened_saver_writes_only_new_pieces(tmp_path, monkeypatch):
    with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
        echo(KeepsaidSaver(memory, owner="ann")).invoke(
            {"messages": [("user", f"{n} " * 50) for n in range(200)]}, at("trip")
        )
    written = []
    whole = keepsaid.memory.blobs.BlobStore.put
    monkeypatch.setattr(
        keepsaid.memory.blobs.BlobStore,
        "put",
        lambda self, contents, **more: written.extend(contents) or whole(self, contents, **more),
    )
    with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
        echo(KeepsaidSaver(memory, owner="ann")).invoke({"messages": [("user", "one more")]}, at("trip"))
    assert len([name for name in written if name.startswith(PIECE_PREFIX)]) < 30


def test_invoke_from_earlier_checkpoint_creates_branch(saver):
    graph = echo(saver)
    for text in ("one", "two"):
        graph.invoke({"messages": [("user", text)]}, at("trip"))
    before = next(state for state in graph.get_state_history(at("trip")) if len(state.values["messages"]) == 2)
    graph.invoke({"messages": [("user", "another two")]}, before.config)
    assert read_texts(graph) == ["one", "You said: one", "another two", "You said: another two"]
    everything = {message.text for state in graph.get_state_history(at("trip")) for message in state.values["messages"]}
    assert "You said: two" in everything


# -- values


@pytest.mark.parametrize(
    "value",
    [
        None, "", "text", b"\0bytes", 7, 1.5, True, [], {}, (), (1, [2]), {1, 2}, [None], [[]], {"a": []}, {1: "one"},
        {"deep": {"list": [{"x": "y" * 500}] * 3}}, ["x" * 200] * 100, [f"{n} " * 60 for n in range(300)],
        {(0, 1): "x", None: 1, 1.5: 2, b"k": 3}, {(0, (1, 2)): ["x" * 500], (0, 1): "y" * 5_000}, ("x" * 300,) * 20,
        bytearray(b"x" * 3_000), [b"x" * 3_000, None], {"chat": {"messages": [f"{n} " * 60 for n in range(90)]}},
        [1, 2, 3], [0.25] * 500, [n / 7 for n in range(5_000)],
        "long " * 200_000, ["long " * 200_000, {"k": "long " * 200_000}],
    ],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_checkpoint_values_round_trip(saver, value):
    config = put(saver, value=value)
    expected = saver.serde.loads_typed(saver.serde.dumps_typed(value))  # which makes lists of tuples
    found = saver.get_tuple(config).checkpoint["channel_values"]["value"]
    assert found == expected
    assert type(found) is type(expected)
    saver.put_writes(config, [("value", value)], "task")
    assert saver.get_tuple(config).pending_writes == [("task", "value", expected)]


def test_channel_without_new_version_keeps_old_value(saver):
    first = put(saver, a="old a", b="old b")
    kept = saver.get_tuple(first).checkpoint
    next_one = {**kept, "id": str(uuid6()), "channel_values": {"a": "new a", "b": "not looked at"}}
    second = saver.put(first, {**next_one, "channel_versions": {**kept["channel_versions"], "a": "2"}}, {}, {"a": "2"})
    assert saver.get_tuple(second).checkpoint["channel_values"] == {"a": "new a", "b": "old b"}
    assert saver.get_tuple(first).checkpoint["channel_values"] == {"a": "old a", "b": "old b"}


def test_pending_writes_are_ordered_by_task_path(saver):
    config = put(saver)
    saver.put_writes(config, [("c", 3), ("c", 4)], "task 1", "~2")
    saver.put_writes(config, [("c", 1), ("c", 2)], "task 2", "~1")
    saver.put_writes(config, [("c", "again"), ("__error__", "first")], "task 2", "~1")
    saver.put_writes(config, [("__error__", "second")], "task 2", "~1")
    assert [value for _, _, value in saver.get_tuple(config).pending_writes] == ["second", 1, 2, 3, 4]


def test_namespaces_and_ids_allow_any_characters(saver):
    names = ["", "a", "a/b", "child:1|grandchild:2", "ü 🙂", "long|" * 400]
    for namespace in names:
        put_at = at("trip", checkpoint_ns=namespace)
        saver.put(put_at, {**empty_checkpoint(), "id": "one/1"}, {"of": namespace}, {})
    assert {one.config["configurable"]["checkpoint_ns"] for one in saver.list({"configurable": {"thread_id": "trip"}})} == {
        *names
    }
    for namespace in names:
        (one,) = saver.list(at("trip", checkpoint_ns=namespace))
        assert one.metadata == {"of": namespace}


def test_list_filters_by_thread_metadata_and_before(memory, saver):
    configs = [put(saver, thread, metadata={"step": step, "of": {"who": thread}}) for step in range(3) for thread in "ab"]
    ids = [config["configurable"]["checkpoint_id"] for config in configs]

    def listed(config=None, **asked):
        return [one.config["configurable"]["checkpoint_id"] for one in saver.list(config, **asked)]

    assert listed() == ids[::-1]
    assert listed(limit=2) == ids[:3:-1]
    assert listed(limit=0) == []
    assert listed(before=configs[2]) == [ids[1], ids[0]]
    assert listed(at("a"), before=configs[4]) == [ids[2], ids[0]]
    assert listed(filter={"step": 1}) == [ids[3], ids[2]]
    assert listed(filter={"of.who": "b", "step": 2}) == [ids[5]]
    assert listed(configs[2]) == [ids[2]]
    assert listed(at("nowhere")) == []
    memory.blobs(owner="ann", session="another program's").put({"state": b"not ours"})
    assert listed() == ids[::-1]


def test_get_next_version_continues_versions_of_other_savers(saver):
    assert saver.get_next_version(None, None) == 1
    assert saver.get_next_version(7, None) == 8
    text = f"{9:032}.123"
    later = saver.get_next_version(text, None)
    assert text < later < saver.get_next_version(later, None)


# -- whose it is


def test_checkpoints_are_separate_per_owner_and_pool(memory):
    pool = memory.create_pool("team", owner="ann")
    memory.grant(pool, to="bob", by="ann", access="write")
    savers = [
        KeepsaidSaver(memory, owner="ann"), KeepsaidSaver(memory, owner="bob"),
        KeepsaidSaver(memory, owner="ann", pool=pool),
    ]  # fmt: skip
    for number, one in enumerate(savers):
        put(one, value=f"state {number}")
    for number, one in enumerate(savers):
        assert [state.checkpoint["channel_values"]["value"] for state in one.list(None)] == [f"state {number}"]
    assert len(list(KeepsaidSaver(memory, owner="bob", pool=pool).list(None))) == 1
    savers[0].delete_thread("trip")
    assert [len(list(one.list(None))) for one in savers] == [0, 1, 1]


def test_saver_requires_owner(memory):
    with pytest.raises(TypeError, match="owner"):
        KeepsaidSaver(memory)


@pytest.mark.parametrize("owner", ["", None, 7])
def test_saver_rejects_invalid_owner(memory, owner):
    with pytest.raises(InvalidInput, match="owner"):
        KeepsaidSaver(memory, owner=owner)


@pytest.mark.parametrize("config", [{}, {"configurable": {}}, at(None), at("")], ids=["{}", "missing", "None", "empty"])
def test_saver_rejects_missing_thread_id(saver, config):
    checkpoint = empty_checkpoint()
    for use in (
        lambda: saver.get_tuple(config),
        lambda: saver.put(config, checkpoint, {}, {}),
        lambda: saver.put_writes({"configurable": {**config.get("configurable", {}), "checkpoint_id": "1"}}, [], "task"),
        lambda: saver.delete_thread(config.get("configurable", {}).get("thread_id")),
        lambda: [*saver.list(config or {"configurable": {}})],
    ):
        with pytest.raises(InvalidInput, match="thread_id"):
            use()
    assert saver._memory.blobs(owner="ann").sessions() == []


@pytest.mark.parametrize("has_messages", [False, True])
def test_erasing_session_erases_checkpoints(memory, saver, has_messages):
    if has_messages:
        memory.chat(owner="ann", session="trip", create=True).add("user", "Hello")
    put(saver, value="x" * 500)
    memory.erase(owner="ann", session="trip")
    assert blobs(memory) == []
    assert saver.get_tuple(at("trip")) is None
    put(saver, value="x" * 500)  # what was known to be there is not
    assert KeepsaidSaver(memory, owner="ann").get_tuple(at("trip")).checkpoint["channel_values"] == {"value": "x" * 500}


# -- removing


SECRET = "the gold is buried under the seventh oak of the avenue, two spades deep"


def test_prune_removes_old_checkpoints_from_disk(tmp_path):
    with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
        saver = KeepsaidSaver(memory, owner="ann")
        common = [f"message {number} " * 20 for number in range(100)]
        config = put(saver, messages=[*common, SECRET])
        saver.put_writes(config, [("messages", SECRET + ", says one")], "task")
        before = len(blobs(memory))
        put(saver, messages=common)
        saver.prune(["trip"])
        assert saver.get_tuple(at("trip")).checkpoint["channel_values"] == {"messages": common}
        assert len(blobs(memory)) < before
        new = {blob.name for blob in blobs(memory)}
        saver.prune(["trip"])
        assert {blob.name for blob in blobs(memory)} == new
        assert SECRET.encode()[:20] not in on_disk(tmp_path)


def test_delete_thread_removes_values_from_disk(tmp_path):
    with keepsaid.open(tmp_path / "state.db", embedder="off") as memory:
        saver = KeepsaidSaver(memory, owner="ann")
        config = put(saver, messages=[SECRET])
        saver.put_writes(config, [("messages", SECRET)], "task")
        assert SECRET.encode()[:20] in on_disk(tmp_path)
        saver.delete_thread("trip")
        assert SECRET.encode()[:20] not in on_disk(tmp_path)


@pytest.mark.parametrize("verb", ["aput", "aput_writes"])
def test_delete_thread_after_cancelled_write_leaves_nothing(saver, verb, monkeypatch):
    """A cancelled write does not appear after a later delete."""
    config = put(saver, value="first")
    whole, begun = keepsaid.memory.blobs.BlobStore.put, threading.Event()

    def slowly(self, contents, **more):
        if not begun.is_set():
            begun.set()
            time.sleep(0.2)
        return whole(self, contents, **more)

    async def main():
        arguments = (empty_checkpoint(), {}, {}) if verb == "aput" else ([("value", "second")], "task")
        writing = asyncio.create_task(getattr(saver, verb)(config, *arguments))
        await asyncio.to_thread(begun.wait)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await saver.adelete_thread("trip")

    monkeypatch.setattr(keepsaid.memory.blobs.BlobStore, "put", slowly)
    asyncio.run(main())
    monkeypatch.undo()
    assert blobs(saver._memory) == []


def test_prune_leaves_only_needed_pieces(memory, saver):
    graph = echo(saver)
    for turn in range(40):
        graph.invoke({"messages": [("user", f"{turn} " * 40)]}, at("trip"))
    spoken = read_texts(graph)
    saver.prune(["trip"])
    assert read_texts(graph) == spoken
    config = saver.get_tuple(at("trip")).config
    other = KeepsaidSaver(keepsaid.open("memory://", embedder="off"), owner="ann")
    kept = saver.get_tuple(config)
    other.put(at("trip"), kept.checkpoint, kept.metadata, kept.checkpoint["channel_versions"])
    alone = len(blobs(other._memory, prefix=PIECE_PREFIX))
    assert len(blobs(memory, prefix=PIECE_PREFIX)) <= alone + 2  # pending writes after the latest


def test_delete_for_runs_removes_unshared_pieces(memory, saver):
    common = [f"message {number} " * 20 for number in range(50)]
    first = put(saver, metadata={"run_id": "r1"}, messages=common)
    put(saver, metadata={"run_id": "r2"}, messages=[*common, SECRET * 3], parent=first["configurable"]["checkpoint_id"])
    put(saver, "other", metadata={"run_id": "r2"}, messages=[SECRET])
    before = {blob.name for blob in blobs(memory)}
    saver.delete_for_runs(["r2"])
    (left,) = saver.list(None)
    assert left.checkpoint["channel_values"] == {"messages": common}
    assert {blob.name for blob in blobs(memory)} < before
    assert blobs(memory, "other") == []
    assert memory.blobs(owner="ann").sessions() == ["trip"]


def test_delete_thread_keeps_foreign_blobs(memory, saver):
    store = memory.blobs(owner="ann", session="trip")
    store.put({"mine": b"1"})
    put(saver, value="x")
    saver.delete_thread("trip")
    assert [blob.name for blob in store.list()] == ["mine"]
    with pytest.raises(ValueError, match="strategy"):
        saver.prune(["trip"], strategy="shrink")


class Delta(TypedDict):
    texts: Annotated[list[str], DeltaChannel(lambda state, writes: [*state, *(one for write in writes for one in write)])]


@pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")
def test_prune_keeps_deltas_of_latest_checkpoint(memory, saver):
    graph = StateGraph(Delta).add_node("node", lambda state: {"texts": [f"answer {len(state['texts'])}"]})
    graph = graph.set_entry_point("node").compile(saver)
    for number in range(4):
        graph.invoke({"texts": [f"question {number}"]}, at("trip"))
    texts = graph.get_state(at("trip")).values["texts"]
    assert len(texts) == 8
    saver.prune(["trip"])
    assert graph.get_state(at("trip")).values["texts"] == texts


# -- copying


def test_copied_thread_is_independent_of_original(memory, saver):
    graph = echo(saver)
    for text in ("one", "two"):
        graph.invoke({"messages": [("user", text * 100)]}, at("trip"))
    spoken, history = read_texts(graph), len(list(saver.list(at("trip"))))
    saver.copy_thread("trip", "copy")
    saver.delete_thread("trip")
    assert read_texts(graph, "copy") == spoken
    assert len(list(saver.list(at("copy")))) == history
    graph.invoke({"messages": [("user", "three")]}, at("copy"))
    assert read_texts(graph, "copy")[-1] == "You said: three"
    saver.prune(["copy"])
    assert read_texts(graph, "copy")[:4] == spoken


def test_copy_into_existing_thread_adds_checkpoints(saver):
    put(saver, "a", values=["from a " * 20] * 3)
    put(saver, "b", values=["from b " * 20] * 3)
    saver.copy_thread("a", "b")
    saver.copy_thread("nowhere", "b")
    found = [one.checkpoint["channel_values"]["values"][0][:6] for one in saver.list(at("b"))]
    assert found == ["from b", "from a"]


# -- many at once


def write_some(file: str, who: int) -> None:
    with keepsaid.open(file, embedder="off") as memory:
        saver = KeepsaidSaver(memory, owner="ann")
        common = [f"message {number} " * 20 for number in range(40)]
        for number in range(15):
            config = put(saver, messages=[*common, f"process {who} says {number} " * 10])
            saver.put_writes(config, [("messages", f"{who} {number}")], f"task {who}")


def test_concurrent_processes_lose_no_checkpoints(tmp_path):
    file = str(tmp_path / "state.db")
    processes = [multiprocessing.get_context("spawn").Process(target=write_some, args=(file, who)) for who in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    with keepsaid.open(file, embedder="off") as memory:
        found = list(KeepsaidSaver(memory, owner="ann").list(at("trip")))
    last = sorted(one.checkpoint["channel_values"]["messages"][-1] for one in found)
    assert last == sorted(f"process {who} says {number} " * 10 for who in range(2) for number in range(15))
    assert all(len(one.checkpoint["channel_values"]["messages"]) == 41 for one in found)
    assert all(len(one.pending_writes) == 1 for one in found)


LONG = [f"message {number} " * 20 for number in range(100)]


def test_saver_rewrites_pieces_removed_by_another_saver(memory, saver):
    def read():
        return KeepsaidSaver(memory, owner="ann").get_tuple(at("trip"))

    other = KeepsaidSaver(memory, owner="ann")
    put(saver, messages=LONG)
    put(other, messages=[])
    other.prune(["trip"])
    config = put(saver, messages=LONG)
    assert read().checkpoint["channel_values"] == {"messages": LONG}
    other.delete_thread("trip")
    saver.put_writes(config, [("messages", LONG)], "task")
    put(other, messages=[])
    assert read().pending_writes == []
    other.copy_thread("trip", "copy")
    other.delete_thread("trip")
    saver.put_writes(put(saver, messages=[]), [("messages", LONG)], "task")
    assert read().pending_writes == [("task", "messages", LONG)]


def test_checkpoint_written_during_prune_is_kept(memory, saver, monkeypatch):
    """A new checkpoint needs pieces that the prune has already chosen to delete."""
    put(saver, messages=LONG)
    put(saver, messages=[])
    whole, meanwhile = keepsaid.memory.blobs.BlobStore.put, []

    def slowly(self, contents, **more):
        if None in contents.values() and not meanwhile:
            meanwhile.append(put(saver, messages=LONG))
        return whole(self, contents, **more)

    monkeypatch.setattr(keepsaid.memory.blobs.BlobStore, "put", slowly)
    KeepsaidSaver(memory, owner="ann").prune(["trip"])
    (left,) = KeepsaidSaver(memory, owner="ann").list(at("trip"))
    assert left.config == meanwhile[0]
    assert left.checkpoint["channel_values"] == {"messages": LONG}


def test_copy_during_prune_copies_no_partial_checkpoint(memory, saver, monkeypatch):
    put(saver, messages=LONG)
    put(saver, messages=LONG[:3])
    whole, meanwhile = keepsaid.memory.blobs.BlobStore.list, []

    def slowly(self, prefix="", **more):
        if prefix == PIECE_PREFIX and not meanwhile:
            meanwhile.append(True)
            KeepsaidSaver(memory, owner="ann").prune(["trip"])
        return whole(self, prefix, **more)

    monkeypatch.setattr(keepsaid.memory.blobs.BlobStore, "list", slowly)
    saver.copy_thread("trip", "copy")
    (left,) = KeepsaidSaver(memory, owner="ann").list(at("copy"))
    assert left.checkpoint["channel_values"] == {"messages": LONG[:3]}


def test_concurrent_prune_keeps_values_of_new_checkpoints(memory):
    """Writers add checkpoints that share pieces with the ones being removed."""
    done = threading.Event()
    common = [f"message {number} " * 20 for number in range(60)]

    def write(who: int) -> None:
        saver = KeepsaidSaver(memory, owner="ann")
        for number in range(25):
            # By turns with and without what all have: it is needed, and not needed, and needed again.
            values = [*common[: 60 if number % 2 else 5], f"{who} {number} " * 30]
            config = put(saver, messages=values)
            found = KeepsaidSaver(memory, owner="ann").get_tuple(config)
            assert found is None or found.checkpoint["channel_values"]["messages"] == values

    def prune() -> int:
        saver, rounds = KeepsaidSaver(memory, owner="ann"), 0
        while not done.is_set():
            saver.prune(["trip"])
            rounds += 1
        return rounds

    with ThreadPoolExecutor(5) as pool:
        pruning = [pool.submit(prune) for _ in range(2)]
        try:
            list(pool.map(write, range(3)))
        finally:
            done.set()
        assert min(one.result() for one in pruning) > 1
    fresh = KeepsaidSaver(memory, owner="ann")
    for one in fresh.list(at("trip")):
        assert len(one.checkpoint["channel_values"]["messages"]) in (6, 61)
    fresh.prune(["trip"])
    (left,) = fresh.list(at("trip"))
    assert left.checkpoint["channel_values"]["messages"]


def test_missing_piece_raises_storage_error(memory, saver):
    config = put(saver, text="x" * 500)
    memory.blobs(owner="ann", session="trip").clear(PIECE_PREFIX)
    with pytest.raises(StorageError, match="missing"):
        KeepsaidSaver(memory, owner="ann").get_tuple(config)


# -- encryption


class Cipher:
    """Not a good one, but as a good one does it makes something else of the same text each time."""

    def encrypt(self, plaintext):
        nonce = secrets.token_bytes(8)
        return "xor", nonce + self._turned(nonce, plaintext)

    def decrypt(self, ciphername, ciphertext):
        assert ciphername == "xor"
        return self._turned(ciphertext[:8], ciphertext[8:])

    def _turned(self, nonce, text):
        return bytes(map(operator.xor, text, nonce * (len(text) // 8 + 1)))


def test_encrypted_serializer_hides_and_deduplicates_values(memory):
    saver = KeepsaidSaver(memory, owner="ann", serde=EncryptedSerializer(Cipher()))
    common = [secrets.token_hex(100) for _ in range(100)]
    config = None
    for number in range(20):
        config = put(saver, messages=[*common, f"{SECRET} {number}"])
    saver.put_writes(config, [("messages", SECRET)], "task")
    assert saver.get_tuple(config).checkpoint["channel_values"]["messages"][-1] == f"{SECRET} 19"
    assert not [blob.name for blob in blobs(memory) if SECRET[:12].encode() in blob.content]
    assert kept_bytes(memory) < 3 * len("".join(common))
    fresh = KeepsaidSaver(memory, owner="ann", serde=EncryptedSerializer(Cipher()))
    assert fresh.get_tuple(config).pending_writes == [("task", "messages", SECRET)]
    with pytest.raises(StorageError, match="encrypted"):
        KeepsaidSaver(memory, owner="ann").get_tuple(config)


# -- without the framework


def test_import_without_langgraph_names_the_extra():
    code = "import sys; sys.modules['langgraph'] = None; import keepsaid.adapters.{}"
    for module in ("langgraph.checkpointer", "langgraph.store"):
        done = subprocess.run([sys.executable, "-c", code.format(module)], capture_output=True, text=True, timeout=60)
        assert "pip install 'keepsaid[langgraph]'" in done.stderr


def test_langgraph_chat_example_runs():
    example = Path(__file__).parents[2] / "examples" / "langgraph_chat.py"
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "You are called Ann" in done.stdout
