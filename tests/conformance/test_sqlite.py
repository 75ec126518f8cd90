"""SQLite passes the suite that everyone must pass, and does what the reference does through random life cycles."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from recollect.ports import Storage
from recollect.storage.sqlite import Source, SqliteStorage, keywords
from recollect.testing import IndexConformance, StorageConformance, lifecycles_match


class TestSqliteStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(Source(tmp_path / "chat.db", durable=False))) as storage:
            yield storage


class TestEncryptedStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(Source(tmp_path / "chat.db", key=bytes(range(32)), durable=False))) as storage:
            yield storage


class TestSqliteVectors(IndexConformance):
    storage = TestSqliteStorage.storage

    @pytest.fixture
    def second(self, storage: Storage, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(Source(tmp_path / "chat.db", durable=False))) as second:
            yield second


class TestEncryptedVectors(IndexConformance):
    storage = TestEncryptedStorage.storage


@pytest.mark.parametrize("examples", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_lifecycles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)  # so that short histories reach the index, too
    numbers = count()
    lifecycles_match(
        lambda: SqliteStorage(Source(tmp_path / f"{next(numbers)}.db", durable=False)), examples=examples, steps=40
    )
