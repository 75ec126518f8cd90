"""A Redis Cluster that loses servers and moves slots under load: with `wait`, no acknowledged commit is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from redis.crc import key_slot
from redis_servers import RedisCluster, RedisServer, redis_cluster, redis_server, until

from keepsaid.errors import ConfigError
from keepsaid.storage.redis import RedisLedger, notifications
from keepsaid.storage.replica.ledger import BEGINNING
from keepsaid.testing.ledger_conformance import commit_rows, is_true_in_time, load_content, make_row, new_partition

from .test_redis import RIGHTS, assert_all_there_once, open_ledger, under_load


@pytest.fixture(scope="module")
def running_cluster() -> Iterator[RedisCluster]:
    with redis_cluster() as cluster:
        yield cluster


@pytest.fixture
def cluster(running_cluster: RedisCluster) -> RedisCluster:
    until(running_cluster.is_well, "the cluster to be well", 30)
    return running_cluster


def primary_of(cluster: RedisCluster, ledger: RedisLedger, unit: str) -> RedisServer:
    return cluster.primary_of(ledger._keys.partition_keys(unit).head)


def unit_on(cluster: RedisCluster, ledger: RedisLedger, server: RedisServer) -> str:
    """A unit that is on a server, with its name."""
    units = (new_partition() for _ in range(1000))
    keys = ledger._keys
    return next(
        unit
        for unit in units
        if cluster.primary_of(keys.partition_keys(unit).head) is server is cluster.primary_of(keys.index_shard_for(unit))
    )


def lose_and_bring_back(cluster: RedisCluster, ledger: RedisLedger, unit: str) -> None:
    """The server that has a unit dies; a replica takes over; the dead one comes back as a replica."""
    lost = primary_of(cluster, ledger, unit)
    lost.kill()
    try:
        until(lambda: primary_of(cluster, ledger, unit) is not lost, "another to take over", 30)
    finally:
        lost.start()
    until(cluster.is_well, "the cluster to be well again", 30)


def test_partitions_spread_with_keys_of_each_on_one_server(cluster: RedisCluster) -> None:
    with open_ledger(cluster.url) as ledger:
        units = [new_partition() for _ in range(60)]
        for unit in units:
            commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
            assert len({cluster.primary_of(key) for key in ledger._keys.partition_keys(unit)}) == 1
        assert len({primary_of(cluster, ledger, unit) for unit in units}) == 3
        assert set(units) <= dict(ledger.list_partitions()).keys()


def test_open_requires_url_to_match_server_mode(cluster: RedisCluster) -> None:
    with pytest.raises(ConfigError, match="add cluster=true"):
        RedisLedger.open(cluster.servers[0].url)
    with open_ledger(f"{cluster.servers[5].url}/?cluster=true") as ledger:
        commit_rows(ledger, new_partition(), BEGINNING, make_row("1", n=1))
    with redis_server() as single, pytest.raises(ConfigError, match="not a cluster"):
        RedisLedger.open(f"{single.url}/?cluster=true")


def test_documented_acl_rights_suffice(cluster: RedisCluster) -> None:
    for server in cluster.servers:
        server.ask("ACL", "SETUSER", "few", "on", ">pw", "~few:*", "+cluster|slots", *RIGHTS)
    with open_ledger(f"{cluster.url.replace('://', '://few:pw@')}/?prefix=few&wait=1") as ledger:
        unit = new_partition()
        commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        assert unit in dict(ledger.list_partitions())


def test_primary_failure_under_load_loses_no_acknowledged_commit(cluster: RedisCluster) -> None:
    unit = new_partition()
    with open_ledger(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:
        acknowledged = under_load(ledger, unit, lambda: lose_and_bring_back(cluster, ledger, unit))
        until(cluster.is_well, "the cluster to be well again", 30)
        assert_all_there_once(ledger, unit, acknowledged)
        assert unit in dict(ledger.list_partitions())


def test_commit_with_patience_survives_primary_failure(cluster: RedisCluster) -> None:
    unit = new_partition()
    with open_ledger(f"{cluster.url}/?patience=30") as ledger:
        first = commit_rows(ledger, unit, BEGINNING, make_row("1", n=1))
        primary_of(cluster, ledger, unit).ask("WAIT", 1, 1000)
        lost = primary_of(cluster, ledger, unit)
        lost.kill()
        try:
            commit_rows(ledger, unit, first, make_row("2", n=2))
            assert len(load_content(ledger.load(unit, BEGINNING))) == 2
        finally:
            lost.start()


def test_other_partitions_stay_writable_while_a_server_is_down(cluster: RedisCluster) -> None:
    with open_ledger(f"{cluster.url}/?patience=10") as ledger:
        unit = unit_on(cluster, ledger, cluster.primary_of(ledger._keys.commit_stream))
        lost = next(server for server in cluster.primaries() if server is not primary_of(cluster, ledger, unit))
        after = commit_rows(ledger, unit, BEGINNING, make_row("0", n=0))
        lost.kill()
        try:
            for number in range(1, 20):
                after = commit_rows(ledger, unit, after, make_row(str(number), n=number))
        finally:
            lost.start()
        assert len(load_content(ledger.load(unit, BEGINNING))) == 20


def test_slot_migration_under_load_loses_no_commit(cluster: RedisCluster) -> None:
    """During the migration the keys are on both servers, then all on the target, and then the cluster announces the move."""
    unit = new_partition()
    with open_ledger(f"{cluster.url}/?patience=20") as ledger:
        commit_rows(ledger, unit, BEGINNING, make_row("first", n=0))
        slot = key_slot(ledger._keys.partition_keys(unit).head.encode())
        source = primary_of(cluster, ledger, unit)
        target = next(server for server in cluster.primaries() if server is not source)
        names = {server: server.ask("CLUSTER", "MYID").decode() for server in (source, target)}

        def move() -> None:
            target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
            source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
            for key in source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
                source.ask("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
                time.sleep(0.1)
            time.sleep(0.4)
            for server in (target, source):
                server.ask("CLUSTER", "SETSLOT", slot, "NODE", names[target])

        acknowledged = under_load(ledger, unit, move)
        until(lambda: primary_of(cluster, ledger, unit) is target, "the slot to have moved")
        assert_all_there_once(ledger, unit, ["first", *acknowledged])
        assert unit in dict(ledger.list_partitions())


def test_polling_finds_commit_without_notification(cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a process died between its commit and the notification."""
    monkeypatch.setattr(notifications, "POLL_INTERVAL", 0.5)
    with open_ledger(cluster.url) as ledger, open_ledger(cluster.url) as other:
        monkeypatch.setattr(other._notifications, "announce", lambda: None)
        before, heard = ledger.stamp(), []
        ledger.on_remote_commit(lambda: heard.append(None))
        commit_rows(other, new_partition(), BEGINNING, make_row("1", n=1))
        assert is_true_in_time(lambda: ledger.stamp() != before)
        assert is_true_in_time(lambda: heard)


@pytest.mark.long
def test_repeated_failovers_lose_no_acknowledged_commit(cluster: RedisCluster) -> None:
    unit = new_partition()
    with open_ledger(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:

        def trouble() -> None:
            for _ in range(8):
                lose_and_bring_back(cluster, ledger, unit)
                time.sleep(0.5)

        assert_all_there_once(ledger, unit, under_load(ledger, unit, trouble, workers=6))


@pytest.mark.long
def test_resumed_old_primary_loses_no_acknowledged_commit(cluster: RedisCluster) -> None:
    """The resumed server still acts as primary for a moment; no replica confirms the commits that it accepts then."""
    unit = new_partition()
    with open_ledger(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:
        key = ledger._keys.partition_keys(unit).head

        def trouble() -> None:
            for _ in range(4):
                asleep = cluster.primary_of(key)
                asleep.freeze()
                try:
                    until(lambda asleep=asleep: cluster.primary_of(key, asleep) is not asleep, "another to take over", 30)
                    time.sleep(0.5)
                finally:
                    asleep.thaw()
                until(cluster.is_well, "the cluster to be well again", 30)

        assert_all_there_once(ledger, unit, under_load(ledger, unit, trouble, workers=6))
