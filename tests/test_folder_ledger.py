"""The example of a backend of one's own passes the suites that ours must pass."""

import sys
from pathlib import Path

import pytest

from recollect.storage.mirror.storage import MirrorStorage
from recollect.testing import ArtifactConformance, IndexConformance, LedgerConformance, StorageConformance

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from folder_ledger import FolderLedger


class TestFolderLedger(LedgerConformance):
    tells_news = False

    @pytest.fixture
    def ledger(self, tmp_path):
        return FolderLedger(tmp_path)

    @pytest.fixture
    def second(self, tmp_path):
        return FolderLedger(tmp_path)


class TestFolderStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path):
        storage = MirrorStorage(FolderLedger(tmp_path))
        yield storage
        storage.close()

    @pytest.mark.long  # a file for every row, each brought to the disk
    def test_a_thousand_sessions_can_be_paged_through(self, memory, clock):
        super().test_a_thousand_sessions_can_be_paged_through(memory, clock)


class TestFolderVectors(IndexConformance):
    storage = TestFolderStorage.storage


class TestFolderArtifacts(ArtifactConformance):
    storage = TestFolderStorage.storage
