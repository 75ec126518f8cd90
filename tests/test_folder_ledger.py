"""The example of a custom backend, `examples/folder_ledger.py`, passes the conformance suites."""

import sys
from pathlib import Path

import pytest

from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from folder_ledger import FolderLedger


class TestFolderLedger(LedgerConformance):
    has_notifications = False

    @pytest.fixture
    def ledger(self, tmp_path):
        return FolderLedger(tmp_path)

    @pytest.fixture
    def second(self, tmp_path):
        return FolderLedger(tmp_path)


class TestFolderStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path):
        storage = ReplicaStorage(FolderLedger(tmp_path))
        yield storage
        storage.close()

    @pytest.mark.long  # a file for every row, each brought to the disk
    def test_a_thousand_sessions_can_be_paged_through(self, memory, clock):
        super().test_a_thousand_sessions_can_be_paged_through(memory, clock)


class TestFolderVectors(IndexConformance):
    storage = TestFolderStorage.storage


class TestFolderArtifacts(ArtifactConformance):
    storage = TestFolderStorage.storage
