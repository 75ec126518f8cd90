"""The wall between owners in PostgreSQL: what the server itself refuses, and that no verb of a user looks beyond it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
import servers

from recollect.errors import StoreReadOnly
from recollect.memory import Memory
from recollect.ports import Storage
from recollect.storage.memory import MemoryStorage
from recollect.storage.postgres import PostgresStorage, source_of
from recollect.storage.postgres.database import EVERYONE, Rows
from recollect.storage.postgres.schema import LARGE_TABLES, ROLE, UNIT_TABLES
from recollect.storage.postgres.transactions import Statement, Transaction
from recollect.testing import ArtifactConformance, IndexConformance, StorageConformance
from recollect.testing.conformance import COUNTER
from recollect.types import Status

Db = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    with closing(PostgresStorage(source_of(url))) as storage:
        yield Memory(storage, MemoryStorage(), COUNTER)


def admin(url: str) -> Db:
    return psycopg.connect(servers.postgres_admin(), autocommit=True, options=f"-c search_path={source_of(url).schema}")


@pytest.fixture
def plain(url: str, memory: Memory) -> Iterator[Db]:
    """The connection of a role that owns nothing and may use the tables, no more."""
    schema = source_of(url).schema
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


class TestAnotherOwner:
    def test_every_table_of_users_is_behind_the_wall(self, url: str, memory: Memory) -> None:
        with admin(url) as db:
            forced = db.execute(
                "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %s"
                " AND c.relkind = 'r' AND c.relrowsecurity AND c.relforcerowsecurity",
                (source_of(url).schema,),
            ).fetchall()
            having_unit = db.execute(
                "SELECT table_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'unit'",
                (source_of(url).schema,),
            ).fetchall()
        assert {name for (name,) in forced} == {name for (name,) in having_unit} == set(UNIT_TABLES)

    def test_a_role_that_owns_nothing_sees_the_unit_it_names_and_no_other(self, memory: Memory, plain: Db) -> None:
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
        plain.execute("SELECT set_config('recollect.unit', 'o:ann', false)")
        assert [text for (text,) in plain.execute("SELECT text FROM messages").fetchall()] == [
            "The secret of ann is in the garden."
        ]
        for table in UNIT_TABLES:
            seen = plain.execute(f"SELECT DISTINCT unit FROM {table}").fetchall()
            assert seen in ([], [("o:ann",)]), table

    def test_another_units_rows_cannot_be_changed_or_made(self, memory: Memory, plain: Db) -> None:
        fill(memory)
        plain.execute("SELECT set_config('recollect.unit', 'o:ann', false)")
        assert plain.execute("UPDATE sessions SET title = 'mine' WHERE unit = 'o:bob'").rowcount == 0
        assert plain.execute("DELETE FROM messages WHERE unit = 'o:bob'").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("INSERT INTO tags VALUES ('o:bob', 0, 'mine', 1)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("UPDATE tags SET unit = 'o:bob'")

    def test_naming_everybody_helps_nobody_without_the_role(self, memory: Memory, plain: Db) -> None:
        fill(memory)
        plain.execute("SELECT set_config('recollect.unit', '*', false)")
        assert count(plain, "messages") == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute(f"SET ROLE {ROLE}")

    def test_the_maker_himself_is_bound(self, url: str, memory: Memory) -> None:
        fill(memory)
        source = source_of(url)
        with psycopg.connect(source.url, autocommit=True, options=f"-c search_path={source.schema}") as maker:
            assert count(maker, "messages") == 0


def _anything(memory: Memory, table: str) -> bool:
    storage = memory._storage  # pyright: ignore[reportPrivateUsage]
    assert isinstance(storage, PostgresStorage)
    return storage.store.ask_all(lambda db: db.last(f"SELECT 1 FROM {table} LIMIT 1").fetchone()) is not None


class TestAServiceRole:
    """A service that does not make the store, but uses it."""

    def test_it_does_all_that_users_ask_for(self, url: str, memory: Memory, plain: Db) -> None:
        del memory
        user = servers.as_user(servers.postgres_admin(), plain.info.user)
        with closing(PostgresStorage(source_of(f"{user}&schema={source_of(url).schema}"))) as storage:
            service = Memory(storage, MemoryStorage(), COUNTER)
            chat = service.chat(owner="cleo")
            said = chat.add("user", "Hello from the service.")
            assert [message.text for message in chat.messages()] == ["Hello from the service."]
            assert [hit.message.text for hit in service.search("service", owner="cleo")] == ["Hello from the service."]
            assert chat.erase(said.id).messages == 1

    def test_it_cannot_clean_up_without_the_role_and_can_with_it(self, url: str, memory: Memory, plain: Db) -> None:
        fill(memory)
        user = servers.as_user(servers.postgres_admin(), plain.info.user)
        before = {Status.ACTIVE: 1 << 60}
        with closing(PostgresStorage(source_of(f"{user}&schema={source_of(url).schema}"))) as storage:
            with pytest.raises(StoreReadOnly, match=ROLE):
                storage.sweep(before, 1 << 60, after=0, limit=10, dry_run=True)
            with admin(url) as db:
                db.execute(f"GRANT {ROLE} TO {plain.info.user} WITH INHERIT FALSE")
            assert storage.sweep(before, 1 << 60, after=0, limit=10, dry_run=True).expired == 2


class TestWithoutRoles:
    """Whoever may make no role has a wall that a setting opens."""

    def test_the_store_works_and_owners_are_apart(self) -> None:
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute("CREATE ROLE modest LOGIN")
            db.execute("GRANT CREATE ON DATABASE postgres TO modest")
        url = f"{servers.as_user(servers.postgres_admin(), 'modest')}&schema=modest"
        with closing(PostgresStorage(source_of(url))) as storage:
            assert storage.store.role is None
            memory = Memory(storage, MemoryStorage(), COUNTER)
            fill(memory)
            swept = storage.sweep({Status.ACTIVE: 1 << 60}, 1 << 60, after=0, limit=10, dry_run=False)
            assert swept.expired == 2
            assert storage.check().findings == ()
            source = source_of(url)
            with psycopg.connect(source.url, autocommit=True, options=f"-c search_path={source.schema}") as modest:
                assert count(modest, "messages") == 0
                modest.execute("SELECT set_config('recollect.unit', 'o:bob', false)")
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


def test_a_plan_that_crosses_is_noticed() -> None:
    own = "  ->  Index Scan using messages_id on messages m  (cost=1)\n        Index Cond: ((unit = $1) AND (space = $2))\n"
    joined = "  Join Filter: (m.unit = b.unit)\n  ->  Seq Scan on branches b  (cost=1)\n        Filter: (space = 0)\n"
    other = "  ->  Seq Scan on messages m  (cost=1)\n        Filter: (id = $2)\n  ->  Seq Scan on spaces  (cost=1)\n"
    assert crossing(own) == crossing(joined) == []
    assert len(crossing(other)) == 2


class TestWhatIsSent(StorageConformance):
    """The server explains every statement that the suite sends, those inside of functions, too: each scan is of one unit,
    by a condition of the statement itself. For whoever asks here the wall does not stand."""

    @pytest.fixture
    def storage(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
        plans: list[str] = []
        send = Transaction._send  # pyright: ignore[reportPrivateUsage]

        def listening(self: Transaction, statements: list[Statement]) -> list[Rows]:
            def heard(notice: psycopg.errors.Diagnostic) -> None:
                said = notice.message_primary or ""
                if "plan:" in said and self.unit != EVERYONE:
                    plans.append(said)

            connection = self._connection  # pyright: ignore[reportPrivateUsage]
            connection.add_notice_handler(heard)
            try:
                return send(self, statements)
            finally:
                connection.remove_notice_handler(heard)

        monkeypatch.setattr(Transaction, "_send", listening)
        with servers.explained_postgres() as url, closing(PostgresStorage(source_of(url))) as storage:
            yield storage
        assert plans
        assert {scan: plan for plan in plans for scan in crossing(plan)} == {}


class TestWhatIsSentForVectors(IndexConformance):
    storage = TestWhatIsSent.storage


class TestWhatIsSentForArtifacts(ArtifactConformance):
    storage = TestWhatIsSent.storage


def test_large_tables_are_cut() -> None:
    with servers.postgres_storage(partitions=4) as storage:
        parts = storage.store.ask(
            lambda db: db.last(
                "SELECT c.relname, count(*) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent"
                " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p' GROUP BY 1"
            ).fetchall()
        )
    assert dict(parts) == dict.fromkeys(LARGE_TABLES, 4)
