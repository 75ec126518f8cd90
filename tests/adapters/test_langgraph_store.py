"""The LangGraph store, beyond the tests of LangGraph's own SQLite store."""

import asyncio
import math
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from frameworks import framework

import keepsaid

framework("langgraph")

from langgraph.graph import MessagesState, StateGraph  # noqa: E402
from langgraph.runtime import Runtime  # noqa: E402
from langgraph.store.base import GetOp, PutOp, SearchOp  # noqa: E402
from langgraph.store.memory import InMemoryStore  # noqa: E402

from keepsaid.adapters.langgraph import store as store_module  # noqa: E402
from keepsaid.adapters.langgraph.store import KeepsaidStore  # noqa: E402

SECRET = "the gold is buried under the seventh oak of the avenue, two spades deep"


@pytest.fixture(params=["file", "memory"])
def memory(request, tmp_path):
    place = tmp_path / "items.db" if request.param == "file" else "memory://"
    with keepsaid.open(place, embedder="off") as memory:
        yield memory


@pytest.fixture
def store(memory):
    return KeepsaidStore(memory, owner="ann")


@pytest.fixture
def clock(monkeypatch):
    """What the store takes for the time; it goes on when it is told to."""

    class Clock(datetime):
        moment = datetime(2026, 11, 5, tzinfo=UTC)

        @classmethod
        def now(cls, tz=None):
            return cls.moment

    monkeypatch.setattr(store_module, "datetime", Clock)
    return Clock


def keys(found):
    return [item.key for item in found]


# -- names


NAMESPACES = [
    ("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("A",), ("a/b",), ("a%2fb",), ("a-b",), ("ü", "🙂"), ("with space",),
    ("x" * 600,), ("x" * 600, "below"), ("x" * 601,), tuple("deep" for _ in range(200)),
]  # fmt: skip
KEYS = ["k", "k/2", "k.3", "%", "*", "", " ", "ü", "line\nend", "\0", "y" * 700, "y" * 701]


def test_namespaces_and_keys_allow_any_characters(store):
    every = [(namespace, key) for namespace in NAMESPACES for key in KEYS]
    store.batch([PutOp(namespace, key, {"at": [*namespace, key]}) for namespace, key in every])
    for namespace, key in every:
        item = store.get(namespace, key)
        assert (item.namespace, item.key, item.value) == (namespace, key, {"at": [*namespace, key]})
    assert store.list_namespaces(limit=100) == sorted(NAMESPACES)
    for prefix in [(), *NAMESPACES]:
        found = {(item.namespace, item.key) for item in store.search(prefix, limit=1_000)}
        assert found == {(namespace, key) for namespace, key in every if namespace[: len(prefix)] == prefix}
    for namespace, key in every:
        store.delete(namespace, key)
    assert store.search((), limit=10) == store.list_namespaces() == []


def test_search_returns_more_items_than_one_page(store):
    store.batch([PutOp(("many", str(number % 3)), f"{number:04}", {"n": number}) for number in range(700)])
    assert len(store.search(("many",), limit=1_000)) == 700
    assert sorted(keys(store.search(("many", "1"), filter={"n": {"$lt": 10}}))) == ["0001", "0004", "0007"]
    assert store.list_namespaces() == [("many", "0"), ("many", "1"), ("many", "2")]


# -- filters


FIELDS = {
    "n": 3, "x": 2.5, "text": "m", "yes": True, "none": None, "list": [1, {"a": 1, "b": 2}], "digits": "10",
    "deep": {"n": 1, "a.b": 2, "deeper": {"n": 5, "m": 6}}, "dot.ted": 7,
}  # fmt: skip
AS_IN_MEMORY = [
    ({}, True),
    ({"n": 3}, True), ({"n": 3.0}, True), ({"n": "3"}, False), ({"n": 4}, False), ({"missing": 3}, False),
    ({"none": None}, True), ({"missing": None}, True), ({"n": None}, False), ({"yes": True}, True), ({"yes": False}, False),
    ({"list": [1, {"a": 1, "b": 2}]}, True), ({"list": (1, {"a": 1})}, True), ({"list": [1]}, False), ({"n": [3]}, False),
    ({"list": [1, {"a": {"$gt": 0}}]}, True), ({"list": [1, {"a": {"$gt": 1}}]}, False), ({"list": {}}, False),
    ({"deep": {"n": 1, "a.b": 2}}, True), ({"deep": {"n": 1}}, True), ({"deep": {"n": 2}}, False), ({"deep": {}}, True),
    ({"deep": {"deeper": {"n": 5}}}, True), ({"deep": {"deeper": {"n": {"$gte": 5, "$lt": 6}}}}, True),
    ({"deep": {"n": {"$gt": 1}}}, False), ({"deep": {"missing": None}}, True), ({"n": {"n": 3}}, False),
    ({"n": {"$eq": 3}}, True), ({"n": {"$ne": 3}}, False), ({"n": {"$ne": 4}}, True), ({"text": {"$ne": 4}}, True),
    ({"missing": {"$ne": 4}}, True), ({"none": {"$ne": 4}}, True), ({"missing": {"$ne": None}}, False),
    ({"deep": {"$eq": {"n": 1}}}, False), ({"deep": {"$ne": {"n": 1}}}, True),
    ({"list": {"$eq": [1, {"a": 1, "b": 2}]}}, True), ({"list": {"$eq": [1, {"a": 1}]}}, False),
    ({"n": {"$gt": 2}}, True), ({"n": {"$gt": 3}}, False), ({"n": {"$gte": 3}}, True), ({"n": {"$lt": 3}}, False),
    ({"n": {"$lte": 3}}, True), ({"n": {"$gt": 2, "$lt": 4}}, True), ({"n": {"$gt": 2, "$lt": 3}}, False),
    ({"n": {"$gt": "1"}}, True), ({"digits": {"$gt": 9}}, True), ({"n": {"$lt": 10**100}}, True),
    ({"n": 3, "text": "z"}, False), ({"x') OR '1'='1": 1}, False),
]  # fmt: skip
OTHERWISE = [
    # Fields below others, as the SQLite store has them.
    ({"deep.n": 1}, True), ({"deep.deeper.n": {"$gt": 4}}, True), ({"dot.ted": 7}, True), ({"deep.a.b": 2}, False),
    # Texts are compared as texts. What cannot be compared is not found; in memory, it raises an error.
    ({"text": {"$gt": "a"}}, True), ({"text": {"$lt": "a"}}, False), ({"digits": {"$gt": "9"}}, False),
    ({"text": {"$gt": 1}}, False), ({"missing": {"$gt": 0}}, False), ({"missing": {"$lt": 0}}, False),
    # Tuples are kept as lists.
    ({"list": {"$eq": (1, {"a": 1, "b": 2})}}, True), ({"list": {"$ne": (1, {"a": 1, "b": 2})}}, False),
]  # fmt: skip


@pytest.mark.parametrize(("filter", "found"), AS_IN_MEMORY + OTHERWISE)
def test_search_filter_matches_expected_items(store, filter, found):
    store.put(("a",), "k", FIELDS)
    assert bool(store.search(("a",), filter=filter)) is found


def test_filter_expectations_hold_for_in_memory_store():
    theirs = InMemoryStore()
    theirs.put(("a",), "k", FIELDS)
    assert [bool(theirs.search(("a",), filter=filter)) for filter, _ in AS_IN_MEMORY] == [found for _, found in AS_IN_MEMORY]


def test_search_rejects_unknown_filter_operator(store):
    store.put(("a",), "k", FIELDS)
    with pytest.raises(ValueError, match=r"\$near"):
        store.search(("a",), filter={"n": {"$near": 3}})


# -- writing


def test_put_again_keeps_created_at(store, clock):
    store.put(("a",), "first", {"n": 1})
    clock.moment += timedelta(minutes=1)
    store.put(("a",), "second", {"n": 1})
    clock.moment += timedelta(minutes=1)
    store.put(("a",), "first", {"n": 2})
    item = store.get(("a",), "first")
    assert (item.value, item.updated_at - item.created_at) == ({"n": 2}, timedelta(minutes=2))
    assert keys(store.search(("a",))) == ["first", "second"]


def test_batch_is_atomic(store):
    with pytest.raises(TypeError):
        store.batch([PutOp(("a",), "good", {"n": 1}), PutOp(("a",), "bad", {"n": object()})])
    assert store.get(("a",), "good") is None
    assert store.batch([PutOp(("a",), "k", {"n": 1}), GetOp(("a",), "k"), PutOp(("a",), "k", {"n": 2})]) == [None] * 3
    assert store.get(("a",), "k").value == {"n": 2}


def test_stored_value_is_independent_of_caller_objects(store):
    value = {"list": [1]}
    store.put(("a",), "k", value)
    value["list"].append(2)
    store.get(("a",), "k").value["list"].append(3)
    assert store.get(("a",), "k").value == {"list": [1]}


def test_items_are_separate_per_owner_and_pool(memory):
    pool = memory.create_pool("team", owner="ann")
    memory.grant(pool, to="bob", by="ann", access="write")
    stores = [
        KeepsaidStore(memory, owner=owner, pool=where) for owner, where in (("ann", None), ("bob", None), ("ann", pool))
    ]
    for number, one in enumerate(stores):
        one.put(("a",), "k", {"n": number})
    assert [one.get(("a",), "k").value["n"] for one in stores] == [0, 1, 2]
    assert KeepsaidStore(memory, owner="bob", pool=pool).get(("a",), "k").value == {"n": 2}
    memory.erase(owner="ann")
    assert [one.get(("a",), "k") is None for one in stores[:2]] == [True, False]
    with pytest.raises(TypeError, match="owner"):
        KeepsaidStore(memory)


def test_deleted_and_expired_items_are_removed_from_disk(tmp_path):
    with keepsaid.open(tmp_path / "items.db", embedder="off") as memory:
        store = KeepsaidStore(memory, owner="ann")
        store.batch([PutOp(("a",), f"k{number}", {"text": f"something harmless {number}"}) for number in range(20)])
        store.put(("a",), "k", {"text": SECRET})
        store.put(("a",), "old", {"text": SECRET}, ttl=1e-9)
        store.delete(("a",), "k")
        assert store.sweep_ttl() == 1
        assert len(memory.blobs(owner="ann").list()) == 20
        assert len(store.search(("a",), limit=100)) == 20
        assert SECRET.encode()[:20] not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_delete_after_cancelled_put_leaves_nothing(store, monkeypatch):
    """A cancelled write does not appear after a later delete."""
    whole, begun = keepsaid.memory.blobs.BlobStore.put, threading.Event()

    def slowly(self, contents, **more):
        if not begun.is_set():
            begun.set()
            time.sleep(0.2)
        return whole(self, contents, **more)

    async def main():
        writing = asyncio.create_task(store.aput(("a",), "k", {"n": 1}))
        await asyncio.to_thread(begun.wait)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await store.adelete(("a",), "k")

    monkeypatch.setattr(keepsaid.memory.blobs.BlobStore, "put", slowly)
    asyncio.run(main())
    assert store.get(("a",), "k") is None


def test_concurrent_writers_lose_no_items(memory):
    stores = [KeepsaidStore(memory, owner="ann") for _ in range(2)]

    def write(number):
        stores[number % 2].put(("a", str(number % 5)), str(number), {"n": number}, ttl=5)
        stores[number % 2].search(("a",), limit=3)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(60)))
    assert {item.value["n"] for item in stores[0].search(("a",), limit=100)} == set(range(60))


# -- time to live


def test_reading_refreshes_ttl(memory, clock):
    store = KeepsaidStore(memory, owner="ann", ttl={"default_ttl": 10})
    for key in ("got", "searched", "left alone", "only looked at"):
        store.put(("a", key), key, {"n": 1})
    store.put(("a", "always"), "always", {"n": 1}, ttl=None)
    clock.moment += timedelta(minutes=9)
    store.get(("a", "got"), "got")
    store.search(("a", "searched"))
    store.get(("a", "only looked at"), "only looked at", refresh_ttl=False)
    assert store.sweep_ttl() == 0
    clock.moment += timedelta(minutes=9)
    assert store.sweep_ttl() == 2
    assert sorted(keys(store.search(("a",), refresh_ttl=False))) == ["always", "got", "searched"]


@pytest.mark.parametrize("omitted", [False, True])
def test_omit_expired_hides_unswept_items(memory, clock, omitted):
    store = KeepsaidStore(memory, owner="ann", ttl={"refresh_on_read": False, "omit_expired": omitted})
    store.put(("a",), "1 short", {"n": 1}, ttl=1)
    store.put(("a",), "2 long", {"n": 1}, ttl=100)
    store.put(("b",), "short", {"n": 1}, ttl=1)
    clock.moment += timedelta(minutes=2)
    assert (store.get(("a",), "1 short") is None) is omitted
    assert len(store.search(("a",))) == (1 if omitted else 2)
    assert store.list_namespaces() == ([("a",)] if omitted else [("a",), ("b",)])


def test_sweep_keeps_item_read_during_sweep(memory, clock, monkeypatch):
    store = KeepsaidStore(memory, owner="ann", ttl={})
    store.put(("a",), "k", {"n": 1}, ttl=1)
    clock.moment += timedelta(minutes=2)
    below = KeepsaidStore._below

    def read_meanwhile(self, prefix):
        found = list(below(self, prefix))
        store.get(("a",), "k")
        return found

    monkeypatch.setattr(KeepsaidStore, "_below", read_meanwhile)
    assert store.sweep_ttl() == 0
    monkeypatch.undo()
    assert KeepsaidStore(memory, owner="ann").get(("a",), "k") is not None


def test_sweep_of_many_keeps_only_item_read_during_sweep(memory, clock, monkeypatch):
    store = KeepsaidStore(memory, owner="ann")
    store.batch([PutOp(("a",), str(number), {"n": number}, ttl=1) for number in range(20)])
    clock.moment += timedelta(minutes=2)
    below = KeepsaidStore._below

    def read_meanwhile(self, prefix):
        found = list(below(self, prefix))
        store.get(("a",), "7")
        return found

    monkeypatch.setattr(KeepsaidStore, "_below", read_meanwhile)
    assert store.sweep_ttl() == 19
    monkeypatch.undo()
    assert keys(store.search(("a",), limit=100)) == ["7"]


def test_ttl_refresh_does_not_overwrite_concurrent_put(memory, monkeypatch):
    store = KeepsaidStore(memory, owner="ann")
    store.put(("a",), "k", {"n": 1}, ttl=5)
    refresh = KeepsaidStore._refresh

    def put_meanwhile(self, found, now):
        found = list(found)
        monkeypatch.undo()
        KeepsaidStore(memory, owner="ann").put(("a",), "k", {"n": 2}, ttl=5)
        refresh(self, found, now)

    monkeypatch.setattr(KeepsaidStore, "_refresh", put_meanwhile)
    store.get(("a",), "k")
    assert store.get(("a",), "k").value == {"n": 2}


def test_ttl_sweeper_runs_until_stopped(memory):
    store = KeepsaidStore(memory, owner="ann", ttl={"sweep_interval_minutes": 0.05 / 60})
    future = store.start_ttl_sweeper()
    assert store.start_ttl_sweeper() is future
    store.put(("a",), "k", {"n": 1}, ttl=1e-9)
    until = time.monotonic() + 10
    while store.get(("a",), "k", refresh_ttl=False) is not None:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert store.stop_ttl_sweeper(5)
    assert future.done()
    assert store.start_ttl_sweeper(60).cancel()
    assert store.stop_ttl_sweeper(5)


def test_ttl_sweeper_ends_when_memory_closes(tmp_path, caplog):
    for place in (tmp_path / "items.db", "memory://"):
        with keepsaid.open(place, embedder="off") as memory:
            store = KeepsaidStore(memory, owner="ann")
            sweeping = store.start_ttl_sweeper(0.01 / 60)
        assert sweeping.result(10) is None
        assert store.stop_ttl_sweeper(10)
    assert not caplog.records


# -- by meaning


def embed(texts):
    """Each letter is a direction."""
    return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def cosine(one, other):
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0


def test_search_by_meaning_returns_exact_ranking(memory):
    store = KeepsaidStore(memory, owner="ann", index={"dims": 26, "embed": embed})
    dice = random.Random(3)
    texts = ["".join(dice.choices("abcdefghijklm  ", k=30)) for _ in range(150)]
    store.batch([PutOp(("notes",), str(number), {"text": text}) for number, text in enumerate(texts)])
    (question,) = embed(["a bad cab"])
    expected = sorted((cosine(embed([f'{{"text":"{text}"}}'])[0], question) for text in texts), reverse=True)
    found = store.search(("notes",), query="a bad cab", limit=150)
    assert [item.score for item in found] == pytest.approx(expected, abs=1e-5)
    assert keys(store.search(("notes",), query="a bad cab", limit=5, offset=10)) == keys(found)[10:15]
    assert KeepsaidStore(memory, owner="ann").search(("notes",), query="a bad cab", limit=1)[0].score is None


def test_search_by_meaning_uses_only_indexed_fields(memory):
    store = KeepsaidStore(memory, owner="ann", index={"dims": 26, "embed": embed, "fields": ["title", "parts[*].text"]})
    store.put(("n",), "title", {"title": "zzz", "hidden": "qqq"})
    store.put(("n",), "parts", {"parts": [{"text": "xxx"}, {"text": "yyy"}]})
    store.put(("n",), "own fields", {"title": "zzz", "hidden": "qqq"}, index=["hidden"])
    store.put(("n",), "none", {"title": "zzz"}, index=False)
    nearest = {letter: store.search(("n",), query=letter)[0] for letter in "zyxq"}
    assert {letter: item.key for letter, item in nearest.items()} == {
        "z": "title",
        "y": "parts",
        "x": "parts",
        "q": "own fields",
    }
    assert all(item.score == pytest.approx(1) for item in nearest.values())
    assert len(store.search(("n",), query="z")) == 3
    assert len(store.search(("n",))) == 4
    store.put(("n",), "title", {"title": "qqq"})
    assert {item.key for item in store.search(("n",), query="q") if item.score > 0.9} == {"title", "own fields"}


@pytest.mark.parametrize(("distance", "first"), [("cosine", "far"), ("l2", "near"), ("inner_product", "far")])
def test_search_uses_configured_distance_type(memory, distance, first):
    vectors = {"far": [10.0, 0.0], "near": [0.8, 0.6], "question": [1.0, 0.0]}
    index = {"dims": 2, "embed": lambda texts: [vectors[text] for text in texts], "fields": ["t"], "distance_type": distance}
    store = KeepsaidStore(memory, owner="ann", index=index)
    for key in ("far", "near"):
        store.put(("a",), key, {"t": key})
    assert store.search((), query="question")[0].key == first


def test_search_ignores_vectors_of_another_embedder(memory):
    KeepsaidStore(memory, owner="ann", index={"dims": 26, "embed": embed}).put(("a",), "old", {"t": "x"})
    store = KeepsaidStore(memory, owner="ann", index={"dims": 2, "embed": lambda texts: [[1.0, 0.0] for _ in texts]})
    store.put(("a",), "new", {"t": "x"})
    assert keys(store.search(("a",), query="x")) == ["new"]


def test_async_embedder_is_used_for_put_and_search(memory):
    async def aembed(texts):
        return embed(texts)

    async def main():
        store = KeepsaidStore(memory, owner="ann", index={"dims": 26, "embed": aembed, "fields": ["t"]})
        await asyncio.gather(*(store.aput(("a",), letter, {"t": letter * 3}) for letter in "abc"))
        found = await store.asearch(("a",), query="b", limit=1)
        (listed,) = await store.abatch([SearchOp(("a",), query="c", limit=1)])
        return keys(found) + keys(listed) + await store.alist_namespaces()

    assert asyncio.run(main()) == ["b", "c", ("a",)]


# -- in a graph


def test_graph_node_reads_and_writes_store(memory):
    def node(state, runtime: Runtime):
        seen = runtime.store.get(("seen",), "count")
        count = (seen.value["n"] if seen else 0) + 1
        runtime.store.put(("seen",), "count", {"n": count})
        return {"messages": [("ai", f"visit {count}")]}

    graph = StateGraph(MessagesState).add_node("node", node).set_entry_point("node")
    graph = graph.compile(store=KeepsaidStore(memory, owner="ann"))
    said = [graph.invoke({"messages": [("user", "Hello")]})["messages"][-1].text for _ in range(2)]
    assert said == ["visit 1", "visit 2"]
