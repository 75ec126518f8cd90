"""What programs keep in drawers: removed is gone, to the byte; whose it is stays known; and nothing unusable gets in."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.copier import Copier
from recollect.drawer import Drawer
from recollect.errors import InvalidInput
from recollect.memory import Memory
from recollect.ports import Storage
from recollect.storage.memory import MemoryStorage
from recollect.storage.mirror.memory import MemoryLedger, MemoryPlace
from recollect.storage.mirror.seal import SealedLedger
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import HandClock
from recollect.testing.conformance import COUNTER
from recollect.types import Scope

KEY = bytes(range(32))
SECRETS = 300
OTHERS = 300
OWN = Scope("u1")


def fill(drawer: Drawer) -> dict[str, bytes]:
    """Puts secrets and other things, one by one and in no order, so that pages split and rows move; returns the secrets."""
    chance = random.Random(3)
    kept = {f"secret-{chance.randrange(1 << 64):016x}": chance.randbytes(40) for _ in range(SECRETS)}
    others = {f"secret-{chance.randrange(1 << 64):016x}": b"nothing to hide" for _ in range(OTHERS)}
    for name, content in chance.sample([*kept.items(), *others.items()], SECRETS + OTHERS):
        drawer.put({name: content * chance.randrange(1, 20)})
    return kept


def left(folder: Path, kept: dict[str, bytes]) -> list[str]:
    """Which of these stand in a file of the folder, the logs included; by name or by content."""
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [name for name, content in kept.items() if name.encode() in everything or content in everything]


REMOVALS: dict[str, Callable[[Drawer, dict[str, bytes]], Any]] = {
    "one by one": lambda drawer, kept: [drawer.put({name: None}) for name in kept],
    "together": lambda drawer, kept: drawer.put(dict.fromkeys(kept)),
    "cleared": lambda drawer, kept: [drawer.clear(name) for name in kept],
}


@pytest.mark.parametrize("removal", REMOVALS)
def test_what_is_removed_is_in_no_file_while_the_store_is_open(tmp_path: Path, removal: str) -> None:
    with recollect.open(tmp_path / "chat.db", durable=False, background=False) as memory:
        drawer = memory.drawer(owner="u1", session="trip")
        kept = fill(drawer)
        assert len(left(tmp_path, kept)) >= SECRETS, "looking finds what is there"
        REMOVALS[removal](drawer, kept)
        assert left(tmp_path, kept) == []


def test_what_is_removed_leaves_the_lasting_mirrors_of_all_processes(tmp_path: Path) -> None:
    place = MemoryPlace()
    here, there = (MirrorStorage(MemoryLedger(place), tmp_path / name) for name in ("here", "there"))
    with closing(here), closing(there):
        drawer = Drawer(OWN, here)
        kept = fill(drawer)
        there.list_blobs(OWN, "", None, 10)
        assert len(left(tmp_path / "there", kept)) >= SECRETS
        drawer.put(dict.fromkeys(kept))
        assert left(tmp_path / "here", kept) == []
        there.list_blobs(OWN, "", None, 10)
        assert left(tmp_path / "there", kept) == []


def in_ledger(place: MemoryPlace, word: str) -> bool:
    """Whether a word stands in what a place keeps, or in its log."""
    return any(word in repr((unit.rows, unit.log)) for unit in place.units.values())


@pytest.mark.parametrize("sealed", [False, True])
def test_names_leave_a_ledger_and_its_log_and_are_sealed(sealed: bool) -> None:
    place = MemoryPlace()
    ledger = MemoryLedger(place)
    with closing(MirrorStorage(SealedLedger(ledger, KEY) if sealed else ledger)) as storage:
        drawer = Drawer(OWN.of("trip"), storage)
        drawer.put({"HIVDIAGNOSIS.md": b"words"})
        assert in_ledger(place, "HIVDIAGNOSIS") is not sealed
        drawer.put({"HIVDIAGNOSIS.md": None})
        assert not in_ledger(place, "HIVDIAGNOSIS")
        assert drawer.list() == []


@pytest.mark.parametrize("make", [MemoryStorage, lambda: MirrorStorage(MemoryLedger())])
def test_in_a_copy_blobs_of_a_pool_are_whose_they_were(make: Callable[[], Storage], tmp_path: Path) -> None:
    source, target = SqliteStorage(Source(tmp_path / "chat.db", durable=False)), make()
    with closing(source), closing(target):
        memory, other = (Memory(one, MemoryStorage(), COUNTER) for one in (source, target))
        pool = memory.create_pool("team", owner="ann")
        for owner in ("bob", "eve"):
            memory.grant(pool, to=owner, by="ann", access="write")
        for owner in ("ann", "bob", "eve"):
            memory.drawer(owner=owner, pool=pool).put({f"of {owner}": bytes(3 * 1024 * 1024)})
        memory.revoke(pool, of="eve", by="ann")
        report = Copier(source, target, clock=HandClock()).copy()
        assert report.is_whole, (report.waiting, report.differences)
        authors = [blob.author for blob in other.drawer(owner="ann", pool=pool).list()]
        assert authors == ["ann", "bob", "eve"]
        assert [grant.owner for grant in other.members(pool, owner="ann")] == ["ann", "bob"]
        other.erase(owner="bob")
        assert [blob.name for blob in other.drawer(owner="ann", pool=pool).list()] == ["of ann", "of eve"]
        assert not Copier(source, target, clock=HandClock()).compare().is_whole


def test_beside_a_temporary_conversation_nothing_is_written(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "chat.db", background=False) as memory:
        chat = memory.chat(owner="u1", temporary=True)
        drawer = memory.drawer(owner="u1", session=chat.id)
        drawer.put({"state": b"of nobody's concern"})
        assert drawer.get("state")["state"].content == b"of nobody's concern"
        assert b"concern" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        chat.erase()
        assert drawer.list() == []
    with recollect.open(tmp_path / "chat.db", background=False, persist=False) as memory:
        memory.drawer(owner="u1").put({"state": b"of nobody's concern"})
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
def test_what_cannot_be_used_is_said(use: Callable[[Any], Any]) -> None:
    drawer = recollect.open("memory://").drawer(owner="u1")
    with pytest.raises(InvalidInput):
        use(drawer)
    assert drawer.list(limit=1 << 70) == []


def test_what_changes_afterwards_is_not_what_was_kept() -> None:
    drawer = recollect.open("memory://").drawer(owner="u1")
    content = bytearray(b"first")
    drawer.put({"a": content})
    content[:] = b"other"
    assert drawer.get("a")["a"].content == b"first"
