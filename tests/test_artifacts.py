"""Artifacts and receipts: conformance of memory, SQLite and encrypted SQLite storages, and repair by the check-up."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from keepsaid.memory import Memory
from keepsaid.ports import ArtifactChanges, ArtifactQuery, Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage, snapshot
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.health.salvage import salvage
from keepsaid.testing import ArtifactConformance
from keepsaid.testing.artifact_conformance import (
    NOTES_LINE,
    OWNER_SCOPE,
    make_artifact,
    make_receipt,
    settle_notes_task,
)
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import ArtifactSource as Place
from keepsaid.types import ReadWindow, Scope


class TestMemoryArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        with closing(MemoryStorage()) as storage:
            yield storage


class TestSqliteArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", durable=False))) as storage:
            yield storage


class TestEncryptedArtifacts(ArtifactConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        with closing(SqliteStorage(SqliteSource(tmp_path / "chat.db", key=bytes(range(32)), durable=False))) as storage:
            yield storage


# -- the file: check-up, backup, salvage, earlier versions


def open_memory(path: Path) -> Memory:
    return Memory(SqliteStorage(SqliteSource(path, durable=False)), MemoryStorage(), COUNTER)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with some of everything: ten messages, facts, a tool note, a label, summaries and receipts."""
    path = tmp_path / "chat.db"
    with open_memory(path) as memory:
        chat = memory.chat(owner="u1", session="s", create=True)
        chat.add_many({"role": "user", "content": f"message {number}", "id": f"m{number}"} for number in range(1, 11))
        storage = memory._services.storage
        settle_notes_task(
            storage,
            *(
                make_artifact(f"f{n}", text=f"User likes tea {n}", session="s", sources=(Place(n, 0, 2),))
                for n in range(1, 6)
            ),
            make_artifact("hand", text="User was born in May"),
            make_artifact("t", "tool", "weather: 22", session="s", sources=(Place(2),)),
            make_artifact("l", "label", "Tea", session="s", sources=(Place(1),), data={"tags": ["tea"]}),
            make_artifact("s4", "summary", "up to four", session="s", upto=4),
            make_artifact("s8", "summary", "up to eight", session="s", upto=8),
        )
        storage.keep_receipts(
            OWNER_SCOPE, [make_receipt(f"r{n}", "s", n, f"question {n}", system="Be brief.") for n in range(3)]
        )
        assert memory.check().findings == ()
    return path


def execute(path: Path, sql: str) -> None:
    """Change the file without the store."""
    with closing(connect(SqliteSource(path))) as db:
        db.execute(sql).fetchall()


def everything(path: Path) -> list:
    kinds = ("fact", "tool", "label", "summary")
    with closing(SqliteStorage(SqliteSource(path))) as storage:
        made = [storage.artifacts(OWNER_SCOPE, ArtifactQuery(kind)) for kind in kinds]
        return [*made, storage.receipts(OWNER_SCOPE), storage.snapshot(Scope("u1", "s"), ReadWindow(last=2))]


@pytest.mark.parametrize(
    ("sql", "facts", "receipts"),
    [
        ("UPDATE rests SET message = message + 1000 WHERE artifact IN (SELECT rid FROM artifacts WHERE id = 'f3')", 5, 3),
        ("UPDATE artifacts SET session = 99 WHERE id IN ('f1', 'f2')", 4, 3),
        ("DELETE FROM artifacts WHERE id = 'f4'", 5, 3),
        ("DELETE FROM artifact_terms WHERE term = 'tea'", 6, 3),
        ("INSERT INTO artifact_terms VALUES (1, 'stray', 4294967297)", 6, 3),
        ("INSERT INTO artifact_terms VALUES (9, 'stray', 4294967297)", 6, 3),
        ("UPDATE artifacts SET text = 'User drinks coffee' WHERE id = 'f1'", 6, 3),
        ("UPDATE details SET summary = 'of something that was erased'", 6, 3),
        ("DELETE FROM artifacts WHERE id = 's8'", 6, 3),
        ("UPDATE artifacts SET upto = 77 WHERE id = 's8'", 6, 3),
        ("UPDATE receipts SET session = 99 WHERE id = 'r1'", 6, 2),
        ("UPDATE receipts SET system = NULL", 6, 3),
        ("UPDATE messages SET extra = '{\"private\":true}' WHERE id = 'm2'", 5, 3),
    ],
)
def test_check_finds_and_repairs_damaged_artifacts(store: Path, sql: str, facts: int, receipts: int) -> None:
    execute(store, sql)
    with open_memory(store) as memory:
        assert "artifacts" in {finding.kind for finding in memory.check().findings}
        assert "artifacts" in {finding.kind for finding in memory.check(repair=True).findings}
        assert memory.check().findings == ()
        storage = memory._services.storage
        assert len(storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact"))) == facts
        assert len(storage.receipts(OWNER_SCOPE)) == receipts
        found = {one.id for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", terms=("tea",)))}
        assert found == {one.id for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact")) if "tea" in one.text}
        assert memory.sessions(owner="u1").items[0].summary in ("up to eight", "up to four")


@pytest.mark.parametrize("table", ["artifacts", "receipts"])
def test_damaged_json_data_is_returned_as_raw_text(store: Path, table: str) -> None:
    execute(store, f"UPDATE {table} SET data = '{{broken'")
    with open_memory(store) as memory:
        storage = memory._services.storage
        found = (
            storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact")) if table == "artifacts" else storage.receipts(OWNER_SCOPE)
        )
        assert {str(one.data) for one in found} == {"{'keepsaid.damaged': '{broken'}"}
        assert {finding.kind for finding in memory.check(repair=True).findings} == {"values"}
        assert memory.check().findings == ()


def test_backup_and_salvage_preserve_artifacts_and_receipts(store: Path, tmp_path: Path) -> None:
    before = everything(store)
    with open_memory(store) as memory:
        memory.backup(tmp_path / "copy.db")
    salvage(SqliteSource(store), tmp_path / "saved.db")
    assert everything(tmp_path / "copy.db") == before
    assert everything(tmp_path / "saved.db") == before
    with open_memory(tmp_path / "saved.db") as memory:
        assert memory.check().findings == ()
        assert memory._services.storage.waiting(OWNER_SCOPE, NOTES_LINE) == 0


def test_changed_term_rules_rebuild_artifact_terms(store: Path) -> None:
    execute(store, "UPDATE meta SET value = '0' WHERE key = 'terms'")
    execute(store, "UPDATE artifact_terms SET term = 'x' || term")
    with open_memory(store) as memory:
        assert len(memory._services.storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", terms=("tea",)))) == 5
        assert memory.check().findings == ()


def test_system_texts_are_shared_and_dropped_with_last_receipt(store: Path) -> None:
    def texts() -> list[str]:
        with closing(connect(SqliteSource(store))) as db:
            return [text for (text,) in db.execute("SELECT text FROM systems ORDER BY text")]

    assert texts() == ["Be brief."]
    with open_memory(store) as memory:
        storage = memory._services.storage
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r9", "s", 9, created=50, system="Be long.")])
        assert texts() == ["Be brief.", "Be long."]
        assert storage.drop_receipts(10, 2) == 2
        assert texts() == ["Be brief.", "Be long."]
        assert storage.drop_receipts(10, 2) == 1
        assert texts() == ["Be long."]
        memory.erase(owner="u1", session="s")
        assert texts() == []


def test_snapshot_cost_does_not_grow_with_session(tmp_path: Path) -> None:
    """Counted in steps of SQLite's virtual machine, so that a busy computer does not fail the test."""
    steps: dict[int, int] = {}
    with open_memory(tmp_path / "chat.db") as memory:
        for length in (100, 20_000):
            chat = memory.chat(owner="u1", session=f"s{length}", create=True)
            chat.add_many({"role": "user", "content": f"message {number}"} for number in range(length))
            chat.pin(chat.page(limit=3).items[2].id)
            note = make_artifact(f"sum{length}", "summary", session=chat.id, upto=50)
            memory._services.storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([note]), 0)
            steps[length] = steps_of(tmp_path / "chat.db", Scope("u1", chat.id))
    assert steps[20_000] < 1.2 * steps[100]


def steps_of(path: Path, scope: Scope) -> int:
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 1
        return False

    with closing(connect(SqliteSource(path))) as db:
        db.set_progress_handler(count, 1)
        found = snapshot.snapshot(db, scope, ReadWindow(last=20))
    assert (len(found.tail), len(found.pinned), len(found.summaries)) == (20, 1, 1)
    return counted


@pytest.mark.parametrize(
    ("use", "seeks"),
    [
        (lambda storage: storage.snapshot(Scope("u1", "s"), ReadWindow(last=2)), ("messages_pinned", "artifacts_session")),
        (lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", limit=3)), ("artifacts_newest",)),
        (
            lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", terms=("tea",))),
            ("artifact_terms USING PRIMARY KEY",),
        ),
        (lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", numbers=(1,))), ("rests_message",)),
        (lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", ids=("f1",))), ("artifacts_id",)),
        (lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("label", session="s")), ("artifacts_session",)),
        (lambda storage: storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", pinned=True)), ("artifacts_pinned",)),
        (lambda storage: storage.receipts(OWNER_SCOPE), ("receipts_newest",)),
        (lambda storage: storage.receipts(Scope("u1", "s")), ("receipts_session",)),
        (lambda storage: storage.receipt(OWNER_SCOPE, "r1"), ("receipts_id",)),
        (lambda storage: storage.fetch(OWNER_SCOPE, [1, 2]), ("m USING INTEGER PRIMARY KEY",)),
    ],
)
def test_artifact_and_receipt_reads_use_indexes(
    store: Path, use: Callable[[SqliteStorage], object], seeks: tuple[str, ...]
) -> None:
    """Every read of artifacts and receipts uses an index; none scans a table."""
    asked: list[tuple[str, tuple]] = []
    with closing(SqliteStorage(SqliteSource(store))) as storage:
        reader = storage._readers._open()
        reader.set_exec_trace(lambda _, sql, values: bool(asked.append((sql, values or ()))) or True)
        storage._readers._idle.clear()
        storage._readers._idle.append(reader)
        use(storage)
        reader.set_exec_trace(None)
        plans = [
            step[3]
            for sql, values in asked
            if sql.lstrip().startswith(("SELECT", "WITH"))
            for step in reader.execute(f"EXPLAIN QUERY PLAN {sql}", values)
        ]
    assert all(any(seek in step for step in plans) for seek in seeks), plans
    tables = ("artifacts", "a", "rests", "r", "artifact_terms", "receipts", "messages", "m", "sessions", "s")
    assert [step for step in plans if step.startswith(tuple(f"SCAN {table}" for table in tables))] == []
