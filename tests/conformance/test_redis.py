"""Redis passes the conformance suites: as one server and as a cluster, with both protocols and with a short change log."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from typing import Any

import pytest
from redis_servers import redis_cluster, redis_server
from turns import Turns

from keepsaid.ports import Storage
from keepsaid.storage.redis import RedisLedger
from keepsaid.storage.replica.ledger import Ledger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.storage.sqlite.search import keyword_index
from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match
from keepsaid.testing.ledger_conformance import LedgerConformance

_numbers = count()


@pytest.fixture(scope="module")
def one() -> Iterator[str]:
    with redis_server() as server:
        yield server.url


@pytest.fixture(scope="module")
def many() -> Iterator[str]:
    with redis_cluster() as cluster:
        yield cluster.url


def empty(url: str) -> str:
    """The address of an unused key prefix on a server."""
    return f"{url}/?prefix=p{next(_numbers)}"


class TestRedisLedger(LedgerConformance):
    @pytest.fixture
    def url(self, one: str) -> str:
        return one

    @pytest.fixture
    def ledger(self, url: str) -> Iterator[Ledger]:
        with closing(RedisLedger.open(url)) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, url: str) -> Iterator[Ledger]:
        with closing(RedisLedger.open(url)) as second:
            yield second


class TestRedisLedgerWithShortLogAndProtocol3(TestRedisLedger):
    @pytest.fixture
    def url(self, one: str) -> str:
        return f"{one}/?log=2&protocol=3&expire_days=7&prefix=other"


class TestRedisClusterLedger(TestRedisLedger):
    @pytest.fixture
    def url(self, many: str) -> str:
        return many


class TestRedisStorage(StorageConformance):
    @pytest.fixture
    def url(self, one: str) -> str:
        return empty(one)

    @pytest.fixture
    def storage(self, url: str) -> Iterator[Storage]:
        with closing(ReplicaStorage(RedisLedger.open(url))) as storage:
            yield storage


class TestRedisVectors(IndexConformance):
    url, storage = TestRedisStorage.url, TestRedisStorage.storage

    @pytest.fixture
    def second(self, url: str) -> Iterator[Storage]:
        with closing(ReplicaStorage(RedisLedger.open(url))) as second:
            yield second


class TestRedisArtifacts(ArtifactConformance):
    url, storage = TestRedisStorage.url, TestRedisStorage.storage


@pytest.mark.long
class TestRedisClusterStorage(TestRedisStorage):
    @pytest.fixture
    def url(self, many: str) -> str:
        return empty(many)


@pytest.mark.parametrize("examples", [5, pytest.param(200, marks=pytest.mark.long)])
def test_alternating_redis_replicas_match_reference(one: str, monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keyword_index, "TAIL_LENGTH", 4)  # so that short histories reach the index, too

    def two() -> Any:
        url = empty(one)
        return Turns(*(ReplicaStorage(RedisLedger.open(url)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)
