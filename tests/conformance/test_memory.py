"""The in-memory storage passes the storage and index conformance suites."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing import IndexConformance, StorageConformance


class TestMemoryStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        with closing(MemoryStorage()) as storage:
            yield storage


class TestMemoryVectors(IndexConformance):
    storage = TestMemoryStorage.storage
