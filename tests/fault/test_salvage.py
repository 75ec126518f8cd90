"""Salvage copies every readable row of every table and reports what is lost."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest
from rich_store import fill, read_everything

import keepsaid
from keepsaid.ports import ServerKey
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage, schema
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.health.salvage import DERIVED_TABLES, TABLES, SalvageReport, salvage
from keepsaid.testing import ManualClock

KEY = bytes(range(32))
PAGE = 4096


def tables(path: Path, key: bytes | None = None) -> set[str]:
    """Every table of a store, without those inside of the keyword index."""
    with closing(connect(SqliteSource(path, key))) as db:
        found = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return {name for name in found if not name.startswith("keywords_")}


def rows(path: Path, key: bytes | None, table: str) -> set[tuple[object, ...]]:
    with closing(connect(SqliteSource(path, key))) as db:
        found = set(db.execute(f"SELECT * FROM {table}"))
    # How far an owner's messages are in the keyword index, which is made anew.
    return {row[:7] for row in found} if table == "owners" else found


def test_every_table_is_either_salvaged_or_derived(tmp_path: Path) -> None:
    """A table added by a migration must be listed in `TABLES` or `DERIVED_TABLES`."""
    SqliteStorage(SqliteSource(tmp_path / "chat.db")).close()
    assert tables(tmp_path / "chat.db") == {*TABLES, *DERIVED_TABLES}
    assert not {*TABLES} & {*DERIVED_TABLES}


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_salvage_copies_every_table_of_intact_store(tmp_path: Path, key: bytes | None) -> None:
    clock, path, target = ManualClock(), tmp_path / "chat.db", tmp_path / "saved.db"
    with closing(SqliteStorage(SqliteSource(path, key, durable=False))) as storage:
        fill(storage, clock)
        before = read_everything(storage, clock)
        keys = storage.keys()
    report = salvage(SqliteSource(path, key), target)
    assert report.lost == {}
    for table in TABLES:
        assert rows(target, key, table) == rows(path, key, table), table
        assert report[table] == len(rows(path, key, table)), table
    assert report["blobs"] == 304
    assert report["keys"] == 2
    with closing(SqliteStorage(SqliteSource(target, key))) as storage:
        assert read_everything(storage, clock) == before
        assert storage.keys() == keys
        assert storage.check().findings == ()


def blobs_and_keys(path: Path, count: int = 200) -> None:
    with keepsaid.open(path, durable=False, background=False, embedder="off") as memory:
        drawer = memory.blobs(owner="ann", session="trip")
        for number in range(count):
            drawer.put({f"checkpoint/{number:04d}": b"state %04d " % number * 30})
        keep_key = memory._services.storage.keep_key  # type: ignore[attr-defined]
        for number in range(300):
            keep_key(ServerKey(f"key{number:04d}", "d" * 64, "laptop", "ann", None, ("read",), 5))


def overwrite(path: Path, text: bytes) -> int:
    """Damages the page on which a text stands."""
    content = path.read_bytes()
    page = content.index(text) // PAGE
    with path.open("rb+") as file:
        file.seek(page * PAGE)
        file.write(random.Random(page).randbytes(PAGE))
    return page


def test_salvage_reports_lost_blobs_and_saves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    blobs_and_keys(path)
    overwrite(path, b"state 0100 ")
    report = salvage(SqliteSource(path), tmp_path / "saved.db")
    assert 180 < report["blobs"] < 200
    assert report.lost == {"blobs": f"{200 - report['blobs']} of 200 rows"}
    with keepsaid.open(tmp_path / "saved.db", background=False, embedder="off") as memory:
        assert len(memory.blobs(owner="ann", session="trip").list(limit=1000)) == report["blobs"]
        assert memory.check().findings == ()


def test_salvage_reports_lost_keys(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    blobs_and_keys(path)
    overwrite(path, b"key0150")
    report = salvage(SqliteSource(path), tmp_path / "saved.db")
    assert 0 < report["keys"] < 300
    assert list(report.lost) == ["keys"]
    assert "an unknown number of rows" in report.lost["keys"]


def test_salvage_keeps_blobs_of_lost_owner_under_new_name(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    blobs_and_keys(path, 20)
    with closing(connect(SqliteSource(path))) as db:
        db.execute("DELETE FROM owners")
    report = salvage(SqliteSource(path), tmp_path / "saved.db")
    assert (report["blobs"], report.lost) == (20, {})
    with keepsaid.open(tmp_path / "saved.db", background=False, embedder="off") as memory:
        assert len(memory.blobs(owner="recovered-1", session="trip").list()) == 20


def test_salvage_reports_unknown_table_as_lost(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    blobs_and_keys(path, 2)
    with closing(connect(SqliteSource(path))) as db:
        db.execute("CREATE TABLE inventions (no INTEGER PRIMARY KEY)")
    assert list(salvage(SqliteSource(path), tmp_path / "saved.db").lost) == ["inventions"]


def test_salvage_keeps_owner_number_sequence(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with keepsaid.open(path, background=False, embedder="off") as memory:
        for owner in ("ann", "bob", "carol"):
            memory.chat(owner=owner).add("user", "Hello")
        memory.erase(owner="carol")
    assert salvage(SqliteSource(path), tmp_path / "saved.db").lost == {}
    assert rows(tmp_path / "saved.db", None, "sqlite_sequence") == rows(path, None, "sqlite_sequence")


def test_salvage_reads_store_of_older_schema(tmp_path: Path) -> None:
    """Tables of an older schema have fewer columns."""
    with closing(connect(SqliteSource(tmp_path / "old.db"))) as db:
        schema.migrate(db, schema.MIGRATIONS[:7])
        db.execute("INSERT INTO owners (no, kind, id) VALUES (1, 0, 'u1')")
        db.execute("INSERT INTO branches VALUES (1, 1, NULL, 0, 0, 0)")
        db.execute(
            "INSERT INTO sessions (no, owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf,"
            " messages, tokens) VALUES (1, 1, 'trip', 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0)"
        )
    report: SalvageReport = salvage(SqliteSource(tmp_path / "old.db"), tmp_path / "saved.db")
    assert (report["sessions"], report.lost) == (1, {})
    with keepsaid.open(tmp_path / "saved.db", background=False, embedder="off") as memory:
        assert [session.id for session in memory.sessions(owner="u1")] == ["trip"]
