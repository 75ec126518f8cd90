"""Malicious databases: each is quickly refused, or read without its harmful parts."""

import sqlite3
import struct
import time
from contextlib import closing

import pytest
from samples import list_texts, read_export

from keepsaid.errors import ImportProblem
from keepsaid.interchange import detect

MESSAGES = """
CREATE TABLE chat_messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT);
INSERT INTO chat_messages VALUES (1, 's1', 'user', 'Hello');
"""
ENDLESS = """
WITH RECURSIVE rows(id, session_id, role, content) AS (
    SELECT 1, 's', 'user', 'x' UNION ALL SELECT id + 1, 's' || id, 'user', 'x' FROM rows
) SELECT * FROM rows
"""
PAGE = 4096
MIN_LOCAL_BYTES = 489
"""Bytes of a large row that SQLite keeps in a page of 4,096 bytes itself."""


@pytest.fixture(autouse=True)
def _at_once():
    start = time.process_time()
    yield
    assert time.process_time() - start < 2, "a harmful database is refused at once"


@pytest.fixture
def make_database(tmp_path):
    """Makes a database of a script, and then changes its schema by hand."""

    def make(script, changes=()):
        path = tmp_path / "app.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.executescript(script)
            db.execute("PRAGMA writable_schema = on")
            for change in changes:
                db.execute(change)
        return path

    return make


def check_refused(path, format=None):
    """Refused with an error that names the file, whether the format is detected or given."""
    with pytest.raises(ImportProblem, match=r"app\.db"):
        read_export(path, format)


class TestFakeTables:
    @pytest.mark.parametrize("spelling", ["CREATE VIRTUAL", "CREATE  VIRTUAL", "CREATE\tVIRTUAL", "create virtual"])
    @pytest.mark.parametrize("format", [None, "tables"])
    def test_virtual_table_over_endless_view_is_refused(self, make_database, spelling, format):
        path = make_database(
            f"CREATE VIEW endless AS {ENDLESS};"
            "CREATE VIRTUAL TABLE messages USING fts5(session_id, role, content, content='endless', content_rowid='id');",
            [f"UPDATE sqlite_schema SET sql = replace(sql, 'CREATE VIRTUAL', '{spelling}') WHERE name = 'messages'"],
        )
        check_refused(path, format)

    def test_virtual_table_with_endless_config_is_ignored(self, make_database):
        path = make_database(
            f"{MESSAGES} CREATE VIRTUAL TABLE search USING fts5(role, content); CREATE VIEW endless AS {ENDLESS};",
            [
                "UPDATE sqlite_schema SET sql = 'CREATE  VIRTUAL' || substr(sql, 15) WHERE name = 'search'",
                "DELETE FROM sqlite_schema WHERE name = 'search_config'",
                """UPDATE sqlite_schema SET name = 'search_config', tbl_name = 'search_config',
                sql = replace(sql, 'VIEW endless', 'VIEW search_config') WHERE name = 'endless'""",
            ],
        )
        (talk,), _ = read_export(path)
        assert list_texts(talk) == [("user", "Hello")]

    @pytest.mark.parametrize("format", [None, "tables", "langchain-sql"])
    def test_view_declared_as_table_is_refused(self, make_database, format):
        path = make_database(
            f"CREATE VIEW messages AS {ENDLESS}", ["UPDATE sqlite_schema SET type = 'table' WHERE name = 'messages'"]
        )
        check_refused(path, format)

    def test_table_renamed_to_a_view_is_refused(self, make_database):
        """The schema lists a table under the name of a view with endless rows."""
        path = make_database(
            f"CREATE VIEW messages AS {ENDLESS}; CREATE TABLE other (session_id, role, content);",
            ["UPDATE sqlite_schema SET name = 'messages' WHERE name = 'other'"],
        )
        check_refused(path)


class TestComputedColumns:
    SLOW = "length(printf('%.*c', 900000, 'x')) + length(hex(zeroblob(9000000)))"

    def test_computed_columns_are_not_read(self, make_database):
        path = make_database(
            "CREATE TABLE messages (session_id, role, content, id INTEGER,"
            f" slow AS ({self.SLOW}), slower AS ({self.SLOW}) STORED);"
        )
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("INSERT INTO messages (session_id, role, content) VALUES ('s1', 'user', 'Hello')")
        (talk,), _ = read_export(path)
        assert list_texts(talk) == [("user", "Hello")]

    @pytest.mark.parametrize("column", ["rowid AS (1)", "rowid TEXT DEFAULT 'x'", "rowid"])
    def test_column_named_rowid_does_not_hide_rows(self, make_database, column):
        path = make_database(f"CREATE TABLE messages (session_id, role, content, {column})")
        with closing(sqlite3.connect(path)) as db, db:
            rows = [("s1", "user", str(number)) for number in range(5000)]
            db.executemany("INSERT INTO messages (session_id, role, content) VALUES (?, ?, ?)", rows)
        (talk,), _ = read_export(path)
        assert [node.draft.content for node in talk.nodes] == [str(number) for number in range(5000)]

    def test_table_without_usable_rowid_is_refused(self, make_database):
        check_refused(make_database("CREATE TABLE messages (session_id, role, content, rowid, oid, _rowid_)"))
        check_refused(
            make_database("DROP TABLE messages; CREATE TABLE m (session_id, role PRIMARY KEY, content) WITHOUT ROWID")
        )


class TestForgedPages:
    def test_rows_sharing_overflow_pages_are_refused(self, tmp_path):
        """Eight rows of 205 kB in a file of 213 kB."""
        path = tmp_path / "app.db"
        with closing(sqlite3.connect(path)) as db:
            db.executescript(f"PRAGMA page_size = {PAGE}; CREATE TABLE messages (session_id, role, content)")
        path.write_bytes(with_shared_pages(path.read_bytes()[:PAGE], rows=8, pages=50))
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT sum(length(content)) FROM messages").fetchone()[0] > 7 * path.stat().st_size
        with pytest.raises(ImportProblem, match=r"app\.db is not read: its rows have more than 4 times the bytes"):
            read_export(path)

    def test_repeated_page_pointers_are_refused(self, tmp_path):
        """All pointers of the root page name the same page, so that its rows repeat."""
        path = tmp_path / "app.db"
        with closing(sqlite3.connect(path)) as db:
            db.executescript(f"PRAGMA page_size = {PAGE}; CREATE TABLE messages (session_id, role, content)")
            rows = [("s1", "user", "x" * 100)] * 9000
            with db:
                db.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
        content = bytearray(path.read_bytes())
        root = content[PAGE : 2 * PAGE]
        assert root[0] == 5, "the topmost page is one of pointers"
        cells = struct.unpack_from(f">{struct.unpack_from('>H', root, 3)[0]}H", root, 12)
        for cell in cells:
            content[PAGE + cell : PAGE + cell + 4] = root[cells[0] : cells[0] + 4]
        path.write_bytes(content)
        with pytest.raises(ImportProblem, match=r"app\.db is not read: its rows are out of order"):
            read_export(path)


def with_shared_pages(first_page, *, rows, pages):
    """A database whose table has so many rows, all with the same long text in the same pages."""
    size = MIN_LOCAL_BYTES + pages * (PAGE - 4)
    text = size - 11
    head = bytes([6, 15, 21]) + varint(13 + 2 * text) + b"s" + b"user"
    local = head.ljust(MIN_LOCAL_BYTES, b"x") + struct.pack(">I", 3)
    cells = [varint(size) + varint(number) + local for number in range(1, rows + 1)]
    leaf, places = bytearray(PAGE), []
    at = PAGE
    for cell in cells:
        at -= len(cell)
        leaf[at : at + len(cell)] = cell
        places.append(at)
    struct.pack_into(f">BHHHB{rows}H", leaf, 0, 13, 0, rows, at, 0, *places)
    chain = [struct.pack(">I", (number + 1) % (3 + pages)).ljust(PAGE, b"x") for number in range(3, 3 + pages)]
    first = bytearray(first_page)
    struct.pack_into(">I", first, 28, 2 + pages)
    return bytes(first) + bytes(leaf) + b"".join(chain)


def varint(number):
    """A number as SQLite writes it."""
    found = [number & 0x7F]
    while number := number >> 7:
        found.append(number & 0x7F | 0x80)
    return bytes(reversed(found))


class TestSchemas:
    def test_more_than_1000_tables_are_refused(self, make_database):
        script = "BEGIN;" + "".join(f"CREATE TABLE t{number} (a);" for number in range(1500)) + "COMMIT"
        with pytest.raises(ImportProblem, match=r"app\.db is not read: it has more than 1,000 tables"):
            read_export(make_database(script))

    def test_table_with_too_many_columns_is_skipped(self, make_database):
        columns = ", ".join(f"c{number}" for number in range(300))
        path = make_database(f"{MESSAGES} CREATE TABLE messages (session_id, role, content, {columns})")
        assert list_texts(read_export(path)[0][0]) == [("user", "Hello")]


class TestValidDatabases:
    @pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
    def test_indexes_triggers_views_and_statistics_are_accepted(self, make_database, encoding):
        path = make_database(
            f"PRAGMA encoding = '{encoding}'; {MESSAGES}"
            "CREATE INDEX by_text ON chat_messages (lower(content)) WHERE role = 'user';"
            "CREATE VIEW mine AS SELECT * FROM chat_messages;"
            "CREATE TRIGGER kept AFTER DELETE ON chat_messages BEGIN SELECT 1; END;"
            "CREATE VIRTUAL TABLE search USING fts5(content); ANALYZE;"
        )
        assert detect(path) == "tables"
        (talk,), _ = read_export(path)
        assert list_texts(talk) == [("user", "Hello")]

    def test_oversized_session_is_skipped_and_counted(self, make_database, monkeypatch):
        monkeypatch.setattr("keepsaid.interchange.sqlite.MAX_ELEMENT_BYTES", 1000)
        path = make_database(f"{MESSAGES} INSERT INTO chat_messages VALUES (2, 's2', 'user', printf('%.*c', 2000, 'x'))")
        (talk,), tally = read_export(path)
        assert list_texts(talk) == [("user", "Hello")]
        assert dict(tally.skipped) == {"conversations that cannot be read": 1}
