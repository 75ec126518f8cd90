"""The conformance suite of ledgers: subclass it and give it a `ledger` fixture, and `second` where two processes can share
the place.

Every test works on units of names that no other test has, so the place need not be emptied in between.
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

from recollect.errors import StoreClosed
from recollect.storage.mirror.ledger import BEGINNING, Columns, Delta, Header, Ledger, Point, Row, Value

Content = dict[tuple[str, str], Columns]
"""All rows of a unit by table and key."""

MEBIBYTE = 1 << 20
SOON = 10.0
"""Seconds within which news must have come."""

EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    # Every example has a unit of its own, and every backend's subclass runs the same methods.
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


def a_unit(name: str = "") -> str:
    """A unit that nobody has used."""
    return f"o:{name}{uuid4().hex}-{next(_numbers)}"


def row(key: str, **columns: Any) -> Row:
    """A row of some table."""
    return Row("messages", key, columns)


def gone(key: str) -> Row:
    """A row that was taken away."""
    return Row("messages", key, None)


def commit(ledger: Ledger, unit: str, after: Point, *rows: Row) -> Point:
    """Commits with a token that nobody has used, which must not be refused; the point that it made."""
    token = uuid4().hex
    assert ledger.commit(unit, after, rows, {}, token) is True
    return Point(after.revision + 1, token)


def is_refused(ledger: Ledger, unit: str, after: Point, *rows: Row) -> bool:
    """Whether what was computed from a point is not kept."""
    return ledger.commit(unit, after, rows, {"refused": True}, uuid4().hex) is False


def point_of(ledger: Ledger, unit: str) -> Point:
    """Where a unit is."""
    return ledger.headers([unit])[0].point


def content(delta: Delta) -> Content:
    """The rows of a unit that was loaded from its beginning."""
    assert delta.whole
    return followed({}, delta)


def followed(before: Content, delta: Delta) -> Content:
    """What a follower has after it took a delta."""
    now = {} if delta.whole else dict(before)
    names = [(row.table, row.key) for row in delta.rows]
    assert len(names) == len(set(names)), "a row comes once"
    for table, key, columns in delta.rows:
        if columns is None:
            now.pop((table, key), None)
        else:
            now[table, key] = dict(columns)
    return now


def the_same(one: Content, other: Content) -> bool:
    """Equal, and of the same types: 1, 1.0 and True are three values."""
    return _typed(one) == _typed(other)


def _typed(rows: Content) -> dict[tuple[str, str], dict[str, tuple[type, Value]]]:
    return {name: {column: (type(value), value) for column, value in columns.items()} for name, columns in rows.items()}


def soon(what: Any) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + SOON
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _fail() -> None:
    raise RuntimeError("whoever listens fails")


def rows_of(changes: Mapping[tuple[str, str], Columns | None]) -> list[Row]:
    """Changes that a test was given, as rows."""
    return [Row(table, key, columns) for (table, key), columns in changes.items()]


def relive(ledger: Ledger, unit: str, history: list[Any], tokens: list[str]) -> list[tuple[Point, Content]]:
    """Commits one after the other, with these tokens as far as they go; every point on the way, and what was there."""
    passed: list[tuple[Point, Content]] = [(BEGINNING, {})]
    for changes, token in zip_longest(history, tokens):
        (after, had), rows = passed[-1], rows_of(changes)
        reached = Point(after.revision + 1, token or uuid4().hex)
        assert ledger.commit(unit, after, rows, {}, reached.token) is True
        passed.append((reached, followed(had, Delta(Header(reached), rows, False))))
    return passed


class LedgerConformance:
    """Every test is one promise."""

    tells_news = True
    """A subclass says False where the place cannot tell of what other processes committed."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        """The ledger; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def second(self, ledger: Ledger) -> Ledger:
        """The same place, as another process sees it, where that is possible."""
        return ledger

    # -- what is kept

    def test_a_unit_that_never_was_is_empty(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert ledger.headers([unit]) == [Header()]
        assert ledger.load(unit, BEGINNING) == Delta(Header(), [], True)

    def test_rows_come_back(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert (
            ledger.commit(unit, BEGINNING, [row("1", text="Hello"), Row("tags", "1", {"tag": "a"})], {"newest": 1}, "t")
            is True
        )
        delta = ledger.load(unit, BEGINNING)
        assert delta.header == Header(Point(1, "t"), {"newest": 1})
        assert content(delta) == {("messages", "1"): {"text": "Hello"}, ("tags", "1"): {"tag": "a"}}

    @pytest.mark.parametrize(
        "value",
        [
            None, 0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, 1.0, -1.5e-300, 1e300, 0.1 + 0.2, float("inf"), "", " ",
            "0", "1.0", "null", "Ünïcödé 東京 👩‍👩‍👧", "a\x00b", "line\nline\r\n\t\u2028", '"\\/', "\ufeff", "e\u0301", b"",
            b"\x00\xff\xfe\n", bytes(range(256)), b"text",
        ],
        ids=repr,
    )  # fmt: skip
    def test_a_value_is_kept_exactly(self, ledger: Ledger, value: Any) -> None:
        unit = a_unit()
        commit(ledger, unit, BEGINNING, row("1", value=value, other=7))
        assert the_same(content(ledger.load(unit, BEGINNING)), {("messages", "1"): {"value": value, "other": 7}})

    @given(columns=COLUMNS)
    @EXAMPLES
    def test_any_row_is_kept_exactly(self, ledger: Ledger, columns: Columns) -> None:
        unit = a_unit()
        commit(ledger, unit, BEGINNING, Row("messages", "1", columns))
        assert the_same(content(ledger.load(unit, BEGINNING)), {("messages", "1"): columns})

    def test_a_row_without_columns_is_there(self, ledger: Ledger) -> None:
        unit = a_unit()
        commit(ledger, unit, BEGINNING, Row("messages", "1", {}))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {}}

    def test_a_row_is_replaced_with_all_its_columns(self, ledger: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", text="one", extra=1), row("2", text="two"))
        commit(ledger, unit, first, row("1", text="ONE"))
        assert content(ledger.load(unit, BEGINNING)) == {
            ("messages", "1"): {"text": "ONE"},
            ("messages", "2"): {"text": "two"},
        }

    def test_a_row_can_go_and_come_again(self, ledger: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", n=1), row("2", n=2))
        without = commit(ledger, unit, first, gone("1"), gone("never there"))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "2"): {"n": 2}}
        commit(ledger, unit, without, row("1", n=3))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 3}, ("messages", "2"): {"n": 2}}

    def test_tables_and_units_do_not_mix(self, ledger: Ledger) -> None:
        one, other = a_unit("a"), a_unit("b")
        commit(ledger, one, BEGINNING, row("1", n=1), Row("tags", "1", {"n": 2}))
        commit(ledger, other, commit(ledger, other, BEGINNING, row("1", n=3)), gone("1"))
        assert content(ledger.load(one, BEGINNING)) == {("messages", "1"): {"n": 1}, ("tags", "1"): {"n": 2}}

    @pytest.mark.parametrize(
        "name", ["", "{x}", "}", "{}", "a b/c:d%20e", "*?[a]", "Ünï 東京 👩‍👧", "..", "__x__", "n" * 200]
    )
    def test_a_unit_may_have_any_name(self, ledger: Ledger, name: str) -> None:
        for unit in (a_unit(name), name + a_unit()):
            first = commit(ledger, unit, BEGINNING, row("1", n=1))
            commit(ledger, unit, first, row("2", n=2))
            assert content(ledger.load(unit, BEGINNING)).keys() == {("messages", "1"), ("messages", "2")}
            assert len(ledger.load(unit, first).rows) == 1
            assert unit in dict(ledger.units())

    def test_a_commit_may_have_no_rows(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert ledger.commit(unit, BEGINNING, [], {"only": "a note"}, "t")
        header = Header(Point(1, "t"), {"only": "a note"})
        assert ledger.headers([unit]) == [header]
        assert ledger.load(unit, BEGINNING) == Delta(header, [], True)

    def test_five_thousand_rows_in_one_commit(self, ledger: Ledger) -> None:
        unit = a_unit()
        many = [row(str(number), n=number, text="word " * 20) for number in range(5000)]
        first = commit(ledger, unit, BEGINNING, row("first", n=0))
        second = commit(ledger, unit, first, *many)
        assert len(content(ledger.load(unit, BEGINNING))) == 5001
        delta = ledger.load(unit, first)
        assert len(followed({}, delta)) == 5000 + delta.whole
        commit(ledger, unit, second, *(gone(one.key) for one in many))
        assert content(ledger.load(unit, BEGINNING)).keys() == {("messages", "first")}

    def test_a_large_row(self, ledger: Ledger) -> None:
        unit = a_unit()
        size = min(ledger.largest_message, 4 * MEBIBYTE) // 2
        large = {"text": "ü" * (size // 2), "vector": bytes(size // 256) * 255}
        commit(ledger, unit, BEGINNING, Row("messages", "1", large))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): large}

    # -- points

    def test_a_unit_is_at_the_point_that_its_last_commit_made(self, ledger: Ledger) -> None:
        unit, after = a_unit(), BEGINNING
        for token in ("first", "second", "third"):
            assert ledger.commit(unit, after, [row("1", n=1)], {}, token)
            after = Point(after.revision + 1, token)
            assert point_of(ledger, unit) == dict(ledger.units())[unit].point == after
            assert ledger.load(unit, BEGINNING).header.point == ledger.load(unit, after).header.point == after

    def test_what_was_computed_from_another_revision_is_not_kept(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert is_refused(ledger, unit, Point(1, "token"), row("1", n=0))
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        newest = commit(ledger, unit, first, row("1", n=2))
        for after in (BEGINNING, first, Point(3, newest.token), Point(99, "token")):
            assert is_refused(ledger, unit, after, row("1", n=9), row("9", n=9))
        delta = ledger.load(unit, BEGINNING)
        assert (delta.header, content(delta)) == (Header(newest, {}), {("messages", "1"): {"n": 2}})

    def test_what_was_computed_from_a_point_of_another_token_is_not_kept(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert is_refused(ledger, unit, Point(0, "another"), row("1", n=0))
        assert ledger.headers([unit]) == [Header()]
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        newest = commit(ledger, unit, first, row("1", n=2))
        for token in ("another", "", first.token):
            assert is_refused(ledger, unit, Point(newest.revision, token), row("1", n=9), row("9", n=9))
        delta = ledger.load(unit, BEGINNING)
        assert (delta.header, content(delta)) == (Header(newest, {}), {("messages", "1"): {"n": 2}})

    def test_a_commit_sent_again_is_kept_once(self, ledger: Ledger) -> None:
        unit, first = a_unit(), Point(1, "first")
        for _ in range(3):
            assert ledger.commit(unit, BEGINNING, [row("1", n=1)], {"n": 1}, "first") is True
        assert ledger.headers([unit]) == [Header(first, {"n": 1})]
        commit(ledger, unit, first, row("1", n=2))
        assert ledger.commit(unit, BEGINNING, [row("1", n=1)], {"n": 1}, "first") is True
        assert ledger.commit(unit, BEGINNING, [row("1", n=1)], {"n": 1}, "another") is False
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}

    def test_a_token_is_of_its_unit_and_revision(self, ledger: Ledger) -> None:
        unit = a_unit()
        assert ledger.commit(unit, BEGINNING, [row("1", n=1)], {}, "token")
        assert not ledger.commit(unit, Point(5, "token"), [row("1", n=5)], {}, "token")
        assert ledger.commit(a_unit(), BEGINNING, [row("1", n=1)], {}, "token")
        assert ledger.headers([unit]) == [Header(Point(1, "token"), {})]

    def test_a_refused_commit_may_be_sent_again_and_is_still_refused(self, ledger: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        for _ in range(2):
            assert ledger.commit(unit, BEGINNING, [row("1", n=9)], {}, "refused") is False
        assert ledger.commit(unit, first, [row("1", n=2)], {}, "refused") is True

    # -- what came since

    def test_a_delta_has_what_changed_in_its_newest_state(self, ledger: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", n=1), row("2", n=1), row("3", n=1))
        newer = commit(ledger, unit, first, row("1", n=2), gone("2"))
        newest = commit(ledger, unit, newer, row("1", n=3), row("4", n=3))
        delta = ledger.load(unit, first)
        assert delta.header.point == newest
        assert followed({("messages", "3"): {"n": 1}}, delta) == {
            ("messages", "1"): {"n": 3},
            ("messages", "3"): {"n": 1},
            ("messages", "4"): {"n": 3},
        }
        if not delta.whole:
            assert {(one.key, one.columns is None) for one in delta.rows} == {("1", False), ("2", True), ("4", False)}

    def test_the_newest_changes_are_known(self, ledger: Ledger) -> None:
        unit = a_unit()
        before = commit(ledger, unit, BEGINNING, row("0", n=0))
        for number in range(1, 20):
            now = commit(ledger, unit, before, row(str(number), n=number))
            delta = ledger.load(unit, before)
            assert not delta.whole
            assert [one.key for one in delta.rows] == [str(number)]
            before = now

    def test_nothing_came_since_now(self, ledger: Ledger) -> None:
        unit, now = a_unit(), Point(1, "t")
        ledger.commit(unit, BEGINNING, [row("1", n=1)], {"n": 1}, "t")
        assert ledger.load(unit, now) == Delta(Header(now, {"n": 1}), [], False)

    def test_who_is_ahead_of_the_unit_must_forget_all(self, ledger: Ledger) -> None:
        unit, ahead = a_unit(), Point(7, "token")
        assert ledger.load(unit, ahead) == Delta(Header(), [], True)
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        for since in (ahead, Point(7, first.token)):
            assert content(ledger.load(unit, since)) == {("messages", "1"): {"n": 1}}

    def test_who_is_at_a_point_of_another_token_must_forget_all(self, ledger: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        newest = commit(ledger, unit, first, row("2", n=2))
        for revision, token in ((1, "another"), (2, "another"), (1, newest.token), (2, first.token), (1, ""), (2, "")):
            delta = ledger.load(unit, Point(revision, token))
            assert delta.header.point == newest
            assert content(delta).keys() == {("messages", "1"), ("messages", "2")}

    @given(commits=st.lists(st.tuples(CHANGES, st.booleans(), st.booleans()), max_size=12), data=st.data())
    @EXAMPLES
    def test_whoever_follows_has_what_there_is(self, ledger: Ledger, commits: list[Any], data: st.DataObject) -> None:
        """Followers that look at different times all arrive at the same rows, and the same as whoever comes new."""
        unit, point = a_unit(), BEGINNING
        truth: Content = {}
        followers: list[tuple[Point, Content]] = [(BEGINNING, {})] * 3
        for changes, is_late, is_repeated in commits:
            rows = rows_of(changes)
            if is_late:
                assert is_refused(ledger, unit, Point(point.revision + 1, uuid4().hex), *rows)
            token = uuid4().hex
            for _ in range(1 + is_repeated):
                assert ledger.commit(unit, point, rows, {"at": point.revision + 1}, token) is True
            point = Point(point.revision + 1, token)
            truth = followed(truth, Delta(Header(point), rows, False))
            who = data.draw(st.integers(0, 3))
            if who < len(followers):
                since, had = followers[who]
                followers[who] = point, followed(had, ledger.load(unit, since))
                assert the_same(followers[who][1], truth)
        assert point_of(ledger, unit) == point
        for since, had in [*followers, (BEGINNING, {})]:
            assert the_same(followed(had, ledger.load(unit, since)), truth)

    @given(common=HISTORIES, lost=HISTORIES, kept=HISTORIES, data=st.data())
    @EXAMPLES
    def test_whoever_followed_what_was_lost_has_what_there_is(
        self, ledger: Ledger, common: list[Any], lost: list[Any], kept: list[Any], data: st.DataObject
    ) -> None:
        """Of two units with the same beginning, the first is how a place was, the second how it went on when it had lost
        the newest. Whoever was anywhere in the first can commit to the second only if he was where nothing was lost."""
        was, is_now = a_unit(), a_unit()
        tokens = [uuid4().hex for _ in common]
        before = relive(ledger, was, [*common, *lost], tokens)
        now = relive(ledger, is_now, [*common, *kept], tokens)
        since, had = data.draw(st.sampled_from(before))
        if since != now[-1][0]:
            assert is_refused(ledger, is_now, since, row("1", n=9))
        delta = ledger.load(is_now, since)
        assert delta.header.point == now[-1][0]
        assert delta.whole or since in [point for point, _ in now]
        assert the_same(followed(had, delta), now[-1][1])

    # -- headers and units

    def test_headers_come_in_the_order_asked(self, ledger: Ledger) -> None:
        units = [a_unit() for _ in range(120)]
        for number, unit in enumerate(units):
            if number % 10 == 0:
                ledger.commit(unit, BEGINNING, [row("1", n=1)], {"number": number}, "t")
        asked = [*reversed(units), units[0], units[0]]
        expected = {
            unit: Header() if number % 10 else Header(Point(1, "t"), {"number": number}) for number, unit in enumerate(units)
        }
        assert ledger.headers(asked) == [expected[unit] for unit in asked]
        assert ledger.headers([]) == []

    def test_a_note_is_replaced_as_a_whole(self, ledger: Ledger) -> None:
        unit, after = a_unit(), BEGINNING
        first = {"0": {"mark": [3, 1, 2**53], "done": {"a/b:c.d": 1}, "empty": {}}, "name": "Ünï", "none": None, "yes": True}
        for note in (first, {"1": 1.5}, {}):
            ledger.commit(unit, after, [row("1", n=1)], note, "t")
            after = Point(after.revision + 1, "t")
            assert ledger.headers([unit]) == [Header(after, note)]
            assert ledger.load(unit, BEGINNING).header == Header(after, note)

    def test_every_unit_is_listed_once(self, ledger: Ledger, second: Ledger) -> None:
        units = {a_unit() for _ in range(150)}
        refused = a_unit()
        for unit in units:
            ledger.commit(unit, BEGINNING, [], {"of": unit}, "t")
        ledger.commit(refused, Point(1, "t"), [], {}, "t")
        for one in (ledger, second):
            listed = list(one.units())
            assert len(listed) == len(dict(listed))
            assert units <= dict(listed).keys()
            assert refused not in dict(listed)
            assert all(dict(listed)[unit] == Header(Point(1, "t"), {"of": unit}) for unit in units)

    # -- several at once

    def test_another_process_sees_it_at_once(self, ledger: Ledger, second: Ledger) -> None:
        unit = a_unit()
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        assert content(second.load(unit, BEGINNING)) == {("messages", "1"): {"n": 1}}
        commit(second, unit, first, row("1", n=2))
        assert is_refused(ledger, unit, first, row("1", n=3))
        assert followed({}, ledger.load(unit, first)) == {("messages", "1"): {"n": 2}}

    def test_nothing_is_lost_or_doubled_among_threads(self, ledger: Ledger, second: Ledger) -> None:
        """Everybody counts one row up; a reader never sees a half of a commit."""
        unit, threads, times = a_unit(), 6, 8
        commit(ledger, unit, BEGINNING, row("count", n=0), row("twin", n=0))

        def count_up(number: int) -> int:
            mine, done = (ledger, second)[number % 2], 0
            while done < times:
                delta = mine.load(unit, BEGINNING)
                here = content(delta)
                n = here["messages", "count"]["n"]
                assert n == here["messages", "twin"]["n"] == delta.header.point.revision - 1
                assert isinstance(n, int)
                rows = [row("count", n=n + 1), row("twin", n=n + 1), row(f"{number}-{done}", n=n)]
                done += mine.commit(unit, delta.header.point, rows, {}, uuid4().hex)
            return done

        with ThreadPoolExecutor(threads) as pool:
            assert sum(pool.map(count_up, range(threads))) == threads * times
        delta = ledger.load(unit, BEGINNING)
        assert delta.header.point.revision == threads * times + 1
        assert len(delta.rows) == threads * times + 2

    def test_one_of_many_is_first(self, ledger: Ledger, second: Ledger) -> None:
        unit, together = a_unit(), threading.Barrier(6)

        def begin(number: int) -> bool:
            together.wait()
            return (ledger, second)[number % 2].commit(unit, BEGINNING, [row("1", n=number)], {}, str(number))

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(begin, range(6))) == [False] * 5 + [True]

    def test_what_is_loaded_is_of_one_moment(self, ledger: Ledger, second: Ledger) -> None:
        """While one commits rows that must all have the same number, another follows."""
        unit, commits = a_unit(), 25
        keys = [str(key) for key in range(40)]
        first = commit(ledger, unit, BEGINNING, *(row(key, n=1) for key in keys))

        def write() -> None:
            after = first
            for number in range(2, commits + 1):
                after = commit(ledger, unit, after, *(row(key, n=number) for key in keys))

        writer = threading.Thread(target=write)
        writer.start()
        since, had = BEGINNING, Content()
        while since.revision < commits:
            delta = second.load(unit, since)
            since, had = delta.header.point, followed(had, delta)
            assert {columns["n"] for columns in had.values()} == {since.revision}
            assert len({columns["n"] for columns in content(second.load(unit, BEGINNING)).values()}) == 1
        writer.join()

    # -- news

    def test_the_stamp_differs_after_a_commit(self, ledger: Ledger, second: Ledger) -> None:
        before = second.stamp()
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        assert soon(lambda: second.stamp() != before)

    def test_others_hear_of_a_commit(self, ledger: Ledger, second: Ledger) -> None:
        if second is ledger or not self.tells_news:
            pytest.skip("needs a second process's view of the place, and a place that tells")
        heard, also_heard = threading.Event(), threading.Event()
        second.on_news(heard.set)
        second.on_news(also_heard.set)
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        assert heard.wait(SOON)
        assert also_heard.wait(SOON)
        heard.clear()
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        assert heard.wait(SOON)

    def test_who_fails_on_hearing_keeps_nobody_from_it(self, ledger: Ledger, second: Ledger) -> None:
        if second is ledger or not self.tells_news:
            pytest.skip("needs a second process's view of the place, and a place that tells")
        heard = threading.Event()
        second.on_news(_fail)
        second.on_news(heard.set)
        for _ in range(2):
            assert commit(ledger, a_unit(), BEGINNING, row("1", n=1))
            assert heard.wait(SOON)
            heard.clear()

    # -- the end

    def test_warnings_are_sentences(self, ledger: Ledger) -> None:
        assert all(isinstance(warning, str) and warning for warning in ledger.warnings())

    def test_after_its_end_a_ledger_says_so(self, ledger: Ledger) -> None:
        ledger.close()
        ledger.close()
        for use in (
            lambda: ledger.headers(["o:ann"]),
            lambda: ledger.load("o:ann", BEGINNING),
            lambda: commit(ledger, "o:ann", BEGINNING, row("1", n=1)),
            lambda: list(ledger.units()),
            lambda: ledger.stamp(),
        ):
            with pytest.raises(StoreClosed):
                use()
