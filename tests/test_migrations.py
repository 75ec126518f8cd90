"""Migrations: stores of every earlier version are upgraded on opening, and newer ones are refused unchanged."""

import apsw
import pytest

import keepsaid
from keepsaid.errors import NewerStore
from keepsaid.storage.sqlite import SqliteSource, schema
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.testing.conformance import find_messages


@pytest.mark.parametrize("versions", range(1, len(schema.MIGRATIONS) + 1))
def test_store_of_every_earlier_version_opens(tmp_path, versions):
    """The store is made with only the first migrations, filled by SQL as that version would, then opened by this version."""
    path = tmp_path / "chat.db"
    db = connect(SqliteSource(path))
    schema.migrate(db, schema.MIGRATIONS[:versions])
    for statement in FIRST_CONTENT:
        db.execute(statement)
    db.close()
    with keepsaid.open(path) as memory:
        chat = memory.chat(owner="u1", session="s1")
        assert [(m.id, m.text, m.role) for m in chat.messages()] == [("m1", "hello from version one", "user")]
        assert memory.search("version", owner="u1")[0].message.id == "m1"
        chat.add("assistant", "hello from today")
        assert chat.info().message_count == 2
        assert memory.check().healthy


MESSAGE = "4294967297, 1, 1, 0, 'm1', 1, 8, 1000000, 0.0, 0, NULL, NULL, NULL, 'hello from version one'"
COLUMNS = (
    "no, owner, id, status, created, updated, touched, pinned, revision, branch, head, leaf, messages, tokens, detailed"
)
SESSION = "1, 1, 's1', 0, 1000000, 1000000, 1000000, 0, 1, 1, 1, 1, 1, 8, 0"
FIRST_CONTENT = (
    "INSERT INTO owners (no, kind, id) VALUES (1, 0, 'u1')",
    f"INSERT INTO sessions ({COLUMNS}) VALUES ({SESSION})",
    "INSERT INTO branches VALUES (1, 1, NULL, 0, 0, 0)",
    f"INSERT INTO messages VALUES ({MESSAGE})",
)


def test_migration_runs_once_and_is_recorded(tmp_path):
    db = connect(SqliteSource(tmp_path / "chat.db"))
    runs = []
    more = (*schema.MIGRATIONS, ("9999-trial", lambda db: runs.append(db.execute("CREATE TABLE trial (x)"))))
    for _ in range(3):
        schema.migrate(db, more)
    assert len(runs) == 1
    assert "9999-trial" in schema.applied_migrations(db)
    db.close()


def test_failed_migration_leaves_old_version(tmp_path):
    def fails(db):
        db.execute("CREATE TABLE half_done (x)")
        raise RuntimeError("power cut")

    path = tmp_path / "chat.db"
    keepsaid.open(path).close()
    db = connect(SqliteSource(path))
    with pytest.raises(RuntimeError):
        schema.migrate(db, (*schema.MIGRATIONS, ("9999-trial", fails)))
    assert "9999-trial" not in schema.applied_migrations(db)
    assert not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half_done'").fetchall()
    db.close()
    with keepsaid.open(path) as memory:
        assert memory.check().healthy


def test_newer_store_is_refused_unchanged(tmp_path):
    path = tmp_path / "chat.db"
    keepsaid.open(path).close()
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO migrations VALUES ('0099-from-the-future', 0)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore, match="0099-from-the-future"):
        keepsaid.open(path)
    assert path.read_bytes() == before


def test_index_with_outdated_term_rules_is_rebuilt(tmp_path):
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        memory.chat(owner="u1").add_many([{"role": "user", "content": f"door number {n}"} for n in range(100)])
    db = connect(SqliteSource(path))
    db.execute("UPDATE meta SET value = '0' WHERE key = 'terms'")
    db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
    db.close()
    with keepsaid.open(path) as memory:
        assert len(memory.search("door", owner="u1", limit=200)) == 100
        assert memory.check().healthy


def test_migration_indexes_speaker_names_of_version_one_store(tmp_path):
    """Version one indexed only the text, and FTS5 can delete only exactly what was inserted; erase must leave no term."""
    path = tmp_path / "chat.db"
    db = connect(SqliteSource(path))
    schema.migrate(db, schema.MIGRATIONS[:1])
    db.create_scalar_function("keyword_text", lambda owner, text: " ".join(f"{owner}:{word}" for word in text.split()), 2)
    for statement in FIRST_CONTENT[:3]:
        db.execute(statement)
    for number in range(1, 301):
        db.execute(
            "INSERT INTO messages VALUES (?, 1, ?, ?, ?, 1, 2, 1000000, 0.0, 0, NULL, NULL, ?, ?)",
            ((1 << 32) + number, number, number - 1, f"m{number}", NAMED if number % 3 == 0 else None, f"door n{number}"),
        )
    db.execute("UPDATE sessions SET head = 300, leaf = 300, messages = 300, tokens = 600")
    db.execute("UPDATE owners SET indexed = ?, indexed_messages = 256, indexed_tokens = 512", ((1 << 32) + 256,))
    db.execute("INSERT INTO keywords (rowid, text) SELECT rid, text FROM keyword_texts")
    db.execute("INSERT INTO meta VALUES ('terms', '1')")
    db.close()
    with keepsaid.open(path) as memory:
        assert memory.check().healthy
        assert len(find_messages(memory, "Caroline", owner="u1", limit=500)) == 100
        chat = memory.chat(owner="u1", session="s1")
        chat.erase("m3")
        assert len(find_messages(memory, "Caroline", owner="u1", limit=500)) == 99
        assert not find_messages(memory, "n3", owner="u1")
        assert memory.check().healthy
        assert memory.erase(owner="u1").verified == ("rows", "keywords", "vectors", "artifacts", "log", "pages")
    db = connect(SqliteSource(path))
    assert db.execute("SELECT term FROM vocabulary").fetchall() == []
    db.close()


NAMED = '{"name":"Caroline"}'
