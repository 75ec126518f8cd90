"""The Redis ledger under server and network failures: safe calls are retried, the rest raise errors of this package, and
no acknowledged commit is lost or stored twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from proxy import run_proxy
from redis_servers import RedisServer, redis_server, until

from keepsaid.errors import (
    ConfigError,
    KeepsaidError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreFull,
    StoreUnavailable,
)
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.redis import RedisLedger, durability, loading, notifications
from keepsaid.storage.replica.ledger import BEGINNING, LedgerPoint, LedgerRow, PartitionHeader
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing.ledger_conformance import (
    LedgerConformance,
    commit_rows,
    is_refused,
    is_true_in_time,
    load_content,
    load_point,
    make_deletion,
    make_row,
    new_partition,
)

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


def open_ledger(url: str) -> closing[RedisLedger]:
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
            after = load_point(ledger, unit)
            if ledger.commit(unit, after, [make_row(key, n=number)], {"by": worker}, uuid4().hex):
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
    return Memory(ReplicaStorage(RedisLedger.open(url)), MemoryStorage(), counter_for("o200k_base"))


def read_texts(chat: Chat) -> list[str]:
    return [message.text for message in chat.messages()]


def read_prompt_texts(chat: Chat) -> list[str]:
    """What a model would be told of it."""
    context = chat.context("What was it?", budget=4000)
    return [message["content"] for message in context.messages if message["role"] == "user"][:-1]


def lose_commits(server: RedisServer) -> None:
    """All that came since it was told to save."""
    server.kill()
    server.start()


# -- the server


def test_open_raises_unavailable_when_server_unreachable(server: RedisServer) -> None:
    with run_proxy(server.port) as proxy:
        proxy.refuse()
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"within 0\.3 s"):
            RedisLedger.open(f"redis://127.0.0.1:{proxy.port}/?patience=0.3")
        assert 0.3 <= time.monotonic() - begun < 3
        proxy.allow()


def test_server_restart_under_load_loses_no_commit(durable: RedisServer) -> None:
    unit = new_partition()

    def restart() -> None:
        for end in (durable.kill, durable.stop):
            end()
            time.sleep(0.3)
            durable.start()
            time.sleep(0.3)

    with open_ledger(f"{durable.url}/?patience=20") as ledger:
        acknowledged = under_load(ledger, unit, restart)
        assert_all_there_once(ledger, unit, acknowledged)
        assert ledger.warnings() == []


def test_long_outage_raises_unavailable_then_recovers() -> None:
    unit = new_partition()
    with redis_server("--appendonly", "yes") as server, open_ledger(f"{server.url}/?patience=0.2") as ledger:
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        server.stop()
        for use in (
            lambda: commit_rows(ledger, unit, first, make_row("1", n=2)),
            lambda: ledger.load(unit, BEGINNING),
            lambda: ledger.headers([unit]),
            lambda: list(ledger.list_partitions()),
            ledger.stamp,
        ):
            with pytest.raises(StoreUnavailable):
                use()
        server.start()
        commit_rows(ledger, unit, first, make_row("1", n=2))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}


def test_commit_waits_for_busy_server() -> None:
    with redis_server("--lua-time-limit", "50") as server, open_ledger(f"{server.url}/?timeout=1") as ledger:

        def occupy() -> None:
            with suppress(Exception):
                server.ask("EVAL", "while true do end", 0)

        endless = threading.Thread(target=occupy)
        endless.start()
        time.sleep(0.2)
        stop = threading.Timer(0.5, lambda: server.ask("SCRIPT", "KILL"))
        stop.start()
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        endless.join()


def test_scripts_are_reloaded_after_script_flush(server: RedisServer) -> None:
    unit, after = new_partition(), BEGINNING
    with open_ledger(server.url) as ledger:
        for number in range(3):
            server.ask("SCRIPT", "FLUSH")
            after = commit_rows(ledger, unit, after, make_row(str(number), n=1))
            server.ask("SCRIPT", "FLUSH")
            assert len(load_content(ledger.load(unit, BEGINNING))) == number + 1


def test_commit_succeeds_after_replica_is_promoted(server: RedisServer) -> None:
    unit = new_partition()
    with redis_server() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", server.port)
        until(lambda: replica.ask("INFO", "replication")["master_link_status"] == "up", "the replica to follow")
        with (
            open_ledger(f"{replica.url}/?patience=0.2") as ledger,
            pytest.raises(StoreUnavailable, match=r"(?i)read only replica"),
        ):
            commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        with open_ledger(f"{replica.url}/?patience=10") as ledger:
            promote = threading.Timer(0.3, lambda: replica.ask("REPLICAOF", "NO", "ONE"))
            promote.start()
            commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))


def test_commit_waits_for_replicas(server: RedisServer) -> None:
    unit, token, url = new_partition(), uuid4().hex, f"{server.url}/?wait=1&wait_timeout=0.2&patience=0.3"
    with open_ledger(url) as ledger:
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas"):
            ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {}, token)
        with pytest.raises(StoreUnavailable, match="only 0 of 1 replicas"):
            ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {}, token)
        with redis_server() as replica:
            replica.ask("REPLICAOF", "127.0.0.1", server.port)
            until(lambda: replica.ask("INFO", "replication")["master_link_status"] == "up", "the replica to follow")
            assert is_true_in_time(lambda: server.ask("WAIT", 1, 100) == 1)
            assert ledger.commit(unit, BEGINNING, [make_row("1", n=1)], {}, token) is True
            commit_rows(ledger, unit, LedgerPoint(1, token), make_row("2", n=2))
            replica.ask("REPLICAOF", "NO", "ONE")
            with open_ledger(replica.url) as survivor:
                assert len(load_content(survivor.load(unit, BEGINNING))) == 2
                assert unit in dict(survivor.list_partitions())


def test_full_server_rejects_commits_but_allows_deletions() -> None:
    unit, text, after = new_partition(), "word " * 4000, BEGINNING
    with redis_server("--maxmemory", "6mb", "--maxmemory-policy", "noeviction") as server, open_ledger(server.url) as ledger:
        for number in range(1000):
            try:
                after = commit_rows(ledger, unit, after, make_row(str(number), text=text))
            except StoreFull:
                break
        delta = ledger.load(unit, BEGINNING)
        assert delta.header.point == after
        assert 50 < after.revision == len(delta.rows) == number < 999
        after = commit_rows(ledger, unit, after, *(make_deletion(str(one)) for one in range(number)), make_row("last", n=1))
        commit_rows(ledger, unit, after, make_row("again", text=text))
        assert {key for _, key in load_content(ledger.load(unit, BEGINNING))} == {"last", "again"}


def test_failed_snapshot_raises_store_full(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    server = RedisServer(folder, "--save", "1000", "1000", "--dbfilename", "dump")
    server.start()
    try:
        with open_ledger(f"{server.url}/?patience=0.2") as ledger:
            (folder / "log").unlink()
            folder.rmdir()
            server.ask("BGSAVE")
            until(lambda: server.ask("INFO", "persistence")["rdb_last_bgsave_status"] == "err", "a failed snapshot")
            with pytest.raises(StoreFull, match="MISCONF"):
                commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
    finally:
        server.kill()


# -- who may do what


def test_wrong_password_raises_config_error() -> None:
    with redis_server("--requirepass", "right/one") as server:
        address = server.url.removeprefix("redis://")
        for who in ("", ":wrong@", "nobody:right@"):
            with pytest.raises(ConfigError, match="denied access") as caught:
                RedisLedger.open(f"redis://{who}{address}")
            assert "right" not in str(caught.value)
        with open_ledger(f"redis://:right%2Fone@{address}") as ledger:
            commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))


def test_documented_acl_rights_suffice_with_warning(server: RedisServer) -> None:
    """The rights that docs/redis.md asks for are enough; what they do not allow to check becomes a warning."""
    server.ask("ACL", "SETUSER", "few", "on", ">pw", "~few:*", *RIGHTS)
    server.ask("ACL", "SETUSER", "none", "on", ">pw", "~other:*", *RIGHTS)
    address = server.url.removeprefix("redis://")
    with open_ledger(f"redis://few:pw@{address}/?prefix=few") as ledger:
        assert ledger.warnings() == [durability.UNKNOWN_DURABILITY]
        unit = new_partition()
        commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        assert len(load_content(ledger.load(unit, BEGINNING))) == 1
        assert unit in dict(ledger.list_partitions())
        ledger.on_remote_commit(lambda: None)
        ledger.stamp()
    with open_ledger(f"redis://none:pw@{address}/?prefix=few") as ledger, pytest.raises(ConfigError):
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--save ''", [durability.NO_PERSISTENCE]),
        ("--save 3600 1", [durability.SNAPSHOTS_ONLY]),
        ("--appendonly yes", []),
        ("--appendonly yes --maxmemory 1gb --maxmemory-policy allkeys-lru", [durability.EVICTS_KEYS.format("allkeys-lru")]),
        ("--appendonly yes --maxmemory 1gb --maxmemory-policy volatile-lru", []),
    ],
)
def test_warnings_follow_server_persistence_and_eviction(options: str, expected: list[str]) -> None:
    with redis_server(*(word.strip("'") for word in options.split())) as server, open_ledger(server.url) as ledger:
        assert ledger.warnings() == expected


def test_volatile_eviction_warns_when_expire_days_set() -> None:
    options = ("--appendonly", "yes", "--maxmemory", "1gb", "--maxmemory-policy", "volatile-lru")
    with redis_server(*options) as server, open_ledger(f"{server.url}/?expire_days=400") as ledger:
        assert ledger.warnings() == [durability.EVICTS_KEYS.format("volatile-lru")]


# -- the wire


def test_cut_connections_neither_lose_nor_repeat_commits(server: RedisServer) -> None:
    unit = new_partition()
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}/?patience=20") as ledger:

        def cut() -> None:
            for _ in range(10):
                proxy.cut()
                time.sleep(0.05)
            proxy.refuse()
            time.sleep(0.3)
            proxy.allow()

        assert_all_there_once(ledger, unit, under_load(ledger, unit, cut))


def test_commit_with_lost_reply_is_stored_once(server: RedisServer) -> None:
    unit, after = new_partition(), BEGINNING
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}") as ledger:
        for number in range(3):
            proxy.lose_answer_to(unit.encode(), times=number + 1)
            after = commit_rows(ledger, unit, after, make_row(str(number), n=1))
        assert proxy.lost == 6
        assert ledger.headers([unit]) == [PartitionHeader(after, {})]
        assert len(load_content(ledger.load(unit, BEGINNING))) == 3


def test_retry_after_lost_reply_survives_competing_commit(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reply to a stored commit is lost, and another client commits on top of it before the retry."""
    unit = new_partition()
    with (
        run_proxy(server.port) as proxy,
        open_ledger(f"redis://127.0.0.1:{proxy.port}") as ledger,
        open_ledger(server.url) as other,
    ):
        first = commit_rows(ledger, unit, BEGINNING, make_row("0", n=0))
        proxy.lose_answer_to(unit.encode())
        quick: list[LedgerPoint] = []

        def be_quick(_: float) -> None:
            quick.append(commit_rows(other, unit, load_point(other, unit), make_row("2", n=2)))

        monkeypatch.setattr(ledger._calls, "pause", be_quick)
        commit_rows(ledger, unit, first, make_row("1", n=1))
        assert quick == [load_point(ledger, unit)]
        assert quick[0].revision == len(load_content(ledger.load(unit, BEGINNING))) == 3


def test_late_reply_raises_unavailable_and_commit_can_be_retried(server: RedisServer) -> None:
    unit, token = new_partition(), uuid4().hex
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}/?timeout=0.2&patience=0.5") as ledger:
        first = commit_rows(ledger, unit, BEGINNING, make_row("0", n=0))
        proxy.delay = 0.6
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable):
            ledger.commit(unit, first, [make_row("1", n=1)], {}, token)
        assert time.monotonic() - begun < 3
        proxy.delay = 0.0
        assert is_true_in_time(lambda: load_point(ledger, unit) == LedgerPoint(2, token))
        assert ledger.commit(unit, first, [make_row("1", n=1)], {}, token) is True
        assert load_point(ledger, unit) == LedgerPoint(2, token)


def test_silent_connection_raises_timeout(server: RedisServer) -> None:
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}/?timeout=0.2&patience=0.3") as ledger:
        proxy.silent = True
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"(?i)timeout"):
            ledger.headers(["o:ann"])
        assert time.monotonic() - begun < 3


def test_slow_replies_within_timeout_lose_no_commit(server: RedisServer) -> None:
    unit = new_partition()
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}") as ledger:
        proxy.delay = 0.05
        assert_all_there_once(ledger, unit, under_load(ledger, unit, lambda: time.sleep(2.5)))


def test_excess_callers_wait_for_connection_or_get_busy(server: RedisServer) -> None:
    unit = new_partition()
    with run_proxy(server.port) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}/?connections=2"
        with open_ledger(url) as ledger:
            proxy.delay = 0.02
            together(12, lambda number: [ledger.headers([unit]) for _ in range(3)] and None)
        proxy.delay = 0.0
        failed: list[KeepsaidError] = []

        def ask(number: int) -> None:
            try:
                ledger.headers([unit])
            except KeepsaidError as error:
                failed.append(error)

        with open_ledger(f"{url}&timeout=0.3&patience=0.1") as ledger:
            proxy.delay = 0.2
            together(12, ask)
        assert {type(error) for error in failed} == {StoreBusy}


def test_tls_connects_with_ca_and_rejects_unknown_certificate(server: RedisServer, tmp_path: Path) -> None:
    from .certificate import self_signed

    certificate = self_signed(tmp_path)
    with run_proxy(server.port, certificate.server_side()) as proxy:
        with open_ledger(f"rediss://localhost:{proxy.port}/?tls_ca={certificate.path}") as ledger:
            commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        with pytest.raises(StoreUnavailable, match=r"(?i)certificate"):
            RedisLedger.open(f"rediss://localhost:{proxy.port}/?patience=0.1")


# -- what must not happen, and is noticed


def test_missing_rows_or_head_raise_corrupt(server: RedisServer) -> None:
    unit = new_partition()
    with open_ledger(server.url) as ledger:
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1), make_row("2", n=2))
        server.ask("HDEL", ledger._keys.partition_keys(unit).rows, "messages 1")
        with pytest.raises(StoreCorrupt):
            ledger.load(unit, BEGINNING)
        with pytest.raises(StoreCorrupt):
            commit_rows(ledger, unit, first, make_row("3", n=3))
        server.ask("DEL", ledger._keys.partition_keys(unit).head)
        with pytest.raises(StoreCorrupt):
            ledger.load(unit, BEGINNING)
        with pytest.raises(StoreCorrupt):
            commit_rows(ledger, unit, BEGINNING, make_row("3", n=3))


def test_commit_on_rewound_head_raises_corrupt(server: RedisServer) -> None:
    unit, after = new_partition(), BEGINNING
    with open_ledger(server.url) as ledger:
        for number in range(3):
            after = commit_rows(ledger, unit, after, make_row("1", n=number))
        server.ask("HSET", ledger._keys.partition_keys(unit).head, "revision", "1")
        with pytest.raises(StoreCorrupt):
            commit_rows(ledger, unit, load_point(ledger, unit), make_row("2", n=1))
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}}


def test_list_partitions_omits_partition_without_commit(server: RedisServer) -> None:
    unit = new_partition()
    with open_ledger(server.url) as ledger:
        server.ask("HSET", ledger._keys.index_shard_for(unit), unit, 1)
        assert unit not in dict(ledger.list_partitions())
        commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        assert unit in dict(ledger.list_partitions())


def test_expire_days_sets_and_renews_key_ttl(server: RedisServer) -> None:
    unit = new_partition()
    with open_ledger(f"{server.url}/?expire_days=400") as ledger:
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        keys = ledger._keys.partition_keys(unit)
        for key in keys:
            server.ask("EXPIRE", key, 100)
        commit_rows(ledger, unit, first, make_row("1", n=2))
        assert all(399 * 86400 < server.ask("TTL", key) <= 400 * 86400 for key in keys)
    with open_ledger(server.url) as ledger:
        commit_rows(ledger, unit := new_partition(), BEGINNING, make_row("1", n=1))
        assert [server.ask("TTL", key) for key in ledger._keys.partition_keys(unit)] == [-1, -1, -1]


# -- a server that has lost its newest commits


def test_commit_on_lost_revision_is_refused_and_reloads(forgetful: RedisServer) -> None:
    unit = new_partition()
    with open_ledger(f"{forgetful.url}/?patience=20") as ledger, open_ledger(f"{forgetful.url}/?patience=20") as other:
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        forgetful.ask("SAVE")
        lost = commit_rows(ledger, unit, first, make_row("lost", n=1))
        lose_commits(forgetful)
        now = commit_rows(other, unit, first, make_row("another", n=1))
        assert is_refused(ledger, unit, lost, make_row("2", n=1))
        delta = ledger.load(unit, lost)
        assert delta.header.point == now
        assert load_content(delta).keys() == {("messages", "1"), ("messages", "another")}
        commit_rows(ledger, unit, now, make_row("2", n=1))


@pytest.mark.parametrize("does_first", [read_texts, read_prompt_texts, None], ids=["reads", "asks", "writes"])
@pytest.mark.parametrize("others_say", range(4))
@pytest.mark.parametrize("has_other_seen", [False, True], ids=["unseen", "seen"])
def test_memories_agree_after_server_loses_commits(
    forgetful: RedisServer, has_other_seen: bool, others_say: int, does_first: Callable[[Chat], list[str]] | None
) -> None:
    """The server restarts without its newest commits and then reaches fewer, as many and more commits than before."""
    url = f"{forgetful.url}/?patience=20"
    with memory_at(url) as one, memory_at(url) as other, memory_at(url) as newcomer:
        chat = one.chat(owner="ann", session="s", create=True)
        chat.add("user", "kept")
        others = other.chat(owner="ann", session="s")
        forgetful.ask("SAVE")
        chat.add("user", "lost")
        chat.add("user", "also lost")
        assert read_texts(others if has_other_seen else chat) == ["kept", "lost", "also lost"]
        lose_commits(forgetful)
        expected = ["kept", *(f"new {number}" for number in range(others_say))]
        for text in expected[1:]:
            others.add("user", text)
        if does_first is not None:
            assert does_first(chat) == expected
        chat.add("user", "last")
        assert (
            read_texts(chat)
            == read_texts(others)
            == read_texts(newcomer.chat(owner="ann", session="s"))
            == [*expected, "last"]
        )
        for memory in (one, other, newcomer):
            assert not memory.search("lost", owner="ann")
            assert memory.search("last", owner="ann")[0].message.text == "last"


# -- in pieces


class TestLedgerConformanceInSmallSteps(LedgerConformance):
    """The conformance suite with so small limits that each load and commit takes many steps."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "MAX_ROWS_PER_STEP", 3)
        monkeypatch.setattr(loading, "ROWS_PER_PIECE", 10)

    @pytest.fixture
    def ledger(self, server: RedisServer) -> Iterator[RedisLedger]:
        with open_ledger(f"{server.url}/?prefix=pieces") as ledger:
            yield ledger


def test_load_restarts_scan_that_ended_early(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = new_partition()
    monkeypatch.setattr(loading, "MAX_ROWS_PER_STEP", 10)
    with open_ledger(server.url) as ledger:
        commit_rows(ledger, unit, BEGINNING, *(make_row(str(number), n=number) for number in range(3000)))
        walks, original = [0], ledger._calls.read

        def read(key: str, *command: object) -> object:
            if command[0] == "HSCAN" and command[1] == 0:
                walks[0] += 1
            if command[0] == "HSCAN" and command[1] and walks[0] == 1:
                return (0, {})
            return original(key, *command)

        monkeypatch.setattr(ledger._calls, "read", read)
        assert len(load_content(ledger.load(unit, BEGINNING))) == 3000
        assert walks == [2]


# -- news and the end


def test_own_commits_trigger_no_remote_notification(server: RedisServer) -> None:
    with open_ledger(f"{server.url}/?prefix=news") as ledger, open_ledger(f"{server.url}/?prefix=news") as other:
        called: list[None] = []
        ledger.on_remote_commit(lambda: called.append(None))
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
        time.sleep(3 * notifications.LISTEN_MILLISECONDS / 1000)
        assert not called
        commit_rows(other, new_partition(), BEGINNING, make_row("1", n=1))
        assert is_true_in_time(lambda: called)


def test_listener_resumes_after_outage(server: RedisServer) -> None:
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}/?patience=0.2") as ledger:
        heard = threading.Event()
        ledger.on_remote_commit(heard.set)
        proxy.refuse()
        time.sleep(0.6)
        with open_ledger(server.url) as other:
            commit_rows(other, new_partition(), BEGINNING, make_row("1", n=1))
            proxy.allow()
            assert heard.wait(10)
            time.sleep(0.5)
            heard.clear()
            commit_rows(other, new_partition(), BEGINNING, make_row("1", n=1))
            assert heard.wait(10)


def test_close_interrupts_waiting_call(server: RedisServer) -> None:
    with run_proxy(server.port) as proxy, open_ledger(f"redis://127.0.0.1:{proxy.port}/?patience=60") as ledger:
        proxy.refuse()
        ended: list[type] = []

        def wait() -> None:
            try:
                ledger.headers(["o:ann"])
            except KeepsaidError as error:
                ended.append(type(error))

        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.2)
        begun = time.monotonic()
        ledger.close()
        waiting.join()
        assert time.monotonic() - begun < 2
        assert ended == [StoreClosed]


def test_close_stops_listener_thread(server: RedisServer) -> None:
    before = threading.active_count()
    with open_ledger(server.url) as ledger:
        ledger.on_remote_commit(lambda: None)
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_commit_keeps_last_state_of_repeated_row(server: RedisServer) -> None:
    """When a commit contains a row twice, its last state is stored."""
    unit = new_partition()
    with open_ledger(server.url) as ledger:
        ledger.commit(
            unit,
            BEGINNING,
            [make_row("1", n=1), make_deletion("2"), LedgerRow("messages", "1", {"n": 2}), make_row("2", n=2)],
            {},
            "t",
        )
        assert load_content(ledger.load(unit, BEGINNING)) == {("messages", "1"): {"n": 2}, ("messages", "2"): {"n": 2}}
