"""What is particular to the SQLite store: its plans, its file, its copies."""

import stat
import threading
import time

import apsw
import pytest

import keepsaid
from keepsaid.errors import InvalidInput
from keepsaid.storage.sqlite import SqliteSource, branches, messages, rows, schema, sessions, work_queue
from keepsaid.storage.sqlite.connection import source
from keepsaid.storage.sqlite.connection.readers import ReaderPool
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.health.salvage import salvage
from keepsaid.storage.sqlite.search import visibility, word_search
from keepsaid.testing.conformance import find_messages
from keepsaid.testing.index_conformance import GENERATION, embed_waiting
from keepsaid.types import Scope, SearchFilters


def plan(store, sql, values):
    """The steps SQLite takes for a query."""
    database = store._services.storage._writer._db
    return [step[3] for step in database.execute("EXPLAIN QUERY PLAN " + sql, values)]


def test_reads_use_index_ranges(store):
    """The last N messages and the newest N sessions are walked to in order: no scan, no sort."""
    for sql, values, index in (
        (messages._BACKWARDS % rows.MESSAGE_COLUMNS, (1, 10, 0, 20), "messages_path"),
        (branches._LIVE, (0, "u1", "s1"), "sqlite_autoindex_sessions_1"),
        (sessions._PLAIN, (0, "u1", 0, 20), "sessions_recent"),
        (f"SELECT {rows.MESSAGE_COLUMNS} FROM messages AS m WHERE m.rid >> 32 = ? AND m.id = ?", (1, "m1"), "messages_id"),
    ):
        steps = plan(store, sql, values)
        assert any(index in step for step in steps), steps
        assert not any(word in step for step in steps for word in ("SCAN", "TEMP B-TREE")), steps


def test_claiming_work_uses_index_seeks(store):
    """One look at each owner's work and newest message; vectors are read in ranges."""
    chat = store.chat(owner="u1")
    chat.add("user", "tea")
    steps = plan(store, work_queue._NEXT, (1, 0, 9, "w", 0))
    assert steps[0] == "SEARCH o USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
    assert "SEARCH w USING PRIMARY KEY (generation=? AND owner=?) LEFT-JOIN" in steps
    assert "SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" in steps
    assert not any(word in step for step in steps for word in ("SCAN", "TEMP B-TREE")), steps
    sql = "SELECT vector FROM vectors WHERE generation = ? AND rid > ? AND rid <= ? ORDER BY rid, part"
    assert plan(store, sql, (1, 0, 9)) == ["SEARCH vectors USING PRIMARY KEY (generation=? AND rid>? AND rid<?)"]
    beside = plan(store, visibility._BESIDE, ("[]", 1))
    assert "SEARCH m USING INDEX messages_path (branch=? AND seq>? AND seq<?)" in beside


def test_claim_without_work_writes_nothing(store, tmp_path):
    storage = store._services.storage
    store.chat(owner="u1").add("user", "tea")
    embed_waiting(storage)
    size = (tmp_path / "chat.db-wal").stat().st_size
    for _ in range(10):
        assert storage.claim(GENERATION, "w1", 0, 1, 5) is None
    assert (tmp_path / "chat.db-wal").stat().st_size == size


def test_search_of_long_history_prefers_rare_words(tmp_path, monkeypatch):
    """Beyond the budget, common words only add to what the rarer ones found; with common words alone the newest answer."""
    monkeypatch.setattr(word_search, "ROW_BUDGET", 20)
    monkeypatch.setattr(word_search, "NEWEST_ROWS", 50)
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        chat = memory.chat(owner="u1")
        drafts = [f"common{' often' if n % 4 == 0 else ''}{' seldom' if n % 100 == 0 else ''} n{n}" for n in range(1024)]
        chat.add_many([{"role": "user", "content": text} for text in drafts])

        def numbers(question, limit):
            found = memory._services.storage.find(Scope("u1"), question.split(), SearchFilters(), limit)
            assert list(found.worth) == question.split()
            return [seen.number - 1 for seen in found.messages]

        assert sorted(numbers("common often seldom", 11)) == list(range(0, 1024, 100))
        assert numbers("seldom n7", 3)[0] == 7
        # Too few with the rare word: the newest with the next rarest fill up.
        filled = numbers("often seldom common", 40)
        assert set(range(0, 1024, 100)) <= set(filled)
        assert len(filled) == 40
        assert all(n % 4 == 0 for n in filled)
        newest = numbers("common", 60)
        assert sorted(newest) == list(range(974, 1024))
        newest = numbers("often common", 60)
        assert sorted(newest) == list(range(824, 1024, 4))


def test_a_salvaged_store_keeps_its_vectors(tmp_path):
    with keepsaid.open(tmp_path / "chat.db") as memory:
        memory.chat(owner="u1").add_many([{"role": "user", "content": f"tea {n}"} for n in range(30)])
        embed_waiting(memory._services.storage)
        before = memory._services.storage.passages(Scope("u1"), GENERATION, range(1, 31))
    saved = salvage(SqliteSource(tmp_path / "chat.db"), tmp_path / "saved.db")
    assert (saved["vectors"], saved["token_vectors"]) == (30, 30)
    with keepsaid.open(tmp_path / "saved.db") as memory:
        assert memory._services.storage.passages(Scope("u1"), GENERATION, range(1, 31)) == before
        assert memory._services.storage.coverage(GENERATION).embedded == 30
        assert memory.check().healthy


def test_salvage_reads_store_of_version_one(tmp_path):
    db = connect(SqliteSource(tmp_path / "old.db"))
    schema.migrate(db, schema.MIGRATIONS[:1])
    db.execute("INSERT INTO owners (no, kind, id) VALUES (1, 0, 'u1')")
    db.close()
    assert salvage(SqliteSource(tmp_path / "old.db"), tmp_path / "saved.db")["owners"] == 1


def test_store_files_are_accessible_only_to_their_user(tmp_path):
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        memory.chat(owner="u1").add("user", "private")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("chat.db*")}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}


def test_backup_contains_all_messages_saved_before(tmp_path):
    with keepsaid.open(tmp_path / "chat.db") as memory:
        chat = memory.chat(owner="u1")
        chat.add_many([{"role": "user", "content": f"message {n}"} for n in range(500)])
        memory.backup(tmp_path / "copy.db")
        chat.add("user", "later")
        with pytest.raises(InvalidInput, match="exists already"):
            memory.backup(tmp_path / "copy.db")
    with keepsaid.open(tmp_path / "copy.db") as copy:
        assert copy.chat(owner="u1", session=chat.id).info().message_count == 500
        assert len(find_messages(copy, "message", owner="u1", limit=1000)) == 500
        assert copy.check().healthy
    assert not list(tmp_path.glob("*.part"))


def test_backup_finishes_during_concurrent_writes(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        chat = memory.chat(owner="u1")
        for _ in range(20):
            chat.add_many([{"role": "user", "content": "word " * 100} for _ in range(500)])
        stop = threading.Event()

        def write():
            while not stop.is_set():
                chat.add("user", "meanwhile")
                time.sleep(0.002)

        writer = threading.Thread(target=write)
        writer.start()
        start = time.perf_counter()
        memory.backup(tmp_path / "copy.db")
        took = time.perf_counter() - start
        stop.set()
        writer.join()
        assert took < 10
    with keepsaid.open(tmp_path / "copy.db") as copy:
        assert copy.check().healthy


def test_listing_thousands_of_sessions_keeps_their_tags(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        for number in range(2500):
            memory.chat(owner="u1", tags=[f"t{number}"])
        assert len({session.tags for session in memory.sessions(owner="u1", limit=5000)}) == 2500


def test_append_does_not_rewrite_long_system_prompt(tmp_path):
    """Counters and texts lie apart: appending to a session with a huge prompt writes as much as without."""
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        sizes = []
        for prompt in ("short", "long " * 50_000):
            chat = memory.chat(owner="u1", system_prompt=prompt)
            memory._services.storage._finish_erasing(set(), rebuild=False)
            for _ in range(20):
                chat.add("user", "hello")
            sizes.append((tmp_path / "chat.db-wal").stat().st_size)
        assert sizes[1] < sizes[0] * 1.5


def test_a_hundred_messages_take_less_than_a_megabyte(tmp_path):
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        for number in range(1000):
            if number % 100 == 0:
                chat = memory.chat(owner="u1")
            chat.add("user", f"{number} " + "about fifty words of ordinary talk " * 9, metadata={"model": "x", "n": number})
    assert path.stat().st_size / 10 < 1_000_000


def test_concurrent_creation_returns_the_same_session(tmp_path):
    """Two clients that make the same session at the same time get the same session."""
    with keepsaid.open(tmp_path / "chat.db") as one, keepsaid.open(tmp_path / "chat.db") as two:
        looked = two._resumed
        calls = []

        def first_look_misses(scope, temporary):
            if not calls:
                calls.append(1)
                one.chat(owner="u1", session="s1", create=True).add("user", "hello")
                raise keepsaid.NotFound("not yet")
            return looked(scope, temporary)

        two._resumed = first_look_misses
        assert [m.text for m in two.chat(owner="u1", session="s1", create=True).messages()] == ["hello"]


def test_read_that_cannot_end_still_returns_its_result(store):
    """A damaged file may fail in COMMIT, although the job has read all that it needed."""

    class FailsToCommit:
        closed = False

        def execute(self, sql):
            if sql == "COMMIT":
                raise apsw.CorruptError("database disk image is malformed")

        def close(self):
            self.closed = True

    opened = []
    pool = ReaderPool(lambda: opened.append(FailsToCommit()) or opened[-1], lambda: None)
    assert pool.run(lambda db: "read") == "read"
    with pool.session():
        assert pool.run(lambda db: "read") == "read"
    assert [db.closed for db in opened] == [True, True]


def test_commits_of_an_import_are_synced_together(tmp_path, monkeypatch):
    """Others' commits are on disk when their calls return, also meanwhile."""
    synced = []
    monkeypatch.setattr(source.os, "fsync", synced.append)
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        storage = memory._services.storage

        def level() -> int:
            return storage._writer.run(lambda db: db.pragma("synchronous"))

        normal, full = 1, 2
        assert level() == full
        with storage.capabilities.deferred_sync():
            assert level() == normal
            others = []
            thread = threading.Thread(target=lambda: others.append(level()))
            thread.start()
            thread.join()
            assert others == [full]
            assert level() == normal
            assert synced == []
        assert len(synced) == 1
        assert level() == full
    with keepsaid.open(tmp_path / "fast.db", embedder="off", background=False, durable=False) as memory:
        storage = memory._services.storage
        with storage.capabilities.deferred_sync():
            assert level() == normal
        assert len(synced) == 1


def test_import_syncs_its_commits_together(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(source.os, "fsync", synced.append)
    with keepsaid.open(tmp_path / "one.db", embedder="off", background=False) as memory:
        for number in range(5):
            memory.chat(owner="ann").add("user", f"Said {number}.")
        memory.export(tmp_path / "all.json", owner="ann")
    synced.clear()
    with keepsaid.open(tmp_path / "other.db", embedder="off", background=False) as memory:
        memory.import_(tmp_path / "all.json", owner="ann")
        assert len(synced) == 1
        assert len(memory.sessions(owner="ann")) == 5
