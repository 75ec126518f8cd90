"""SQLite passes the conformance suites, and matches the reference in random lifecycles."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from keepsaid.ports import Storage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.storage.sqlite.search import keyword_index
from keepsaid.testing import IndexConformance, StorageConformance, lifecycles_match


class TestSqliteStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))) as storage:
            yield storage


class TestEncryptedStorage(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", key=bytes(range(32)), durable=False))) as storage:
            yield storage


class TestSqliteVectors(IndexConformance):
    storage = TestSqliteStorage.storage

    @pytest.fixture
    def second(self, storage: Storage, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))) as second:
            yield second


class TestEncryptedVectors(IndexConformance):
    storage = TestEncryptedStorage.storage


@pytest.mark.parametrize("examples", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_lifecycles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keyword_index, "TAIL_LENGTH", 4)  # so that short histories reach the index, too
    numbers = count()
    lifecycles_match(
        lambda: SqliteStorage(SqliteSource(tmp_path / f"{next(numbers)}.db", durable=False)), examples=examples, steps=40
    )
