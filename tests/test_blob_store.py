"""Blobs: removal leaves no bytes, store copies keep their authors, and invalid arguments are rejected."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import keepsaid
from keepsaid.errors import InvalidInput
from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.replica.encryption import EncryptedLedger
from keepsaid.storage.replica.memory_ledger import MemoryLedger, MemoryLedgerServer
from keepsaid.storage.replica.storage import ReplicaStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.transfer.copy import StoreCopier
from keepsaid.types import Scope

KEY = bytes(range(32))
SECRETS = 300
OTHERS = 300
OWN = Scope("u1")


def fill(drawer: BlobStore) -> dict[str, bytes]:
    """Puts secrets and other things, one by one and in no order, so that pages split and rows move; returns the secrets."""
    chance = random.Random(3)
    kept = {f"secret-{chance.randrange(1 << 64):016x}": chance.randbytes(40) for _ in range(SECRETS)}
    others = {f"secret-{chance.randrange(1 << 64):016x}": b"nothing to hide" for _ in range(OTHERS)}
    for name, content in chance.sample([*kept.items(), *others.items()], SECRETS + OTHERS):
        drawer.put({name: content * chance.randrange(1, 20)})
    return kept


def find_in_files(folder: Path, kept: dict[str, bytes]) -> list[str]:
    """Which of these stand in a file of the folder, the logs included; by name or by content."""
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [name for name, content in kept.items() if name.encode() in everything or content in everything]


REMOVALS: dict[str, Callable[[BlobStore, dict[str, bytes]], Any]] = {
    "one by one": lambda drawer, kept: [drawer.put({name: None}) for name in kept],
    "together": lambda drawer, kept: drawer.put(dict.fromkeys(kept)),
    "cleared": lambda drawer, kept: [drawer.clear(name) for name in kept],
}


@pytest.mark.parametrize("removal", REMOVALS)
def test_removed_blobs_leave_no_bytes_in_open_store(tmp_path: Path, removal: str) -> None:
    with keepsaid.open(tmp_path / "chat.db", durable=False, background=False) as memory:
        drawer = memory.blobs(owner="u1", session="trip")
        kept = fill(drawer)
        assert len(find_in_files(tmp_path, kept)) >= SECRETS, "looking finds what is there"
        REMOVALS[removal](drawer, kept)
        assert find_in_files(tmp_path, kept) == []


def test_removed_blobs_leave_no_bytes_in_persistent_replicas(tmp_path: Path) -> None:
    place = MemoryLedgerServer()
    here, there = (ReplicaStorage(MemoryLedger(place), tmp_path / name) for name in ("here", "there"))
    with closing(here), closing(there):
        drawer = BlobStore(OWN, here)
        kept = fill(drawer)
        there.list_blobs(OWN, "", None, 10)
        assert len(find_in_files(tmp_path / "there", kept)) >= SECRETS
        drawer.put(dict.fromkeys(kept))
        assert find_in_files(tmp_path / "here", kept) == []
        there.list_blobs(OWN, "", None, 10)
        assert find_in_files(tmp_path / "there", kept) == []


def in_ledger(place: MemoryLedgerServer, word: str) -> bool:
    """Whether a word stands in what a place keeps, or in its log."""
    return any(word in repr((unit.rows, unit.log)) for unit in place.partitions.values())


@pytest.mark.parametrize("sealed", [False, True])
def test_blob_names_are_encrypted_and_removed_from_ledger(sealed: bool) -> None:
    place = MemoryLedgerServer()
    ledger = MemoryLedger(place)
    with closing(ReplicaStorage(EncryptedLedger(ledger, KEY) if sealed else ledger)) as storage:
        drawer = BlobStore(OWN.of("trip"), storage)
        drawer.put({"HIVDIAGNOSIS.md": b"words"})
        assert in_ledger(place, "HIVDIAGNOSIS") is not sealed
        drawer.put({"HIVDIAGNOSIS.md": None})
        assert not in_ledger(place, "HIVDIAGNOSIS")
        assert drawer.list() == []


@pytest.mark.parametrize("make", [MemoryStorage, lambda: ReplicaStorage(MemoryLedger())])
def test_store_copy_keeps_authors_of_pool_blobs(make: Callable[[], Storage], tmp_path: Path) -> None:
    source, target = SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False)), make()
    with closing(source), closing(target):
        memory, other = (Memory(one, MemoryStorage(), COUNTER) for one in (source, target))
        pool = memory.create_pool("team", owner="ann")
        for owner in ("bob", "eve"):
            memory.grant(pool, to=owner, by="ann", access="write")
        for owner in ("ann", "bob", "eve"):
            memory.blobs(owner=owner, pool=pool).put({f"of {owner}": bytes(3 * 1024 * 1024)})
        memory.revoke(pool, of="eve", by="ann")
        report = StoreCopier(source, target, clock=ManualClock()).copy()
        assert report.is_whole, (report.waiting, report.differences)
        authors = [blob.author for blob in other.blobs(owner="ann", pool=pool).list()]
        assert authors == ["ann", "bob", "eve"]
        assert [grant.owner for grant in other.members(pool, owner="ann")] == ["ann", "bob"]
        other.erase(owner="bob")
        assert [blob.name for blob in other.blobs(owner="ann", pool=pool).list()] == ["of ann", "of eve"]
        assert not StoreCopier(source, target, clock=ManualClock()).compare().is_whole


def test_blobs_of_temporary_session_are_not_written_to_disk(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db", background=False) as memory:
        chat = memory.chat(owner="u1", temporary=True)
        drawer = memory.blobs(owner="u1", session=chat.id)
        drawer.put({"state": b"of nobody's concern"})
        assert drawer.get("state")["state"].content == b"of nobody's concern"
        assert b"concern" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        chat.erase()
        assert drawer.list() == []
    with keepsaid.open(tmp_path / "chat.db", background=False, persist=False) as memory:
        memory.blobs(owner="u1").put({"state": b"of nobody's concern"})
        assert b"concern" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "use",
    [
        lambda drawer: drawer.put({"a": "text"}),
        lambda drawer: drawer.put({"a": 7}),
        lambda drawer: drawer.put({"a": b""}, expected={"a": "1"}),
        lambda drawer: drawer.put({"a": b""}, expected={"a": -1}),
        lambda drawer: drawer.put({"a": b""}, expected={"a": 1 << 70}),
        lambda drawer: drawer.put({"a": b""}, expected={"\0": 0}),
        lambda drawer: drawer.list("\0"),
        lambda drawer: drawer.list(after="\ud800"),
        lambda drawer: drawer.list(limit=-1),
        lambda drawer: drawer.list(limit="all"),
        lambda drawer: drawer.clear("\ud800"),
        lambda drawer: drawer.clear(None),
    ],
)
def test_blobs_reject_invalid_arguments(use: Callable[[Any], Any]) -> None:
    drawer = keepsaid.open("memory://").blobs(owner="u1")
    with pytest.raises(InvalidInput):
        use(drawer)
    assert drawer.list(limit=1 << 70) == []


def test_put_blob_copies_mutable_content() -> None:
    drawer = keepsaid.open("memory://").blobs(owner="u1")
    content = bytearray(b"first")
    drawer.put({"a": content})
    content[:] = b"other"
    assert drawer.get("a")["a"].content == b"first"
