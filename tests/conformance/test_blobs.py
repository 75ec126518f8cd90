"""Every storage keeps blobs, and a program opens them by a drawer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import servers
from places import place_of

import recollect
from recollect.errors import InvalidInput
from recollect.ports import Blobs
from recollect.storage.elsewhere import open_elsewhere
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.memory import MemoryLedger
from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import BlobConformance

KEY = bytes(range(32))


class TestBlobs(BlobConformance):
    @pytest.fixture(params=["memory", "sqlite", "encrypted", "mirror", "sealed", "postgres", "partitioned"])
    def storage(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
        if request.param in ("postgres", "partitioned"):
            with servers.postgres_storage(4 if request.param == "partitioned" else 0) as storage:
                yield storage
            return
        made = {
            "memory": MemoryStorage,
            "sqlite": lambda: SqliteStorage(Source(tmp_path / "chat.db", durable=False)),
            "encrypted": lambda: SqliteStorage(Source(tmp_path / "chat.db", key=KEY, durable=False)),
            "mirror": lambda: MirrorStorage(MemoryLedger()),
            "sealed": lambda: MirrorStorage(SealedLedger(MemoryLedger(), KEY)),
        }
        with closing(made[request.param]()) as storage:
            yield storage


def test_a_drawer_says_what_cannot_be_kept() -> None:
    drawer = recollect.open("memory://").drawer(owner="u1")
    for name in ("", "x" * 600, "a\U0010ffff", "a\0b"):
        with pytest.raises(InvalidInput):
            drawer.put({name: b"1"})
    with pytest.raises(InvalidInput, match="bytes"):
        drawer.put({"a": bytes(17 * 1024 * 1024)})
    assert drawer.list() == []


class TestBlobsOnServers(BlobConformance):
    @pytest.fixture(params=["redis", "firestore"])
    def storage(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
        with place_of(request.param, tmp_path) as url, closing(open_elsewhere(str(url), None, None, 10)) as storage:
            yield storage
