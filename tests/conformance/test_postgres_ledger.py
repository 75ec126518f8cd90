"""PostgreSQL as a ledger, which is how it keeps what is encrypted: the suites of ledgers, and sealed those of storages."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count

import psycopg
import pytest
from servers import as_user, postgres_admin

from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.postgres import source_of
from recollect.storage.postgres.ledger import PostgresLedger
from recollect.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance

_numbers = count(1)


@contextmanager
def a_schema() -> Iterator[str]:
    schema = f"ledger{next(_numbers)}"
    yield f"{as_user(postgres_admin(), 'maker')}&schema={schema}&connections=4"
    with psycopg.connect(postgres_admin(), autocommit=True) as db:
        db.execute(f"DROP SCHEMA IF EXISTS {schema}_sealed CASCADE")


@pytest.fixture(scope="module")
def shared() -> Iterator[str]:
    with a_schema() as url:
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
            a_schema() as url,
            closing(MirrorStorage(SealedLedger(PostgresLedger(source_of(url)), bytes(range(32))))) as storage,
        ):
            yield storage


class TestSealedPostgresVectors(IndexConformance):
    storage = TestSealedPostgres.storage


class TestSealedPostgresArtifacts(ArtifactConformance):
    storage = TestSealedPostgres.storage
