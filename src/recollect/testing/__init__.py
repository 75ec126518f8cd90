"""For your own tests and your own backend: a clock that you turn by hand, the conformance suite, and the state machine.

Needs `pip install 'recollect[testing]'`. A backend's whole proof:

    from recollect.testing import StorageConformance, lifecycles_match

    class TestMine(StorageConformance):
        @pytest.fixture
        def storage(self):
            with closing(MyStorage(...)) as storage:
                yield storage

    def test_lifecycles():
        lifecycles_match(lambda: MyStorage(...))
"""

from recollect.testing.clock import HandClock
from recollect.testing.conformance import StorageConformance
from recollect.testing.machine import lifecycles_match

__all__ = ["HandClock", "StorageConformance", "lifecycles_match"]
