"""PostgreSQL passes the conformance suites, and matches the reference in random lifecycles."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
import servers

from keepsaid.ports import Storage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match


class TestPostgresStorage(StorageConformance):
    @pytest.fixture
    def url(self) -> Iterator[str]:
        with servers.postgres() as url:
            yield url

    @pytest.fixture
    def storage(self, url: str) -> Iterator[Storage]:
        with closing(PostgresStorage(parse_source_url(url))) as storage:
            yield storage


class TestPartitionedStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        with servers.postgres_storage(partitions=4) as storage:
            yield storage


class TestPostgresVectors(IndexConformance):
    url = TestPostgresStorage.url
    storage = TestPostgresStorage.storage

    @pytest.fixture
    def second(self, storage: Storage, url: str) -> Iterator[Storage]:
        with closing(PostgresStorage(parse_source_url(url))) as second:
            yield second


class TestPostgresArtifacts(ArtifactConformance):
    storage = TestPartitionedStorage.storage


@pytest.mark.parametrize("examples", [8, pytest.param(500, marks=pytest.mark.long)])
def test_lifecycles_match_reference(examples: int) -> None:
    with ExitStack() as stack:
        lifecycles_match(lambda: stack.enter_context(servers.postgres_storage()), examples=examples, steps=40)
