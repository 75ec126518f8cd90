"""Stores of every earlier version open as this version's; those of a later one are left alone."""

import apsw
import pytest

import recollect
from recollect.errors import NewerStore
from recollect.storage.sqlite import Source, schema
from recollect.storage.sqlite.connection import connect
from recollect.testing.conformance import found


@pytest.mark.parametrize("versions", range(1, len(schema.MIGRATIONS) + 1))
def test_from_every_version(tmp_path, versions):
    """Made with only the first migrations, filled by SQL as that version would, then opened by this one."""
    path = tmp_path / "chat.db"
    db = connect(Source(path))
    schema.migrate(db, schema.MIGRATIONS[:versions])
    for statement in FIRST_CONTENT:
        db.execute(statement)
    db.close()
    with recollect.open(path) as memory:
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


def test_a_migration_runs_once_and_is_recorded(tmp_path):
    db = connect(Source(tmp_path / "chat.db"))
    runs = []
    more = (*schema.MIGRATIONS, ("9999-trial", lambda db: runs.append(db.execute("CREATE TABLE trial (x)"))))
    for _ in range(3):
        schema.migrate(db, more)
    assert len(runs) == 1
    assert "9999-trial" in schema.applied(db)
    db.close()


def test_a_failed_migration_leaves_the_old_version(tmp_path):
    def fails(db):
        db.execute("CREATE TABLE half_done (x)")
        raise RuntimeError("power cut")

    path = tmp_path / "chat.db"
    recollect.open(path).close()
    db = connect(Source(path))
    with pytest.raises(RuntimeError):
        schema.migrate(db, (*schema.MIGRATIONS, ("9999-trial", fails)))
    assert "9999-trial" not in schema.applied(db)
    assert not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half_done'").fetchall()
    db.close()
    with recollect.open(path) as memory:
        assert memory.check().healthy


def test_a_newer_store_is_left_alone(tmp_path):
    path = tmp_path / "chat.db"
    recollect.open(path).close()
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO migrations VALUES ('0099-from-the-future', 0)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore, match="0099-from-the-future"):
        recollect.open(path)
    assert path.read_bytes() == before


def test_an_index_of_other_term_rules_is_rebuilt(tmp_path):
    path = tmp_path / "chat.db"
    with recollect.open(path) as memory:
        memory.chat(owner="u1").add_many([{"role": "user", "content": f"door number {n}"} for n in range(100)])
    db = connect(Source(path))
    db.execute("UPDATE meta SET value = '0' WHERE key = 'terms'")
    db.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
    db.close()
    with recollect.open(path) as memory:
        assert len(memory.search("door", owner="u1", limit=200)) == 100
        assert memory.check().healthy


def test_names_enter_the_index_of_a_store_of_version_one(tmp_path):
    """Version one indexed the text alone. FTS5 wants for deletion exactly what was inserted: nothing of it may be left."""
    path = tmp_path / "chat.db"
    db = connect(Source(path))
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
    with recollect.open(path) as memory:
        assert memory.check().healthy
        assert len(found(memory, "Caroline", owner="u1", limit=500)) == 100
        chat = memory.chat(owner="u1", session="s1")
        chat.erase("m3")
        assert len(found(memory, "Caroline", owner="u1", limit=500)) == 99
        assert not found(memory, "n3", owner="u1")
        assert memory.check().healthy
        assert memory.erase(owner="u1").verified == ("rows", "keywords", "vectors", "artifacts", "log", "pages")
    db = connect(Source(path))
    assert db.execute("SELECT term FROM vocabulary").fetchall() == []
    db.close()


NAMED = '{"name":"Caroline"}'
