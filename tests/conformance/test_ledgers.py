"""The in-memory ledger passes the ledger conformance suite, also with a very short change log."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from keepsaid.storage.replica.ledger import Ledger
from keepsaid.storage.replica.memory_ledger import MemoryLedger, MemoryLedgerServer
from keepsaid.testing.ledger_conformance import LedgerConformance


class TestMemoryLedger(LedgerConformance):
    log = 1000

    @pytest.fixture
    def place(self) -> MemoryLedgerServer:
        return MemoryLedgerServer()

    @pytest.fixture
    def ledger(self, place: MemoryLedgerServer) -> Iterator[Ledger]:
        with closing(MemoryLedger(place, self.log)) as ledger:
            yield ledger

    @pytest.fixture
    def second(self, place: MemoryLedgerServer) -> Iterator[Ledger]:
        with closing(MemoryLedger(place, self.log)) as second:
            yield second


class TestMemoryLedgerWithShortLog(TestMemoryLedger):
    log = 2
