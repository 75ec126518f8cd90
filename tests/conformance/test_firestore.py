"""Firestore passes the conformance suites for ledgers and for storages."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest
from firestore_server import firestore_server

from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.storage.firestore.ledger import FirestoreLedger
from keepsaid.storage.replica.ledger import Ledger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing import ArtifactConformance, IndexConformance, ManualClock, StorageConformance, lifecycles_match
from keepsaid.testing.ledger_conformance import LedgerConformance

numbers = count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with firestore_server() as server:
        yield server


@pytest.fixture
def url(server: str) -> str:
    """The address of a store that no other test uses."""
    return f"firestore://tests/?emulator={server}&prefix=t{next(numbers)}_&patience=5&timeout=120"


class TestFirestoreLedger(LedgerConformance):
    @pytest.fixture
    def ledger(self, url: str) -> Iterator[Ledger]:
        with closing(FirestoreLedger.open(url)) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, url: str) -> Iterator[Ledger]:
        with closing(FirestoreLedger.open(url)) as second:
            yield second

    @pytest.mark.long  # the emulator takes longer for each document that a collection has
    def test_five_thousand_rows_in_one_commit(self, ledger: Ledger) -> None:
        super().test_five_thousand_rows_in_one_commit(ledger)


@pytest.mark.long
class TestFirestoreLedgerWithShortLog(TestFirestoreLedger):
    @pytest.fixture
    def url(self, server: str) -> str:
        return f"firestore://tests/?emulator={server}&prefix=t{next(numbers)}_&patience=5&timeout=120&log=2"


class TestFirestoreStorage(StorageConformance):
    @pytest.fixture
    def storage(self, url: str) -> Iterator[Storage]:
        with closing(ReplicaStorage(FirestoreLedger.open(url))) as storage:
            yield storage

    @pytest.mark.long
    def test_a_thousand_sessions_can_be_paged_through(self, memory: Memory, clock: ManualClock) -> None:
        super().test_a_thousand_sessions_can_be_paged_through(memory, clock)


class TestFirestoreVectors(IndexConformance):
    storage = TestFirestoreStorage.storage

    @pytest.fixture
    def second(self, url: str) -> Iterator[Storage]:
        with closing(ReplicaStorage(FirestoreLedger.open(url))) as second:
            yield second


class TestFirestoreArtifacts(ArtifactConformance):
    storage = TestFirestoreStorage.storage


@pytest.mark.parametrize(("examples", "steps"), [(2, 12), pytest.param(200, 40, marks=pytest.mark.long)])
def test_lifecycles_match_reference(server: str, examples: int, steps: int) -> None:
    def storage() -> ReplicaStorage:
        return ReplicaStorage(FirestoreLedger.open(f"firestore://tests/?emulator={server}&prefix=l{next(numbers)}_"))

    lifecycles_match(storage, examples=examples, steps=steps)
