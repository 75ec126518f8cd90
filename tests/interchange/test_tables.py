"""Import of custom SQLite tables."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest
from samples import list_texts, parents, read_export

from keepsaid.errors import ImportProblem
from keepsaid.interchange import detect, read
from keepsaid.interchange.conversation import ImportTally
from keepsaid.types import ToolCall

CHAT_MESSAGES = """
CREATE TABLE conversations (session_id TEXT PRIMARY KEY, title TEXT, created_at TEXT, updated_at TEXT, summary TEXT);
CREATE TABLE chat_messages (
    id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp TEXT, message_index INTEGER
);
INSERT INTO conversations VALUES ('s1', 'Travel', '2025-03-01 10:00:00', '2025-03-01 10:05:00', 'About Lisbon');
INSERT INTO conversations VALUES ('s2', 'Nothing said', '2025-03-01 10:00:00', '2025-03-01 10:05:00', NULL);
INSERT INTO chat_messages VALUES (1, 's1', 'assistant', 'By train.', '2025-03-01T10:01:00', 1);
INSERT INTO chat_messages VALUES (2, 's1', 'user', 'How do I get to Lisbon?', '2025-03-01T10:00:00', 0);
"""
MESSAGES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, created_at REAL, metadata TEXT);
CREATE TABLE messages (
    session_id TEXT, role TEXT, content TEXT, tool_calls TEXT, tool_call_id TEXT, name TEXT, created_at REAL
);
"""


PROGRAM = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.stdin:
    print(*db.execute(line).fetchall(), flush=True)
"""


@contextmanager
def another_program(path):
    """A process of its own that has the database open, as locks of one process do not stop itself."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def executed(sql):
        process.stdin.write(sql + "\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    with process:
        yield executed


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as db:
        yield path, db


def test_import_reads_conversations_and_chat_messages_tables(database):
    path, db = database
    db.executescript(CHAT_MESSAGES)
    (talk,), tally = read_export(path)
    assert list_texts(talk) == [("user", "How do I get to Lisbon?"), ("assistant", "By train.")]
    assert (talk.id, talk.title, parents(talk)) == ("s1", "Travel", {"s1:2": None, "s1:1": "s1:2"})
    assert talk.nodes[1].draft.created_at.isoformat() == "2025-03-01T10:01:00+00:00"
    assert talk.metadata == {"imported_from": "tables", "summary": "About Lisbon"}
    assert dict(tally.skipped) == {"conversations without messages": 1}


def test_import_reads_sessions_and_messages_tables(database):
    path, db = database
    db.executescript(MESSAGES)
    calls = json.dumps([{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}])
    rows = [
        ("h1", "system", "Be brief.", None, None, None, 1_700_000_000.0),
        ("h1", "user", "Add", None, None, None, 1_700_000_001.0),
        ("h1", "assistant", None, calls, None, None, 1_700_000_002.0),
        ("h1", "tool", "2", None, "c1", "add", 1_700_000_003.0),
    ]
    db.execute("INSERT INTO sessions VALUES ('h1', 'Sums', 1700000000.0, '{\"topic\": \"maths\"}')")
    db.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    db.commit()
    (talk,), _ = read_export(path)
    assert (talk.title, talk.system_prompt, talk.metadata["topic"]) == ("Sums", "Be brief.", "maths")
    assert [node.id for node in talk.nodes] == ["h1:2", "h1:3", "h1:4"]
    assert talk.nodes[1].draft.tool_calls == (ToolCall("c1", "add", "{}"),)
    assert (talk.nodes[2].draft.tool_call_id, talk.nodes[2].draft.name) == ("c1", "add")
    assert talk.nodes[2].draft.created_at.timestamp() == 1_700_000_003


def test_import_reads_minimal_table_without_sessions_table(database):
    path, db = database
    db.executescript("CREATE TABLE log (SESSION_ID INTEGER, Role TEXT, Content TEXT, extra BLOB)")
    db.executemany(
        "INSERT INTO log VALUES (?, ?, ?, x'00ff')", [(7, "human", "Hi"), (7, "ai", "Hello"), (8, "human", "Hey")]
    )
    db.commit()
    assert detect(path) == "tables"
    first, second = read_export(path)[0]
    assert (first.id, list_texts(first), len(second.nodes)) == ("7", [("user", "Hi"), ("assistant", "Hello")], 1)


def test_messages_may_refer_to_integer_session_key(database):
    path, db = database
    db.executescript(
        """
        CREATE TABLE sessions (id INTEGER PRIMARY KEY, session_id TEXT, title TEXT);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id INTEGER, role TEXT, content TEXT);
        INSERT INTO sessions VALUES (1, 'abc', 'Travel'), (2, 'def', 'Empty');
        INSERT INTO messages VALUES (1, 1, 'user', 'Hi');
        """
    )
    (talk,), tally = read_export(path)
    assert (talk.id, talk.title) == ("1", "Travel")
    assert dict(tally.skipped) == {"conversations without messages": 1}


def test_virtual_tables_are_ignored(database):
    path, db = database
    db.executescript(CHAT_MESSAGES)
    db.execute("CREATE VIRTUAL TABLE search USING fts5(session_id, role, content)")
    db.execute("PRAGMA writable_schema = on")
    db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'fts5', 'not_here') WHERE name = 'search'")
    db.commit()
    assert len(read_export(path)[0]) == 1


def test_second_import_keeps_ids_and_adds_new_messages(database):
    path, db = database
    db.executescript(CHAT_MESSAGES)
    (before,), _ = read_export(path)
    db.execute("INSERT INTO chat_messages VALUES (3, 's1', 'user', 'Thanks', NULL, 2)")
    db.commit()
    (after,), _ = read_export(path)
    assert parents(after).items() > parents(before).items()
    assert after.nodes[2].draft.created_at == after.nodes[1].draft.created_at


def test_invalid_utf8_text_is_replaced_and_counted(database):
    path, db = database
    db.executescript(CHAT_MESSAGES)
    db.execute("INSERT INTO chat_messages VALUES (3, 's1', 'user', CAST(x'48690080ff' AS TEXT), 'soon', 'x')")
    db.commit()
    (talk,), tally = read_export(path)
    assert talk.nodes[2].draft.content == "Hi\ufffd\ufffd\ufffd"
    assert tally.repaired["characters that no text may have"] == 1


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_import_neither_changes_nor_blocks_database_in_use(database, journal):
    path, db = database
    db.execute(f"PRAGMA journal_mode = {journal}")
    db.executescript(CHAT_MESSAGES)
    db.executemany("INSERT INTO chat_messages (session_id, role, content) VALUES (?, 'user', 'Hi')", [("s3",), ("s4",)])
    db.commit()
    db.close()
    with another_program(path) as executed:
        assert executed("SELECT count(*) FROM chat_messages") == "(4,)"
        before = path.read_bytes()
        reading = read(path, tally=ImportTally())
        assert next(reading).id == "s1"
        assert path.read_bytes() == before
        assert (
            executed("INSERT INTO chat_messages (session_id, role, content) VALUES ('s5', 'user', 'while you read')") == ""
        )
        assert [talk.id for talk in reading] == ["s3", "s4"]
        assert executed("SELECT count(*) FROM chat_messages") == "(5,)"
        assert executed("PRAGMA integrity_check") == "('ok',)"
    assert len(read_export(path)[0]) == 4


def test_locked_database_is_reported_after_timeout(database, monkeypatch):
    path, db = database
    monkeypatch.setattr("keepsaid.interchange.sqlite.BUSY_TIMEOUT", 50)
    db.executescript(CHAT_MESSAGES)
    with another_program(path) as executed:
        executed("BEGIN EXCLUSIVE")
        with pytest.raises(ImportProblem, match=r"app.db is being written by another program"):
            read_export(path)
        executed("ROLLBACK")
        assert len(read_export(path)[0]) == 1


def test_damaged_database_and_one_without_messages_are_refused(database):
    path, db = database
    db.executescript("CREATE TABLE notes (id INTEGER, body TEXT)")
    with pytest.raises(ImportProblem, match=r"holds no conversations in a known format.*app.db"):
        read_export(path)
    db.close()
    path.write_bytes(path.read_bytes()[:16] + b"rubbish" * 1000)
    with pytest.raises(ImportProblem, match=r"app.db"):
        read_export(path)


def test_import_reads_more_rows_than_one_batch(database):
    path, db = database
    db.executescript(MESSAGES)
    rows = [(f"s{number % 3}", "user", str(number)) for number in range(9000)]
    db.executemany("INSERT INTO messages (session_id, role, content) VALUES (?, ?, ?)", rows)
    db.commit()
    told = []
    tally = ImportTally()
    conversations = list(read(path, tally=tally, progress=lambda done, total: told.append((done, total))))
    assert [len(talk.nodes) for talk in conversations] == [3000, 3000, 3000]
    assert [node.draft.content for node in conversations[1].nodes][:3] == ["1", "4", "7"]
    assert told[-1] == (path.stat().st_size, path.stat().st_size)
