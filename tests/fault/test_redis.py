"""Redis that fails in every way a server and a wire can: what is safe is tried again, the rest is an error of ours, and
nothing that was acknowledged is lost or there twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from proxy import proxied
from redis_servers import RedisServer, redis_server, until

from recollect.chat import Chat
from recollect.errors import (
    ConfigError,
    RecollectError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreUnavailable,
)
from recollect.memory import Memory
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.ledger import BEGINNING, Header, Point, Row
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.redis import RedisLedger, durability, loading, news
from recollect.testing.ledger_conformance import (
    LedgerConformance,
    a_unit,
    commit,
    content,
    gone,
    is_refused,
    point_of,
    row,
    soon,
)
from recollect.tokens import counter_for

from .rig import together

RIGHTS = ("+@read", "+@write", "+@scripting", "+@connection", "+wait")


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(scope="module")
def durable() -> Iterator[RedisServer]:
    with redis_server("--appendonly", "yes", "--appendfsync", "always") as server:
        yield server


@pytest.fixture
def forgetful() -> Iterator[RedisServer]:
    """One that comes back, when it was killed, with what it had when it was last told to save."""
    with redis_server("--save", "3600", "1") as server:
        yield server


def opened(url: str) -> closing[RedisLedger]:
    return closing(RedisLedger.open(url))


def load_it(ledger: RedisLedger, unit: str, worker: int, is_over: Callable[[], bool]) -> list[str]:
    """Tries to commit a row of its own, and then another, in competition with others, until it is over; returns those that
    were acknowledged."""
    acknowledged: list[str] = []
    for number in count():
        if is_over():
            break
        key = f"{worker}-{number}"
        with suppress(StoreUnavailable):
            after = point_of(ledger, unit)
            if ledger.commit(unit, after, [row(key, n=number)], {"by": worker}, uuid4().hex):
                acknowledged.append(key)
    return acknowledged


def under_load(ledger: RedisLedger, unit: str, trouble: Callable[[], None], workers: int = 4) -> list[str]:
    """What was acknowledged while there was trouble, and for a moment before and after."""
    over = threading.Event()
    acknowledged: list[str] = []

    def work(number: int) -> None:
        if number < workers:
            acknowledged.extend(load_it(ledger, unit, number, over.is_set))
            return
        try:
            time.sleep(0.2)
            trouble()
            time.sleep(0.2)
        finally:
            over.set()

    together(workers + 1, work)
    return acknowledged


def assert_all_there_once(ledger: RedisLedger, unit: str, acknowledged: list[str]) -> None:
    """Nothing acknowledged is missing; each row was made by one commit, so there are as many as revisions."""
    delta = ledger.load(unit, BEGINNING)
    there = {row.key for row in delta.rows}
    assert len(acknowledged) > 20
    assert len(acknowledged) == len(set(acknowledged))
    assert set(acknowledged) <= there
    assert len(there) == delta.header.point.revision


def memory_at(url: str) -> Memory:
    return Memory(MirrorStorage(RedisLedger.open(url)), MemoryStorage(), counter_for("o200k_base"))


def said(chat: Chat) -> list[str]:
    return [message.text for message in chat.messages()]


def told(chat: Chat) -> list[str]:
    """What a model would be told of it."""
    context = chat.context("What was it?", budget=4000)
    return [message["content"] for message in context.messages if message["role"] == "user"][:-1]


def lose_commits(server: RedisServer) -> None:
    """All that came since it was told to save."""
    server.kill()
    server.start()


# -- the server


def test_nobody_is_there(server: RedisServer) -> None:
    with proxied(server.port) as proxy:
        proxy.refuse()
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"within 0\.3 s"):
            RedisLedger.open(f"redis://127.0.0.1:{proxy.port}/?patience=0.3")
        assert 0.3 <= time.monotonic() - begun < 3
        proxy.allow()


def test_a_restart_in_the_middle_loses_nothing(durable: RedisServer) -> None:
    unit = a_unit()

    def restart() -> None:
        for end in (durable.kill, durable.stop):
            end()
            time.sleep(0.3)
            durable.start()
            time.sleep(0.3)

    with opened(f"{durable.url}/?patience=20") as ledger:
        acknowledged = under_load(ledger, unit, restart)
        assert_all_there_once(ledger, unit, acknowledged)
        assert ledger.warnings() == []


def test_what_is_down_for_too_long_is_an_error_and_then_works_again() -> None:
    unit = a_unit()
    with redis_server("--appendonly", "yes") as server, opened(f"{server.url}/?patience=0.2") as ledger:
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        server.stop()
        for use in (
            lambda: commit(ledger, unit, first, row("1", n=2)),
            lambda: ledger.load(unit, BEGINNING),
            lambda: ledger.headers([unit]),
            lambda: list(ledger.units()),
            ledger.stamp,
        ):
            with pytest.raises(StoreUnavailable):
                use()
        server.start()
        commit(ledger, unit, first, row("1", n=2))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}


def test_a_busy_server_is_waited_for() -> None:
    with redis_server("--lua-time-limit", "50") as server, opened(f"{server.url}/?timeout=1") as ledger:

        def occupy() -> None:
            with suppress(Exception):
                server.ask("EVAL", "while true do end", 0)

        endless = threading.Thread(target=occupy)
        endless.start()
        time.sleep(0.2)
        stop = threading.Timer(0.5, lambda: server.ask("SCRIPT", "KILL"))
        stop.start()
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        endless.join()


def test_a_server_that_lost_its_scripts_gets_them_again(server: RedisServer) -> None:
    unit, after = a_unit(), BEGINNING
    with opened(server.url) as ledger:
        for number in range(3):
            server.ask("SCRIPT", "FLUSH")
            after = commit(ledger, unit, after, row(str(number), n=1))
            server.ask("SCRIPT", "FLUSH")
            assert len(content(ledger.load(unit, BEGINNING))) == number + 1


def test_a_replica_that_is_promoted_takes_over(server: RedisServer) -> None:
    unit = a_unit()
    with redis_server() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", server.port)
        until(lambda: replica.ask("INFO", "replication")["master_link_status"] == "up", "the replica to follow")
        with (
            opened(f"{replica.url}/?patience=0.2") as ledger,
            pytest.raises(StoreUnavailable, match=r"(?i)read only replica"),
        ):
            commit(ledger, unit, BEGINNING, row("1", n=1))
        with opened(f"{replica.url}/?patience=10") as ledger:
            promote = threading.Timer(0.3, lambda: replica.ask("REPLICAOF", "NO", "ONE"))
            promote.start()
            commit(ledger, unit, BEGINNING, row("1", n=1))


def test_a_commit_waits_for_replicas(server: RedisServer) -> None:
    unit, token, url = a_unit(), uuid4().hex, f"{server.url}/?wait=1&wait_timeout=0.2&patience=0.3"
    with opened(url) as ledger:
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas"):
            ledger.commit(unit, BEGINNING, [row("1", n=1)], {}, token)
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas"):
            ledger.commit(unit, BEGINNING, [row("1", n=1)], {}, token)
        with redis_server() as replica:
            replica.ask("REPLICAOF", "127.0.0.1", server.port)
            until(lambda: replica.ask("INFO", "replication")["master_link_status"] == "up", "the replica to follow")
            assert soon(lambda: server.ask("WAIT", 1, 100) == 1)
            assert ledger.commit(unit, BEGINNING, [row("1", n=1)], {}, token) is True
            commit(ledger, unit, Point(1, token), row("2", n=2))
            replica.ask("REPLICAOF", "NO", "ONE")
            with opened(replica.url) as survivor:
                assert len(content(survivor.load(unit, BEGINNING))) == 2
                assert unit in dict(survivor.units())


def test_a_full_server_keeps_nothing_of_a_commit_and_lets_take_away() -> None:
    unit, text, after = a_unit(), "word " * 4000, BEGINNING
    with redis_server("--maxmemory", "6mb", "--maxmemory-policy", "noeviction") as server, opened(server.url) as ledger:
        for number in range(1000):
            try:
                after = commit(ledger, unit, after, row(str(number), text=text))
            except StoreFull:
                break
        delta = ledger.load(unit, BEGINNING)
        assert delta.header.point == after
        assert 50 < after.revision == len(delta.rows) == number < 999
        after = commit(ledger, unit, after, *(gone(str(one)) for one in range(number)), row("last", n=1))
        commit(ledger, unit, after, row("again", text=text))
        assert {key for _, key in content(ledger.load(unit, BEGINNING))} == {"last", "again"}


def test_a_server_that_cannot_write_its_disk_is_full(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    server = RedisServer(folder, "--save", "1000", "1000", "--dbfilename", "dump")
    server.start()
    try:
        with opened(f"{server.url}/?patience=0.2") as ledger:
            (folder / "log").unlink()
            folder.rmdir()
            server.ask("BGSAVE")
            until(lambda: server.ask("INFO", "persistence")["rdb_last_bgsave_status"] == "err", "a failed snapshot")
            with pytest.raises(StoreFull, match="MISCONF"):
                commit(ledger, a_unit(), BEGINNING, row("1", n=1))
    finally:
        server.kill()


# -- who may do what


def test_a_wrong_password_is_a_matter_of_settings() -> None:
    with redis_server("--requirepass", "right/one") as server:
        address = server.url.removeprefix("redis://")
        for who in ("", ":wrong@", "nobody:right@"):
            with pytest.raises(ConfigError, match="denied access") as caught:
                RedisLedger.open(f"redis://{who}{address}")
            assert "right" not in str(caught.value)
        with opened(f"redis://:right%2Fone@{address}") as ledger:
            commit(ledger, a_unit(), BEGINNING, row("1", n=1))


def test_somebody_with_few_rights_is_told_what_could_not_be_checked(server: RedisServer) -> None:
    """The rights that docs/redis.md asks for are enough."""
    server.ask("ACL", "SETUSER", "few", "on", ">pw", "~few:*", *RIGHTS)
    server.ask("ACL", "SETUSER", "none", "on", ">pw", "~other:*", *RIGHTS)
    address = server.url.removeprefix("redis://")
    with opened(f"redis://few:pw@{address}/?prefix=few") as ledger:
        assert ledger.warnings() == [durability.UNKNOWN]
        unit = a_unit()
        commit(ledger, unit, BEGINNING, row("1", n=1))
        assert len(content(ledger.load(unit, BEGINNING))) == 1
        assert unit in dict(ledger.units())
        ledger.on_news(lambda: None)
        ledger.stamp()
    with opened(f"redis://none:pw@{address}/?prefix=few") as ledger, pytest.raises(ConfigError):
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--save ''", [durability.NOTHING]),
        ("--save 3600 1", [durability.SNAPSHOTS]),
        ("--appendonly yes", []),
        ("--appendonly yes --maxmemory 1gb --maxmemory-policy allkeys-lru", [durability.EVICTS.format("allkeys-lru")]),
        ("--appendonly yes --maxmemory 1gb --maxmemory-policy volatile-lru", []),
    ],
)
def test_whoever_runs_it_is_warned(options: str, expected: list[str]) -> None:
    with redis_server(*(word.strip("'") for word in options.split())) as server, opened(server.url) as ledger:
        assert ledger.warnings() == expected


def test_a_net_below_retention_is_in_danger_where_keys_that_end_are_evicted() -> None:
    options = ("--appendonly", "yes", "--maxmemory", "1gb", "--maxmemory-policy", "volatile-lru")
    with redis_server(*options) as server, opened(f"{server.url}/?expire_days=400") as ledger:
        assert ledger.warnings() == [durability.EVICTS.format("volatile-lru")]


# -- the wire


def test_cut_connections_lose_and_double_nothing(server: RedisServer) -> None:
    unit = a_unit()
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}/?patience=20") as ledger:

        def cut() -> None:
            for _ in range(10):
                proxy.cut()
                time.sleep(0.05)
            proxy.refuse()
            time.sleep(0.3)
            proxy.allow()

        assert_all_there_once(ledger, unit, under_load(ledger, unit, cut))


def test_a_commit_whose_answer_is_lost_is_kept_once(server: RedisServer) -> None:
    unit, after = a_unit(), BEGINNING
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}") as ledger:
        for number in range(3):
            proxy.lose_answer_to(unit.encode(), times=number + 1)
            after = commit(ledger, unit, after, row(str(number), n=1))
        assert proxy.lost == 6
        assert ledger.headers([unit]) == [Header(after, {})]
        assert len(content(ledger.load(unit, BEGINNING))) == 3


def test_a_lost_answer_is_no_conflict_though_another_was_quick(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit is kept and its answer lost; before it is sent again, somebody else commits on top of it."""
    unit = a_unit()
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}") as ledger, opened(server.url) as other:
        first = commit(ledger, unit, BEGINNING, row("0", n=0))
        proxy.lose_answer_to(unit.encode())
        quick: list[Point] = []

        def be_quick(_: float) -> None:
            quick.append(commit(other, unit, point_of(other, unit), row("2", n=2)))

        monkeypatch.setattr(ledger._calls, "pause", be_quick)
        commit(ledger, unit, first, row("1", n=1))
        assert quick == [point_of(ledger, unit)]
        assert quick[0].revision == len(content(ledger.load(unit, BEGINNING))) == 3


def test_answers_that_come_too_late_are_an_error_and_the_commit_can_be_sent_again(server: RedisServer) -> None:
    unit, token = a_unit(), uuid4().hex
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}/?timeout=0.2&patience=0.5") as ledger:
        first = commit(ledger, unit, BEGINNING, row("0", n=0))
        proxy.delay = 0.6
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable):
            ledger.commit(unit, first, [row("1", n=1)], {}, token)
        assert time.monotonic() - begun < 3
        proxy.delay = 0.0
        assert soon(lambda: point_of(ledger, unit) == Point(2, token))
        assert ledger.commit(unit, first, [row("1", n=1)], {}, token) is True
        assert point_of(ledger, unit) == Point(2, token)


def test_a_wire_that_swallows_everything_is_noticed(server: RedisServer) -> None:
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}/?timeout=0.2&patience=0.3") as ledger:
        proxy.silent = True
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"(?i)timeout"):
            ledger.headers(["o:ann"])
        assert time.monotonic() - begun < 3


def test_slow_answers_that_come_in_time_are_only_slow(server: RedisServer) -> None:
    unit = a_unit()
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}") as ledger:
        proxy.delay = 0.05
        assert_all_there_once(ledger, unit, under_load(ledger, unit, lambda: time.sleep(2.5)))


def test_more_callers_than_connections_wait_their_turn_or_are_told(server: RedisServer) -> None:
    unit = a_unit()
    with proxied(server.port) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}/?connections=2"
        with opened(url) as ledger:
            proxy.delay = 0.02
            together(12, lambda number: [ledger.headers([unit]) for _ in range(3)] and None)
        proxy.delay = 0.0
        failed: list[RecollectError] = []

        def ask(number: int) -> None:
            try:
                ledger.headers([unit])
            except RecollectError as error:
                failed.append(error)

        with opened(f"{url}&timeout=0.3&patience=0.1") as ledger:
            proxy.delay = 0.2
            together(12, ask)
        assert {type(error) for error in failed} == {StoreBusy}


def test_through_tls(server: RedisServer, tmp_path: Path) -> None:
    from .certificate import self_signed

    certificate = self_signed(tmp_path)
    with proxied(server.port, certificate.server_side()) as proxy:
        with opened(f"rediss://localhost:{proxy.port}/?tls_ca={certificate.path}") as ledger:
            commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        with pytest.raises(StoreUnavailable, match=r"(?i)certificate"):
            RedisLedger.open(f"rediss://localhost:{proxy.port}/?patience=0.1")


# -- what must not happen, and is noticed


def test_rows_that_vanished_are_noticed(server: RedisServer) -> None:
    unit = a_unit()
    with opened(server.url) as ledger:
        first = commit(ledger, unit, BEGINNING, row("1", n=1), row("2", n=2))
        server.ask("HDEL", ledger._keys.of(unit).rows, "messages 1")
        with pytest.raises(StoreCorrupt):
            ledger.load(unit, BEGINNING)
        with pytest.raises(StoreCorrupt):
            commit(ledger, unit, first, row("3", n=3))
        server.ask("DEL", ledger._keys.of(unit).head)
        with pytest.raises(StoreCorrupt):
            ledger.load(unit, BEGINNING)
        with pytest.raises(StoreCorrupt):
            commit(ledger, unit, BEGINNING, row("3", n=3))


def test_a_head_that_went_back_is_noticed(server: RedisServer) -> None:
    unit, after = a_unit(), BEGINNING
    with opened(server.url) as ledger:
        for number in range(3):
            after = commit(ledger, unit, after, row("1", n=number))
        server.ask("HSET", ledger._keys.of(unit).head, "revision", "1")
        with pytest.raises(StoreCorrupt):
            commit(ledger, unit, point_of(ledger, unit), row("2", n=1))
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}


def test_an_unkept_first_commit_leaves_no_unit(server: RedisServer) -> None:
    unit = a_unit()
    with opened(server.url) as ledger:
        server.ask("HSET", ledger._keys.units_with(unit), unit, 1)
        assert unit not in dict(ledger.units())
        commit(ledger, unit, BEGINNING, row("1", n=1))
        assert unit in dict(ledger.units())


def test_units_end_as_the_net_says_unless_something_is_committed(server: RedisServer) -> None:
    unit = a_unit()
    with opened(f"{server.url}/?expire_days=400") as ledger:
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        keys = ledger._keys.of(unit)
        for key in keys:
            server.ask("EXPIRE", key, 100)
        commit(ledger, unit, first, row("1", n=2))
        assert all(399 * 86400 < server.ask("TTL", key) <= 400 * 86400 for key in keys)
    with opened(server.url) as ledger:
        commit(ledger, unit := a_unit(), BEGINNING, row("1", n=1))
        assert [server.ask("TTL", key) for key in ledger._keys.of(unit)] == [-1, -1, -1]


# -- a server that has lost its newest commits


def test_whoever_saw_a_lost_commit_notices_that_another_took_its_revision(forgetful: RedisServer) -> None:
    unit = a_unit()
    with opened(f"{forgetful.url}/?patience=20") as ledger, opened(f"{forgetful.url}/?patience=20") as other:
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        forgetful.ask("SAVE")
        lost = commit(ledger, unit, first, row("lost", n=1))
        lose_commits(forgetful)
        now = commit(other, unit, first, row("another", n=1))
        assert is_refused(ledger, unit, lost, row("2", n=1))
        delta = ledger.load(unit, lost)
        assert delta.header.point == now
        assert content(delta).keys() == {("messages", "1"), ("messages", "another")}
        commit(ledger, unit, now, row("2", n=1))


@pytest.mark.parametrize("does_first", [said, told, None], ids=["reads", "asks", "writes"])
@pytest.mark.parametrize("others_say", range(4))
@pytest.mark.parametrize("has_other_seen", [False, True], ids=["unseen", "seen"])
def test_mirrors_and_place_agree_though_commits_were_lost(
    forgetful: RedisServer, has_other_seen: bool, others_say: int, does_first: Callable[[Chat], list[str]] | None
) -> None:
    """The place comes back with less than before, and goes on to less, as much and more than it was once."""
    url = f"{forgetful.url}/?patience=20"
    with memory_at(url) as one, memory_at(url) as other, memory_at(url) as newcomer:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        others = other.chat(owner="ann", session="s")
        forgetful.ask("SAVE")
        chat.add("user", "lost")
        chat.add("user", "also lost")
        assert said(others if has_other_seen else chat) == ["kept", "lost", "also lost"]
        lose_commits(forgetful)
        expected = ["kept", *(f"new {number}" for number in range(others_say))]
        for text in expected[1:]:
            others.add("user", text)
        if does_first is not None:
            assert does_first(chat) == expected
        chat.add("user", "last")
        assert said(chat) == said(others) == said(newcomer.chat(owner="ann", session="s")) == [*expected, "last"]
        for memory in (one, other, newcomer):
            assert not memory.search("lost", owner="ann")
            assert memory.search("last", owner="ann")[0].message.text == "last"


# -- in pieces


class TestInPieces(LedgerConformance):
    """The whole suite where hardly anything fits into one step."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "MOST", 3)
        monkeypatch.setattr(loading, "PIECE", 10)

    @pytest.fixture
    def ledger(self, server: RedisServer) -> Iterator[RedisLedger]:
        with opened(f"{server.url}/?prefix=pieces") as ledger:
            yield ledger


def test_a_walk_through_a_hash_that_another_server_cut_short_begins_again(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = a_unit()
    monkeypatch.setattr(loading, "MOST", 10)
    with opened(server.url) as ledger:
        commit(ledger, unit, BEGINNING, *(row(str(number), n=number) for number in range(3000)))
        walks, original = [0], ledger._calls.read

        def read(key: str, *command: object) -> object:
            if command[0] == "HSCAN" and command[1] == 0:
                walks[0] += 1
            if command[0] == "HSCAN" and command[1] and walks[0] == 1:
                return (0, {})
            return original(key, *command)

        monkeypatch.setattr(ledger._calls, "read", read)
        assert len(content(ledger.load(unit, BEGINNING))) == 3000
        assert walks == [2]


# -- news and the end


def test_ones_own_commits_are_no_news(server: RedisServer) -> None:
    with opened(f"{server.url}/?prefix=news") as ledger, opened(f"{server.url}/?prefix=news") as other:
        called: list[None] = []
        ledger.on_news(lambda: called.append(None))
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
        time.sleep(3 * news.LISTENED / 1000)
        assert not called
        commit(other, a_unit(), BEGINNING, row("1", n=1))
        assert soon(lambda: called)


def test_a_listener_outlives_an_outage(server: RedisServer) -> None:
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}/?patience=0.2") as ledger:
        heard = threading.Event()
        ledger.on_news(heard.set)
        proxy.refuse()
        time.sleep(0.6)
        with opened(server.url) as other:
            commit(other, a_unit(), BEGINNING, row("1", n=1))
            proxy.allow()
            assert heard.wait(10)
            time.sleep(0.5)
            heard.clear()
            commit(other, a_unit(), BEGINNING, row("1", n=1))
            assert heard.wait(10)


def test_the_end_comes_at_once_for_who_waits(server: RedisServer) -> None:
    with proxied(server.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}/?patience=60") as ledger:
        proxy.refuse()
        ended: list[type] = []

        def wait() -> None:
            try:
                ledger.headers(["o:ann"])
            except RecollectError as error:
                ended.append(type(error))

        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.2)
        begun = time.monotonic()
        ledger.close()
        waiting.join()
        assert time.monotonic() - begun < 2
        assert ended == [StoreClosed]


def test_nothing_listens_after_the_end(server: RedisServer) -> None:
    before = threading.active_count()
    with opened(server.url) as ledger:
        ledger.on_news(lambda: None)
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_rows_are_named_once(server: RedisServer) -> None:
    """Where a commit has a row twice, its last state counts."""
    unit = a_unit()
    with opened(server.url) as ledger:
        ledger.commit(unit, BEGINNING, [row("1", n=1), gone("2"), Row("messages", "1", {"n": 2}), row("2", n=2)], {}, "t")
        assert content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}, ("messages", "2"): {"n": 2}}
