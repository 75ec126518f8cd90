"""PostgreSQL as a ledger, which is how it keeps what is encrypted: the suites of ledgers, and sealed those of storages."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from servers import postgres_schema

from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.postgres import source_of
from recollect.storage.postgres.ledger import PostgresLedger
from recollect.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance


@pytest.fixture(scope="module")
def shared() -> Iterator[str]:
    with postgres_schema() as url:
        yield url


class TestPostgresLedger(LedgerConformance):
    @pytest.fixture
    def ledger(self, shared: str) -> Iterator[PostgresLedger]:
        with closing(PostgresLedger(source_of(shared))) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, shared: str) -> Iterator[PostgresLedger]:
        with closing(PostgresLedger(source_of(shared))) as ledger:
            yield ledger


class TestSealedPostgres(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[MirrorStorage]:
        with (
            postgres_schema() as url,
            closing(MirrorStorage(SealedLedger(PostgresLedger(source_of(url)), bytes(range(32))))) as storage,
        ):
            yield storage


class TestSealedPostgresVectors(IndexConformance):
    storage = TestSealedPostgres.storage


class TestSealedPostgresArtifacts(ArtifactConformance):
    storage = TestSealedPostgres.storage
