"""The reference passes the suite that everyone must pass."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from recollect.ports import Storage
from recollect.storage.memory import MemoryStorage
from recollect.testing import IndexConformance, StorageConformance


class TestMemoryStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        with closing(MemoryStorage()) as storage:
            yield storage


class TestMemoryVectors(IndexConformance):
    storage = TestMemoryStorage.storage
