"""What is made of messages is kept alike by the reference, by SQLite and by encrypted SQLite; the doctor mends it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recollect.storage.memory import MemoryStorage
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import ArtifactConformance
from recollect.testing.artifact_conformance import ArtifactStorage


class TestMemoryArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[ArtifactStorage]:
        with closing(MemoryStorage()) as storage:
            yield storage


class TestSqliteArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[ArtifactStorage]:
        with closing(SqliteStorage(Source(tmp_path / "chat.db", durable=False))) as storage:
            yield storage


class TestEncryptedArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[ArtifactStorage]:
        with closing(SqliteStorage(Source(tmp_path / "chat.db", key=bytes(range(32)), durable=False))) as storage:
            yield storage
