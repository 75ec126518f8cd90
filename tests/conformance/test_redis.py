"""Redis passes the suites that everyone must pass: alone and as a cluster, in either protocol, and where it forgets early."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from redis_servers import redis_cluster, redis_server

from recollect.storage.mirror.ledger import Ledger
from recollect.storage.redis import RedisLedger
from recollect.testing.ledger_conformance import LedgerConformance


@pytest.fixture(scope="module")
def one() -> Iterator[str]:
    with redis_server() as server:
        yield server.url


@pytest.fixture(scope="module")
def many() -> Iterator[str]:
    with redis_cluster() as cluster:
        yield cluster.url


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


class TestShortLogNewProtocol(TestRedisLedger):
    @pytest.fixture
    def url(self, one: str) -> str:
        return f"{one}/?log=2&protocol=3&expire_days=7&prefix=other"


class TestRedisClusterLedger(TestRedisLedger):
    @pytest.fixture
    def url(self, many: str) -> str:
        return many
