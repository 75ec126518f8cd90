"""The reference passes the suite that every ledger must pass, also where it forgets what changed at once."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from recollect.storage.mirror.ledger import Ledger
from recollect.storage.mirror.memory import MemoryLedger, MemoryPlace
from recollect.testing.ledger_conformance import LedgerConformance


class TestMemoryLedger(LedgerConformance):
    log = 1000

    @pytest.fixture
    def place(self) -> MemoryPlace:
        return MemoryPlace()

    @pytest.fixture
    def ledger(self, place: MemoryPlace) -> Iterator[Ledger]:
        with closing(MemoryLedger(place, self.log)) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, place: MemoryPlace) -> Iterator[Ledger]:
        with closing(MemoryLedger(place, self.log)) as second:
            yield second


class TestShortLog(TestMemoryLedger):
    log = 2
