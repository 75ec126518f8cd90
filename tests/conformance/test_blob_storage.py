"""Every storage passes the blob conformance suite, and a drawer rejects invalid blobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import servers
from backends import place_of

import keepsaid
from keepsaid.errors import InvalidInput
from keepsaid.ports import BlobStorage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.remote import open_remote
from keepsaid.storage.replica.encryption import EncryptedLedger
from keepsaid.storage.replica.memory_ledger import MemoryLedger
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing import BlobConformance

KEY = bytes(range(32))


class TestBlobs(BlobConformance):
    @pytest.fixture(params=["memory", "sqlite", "encrypted", "replica", "sealed", "postgres", "partitioned"])
    def storage(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStorage]:
        if request.param in ("postgres", "partitioned"):
            with servers.postgres_storage(4 if request.param == "partitioned" else 0) as storage:
                yield storage
            return
        made = {
            "memory": MemoryStorage,
            "sqlite": lambda: SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False)),
            "encrypted": lambda: SqliteStorage(SqliteSource(tmp_path / "chat.db", key=KEY, durable=False)),
            "replica": lambda: ReplicaStorage(MemoryLedger()),
            "sealed": lambda: ReplicaStorage(EncryptedLedger(MemoryLedger(), KEY)),
        }
        with closing(made[request.param]()) as storage:
            yield storage


def test_drawer_rejects_invalid_names_and_too_large_blobs() -> None:
    drawer = keepsaid.open("memory://").blobs(owner="u1")
    for name in ("", "x" * 600, "a\U0010ffff", "a\0b"):
        with pytest.raises(InvalidInput):
            drawer.put({name: b"1"})
    with pytest.raises(InvalidInput, match="bytes"):
        drawer.put({"a": bytes(17 * 1024 * 1024)})
    assert drawer.list() == []


class TestBlobsOnServers(BlobConformance):
    @pytest.fixture(params=["redis", "firestore"])
    def storage(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStorage]:
        with place_of(request.param, tmp_path) as url, closing(open_remote(str(url), None, None, 10)) as storage:
            yield storage
