"""How a LangGraph state is split into pieces: round trips, and how few pieces are new after a small change."""

import pickle
import random

import pytest
from frameworks import framework
from hypothesis import given
from hypothesis import strategies as st

framework("langgraph")

from keepsaid.adapters.langgraph.state_pieces import (  # noqa: E402
    MAX_PIECE_BYTES,
    MIN_PIECE_BYTES,
    StateSplitter,
    collect_piece_names,
    join_values,
)
from keepsaid.adapters.langgraph.thread_cache import CACHE_BYTES, MAX_RECORDS, MAX_THREADS, CachedThread, ThreadCache  # noqa: E402

KEYS = st.text(max_size=5) | st.integers() | st.tuples(st.integers(), st.text(max_size=5))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=90) | st.binary(max_size=90),
    lambda inner: (
        st.lists(inner, max_size=50)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(
            st.text(max_size=5) | st.integers() | st.tuples(st.integers(), st.text(max_size=5)), inner, max_size=5
        )
    ),
    max_leaves=60,
)


def dumps(value):
    return "pickle", pickle.dumps(value)


def loads(typed):
    return pickle.loads(typed[1])


def cutter():
    return StateSplitter(dumps, b"a secret")


def texts(count, first=0):
    return [f"message number {number} " * 8 for number in range(first, first + count)]


@given(st.lists(VALUES, max_size=6))
def test_split_values_round_trip(values):
    knife = cutter()
    cuts = [knife.split(value) for value in values]
    assert join_values(cuts, lambda names: knife.pieces, loads) == values
    assert collect_piece_names(cuts, lambda names: knife.pieces) == set(knife.pieces)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 500, 5_000])
@pytest.mark.parametrize("same", [False, True])
def test_long_lists_round_trip_with_few_entries(count, same):
    knife = cutter()
    value = ["the same, over and over again, and long enough for a piece of its own"] * count if same else texts(count)
    cut = knife.split(value)
    assert join_values([cut], lambda names: knife.pieces, loads) == [value]
    assert len(cut.entries) <= 32


@pytest.mark.parametrize(
    "change",
    [
        lambda long: [*long, "one more, of some length, so that it is a piece of its own, as a message is"],
        lambda long: long[1:],
        lambda long: long[:1_000] + long[1_001:],
        lambda long: [*long[:1_000], "another one, of some length, so that it is a piece of its own", *long[1_001:]],
    ],
    ids=["more", "first gone", "middle gone", "middle changed"],
)
def test_small_change_of_long_list_adds_few_pieces(change):
    long = texts(2_000)
    before, after = cutter(), cutter()
    before.split(long)
    after.split(change(long))
    new = {name: content for name, content in after.pieces.items() if name not in before.pieces}
    assert len(new) <= 8
    assert sum(map(len, new.values())) < 10_000


def test_changed_dictionary_item_adds_few_pieces():
    files = {f"file {number}": f"content of file {number} " * 50 for number in range(300)}
    before, after = cutter(), cutter()
    before.split(files)
    after.split({**files, "file 7": "something else, which is long enough for a piece of its own, as files are"})
    assert len(set(after.pieces) - set(before.pieces)) <= 3


def words(count, seed=1):
    dice = random.Random(seed)
    return " ".join("".join(dice.choices("etaoinshrdlucm", k=dice.randint(2, 9))) for _ in range(count))


LONG = words(20_000)
VECTOR = [random.Random(number).random() for number in range(20_000)]


@pytest.mark.parametrize("value", [LONG, LONG.encode(), (LONG,), bytes(100_000), "x" * 100_000, b"", VECTOR])
def test_long_values_are_split_into_bounded_pieces(value):
    knife = cutter()
    cuts = [knife.split(value), knife.split([value, "short"])]
    assert all(len(content) <= MAX_PIECE_BYTES for content in knife.pieces.values())
    assert join_values(cuts, lambda names: knife.pieces, loads) == [value, [value, "short"]]
    assert collect_piece_names(cuts, lambda names: knife.pieces) == set(knife.pieces)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LONG, LONG + " and more"),
        (LONG, "And before: " + LONG),
        (LONG, LONG[:60_000] + "another word" + LONG[60_010:]),
        (LONG.encode(), LONG.encode()[5:] + b"more"),
        ({"chat": {"messages": texts(500)}}, {"chat": {"messages": texts(501)}}),
        (tuple(texts(500)), tuple(texts(501))),
        ([texts(500), texts(3)], [texts(501), texts(3)]),
        (VECTOR[:-1], VECTOR),
        ([*range(20_000)], [*range(20_001)]),
    ],
    ids=["end", "beginning", "middle", "bytes", "nested", "tuple", "list in a list", "floats", "numbers"],
)
def test_small_change_of_long_value_adds_few_pieces(before, after):
    one, other = cutter(), cutter()
    one.split(before)
    other.split(after)
    new = [content for name, content in other.pieces.items() if name not in one.pieces]
    assert len(new) <= 8
    assert sum(map(len, new)) < 4 * MAX_PIECE_BYTES
    assert len(other.pieces) > 20


def test_short_value_is_one_piece():
    for value in ("x" * (MAX_PIECE_BYTES - 100), [0.5] * 100, tuple(texts(5)), {"one": "x" * 100}):
        knife = cutter()
        assert knife.split(value).entries == [*knife.pieces]


def test_short_values_share_pieces():
    knife = cutter()
    knife.split([f"number {number}" for number in range(1_000)])
    assert len(knife.pieces) < 1_000 * 40 / MIN_PIECE_BYTES


def test_piece_names_and_boundaries_depend_on_secret():
    one, other = cutter(), StateSplitter(dumps, b"another secret")
    for knife in (one, other):
        knife.split([*texts(3), LONG])
    assert not set(one.pieces) & set(other.pieces)
    assert [*map(len, one.pieces.values())] != [*map(len, other.pieces.values())]


def test_thread_cache_evicts_oldest_entries():
    shelf = ThreadCache[str]()
    large = CACHE_BYTES // 4
    for number in range(6):
        shelf.add_pieces({bytes([number]): bytes(large)})
    assert set(shelf.get_pieces(bytes([number]) for number in range(6))) == {b"\2", b"\3", b"\4", b"\5"}
    for number in range(MAX_THREADS + 1):
        shelf.add_thread(str(number), CachedThread(number, b""))
    assert shelf.get_thread("0") is None
    assert shelf.get_thread("1").revision == 1
    known = CachedThread[str](1, b"")
    known.remember((), {str(number): "record" for number in range(MAX_RECORDS + 1)})
    assert "0" not in known.records
    assert len(known.records) == MAX_RECORDS
