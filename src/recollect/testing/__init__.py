"""For your own tests and your own backend: a clock that you turn by hand, an embedder without a model, a scripted
language model, the conformance suites, and the state machine.

Needs `pip install 'recollect[testing]'`. A backend's whole proof:

    from recollect.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match

    class TestMine(StorageConformance):
        @pytest.fixture
        def storage(self):
            with closing(MyStorage(...)) as storage:
                yield storage

    class TestMyVectors(IndexConformance):  # if it keeps vectors
        storage = TestMine.storage

    class TestMyArtifacts(ArtifactConformance):  # if it keeps what is made of messages
        storage = TestMine.storage

    class TestMyBlobs(BlobConformance):  # if it keeps bytes for programs
        storage = TestMine.storage

    class TestMyLedger(LedgerConformance):  # if it is a place for rows, with a mirror before it (docs/backends.md)
        @pytest.fixture
        def ledger(self):
            with closing(MyLedger(...)) as ledger:
                yield ledger

    def test_lifecycles():
        lifecycles_match(lambda: MyStorage(...))
"""

from recollect.testing.artifact_conformance import ArtifactConformance
from recollect.testing.blob_conformance import BlobConformance
from recollect.testing.clock import HandClock
from recollect.testing.conformance import StorageConformance
from recollect.testing.embedder import HashEmbedder
from recollect.testing.index_conformance import IndexConformance
from recollect.testing.ledger_conformance import LedgerConformance
from recollect.testing.llm import ScriptedLLM
from recollect.testing.machine import lifecycles_match

__all__ = [
    "ArtifactConformance",
    "BlobConformance",
    "HandClock",
    "HashEmbedder",
    "IndexConformance",
    "LedgerConformance",
    "ScriptedLLM",
    "StorageConformance",
    "lifecycles_match",
]
