"""Fixtures and helper functions of the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepsaid.config import Settings
from keepsaid.engine.text.terms import terms
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.ports import Storage, VisibleMessage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.types import Scope, SearchFilters

COUNTER = counter_for("o200k_base")
WITH_RETENTION = Settings(retention_active_days=30.0, retention_archived_days=90.0)


def find_messages(
    memory: Memory, query: str, *, owner: str, pool: str | None = None, limit: int = 10
) -> list[VisibleMessage]:
    """Return the storage's own keyword matches, before any ranking."""
    storage: Storage = memory._services.storage  # pyright: ignore[reportPrivateUsage]
    return storage.find(Scope(owner, None, pool), list(dict.fromkeys(terms(query))), SearchFilters(), limit).messages


class StorageFixtures:
    """Fixtures of the conformance suite. A subclass implements `storage`."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """Yield an empty storage; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Return a clock that the test controls."""
        return ManualClock()

    @pytest.fixture
    def memory(self, storage: Storage, clock: ManualClock) -> Memory:
        """Return a memory over the storage. The storage fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=WITH_RETENTION)

    @pytest.fixture(autouse=True)
    def assert_healthy_afterwards(self, storage: Storage) -> Iterator[None]:
        """Check after every test that rows, index and counters agree."""
        yield
        assert storage.check().findings == ()
