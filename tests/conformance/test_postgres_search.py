"""PostgreSQL keeps what is made of messages, and searches by meaning itself, as every other storage and index does."""

from collections.abc import Iterator

import pytest

from recollect.ports import Index
from recollect.storage.postgres import PostgresStorage
from recollect.testing import ArtifactConformance, IndexConformance
from tests import servers


class TestPostgresArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[PostgresStorage]:
        with servers.postgres_storage() as storage:
            yield storage


class TestPgvector(IndexConformance):
    storage = TestPostgresArtifacts.storage

    @pytest.fixture
    def index(self, storage: PostgresStorage) -> Index:
        return storage.index()


class TestPartitionedArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[PostgresStorage]:
        with servers.postgres_storage(partitions=4) as storage:
            yield storage


class TestPartitionedPgvector(TestPgvector):
    storage = TestPartitionedArtifacts.storage
