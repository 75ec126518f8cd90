"""The conformance suite for ledgers: subclass it and give it a `ledger` fixture, and `second` where two processes can share
a ledger.

Every test uses partitions with unique names, so the ledger need not be emptied between tests.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count, zip_longest
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keepsaid.errors import StoreClosed
from keepsaid.storage.replica.ledger import (
    BEGINNING,
    Columns,
    ColumnValue,
    Ledger,
    LedgerPoint,
    LedgerRow,
    PartitionDelta,
    PartitionHeader,
)

RowsByKey = dict[tuple[str, str], Columns]
"""All rows of a partition by table and key."""

MEBIBYTE = 1 << 20
NEWS_TIMEOUT = 10.0
"""Seconds within which a notification must arrive."""

EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    # Every example has its own partition, and every backend's subclass runs the same methods.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
VALUES = st.one_of(st.none(), INTEGERS, st.floats(allow_nan=False), st.text(), st.binary())
COLUMN_NAMES = st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True)
COLUMNS = st.dictionaries(COLUMN_NAMES, VALUES, max_size=6)
NAMES = st.tuples(st.sampled_from(["sessions", "messages"]), st.sampled_from(["1", "3:17", "a%20b%3Ac", "x-y_z.w"]))
CHANGES = st.dictionaries(NAMES, st.none() | st.fixed_dictionaries({"n": INTEGERS}), max_size=4)
HISTORIES = st.lists(CHANGES, max_size=4)

_numbers = count()


def new_partition(name: str = "") -> str:
    """Return the name of a partition that was never used."""
    return f"o:{name}{uuid4().hex}-{next(_numbers)}"


def make_row(key: str, **columns: Any) -> LedgerRow:
    """Return a row of a table."""
    return LedgerRow("messages", key, columns)


def make_deletion(key: str) -> LedgerRow:
    """Return the deletion of a row."""
    return LedgerRow("messages", key, None)


def commit_rows(ledger: Ledger, unit: str, after: LedgerPoint, *rows: LedgerRow) -> LedgerPoint:
    """Commit with a new token, which must not be refused. Return the new point."""
    token = uuid4().hex
    assert ledger.commit(unit, after, rows, {}, token) is True
    return LedgerPoint(after.revision + 1, token)


def is_refused(ledger: Ledger, unit: str, after: LedgerPoint, *rows: LedgerRow) -> bool:
    """Whether a commit after a point is refused."""
    return ledger.commit(unit, after, rows, {"refused": True}, uuid4().hex) is False


def load_point(ledger: Ledger, unit: str) -> LedgerPoint:
    """Return the current point of a partition."""
    return ledger.headers([unit])[0].point


def load_content(delta: PartitionDelta) -> RowsByKey:
    """Return the rows of a partition that was loaded from its beginning."""
    assert delta.whole
    return apply_delta({}, delta)


def apply_delta(before: RowsByKey, delta: PartitionDelta) -> RowsByKey:
    """Return a follower's rows after it has applied a delta."""
    now = {} if delta.whole else dict(before)
    names = [(one.table, one.key) for one in delta.rows]
    assert len(names) == len(set(names)), "a row comes once"
    for table, key, columns in delta.rows:
        if columns is None:
            now.pop((table, key), None)
        else:
            now[table, key] = dict(columns)
    return now


def is_same_content(one: RowsByKey, other: RowsByKey) -> bool:
    """Whether rows are equal and have the same types: 1, 1.0 and True are different."""
    return _typed(one) == _typed(other)


def _typed(rows: RowsByKey) -> dict[tuple[str, str], dict[str, tuple[type, ColumnValue]]]:
    return {name: {column: (type(value), value) for column, value in columns.items()} for name, columns in rows.items()}


def is_true_in_time(what: Any) -> bool:
    """Whether a condition becomes true within the timeout."""
    end = time.monotonic() + NEWS_TIMEOUT
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _fail() -> None:
    raise RuntimeError("the listener fails")


def to_rows(changes: Mapping[tuple[str, str], Columns | None]) -> list[LedgerRow]:
    """Return the changes of a generated test as rows."""
    return [LedgerRow(table, key, columns) for (table, key), columns in changes.items()]


def replay_history(ledger: Ledger, unit: str, history: list[Any], tokens: list[str]) -> list[tuple[LedgerPoint, RowsByKey]]:
    """Commit a history, with the given tokens as far as there are any. Return every point with the rows at that point."""
    passed: list[tuple[LedgerPoint, RowsByKey]] = [(BEGINNING, {})]
    for changes, token in zip_longest(history, tokens):
        (after, had), rows = passed[-1], to_rows(changes)
        reached = LedgerPoint(after.revision + 1, token or uuid4().hex)
        assert ledger.commit(unit, after, rows, {}, reached.token) is True
        passed.append((reached, apply_delta(had, PartitionDelta(PartitionHeader(reached), rows, False))))
    return passed


class LedgerConformance:
    """Tests of commits, deltas, headers and notifications."""

    has_notifications = True
    """Set this to False in a subclass if the ledger cannot notify of commits by other processes."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        """Yield the ledger; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def second(self, ledger: Ledger) -> Ledger:
        """Return the same ledger as seen by another process, where that is possible."""
        return ledger

    # -- rows

    def test_unknown_partition_is_empty(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert ledger.headers([unit]) == [PartitionHeader()]
        assert ledger.load(unit, BEGINNING) == PartitionDelta(PartitionHeader(), [], True)

    def test_rows_round_trip(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert (
            ledger.commit(
                unit, BEGINNING, [make_row("1", text="Hello"), LedgerRow("tags", "1", {"tag": "a"})], {"newest": 1}, "t"
            )
            is True
        )
        delta = ledger.load(unit, BEGINNING)
        assert delta.header == PartitionHeader(LedgerPoint(1, "t"), {"newest": 1})
        assert load_content(delta) == {("messages", "1"): {"text": "Hello"}, ("tags", "1"): {"tag": "a"}}

    @pytest.mark.parametrize(
        "value",
        [
            None, 0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, 1.0, -1.5e-300, 1e300, 0.1 + 0.2, float("inf"), "", " ",
            "0", "1.0", "null", "Ünïcödé 東京 👩‍👩‍👧", "a\x00b", "line\nline\r\n\t\u2028", '"\\/', "\ufeff", "e\u0301", b"",
            b"\x00\xff\xfe\n", bytes(range(256)), b"text",
        ],
        ids=repr,
    )  # fmt: skip
    def test_value_is_stored_exactly(self, ledger: Ledger, value: Any) -> None:
        unit = new_partition()
        commit_rows(ledger, unit, BEGINNING, make_row("1", value=value, other=7))
        assert is_same_content(load_content(ledger.load(unit, BEGINNING)), {("messages", "1"): {"value": value, "other": 7}})

    @given(columns=COLUMNS)
    @EXAMPLES
    def test_any_row_is_stored_exactly(self, ledger: Ledger, columns: Columns) -> None:
        unit = new_partition()
        commit_rows(ledger, unit, BEGINNING, LedgerRow("messages", "1", columns))
        assert is_same_content(load_content(ledger.load(unit, BEGINNING)), {("messages", "1"): columns})

    def test_row_without_columns_is_stored(self, ledger: Ledger) -> None:
        unit = new_partition()
        commit_rows(ledger, unit, BEGINNING, LedgerRow("messages", "1", {}))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {}}

    def test_row_is_replaced_as_a_whole(self, ledger: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", text="one", extra=1), make_row("2", text="two"))
        commit_rows(ledger, unit, first, make_row("1", text="ONE"))
        assert load_content(ledger.load(unit, BEGINNING)) == {
            ("messages", "1"): {"text": "ONE"},
            ("messages", "2"): {"text": "two"},
        }

    def test_row_can_be_deleted_and_added_again(self, ledger: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1), make_row("2", n=2))
        without = commit_rows(ledger, unit, first, make_deletion("1"), make_deletion("never there"))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "2"): {"n": 2}}
        commit_rows(ledger, unit, without, make_row("1", n=3))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 3}, ("messages", "2"): {"n": 2}}

    def test_tables_and_partitions_are_separate(self, ledger: Ledger) -> None:
        one, other = new_partition("a"), new_partition("b")
        commit_rows(ledger, one, BEGINNING, make_row("1", n=1), LedgerRow("tags", "1", {"n": 2}))
        commit_rows(ledger, other, commit_rows(ledger, other, BEGINNING, make_row("1", n=3)), make_deletion("1"))
        assert load_content(ledger.load(one, BEGINNING)) == {("messages", "1"): {"n": 1}, ("tags", "1"): {"n": 2}}

    @pytest.mark.parametrize(
        "name", ["", "{x}", "}", "{}", "a b/c:d%20e", "*?[a]", "Ünï 東京 👩‍👧", "..", "__x__", "n" * 200]
    )
    def test_partition_can_have_any_name(self, ledger: Ledger, name: str) -> None:
        for unit in (new_partition(name), name + new_partition()):
            first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
            commit_rows(ledger, unit, first, make_row("2", n=2))
            assert load_content(ledger.load(unit, BEGINNING)).keys() == {("messages", "1"), ("messages", "2")}
            assert len(ledger.load(unit, first).rows) == 1
            assert unit in dict(ledger.list_partitions())

    def test_commit_without_rows(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert ledger.commit(unit, BEGINNING, [], {"only": "a note"}, "t")
        header = PartitionHeader(LedgerPoint(1, "t"), {"only": "a note"})
        assert ledger.headers([unit]) == [header]
        assert ledger.load(unit, BEGINNING) == PartitionDelta(header, [], True)

    def test_five_thousand_rows_in_one_commit(self, ledger: Ledger) -> None:
        unit = new_partition()
        many = [make_row(str(number), n=number, text="word " * 20) for number in range(5000)]
        first = commit_rows(ledger, unit, BEGINNING, make_row("first", n=0))
        second = commit_rows(ledger, unit, first, *many)
        assert len(load_content(ledger.load(unit, BEGINNING))) == 5001
        delta = ledger.load(unit, first)
        assert len(apply_delta({}, delta)) == 5000 + delta.whole
        commit_rows(ledger, unit, second, *(make_deletion(one.key) for one in many))
        assert load_content(ledger.load(unit, BEGINNING)).keys() == {("messages", "first")}

    def test_large_row(self, ledger: Ledger) -> None:
        unit = new_partition()
        size = min(ledger.largest_message, 4 * MEBIBYTE) // 2
        large = {"text": "ü" * (size // 2), "vector": bytes(size // 256) * 255}
        commit_rows(ledger, unit, BEGINNING, LedgerRow("messages", "1", large))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): large}

    # -- points

    def test_partition_is_at_point_of_last_commit(self, ledger: Ledger) -> None:
        unit, after = new_partition(), BEGINNING
        for token in ("first", "second", "third"):
            assert ledger.commit(unit, after, [make_row("1", n=1)], {}, token)
            after = LedgerPoint(after.revision + 1, token)
            assert load_point(ledger, unit) == dict(ledger.list_partitions())[unit].point == after
            assert ledger.load(unit, BEGINNING).header.point == ledger.load(unit, after).header.point == after

    def test_commit_after_another_revision_is_refused(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert is_refused(ledger, unit, LedgerPoint(1, "token"), make_row("1", n=0))
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        newest = commit_rows(ledger, unit, first, make_row("1", n=2))
        for after in (BEGINNING, first, LedgerPoint(3, newest.token), LedgerPoint(99, "token")):
            assert is_refused(ledger, unit, after, make_row("1", n=9), make_row("9", n=9))
        delta = ledger.load(unit, BEGINNING)
        assert (delta.header, load_content(delta)) == (PartitionHeader(newest, {}), {("messages", "1"): {"n": 2}})

    def test_commit_after_another_token_is_refused(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert is_refused(ledger, unit, LedgerPoint(0, "another"), make_row("1", n=0))
        assert ledger.headers([unit]) == [PartitionHeader()]
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        newest = commit_rows(ledger, unit, first, make_row("1", n=2))
        for token in ("another", "", first.token):
            assert is_refused(ledger, unit, LedgerPoint(newest.revision, token), make_row("1", n=9), make_row("9", n=9))
        delta = ledger.load(unit, BEGINNING)
        assert (delta.header, load_content(delta)) == (PartitionHeader(newest, {}), {("messages", "1"): {"n": 2}})

    def test_repeated_commit_is_stored_once(self, ledger: Ledger) -> None:
        unit, first = new_partition(), LedgerPoint(1, "first")
        for _ in range(3):
            assert ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {"n": 1}, "first") is True
        assert ledger.headers([unit]) == [PartitionHeader(first, {"n": 1})]
        commit_rows(ledger, unit, first, make_row("1", n=2))
        assert ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {"n": 1}, "first") is True
        assert ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {"n": 1}, "another") is False
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}

    def test_token_belongs_to_partition_and_revision(self, ledger: Ledger) -> None:
        unit = new_partition()
        assert ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {}, "token")
        assert not ledger.commit(unit, LedgerPoint(5, "token"), [make_row("1", n=5)], {}, "token")
        assert ledger.commit(new_partition(), BEGINNING, [make_row("1", n=1)], {}, "token")
        assert ledger.headers([unit]) == [PartitionHeader(LedgerPoint(1, "token"), {})]

    def test_refused_commit_stays_refused(self, ledger: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        for _ in range(2):
            assert ledger.commit(unit, BEGINNING, [make_row("1", n=9)], {}, "refused") is False
        assert ledger.commit(unit, first, [make_row("1", n=2)], {}, "refused") is True

    # -- deltas

    def test_delta_has_newest_state_of_changed_rows(self, ledger: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1), make_row("2", n=1), make_row("3", n=1))
        newer = commit_rows(ledger, unit, first, make_row("1", n=2), make_deletion("2"))
        newest = commit_rows(ledger, unit, newer, make_row("1", n=3), make_row("4", n=3))
        delta = ledger.load(unit, first)
        assert delta.header.point == newest
        assert apply_delta({("messages", "3"): {"n": 1}}, delta) == {
            ("messages", "1"): {"n": 3},
            ("messages", "3"): {"n": 1},
            ("messages", "4"): {"n": 3},
        }
        if not delta.whole:
            assert {(one.key, one.columns is None) for one in delta.rows} == {("1", False), ("2", True), ("4", False)}

    def test_recent_changes_are_loaded_as_delta(self, ledger: Ledger) -> None:
        unit = new_partition()
        before = commit_rows(ledger, unit, BEGINNING, make_row("0", n=0))
        for number in range(1, 20):
            now = commit_rows(ledger, unit, before, make_row(str(number), n=number))
            delta = ledger.load(unit, before)
            assert not delta.whole
            assert [one.key for one in delta.rows] == [str(number)]
            before = now

    def test_delta_from_current_point_is_empty(self, ledger: Ledger) -> None:
        unit, now = new_partition(), LedgerPoint(1, "t")
        ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {"n": 1}, "t")
        assert ledger.load(unit, now) == PartitionDelta(PartitionHeader(now, {"n": 1}), [], False)

    def test_point_ahead_of_partition_loads_everything(self, ledger: Ledger) -> None:
        unit, ahead = new_partition(), LedgerPoint(7, "token")
        assert ledger.load(unit, ahead) == PartitionDelta(PartitionHeader(), [], True)
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        for since in (ahead, LedgerPoint(7, first.token)):
            assert load_content(ledger.load(unit, since)) == {("messages", "1"): {"n": 1}}

    def test_point_with_another_token_loads_everything(self, ledger: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        newest = commit_rows(ledger, unit, first, make_row("2", n=2))
        for revision, token in ((1, "another"), (2, "another"), (1, newest.token), (2, first.token), (1, ""), (2, "")):
            delta = ledger.load(unit, LedgerPoint(revision, token))
            assert delta.header.point == newest
            assert load_content(delta).keys() == {("messages", "1"), ("messages", "2")}

    @given(commits=st.lists(st.tuples(CHANGES, st.booleans(), st.booleans()), max_size=12), data=st.data())
    @EXAMPLES
    def test_followers_converge(self, ledger: Ledger, commits: list[Any], data: st.DataObject) -> None:
        """Followers that load at different times all get the same rows, and so does a new one."""
        unit, point = new_partition(), BEGINNING
        truth: RowsByKey = {}
        followers: list[tuple[LedgerPoint, RowsByKey]] = [(BEGINNING, {})] * 3
        for changes, is_late, is_repeated in commits:
            rows = to_rows(changes)
            if is_late:
                assert is_refused(ledger, unit, LedgerPoint(point.revision + 1, uuid4().hex), *rows)
            token = uuid4().hex
            for _ in range(1 + is_repeated):
                assert ledger.commit(unit, point, rows, {"at": point.revision + 1}, token) is True
            point = LedgerPoint(point.revision + 1, token)
            truth = apply_delta(truth, PartitionDelta(PartitionHeader(point), rows, False))
            index = data.draw(st.integers(0, 3))
            if index < len(followers):
                since, had = followers[index]
                followers[index] = point, apply_delta(had, ledger.load(unit, since))
                assert is_same_content(followers[index][1], truth)
        assert load_point(ledger, unit) == point
        for since, had in [*followers, (BEGINNING, {})]:
            assert is_same_content(apply_delta(had, ledger.load(unit, since)), truth)

    @given(common=HISTORIES, lost=HISTORIES, kept=HISTORIES, data=st.data())
    @EXAMPLES
    def test_followers_of_a_lost_history_converge(
        self, ledger: Ledger, common: list[Any], lost: list[Any], kept: list[Any], data: st.DataObject
    ) -> None:
        """Two partitions start with the same commits. The first stands for a ledger before it lost its newest commits, the
        second for the same ledger afterwards. A follower of the first can commit to the second only from a shared point."""
        old, current = new_partition(), new_partition()
        tokens = [uuid4().hex for _ in common]
        before = replay_history(ledger, old, [*common, *lost], tokens)
        now = replay_history(ledger, current, [*common, *kept], tokens)
        since, had = data.draw(st.sampled_from(before))
        if since != now[-1][0]:
            assert is_refused(ledger, current, since, make_row("1", n=9))
        delta = ledger.load(current, since)
        assert delta.header.point == now[-1][0]
        assert delta.whole or since in [point for point, _ in now]
        assert is_same_content(apply_delta(had, delta), now[-1][1])

    # -- headers and the list of partitions

    def test_headers_keep_requested_order(self, ledger: Ledger) -> None:
        units = [new_partition() for _ in range(120)]
        for number, unit in enumerate(units):
            if number % 10 == 0:
                ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {"number": number}, "t")
        requested = [*reversed(units), units[0], units[0]]
        expected = {
            unit: PartitionHeader() if number % 10 else PartitionHeader(LedgerPoint(1, "t"), {"number": number})
            for number, unit in enumerate(units)
        }
        assert ledger.headers(requested) == [expected[unit] for unit in requested]
        assert ledger.headers([]) == []

    def test_note_is_replaced_as_a_whole(self, ledger: Ledger) -> None:
        unit, after = new_partition(), BEGINNING
        first = {"0": {"mark": [3, 1, 2**53], "done": {"a/b:c.d": 1}, "empty": {}}, "name": "Ünï", "none": None, "yes": True}
        for note in (first, {"1": 1.5}, {}):
            ledger.commit(unit, after, [make_row("1", n=1)], note, "t")
            after = LedgerPoint(after.revision + 1, "t")
            assert ledger.headers([unit]) == [PartitionHeader(after, note)]
            assert ledger.load(unit, BEGINNING).header == PartitionHeader(after, note)

    def test_every_partition_is_listed_once(self, ledger: Ledger, second: Ledger) -> None:
        units = {new_partition() for _ in range(150)}
        refused = new_partition()
        for unit in units:
            ledger.commit(unit, BEGINNING, [], {"of": unit}, "t")
        ledger.commit(refused, LedgerPoint(1, "t"), [], {}, "t")
        for one in (ledger, second):
            listed = list(one.list_partitions())
            assert len(listed) == len(dict(listed))
            assert units <= dict(listed).keys()
            assert refused not in dict(listed)
            assert all(dict(listed)[unit] == PartitionHeader(LedgerPoint(1, "t"), {"of": unit}) for unit in units)

    # -- concurrency

    def test_commit_is_visible_to_another_process(self, ledger: Ledger, second: Ledger) -> None:
        unit = new_partition()
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        assert load_content(second.load(unit, BEGINNING)) == {("messages", "1"): {"n": 1}}
        commit_rows(second, unit, first, make_row("1", n=2))
        assert is_refused(ledger, unit, first, make_row("1", n=3))
        assert apply_delta({}, ledger.load(unit, first)) == {("messages", "1"): {"n": 2}}

    def test_concurrent_commits_lose_nothing(self, ledger: Ledger, second: Ledger) -> None:
        """All threads increment one row; a reader never sees half of a commit."""
        unit, threads, times = new_partition(), 6, 8
        commit_rows(ledger, unit, BEGINNING, make_row("count", n=0), make_row("twin", n=0))

        def count_up(number: int) -> int:
            mine, done = (ledger, second)[number % 2], 0
            while done < times:
                delta = mine.load(unit, BEGINNING)
                here = load_content(delta)
                n = here["messages", "count"]["n"]
                assert n == here["messages", "twin"]["n"] == delta.header.point.revision - 1
                assert isinstance(n, int)
                rows = [make_row("count", n=n + 1), make_row("twin", n=n + 1), make_row(f"{number}-{done}", n=n)]
                done += mine.commit(unit, delta.header.point, rows, {}, uuid4().hex)
            return done

        with ThreadPoolExecutor(threads) as pool:
            assert sum(pool.map(count_up, range(threads))) == threads * times
        delta = ledger.load(unit, BEGINNING)
        assert delta.header.point.revision == threads * times + 1
        assert len(delta.rows) == threads * times + 2

    def test_only_one_concurrent_first_commit_succeeds(self, ledger: Ledger, second: Ledger) -> None:
        unit, together = new_partition(), threading.Barrier(6)

        def begin(number: int) -> bool:
            together.wait()
            return (ledger, second)[number % 2].commit(unit, BEGINNING, [make_row("1", n=number)], {}, str(number))

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(begin, range(6))) == [False] * 5 + [True]

    def test_load_is_consistent(self, ledger: Ledger, second: Ledger) -> None:
        """While one thread commits rows that must all have the same number, another follows them."""
        unit, commits = new_partition(), 25
        keys = [str(key) for key in range(40)]
        first = commit_rows(ledger, unit, BEGINNING, *(make_row(key, n=1) for key in keys))

        def write() -> None:
            after = first
            for number in range(2, commits + 1):
                after = commit_rows(ledger, unit, after, *(make_row(key, n=number) for key in keys))

        writer = threading.Thread(target=write)
        writer.start()
        since, had = BEGINNING, RowsByKey()
        while since.revision < commits:
            delta = second.load(unit, since)
            since, had = delta.header.point, apply_delta(had, delta)
            assert {columns["n"] for columns in had.values()} == {since.revision}
            assert len({columns["n"] for columns in load_content(second.load(unit, BEGINNING)).values()}) == 1
        writer.join()

    # -- notifications

    def test_stamp_changes_after_commit(self, ledger: Ledger, second: Ledger) -> None:
        before = second.stamp()
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        assert is_true_in_time(lambda: second.stamp() != before)

    def test_commit_notifies_other_processes(self, ledger: Ledger, second: Ledger) -> None:
        if second is ledger or not self.has_notifications:
            pytest.skip("needs a second process's view of the place, and a place that tells")
        heard, also_heard = threading.Event(), threading.Event()
        second.on_remote_commit(heard.set)
        second.on_remote_commit(also_heard.set)
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        assert heard.wait(NEWS_TIMEOUT)
        assert also_heard.wait(NEWS_TIMEOUT)
        heard.clear()
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        assert heard.wait(NEWS_TIMEOUT)

    def test_failing_listener_does_not_affect_others(self, ledger: Ledger, second: Ledger) -> None:
        if second is ledger or not self.has_notifications:
            pytest.skip("needs a second process's view of the place, and a place that tells")
        heard = threading.Event()
        second.on_remote_commit(_fail)
        second.on_remote_commit(heard.set)
        for _ in range(2):
            assert commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
            assert heard.wait(NEWS_TIMEOUT)
            heard.clear()

    # -- warnings and close

    def test_warnings_are_texts(self, ledger: Ledger) -> None:
        assert all(isinstance(warning, str) and warning for warning in ledger.warnings())

    def test_closed_ledger_raises(self, ledger: Ledger) -> None:
        ledger.close()
        ledger.close()
        for use in (
            lambda: ledger.headers(["o:ann"]),
            lambda: ledger.load("o:ann", BEGINNING),
            lambda: commit_rows(ledger, "o:ann", BEGINNING, make_row("1", n=1)),
            lambda: list(ledger.list_partitions()),
            lambda: ledger.stamp(),
        ):
            with pytest.raises(StoreClosed):
                use()
