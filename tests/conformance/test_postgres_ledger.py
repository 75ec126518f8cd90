"""PostgreSQL as a ledger, used for encrypted stores: it passes the ledger suite, and encrypted the storage suites."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from servers import postgres_schema

from keepsaid.storage.postgres import parse_source_url
from keepsaid.storage.postgres.ledger import PostgresLedger
from keepsaid.storage.replica.encryption import EncryptedLedger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance


@pytest.fixture(scope="module")
def schema_url() -> Iterator[str]:
    with postgres_schema() as url:
        yield url


class TestPostgresLedger(LedgerConformance):
    @pytest.fixture
    def ledger(self, schema_url: str) -> Iterator[PostgresLedger]:
        with closing(PostgresLedger(parse_source_url(schema_url))) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, schema_url: str) -> Iterator[PostgresLedger]:
        with closing(PostgresLedger(parse_source_url(schema_url))) as ledger:
            yield ledger


class TestSealedPostgres(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[ReplicaStorage]:
        with (
            postgres_schema() as url,
            closing(ReplicaStorage(EncryptedLedger(PostgresLedger(parse_source_url(url)), bytes(range(32))))) as storage,
        ):
            yield storage


class TestSealedPostgresVectors(IndexConformance):
    storage = TestSealedPostgres.storage


class TestSealedPostgresArtifacts(ArtifactConformance):
    storage = TestSealedPostgres.storage
