"""A Redis Cluster that loses servers and moves slots under load: with `wait`, nothing acknowledged is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from redis.crc import key_slot
from redis_servers import RedisCluster, RedisServer, redis_cluster, redis_server, until

from recollect.errors import ConfigError
from recollect.storage.mirror.ledger import BEGINNING
from recollect.storage.redis import RedisLedger, news
from recollect.testing.ledger_conformance import a_unit, commit, content, row, soon

from .test_redis import RIGHTS, assert_all_there_once, opened, under_load


@pytest.fixture(scope="module")
def formed() -> Iterator[RedisCluster]:
    with redis_cluster() as cluster:
        yield cluster


@pytest.fixture
def cluster(formed: RedisCluster) -> RedisCluster:
    until(formed.is_well, "the cluster to be well", 30)
    return formed


def primary_of(cluster: RedisCluster, ledger: RedisLedger, unit: str) -> RedisServer:
    return cluster.primary_of(ledger._keys.of(unit).head)


def unit_on(cluster: RedisCluster, ledger: RedisLedger, server: RedisServer) -> str:
    """A unit that is on a server, with its name."""
    units = (a_unit() for _ in range(1000))
    keys = ledger._keys
    return next(
        unit
        for unit in units
        if cluster.primary_of(keys.of(unit).head) is server is cluster.primary_of(keys.units_with(unit))
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


def test_units_are_spread_and_the_keys_of_one_are_together(cluster: RedisCluster) -> None:
    with opened(cluster.url) as ledger:
        units = [a_unit() for _ in range(60)]
        for unit in units:
            commit(ledger, unit, BEGINNING, row("1", n=1))
            assert len({cluster.primary_of(key) for key in ledger._keys.of(unit)}) == 1
        assert len({primary_of(cluster, ledger, unit) for unit in units}) == 3
        assert set(units) <= dict(ledger.units()).keys()


def test_the_url_says_what_it_is(cluster: RedisCluster) -> None:
    with pytest.raises(ConfigError, match="add cluster=true"):
        RedisLedger.open(cluster.servers[0].url)
    with opened(f"{cluster.servers[5].url}/?cluster=true") as ledger:
        commit(ledger, a_unit(), BEGINNING, row("1", n=1))
    with redis_server() as single, pytest.raises(ConfigError, match="no cluster"):
        RedisLedger.open(f"{single.url}/?cluster=true")


def test_few_rights_are_enough(cluster: RedisCluster) -> None:
    for server in cluster.servers:
        server.ask("ACL", "SETUSER", "few", "on", ">pw", "~few:*", "+cluster|slots", *RIGHTS)
    with opened(f"{cluster.url.replace('://', '://few:pw@')}/?prefix=few&wait=1") as ledger:
        unit = a_unit()
        commit(ledger, unit, BEGINNING, row("1", n=1))
        assert unit in dict(ledger.units())


def test_a_primary_that_dies_under_load_takes_nothing_acknowledged_with_it(cluster: RedisCluster) -> None:
    unit = a_unit()
    with opened(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:
        acknowledged = under_load(ledger, unit, lambda: lose_and_bring_back(cluster, ledger, unit))
        until(cluster.is_well, "the cluster to be well again", 30)
        assert_all_there_once(ledger, unit, acknowledged)
        assert unit in dict(ledger.units())


def test_whoever_is_patient_does_not_notice_that_a_primary_died(cluster: RedisCluster) -> None:
    unit = a_unit()
    with opened(f"{cluster.url}/?patience=30") as ledger:
        first = commit(ledger, unit, BEGINNING, row("1", n=1))
        primary_of(cluster, ledger, unit).ask("WAIT", 1, 1000)
        lost = primary_of(cluster, ledger, unit)
        lost.kill()
        try:
            commit(ledger, unit, first, row("2", n=2))
            assert len(content(ledger.load(unit, BEGINNING))) == 2
        finally:
            lost.start()


def test_the_others_go_on_while_a_server_is_gone(cluster: RedisCluster) -> None:
    with opened(f"{cluster.url}/?patience=10") as ledger:
        unit = unit_on(cluster, ledger, cluster.primary_of(ledger._keys.news))
        lost = next(server for server in cluster.primaries() if server is not primary_of(cluster, ledger, unit))
        after = commit(ledger, unit, BEGINNING, row("0", n=0))
        lost.kill()
        try:
            for number in range(1, 20):
                after = commit(ledger, unit, after, row(str(number), n=number))
        finally:
            lost.start()
        assert len(content(ledger.load(unit, BEGINNING))) == 20


def test_a_slot_that_moves_under_load(cluster: RedisCluster) -> None:
    """Between its beginning and its end some keys are here and some there, then all there, and then it is known."""
    unit = a_unit()
    with opened(f"{cluster.url}/?patience=20") as ledger:
        commit(ledger, unit, BEGINNING, row("first", n=0))
        slot = key_slot(ledger._keys.of(unit).head.encode())
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
        assert unit in dict(ledger.units())


def test_what_is_kept_but_not_told_is_found_after_a_while(cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a process died between its commit and the news of it."""
    monkeypatch.setattr(news, "UNTOLD", 0.5)
    with opened(cluster.url) as ledger, opened(cluster.url) as other:
        monkeypatch.setattr(other._news, "tell", lambda: None)
        before, heard = ledger.stamp(), []
        ledger.on_news(lambda: heard.append(None))
        commit(other, a_unit(), BEGINNING, row("1", n=1))
        assert soon(lambda: ledger.stamp() != before)
        assert soon(lambda: heard)


@pytest.mark.long
def test_one_after_the_other_dies(cluster: RedisCluster) -> None:
    unit = a_unit()
    with opened(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:

        def trouble() -> None:
            for _ in range(8):
                lose_and_bring_back(cluster, ledger, unit)
                time.sleep(0.5)

        assert_all_there_once(ledger, unit, under_load(ledger, unit, trouble, workers=6))


@pytest.mark.long
def test_a_primary_that_only_slept_does_not_bring_back_the_past(cluster: RedisCluster) -> None:
    """It wakes up and believes for a moment that it still is the primary; nobody's replica confirms what it takes then."""
    unit = a_unit()
    with opened(f"{cluster.url}/?wait=1&patience=1&wait_timeout=0.3&timeout=1") as ledger:
        key = ledger._keys.of(unit).head

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
