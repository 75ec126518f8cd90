"""Row-level security between owners in PostgreSQL: what the server refuses, and that every statement reads one unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
import servers

from keepsaid.errors import StoreReadOnly
from keepsaid.memory import Memory
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.database import ALL_PARTITIONS, PostgresResult
from keepsaid.storage.postgres.connection.transactions import PostgresTransaction, Statement
from keepsaid.storage.postgres.schema.tables import LARGE_TABLES, ROLE, UNIT_TABLES
from keepsaid.testing import ArtifactConformance, IndexConformance, StorageConformance
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import SessionStatus

Db = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    with closing(PostgresStorage(parse_source_url(url))) as storage:
        yield Memory(storage, MemoryStorage(), COUNTER)


def admin(url: str) -> Db:
    return psycopg.connect(
        servers.postgres_admin(), autocommit=True, options=f"-c search_path={parse_source_url(url).schema}"
    )


@pytest.fixture
def plain(url: str, memory: Memory) -> Iterator[Db]:
    """The connection of a role that owns nothing and may use the tables, no more."""
    schema = parse_source_url(url).schema
    with admin(url) as db:
        db.execute(f"CREATE ROLE plain_{schema} LOGIN")
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO plain_{schema}")
        db.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO plain_{schema}")
    with closing(
        psycopg.connect(
            servers.as_user(servers.postgres_admin(), f"plain_{schema}"),
            autocommit=True,
            options=f"-c search_path={schema},public",
        )
    ) as db:
        yield db
    with admin(url) as db:
        db.execute(f"DROP OWNED BY plain_{schema}")
        db.execute(f"DROP ROLE plain_{schema}")


def fill(memory: Memory) -> None:
    """Something in every table that a user fills by talking."""
    for owner in ("ann", "bob"):
        chat = memory.chat(owner=owner, title=f"Of {owner}", tags=["private"], system_prompt="Be kind.")
        chat.add("user", f"The secret of {owner} is in the garden.")
        chat.update(title="Garden")
    pool = memory.create_pool("Family", owner="ann")
    memory.grant(pool, to="bob", by="ann", access="write")


def count(db: Db, table: str) -> int:
    ((number,),) = db.execute(f"SELECT count(*) FROM {table}").fetchall()
    assert isinstance(number, int)
    return number


class TestRowSecurity:
    def test_all_unit_tables_force_row_security(self, url: str, memory: Memory) -> None:
        with admin(url) as db:
            forced = db.execute(
                "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %s"
                " AND c.relkind = 'r' AND c.relrowsecurity AND c.relforcerowsecurity",
                (parse_source_url(url).schema,),
            ).fetchall()
            having_unit = db.execute(
                "SELECT table_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'unit'",
                (parse_source_url(url).schema,),
            ).fetchall()
        assert {name for (name,) in forced} == {name for (name,) in having_unit} == set(UNIT_TABLES)

    def test_plain_role_reads_only_the_selected_unit(self, memory: Memory, plain: Db) -> None:
        fill(memory)
        filled = {table for table in UNIT_TABLES if _anything(memory, table)}
        assert {
            "spaces",
            "sessions",
            "messages",
            "branches",
            "details",
            "tags",
            "changes",
            "grants",
            "memberships",
        } <= filled
        assert [count(plain, table) for table in UNIT_TABLES] == [0] * len(UNIT_TABLES)
        plain.execute("SELECT set_config('keepsaid.unit', 'o:ann', false)")
        assert [text for (text,) in plain.execute("SELECT text FROM messages").fetchall()] == [
            "The secret of ann is in the garden."
        ]
        for table in UNIT_TABLES:
            seen = plain.execute(f"SELECT DISTINCT unit FROM {table}").fetchall()
            assert seen in ([], [("o:ann",)]), table

    def test_rows_of_another_unit_cannot_be_written(self, memory: Memory, plain: Db) -> None:
        fill(memory)
        plain.execute("SELECT set_config('keepsaid.unit', 'o:ann', false)")
        assert plain.execute("UPDATE sessions SET title = 'mine' WHERE unit = 'o:bob'").rowcount == 0
        assert plain.execute("DELETE FROM messages WHERE unit = 'o:bob'").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("INSERT INTO tags VALUES ('o:bob', 0, 'mine', 1)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("UPDATE tags SET unit = 'o:bob'")

    def test_wildcard_unit_reads_nothing_without_role(self, memory: Memory, plain: Db) -> None:
        fill(memory)
        plain.execute("SELECT set_config('keepsaid.unit', '*', false)")
        assert count(plain, "messages") == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute(f"SET ROLE {ROLE}")

    def test_schema_owner_is_bound_by_row_security(self, url: str, memory: Memory) -> None:
        fill(memory)
        source = parse_source_url(url)
        with psycopg.connect(source.url, autocommit=True, options=f"-c search_path={source.schema}") as maker:
            assert count(maker, "messages") == 0


def _anything(memory: Memory, table: str) -> bool:
    storage = memory._services.storage  # pyright: ignore[reportPrivateUsage]
    assert isinstance(storage, PostgresStorage)
    return storage.store.read_all_partitions(lambda db: db.last(f"SELECT 1 FROM {table} LIMIT 1").fetchone()) is not None


class TestServiceRole:
    """A service whose role uses a store that another role created."""

    def test_service_role_can_add_search_and_erase(self, url: str, memory: Memory, plain: Db) -> None:
        del memory
        user = servers.as_user(servers.postgres_admin(), plain.info.user)
        with closing(PostgresStorage(parse_source_url(f"{user}&schema={parse_source_url(url).schema}"))) as storage:
            service = Memory(storage, MemoryStorage(), COUNTER)
            chat = service.chat(owner="cleo")
            said = chat.add("user", "Hello from the service.")
            assert [message.text for message in chat.messages()] == ["Hello from the service."]
            assert [hit.message.text for hit in service.search("service", owner="cleo")] == ["Hello from the service."]
            assert chat.erase(said.id).messages == 1

    def test_sweep_needs_the_granted_role(self, url: str, memory: Memory, plain: Db) -> None:
        fill(memory)
        user = servers.as_user(servers.postgres_admin(), plain.info.user)
        before = {SessionStatus.ACTIVE: 1 << 60}
        with closing(PostgresStorage(parse_source_url(f"{user}&schema={parse_source_url(url).schema}"))) as storage:
            with pytest.raises(StoreReadOnly, match=ROLE):
                storage.sweep(before, 1 << 60, after=0, limit=10, dry_run=True)
            with admin(url) as db:
                db.execute(f"GRANT {ROLE} TO {plain.info.user} WITH INHERIT FALSE")
            assert storage.sweep(before, 1 << 60, after=0, limit=10, dry_run=True).expired == 2


class TestWithoutCreateRole:
    """Without the right to create roles, a setting instead of a role gives access to all units."""

    def test_store_works_and_separates_owners(self) -> None:
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute("CREATE ROLE modest LOGIN")
            db.execute("GRANT CREATE ON DATABASE postgres TO modest")
        url = f"{servers.as_user(servers.postgres_admin(), 'modest')}&schema=modest"
        with closing(PostgresStorage(parse_source_url(url))) as storage:
            assert storage.store.role is None
            memory = Memory(storage, MemoryStorage(), COUNTER)
            fill(memory)
            swept = storage.sweep({SessionStatus.ACTIVE: 1 << 60}, 1 << 60, after=0, limit=10, dry_run=False)
            assert swept.expired == 2
            assert storage.check().findings == ()
            source = parse_source_url(url)
            with psycopg.connect(source.url, autocommit=True, options=f"-c search_path={source.schema}") as modest:
                assert count(modest, "messages") == 0
                modest.execute("SELECT set_config('keepsaid.unit', 'o:bob', false)")
                assert count(modest, "messages") == 1
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute("DROP OWNED BY modest CASCADE")
            db.execute("DROP ROLE modest")


# -- what the conformance suite sends

_SCAN = re.compile(r"(Seq Scan|Index Scan|Index Only Scan|Bitmap Heap Scan)[^\n]* on (\w+)(?: (\w+))?  ")


def crossing(plan: str) -> list[str]:
    """Scans of a plan that read more than one unit's rows of a table."""
    found: list[str] = []
    lines = plan.split("\n")
    for place, line in enumerate(lines):
        scan = _SCAN.search(line)
        if not scan or re.sub(r"_\d+$", "", scan[2]) not in UNIT_TABLES:
            continue
        conditions = ""
        for below in lines[place + 1 :]:
            if not re.match(r"\s+(Index Cond|Filter|Order By):", below):
                break
            conditions += f"{below}\n"
        # Of a table that is small just now, the planner may look at all rows, and at their unit when it joins them.
        joined = re.search(rf"(Join Filter|Hash Cond|Merge Cond):[^\n]*\b{scan[3] or scan[2]}\.unit\b", plan)
        if "unit = " not in conditions and not joined:
            found.append(f"{line.strip()}\n{conditions}")
    return found


def test_crossing_reports_scans_without_unit_condition() -> None:
    own = "  ->  Index Scan using messages_id on messages m  (cost=1)\n        Index Cond: ((unit = $1) AND (space = $2))\n"
    joined = "  Join Filter: (m.unit = b.unit)\n  ->  Seq Scan on branches b  (cost=1)\n        Filter: (space = 0)\n"
    other = "  ->  Seq Scan on messages m  (cost=1)\n        Filter: (id = $2)\n  ->  Seq Scan on spaces  (cost=1)\n"
    assert crossing(own) == crossing(joined) == []
    assert len(crossing(other)) == 2


class TestStorageScansReadOneUnit(StorageConformance):
    """The server explains every statement of the suite, also inside functions: each scan reads one unit by a condition of
    the statement itself, because row-level security does not bind the role that is used here."""

    @pytest.fixture
    def storage(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
        plans: list[str] = []
        send = PostgresTransaction._send  # pyright: ignore[reportPrivateUsage]

        def listening(self: PostgresTransaction, statements: list[Statement]) -> list[PostgresResult]:
            def heard(notice: psycopg.errors.Diagnostic) -> None:
                said = notice.message_primary or ""
                if "plan:" in said and self.unit != ALL_PARTITIONS:
                    plans.append(said)

            connection = self._connection  # pyright: ignore[reportPrivateUsage]
            connection.add_notice_handler(heard)
            try:
                return send(self, statements)
            finally:
                connection.remove_notice_handler(heard)

        monkeypatch.setattr(PostgresTransaction, "_send", listening)
        with servers.postgres_with_plans() as url, closing(PostgresStorage(parse_source_url(url))) as storage:
            yield storage
        assert plans
        assert {scan: plan for plan in plans for scan in crossing(plan)} == {}


class TestIndexScansReadOneUnit(IndexConformance):
    storage = TestStorageScansReadOneUnit.storage


class TestArtifactScansReadOneUnit(ArtifactConformance):
    storage = TestStorageScansReadOneUnit.storage


def test_large_tables_are_partitioned() -> None:
    with servers.postgres_storage(partitions=4) as storage:
        parts = storage.store.ask(
            lambda db: db.last(
                "SELECT c.relname, count(*) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent"
                " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p' GROUP BY 1"
            ).fetchall()
        )
    assert dict(parts) == dict.fromkeys(LARGE_TABLES, 4)
