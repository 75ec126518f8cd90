"""Helpers for your own tests and backends: a clock that you set, an embedder without a model, a scripted language model,
the conformance suites, and the state machine.

Needs `pip install 'keepsaid[testing]'`. All tests that a backend needs:

    from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match

    class TestMine(StorageConformance):
        @pytest.fixture
        def storage(self):
            with closing(MyStorage(...)) as storage:
                yield storage

    class TestMyVectors(IndexConformance):  # if it stores vectors
        storage = TestMine.storage

    class TestMyArtifacts(ArtifactConformance):  # if it stores artifacts and receipts
        storage = TestMine.storage

    class TestMyBlobs(BlobConformance):  # if it stores blobs
        storage = TestMine.storage

    class TestMyLedger(LedgerConformance):  # if it is a ledger for rows that are read through a replica (docs/backends.md)
        @pytest.fixture
        def ledger(self):
            with closing(MyLedger(...)) as ledger:
                yield ledger

    def test_lifecycles():
        lifecycles_match(lambda: MyStorage(...))
"""

from keepsaid.testing.artifact_conformance import ArtifactConformance
from keepsaid.testing.blob_conformance import BlobConformance
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import StorageConformance
from keepsaid.testing.embedder import HashEmbedder
from keepsaid.testing.index_conformance import IndexConformance
from keepsaid.testing.ledger_conformance import LedgerConformance
from keepsaid.testing.llm import ScriptedLLM
from keepsaid.testing.state_machine import lifecycles_match

__all__ = [
    "ArtifactConformance",
    "BlobConformance",
    "HashEmbedder",
    "IndexConformance",
    "LedgerConformance",
    "ManualClock",
    "ScriptedLLM",
    "StorageConformance",
    "lifecycles_match",
]
