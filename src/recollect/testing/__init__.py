"""For your own tests and your own backend: a clock that you turn by hand, an embedder without a model, the conformance
suites, and the state machine.

Needs `pip install 'recollect[testing]'`. A backend's whole proof:

    from recollect.testing import IndexConformance, StorageConformance, lifecycles_match

    class TestMine(StorageConformance):
        @pytest.fixture
        def storage(self):
            with closing(MyStorage(...)) as storage:
                yield storage

    class TestMyVectors(IndexConformance):  # if it keeps vectors
        storage = TestMine.storage

    def test_lifecycles():
        lifecycles_match(lambda: MyStorage(...))
"""

from recollect.testing.clock import HandClock
from recollect.testing.conformance import StorageConformance
from recollect.testing.embedder import HashEmbedder
from recollect.testing.index_conformance import IndexConformance
from recollect.testing.machine import lifecycles_match

__all__ = ["HandClock", "HashEmbedder", "IndexConformance", "StorageConformance", "lifecycles_match"]
