"""PostgreSQL specifics: migrations, health checks, erasure, and notification of commits in other processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import psycopg
import pytest
import servers
from psycopg.pq import PipelineStatus

from keepsaid.errors import (
    ConfigError,
    KeepsaidError,
    NewerStore,
    NotAStore,
    NotFound,
    StorageError,
    StoreUnavailable,
)
from keepsaid.memory import Memory
from keepsaid.ports import AppendPosition, AppendRequest, ArtifactQuery, EmbeddedPassage, VectorMark
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.source import KEEPALIVE, Connection, connect, run_statements
from keepsaid.storage.postgres.erase import erasure
from keepsaid.storage.postgres.schema import migrations
from keepsaid.storage.postgres.schema.tables import UNIT_TABLES, StoreLayout
from keepsaid.storage.postgres.search import keyword_index, vector_graphs
from keepsaid.testing.conformance import COUNTER
from keepsaid.testing.index_conformance import pack_vector
from keepsaid.types import ChangePosition, Message, ReadWindow, Role, Scope, SearchFilters, SessionQuery


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PostgresStorage]:
    with closing(PostgresStorage(parse_source_url(url))) as storage:
        yield storage


@pytest.fixture
def memory(storage: PostgresStorage) -> Memory:
    return Memory(storage, MemoryStorage(), COUNTER)


@pytest.fixture
def new_url() -> Iterator[str]:
    """The URL of a store that nobody has made yet."""
    url = servers.as_user(servers.postgres_admin(), "maker") + "&schema=fresh"
    yield url
    with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
        db.execute("DROP SCHEMA IF EXISTS fresh CASCADE")


def message(id: str, text: str = "Hello") -> Message:
    return Message(id, "", 0, 0, Role.USER, text, 3, 1, 0.5, False, {})


class TestMigrations:
    def test_reopening_records_each_migration_once(self, new_url: str) -> None:
        for _ in range(2):
            PostgresStorage(parse_source_url(new_url)).close()
        with closing(connect(parse_source_url(new_url))) as db:
            names = [name for (name,) in run_statements(db, "SELECT name FROM migrations ORDER BY name")]
        assert names == [name for name, _ in migrations.MIGRATIONS]

    def test_concurrent_opens_create_one_store(self, new_url: str) -> None:
        def opened(_: int) -> str:
            with closing(PostgresStorage(parse_source_url(new_url))) as storage:
                return storage.settle("who", str(_))

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(opened, range(8)))) == 1

    def test_failed_migration_rolls_back_and_can_be_repeated(self, new_url: str) -> None:
        def half(db: Connection, plan: StoreLayout) -> None:
            run_statements(db, "CREATE TABLE half (one int)")
            raise RuntimeError("the lights went out")

        source = parse_source_url(new_url)
        with closing(connect(source)) as db:
            with pytest.raises(RuntimeError):
                migrations.open_store(db, source, (*migrations.MIGRATIONS, ("0099-half", half)))
            assert migrations.applied_migrations(db, source) == {name for name, _ in migrations.MIGRATIONS}
            assert run_statements(db, "SELECT to_regclass('fresh.half')") == [(None,)]
        PostgresStorage(source).close()

    def test_opening_newer_store_is_refused(self, new_url: str) -> None:
        source = parse_source_url(new_url)
        PostgresStorage(source).close()
        with closing(connect(source)) as db:
            run_statements(db, "INSERT INTO migrations VALUES ('9999-from-the-future')")
        with pytest.raises(NewerStore, match="9999-from-the-future"):
            PostgresStorage(source)

    def test_opening_schema_of_another_program_is_refused(self, new_url: str) -> None:
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute("CREATE SCHEMA fresh AUTHORIZATION maker")
            db.execute("CREATE TABLE fresh.orders (id int)")
        with pytest.raises(NotAStore, match="schema"):
            PostgresStorage(parse_source_url(new_url))

    def test_outdated_search_terms_are_rebuilt_on_open(self, url: str) -> None:
        with closing(PostgresStorage(parse_source_url(url))) as storage:
            memory = Memory(storage, MemoryStorage(), COUNTER)
            memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
            storage.store.change_all_partitions(lambda db: db.execute("UPDATE messages SET terms = '{old}'"))
            storage.store.keep(lambda db: db.execute("UPDATE meta SET value = 'older' WHERE key = 'terms'"))
        with closing(PostgresStorage(parse_source_url(url))) as storage:
            memory = Memory(storage, MemoryStorage(), COUNTER)
            assert [hit.message.text for hit in memory.search("sister", owner="u1")] == ["My sister moved to Lisbon."]
            assert storage.check().findings == ()


class TestUrl:
    def test_invalid_schema_or_partitions_is_refused(self) -> None:
        for url in ("postgresql://localhost/?schema=Robert'); DROP", "postgresql://localhost/?partitions=many"):
            with pytest.raises(ConfigError):
                parse_source_url(url)

    def test_options_in_url_are_kept(self, url: str) -> None:
        with closing(connect(parse_source_url(f"{url}&options=-c%20statement_timeout%3D12345"))) as db:
            assert run_statements(db, "SHOW statement_timeout") == [("12345ms",)]

    @pytest.mark.usefixtures("storage")
    def test_keepalive_defaults_can_be_overridden_in_url(self, url: str) -> None:
        with closing(connect(parse_source_url(url))) as db:
            known = db.info.get_parameters()
        assert {name: known[name] for name in KEEPALIVE} == {name: str(value) for name, value in KEEPALIVE.items()}
        with closing(connect(parse_source_url(f"{url}&keepalives_idle=77&tcp_user_timeout=0"))) as db:
            known = db.info.get_parameters()
        assert (known["keepalives_idle"], known["tcp_user_timeout"]) == ("77", "0")
        assert known["keepalives_count"] == str(KEEPALIVE["keepalives_count"])

    def test_repr_hides_password(self) -> None:
        assert "hunter2" not in repr(parse_source_url("postgresql://u:hunter2@localhost/chat"))


DAMAGE: dict[str, tuple[str, str]] = {
    "a session counts wrong": ("UPDATE sessions SET messages = 99", "counters"),
    "a branch counts wrong": ("UPDATE branches SET tokens = 99 WHERE no = 1", "counters"),
    "a space counts wrong": ("UPDATE spaces SET tokens = 1", "counters"),
    "numbers were given out twice": ("UPDATE spaces SET last = 0", "counters"),
    "a leaf is wrong": ("UPDATE sessions SET leaf = 1", "counters"),
    "the active branch is gone": ("UPDATE sessions SET branch = 77", "branches"),
    "terms are wrong": ("UPDATE messages SET terms = '{lie}' WHERE number = 2", "keywords"),
    "an entry of the index is gone": ("DELETE FROM postings WHERE term = 'sister'", "keywords"),
    "an entry of the index is too many": ("INSERT INTO postings VALUES ('o:u1', 0, 'lie', 0, '{1}')", "keywords"),
    "messages without a branch": ("UPDATE messages SET branch = 99 WHERE number = 2", "rows"),
    "a member does not know": ("DELETE FROM memberships", "grants"),
    "a tag of nothing": ("INSERT INTO tags VALUES ('o:u1', 0, 'x', 99)", "rows"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_check_finds_and_repairs_damage(memory: Memory, storage: PostgresStorage, damage: str) -> None:
    chat = memory.chat(owner="u1")
    chat.add_many([{"role": "user", "content": f"My sister moved, {number}."} for number in range(keyword_index.CHUNK + 20)])
    chat.edit(chat.messages(last=1)[0].id, "Or did she?")
    memory.create_pool("Family", owner="u1")
    assert storage.check().findings == ()
    said = [message.text for message in chat.messages(last=9)]
    statement, kind = DAMAGE[damage]
    storage.store.change_all_partitions(lambda db: db.execute(statement))
    assert kind in {finding.kind for finding in storage.check().findings}
    assert storage.check(repair=True).healthy
    assert storage.check().findings == ()
    if kind != "branches":  # of what the active path was, nothing tells any more
        assert [message.text for message in chat.messages(last=9)] == said


class TestErase:
    def test_erasing_owner_removes_name_and_text_from_all_rows(self, memory: Memory, storage: PostgresStorage) -> None:
        pool = memory.create_pool("Family", owner="walter")
        memory.grant(pool, to="ann", by="walter", access="admin")
        for of in (None, pool):
            chat = memory.chat(owner="walter", pool=of, title="Walter's", tags=["walter-tag"])
            chat.add("user", "Walter hides the xylophone.", name="walter")
            chat.erase(chat.add("user", "It is in the garden.").id)
        assert _rows_with(storage, "walter") > 0
        assert _rows_with(storage, "xylophone") > 0
        receipt = memory.erase(owner="walter")
        assert receipt.messages == 2
        assert set(receipt.verified) == {"rows", "keywords", "vectors", "artifacts"}
        assert _rows_with(storage, "walter") == _rows_with(storage, "xylophone") == 0
        assert storage.check().findings == ()

    def test_maintenance_vacuums_dead_rows(self, memory: Memory, storage: PostgresStorage) -> None:
        chat = memory.chat(owner="u1")
        chat.add_many([{"role": "user", "content": f"Number {number}."} for number in range(50)])
        chat.erase()
        vacuumed = "SELECT sum(vacuum_count)::bigint FROM pg_stat_user_tables WHERE schemaname = current_schema()"
        before = storage.store.ask(lambda db: db.last(vacuumed).fetchall())[0][0]
        storage.maintain()
        _until(lambda: storage.store.ask(lambda db: db.last(vacuumed).fetchall())[0][0] > before)
        storage.maintain()


def _rows_with(storage: PostgresStorage, word: str) -> int:
    """Rows of any table that have a word somewhere, whoever's they are."""

    def found(table: str) -> int:
        counted = f"SELECT count(*) FROM {table} AS t WHERE t::text ILIKE %s"
        return storage.store.read_all_partitions(lambda db: db.last(counted, (f"%{word}%",)).fetchall())[0][0]

    return sum(found(table) for table in (*UNIT_TABLES, "meta", "graves", "keys", "generations"))


def _until(is_so: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


class TestCommitNotifications:
    def test_commit_of_other_process_changes_stamp_and_notifies(self, url: str, storage: PostgresStorage) -> None:
        told: list[int] = []
        storage.on_commit(lambda: told.append(1))
        before = storage.stamp()
        assert storage.stamp() == before
        with closing(PostgresStorage(parse_source_url(url))) as other:
            Memory(other, MemoryStorage(), COUNTER).chat(owner="u1").add("user", "Hello")
            _until(lambda: storage.stamp() != before)
        assert told

    def test_own_commit_changes_stamp_immediately_and_once(self, memory: Memory, storage: PostgresStorage) -> None:
        chat = memory.chat(owner="u1")
        before = storage.stamp()
        chat.add("user", "Hello")
        after = storage.stamp()
        assert after != before
        time.sleep(0.2)  # so that what the server tells of it would have come
        assert storage.stamp() == after

    def test_stamp_asks_server_when_listener_is_closed(self, url: str, storage: PostgresStorage) -> None:
        storage.stamp()
        storage._listener.close()  # pyright: ignore[reportPrivateUsage]
        before = storage.stamp()
        with closing(PostgresStorage(parse_source_url(url))) as other:
            Memory(other, MemoryStorage(), COUNTER).chat(owner="u1").add("user", "Hello")
        assert storage.stamp() != before

    def test_listener_reconnects_after_lost_connection(self, url: str, storage: PostgresStorage) -> None:
        storage.stamp()
        listener = storage._listener  # pyright: ignore[reportPrivateUsage]
        assert listener._connection  # pyright: ignore[reportPrivateUsage]
        pid = listener._connection.info.backend_pid  # pyright: ignore[reportPrivateUsage]
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute("SELECT pg_terminate_backend(%s)", (pid,))
        with closing(PostgresStorage(parse_source_url(url))) as other:
            chat = Memory(other, MemoryStorage(), COUNTER).chat(owner="u1")
            _until(lambda: listener.commit_counter() is not None and listener._connection is not None)  # pyright: ignore[reportPrivateUsage]
            before = storage.stamp()
            chat.add("user", "Hello")
            _until(lambda: storage.stamp() != before)

    def test_failing_commit_callback_does_not_stop_others(
        self, url: str, storage: PostgresStorage, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A callback that raises stops neither the listening thread nor the committing caller."""

        def fail() -> None:
            raise RuntimeError("the listener is broken")

        told: list[int] = []
        storage.on_commit(fail)
        storage.store.on_commit(lambda: told.append(1))
        storage.stamp()
        with closing(PostgresStorage(parse_source_url(url))) as other:
            chat = Memory(other, MemoryStorage(), COUNTER).chat(owner="u1")
            for _ in range(3):
                before = storage.stamp()
                chat.add("user", "Hello")
                _until(lambda before=before: storage.stamp() != before)
        assert storage._listener._thread.is_alive()  # pyright: ignore[reportPrivateUsage,reportOptionalMemberAccess]
        for _ in range(3):
            storage.store.keep(lambda db: db.last("SELECT 1"))
        assert len(told) == 3
        failures = [record for record in caplog.records if record.name == "keepsaid.storage.listeners"]
        assert [record.exc_info and str(record.exc_info[1]) for record in failures] == ["the listener is broken"]


@pytest.mark.parametrize("code", ["42P05", "26000"])
def test_transaction_pooler_raises_config_error(storage: PostgresStorage, code: str) -> None:
    """PgBouncer's `pool_mode = transaction` causes these errors: prepared statements exist already, or are missing."""
    failing = f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$"
    with pytest.raises(ConfigError, match="pooler"):
        storage.store.ask(lambda db: db.execute(failing))


class TestVectorGraphs:
    """Vector graphs of large spaces; `MIN_PASSAGES` is lowered, so that the small spaces of the tests get them."""

    @pytest.fixture(autouse=True)
    def small(self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setattr(vector_graphs, "MIN_PASSAGES", 20)
        yield
        storage.store.change_all_partitions(lambda db: db.execute("DELETE FROM vectors"))
        vector_graphs.build_graphs(storage.store)
        assert _graphs(storage) == []

    @pytest.fixture
    def team(self, memory: Memory, storage: PostgresStorage) -> str:
        """A pool with more passages than that; its admin and another have few."""
        team = memory.create_pool("team", owner="u1")
        for owner, pool, count in (("u1", team, 21), ("u1", None, 9), ("u2", None, 19)):
            memory.chat(owner=owner, pool=pool).add_many([{"role": "user", "content": "x"}] * count)
        storage.begin_generation("synthetic", 3)
        while (task := storage.claim("synthetic", "w1", 0, 1000, 50)) is not None:
            vectors = [EmbeddedPassage(seen.number, 0, 0, 1, pack_vector([1.0, seen.number, 0.5])) for seen in task.messages]
            assert storage.settle_task(task, vectors, 0)
        return team

    def test_large_space_has_graph_until_its_vectors_are_erased(
        self, storage: PostgresStorage, memory: Memory, team: str
    ) -> None:
        assert vector_graphs.build_graphs(storage.store) == 1
        ((name, is_valid),) = _graphs(storage)
        assert is_valid
        assert vector_graphs.build_graphs(storage.store) == 0
        memory.erase(owner="u1", pool=team)
        assert vector_graphs.build_graphs(storage.store) == 0
        assert name not in dict(_graphs(storage))

    @pytest.mark.usefixtures("team")
    def test_maintenance_builds_graph(self, storage: PostgresStorage) -> None:
        storage.maintain()
        assert [is_valid for _, is_valid in _graphs(storage)] == [True]

    def test_maintenance_drops_graph_of_erased_pool(self, storage: PostgresStorage, memory: Memory, team: str) -> None:
        storage.maintain()
        memory.erase(owner="u1", pool=team)
        storage.maintain()
        assert _graphs(storage) == []

    @pytest.mark.usefixtures("team")
    def test_graph_manager_skips_check_within_interval(self, storage: PostgresStorage) -> None:
        kept = vector_graphs.HnswGraphManager(storage.store)
        assert kept.maintain() == 1
        ((name, _),) = _graphs(storage)
        storage.store.run_outside_transaction(f"DROP INDEX {name}")
        assert kept.maintain() == 0
        assert vector_graphs.HnswGraphManager(storage.store).maintain() == 1

    @pytest.mark.usefixtures("team")
    def test_graph_is_rebuilt_after_canceled_build(self, url: str, storage: PostgresStorage) -> None:
        schema = parse_source_url(url).schema
        with psycopg.connect(servers.postgres_admin()) as old, ThreadPoolExecutor(1) as pool:
            old.execute(f"DELETE FROM {schema}.vectors WHERE false")  # the making waits for whoever may still write
            making = pool.submit(vector_graphs.build_graphs, storage.store)
            _until(lambda: _graphs(storage) != [])
            assert [is_valid for _, is_valid in _graphs(storage)] == [False]
            assert vector_graphs.build_graphs(storage.store) == 0  # it is just being made
            with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
                db.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^CREATE INDEX CONCURRENTLY'")
            with pytest.raises(StoreUnavailable):
                making.result(10)
        assert [is_valid for _, is_valid in _graphs(storage)] == [False]
        assert vector_graphs.build_graphs(storage.store) == 1
        assert [is_valid for _, is_valid in _graphs(storage)] == [True]

    @pytest.mark.usefixtures("team")
    def test_role_that_does_not_own_tables_builds_no_graph(self, url: str) -> None:
        schema = parse_source_url(url).schema
        user = f"guest_{schema}"
        with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
            db.execute(f"CREATE ROLE {user} LOGIN")
            db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {user}")
            db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {user}")
            try:
                with closing(PostgresStorage(parse_source_url(url.replace("//maker@", f"//{user}@")))) as guest:
                    assert vector_graphs.build_graphs(guest.store) == 0
                    assert _graphs(guest) == []
            finally:
                db.execute(f"DROP OWNED BY {user}; DROP ROLE {user}")


def _graphs(storage: PostgresStorage) -> list[Any]:
    """The graphs there are, by name, and whether each is valid."""
    known = (
        "SELECT c.relname, i.indisvalid FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid"
        " WHERE c.relname ~ '^near_' AND c.relnamespace = current_schema()::regnamespace"
    )
    return storage.store.ask(lambda db: db.last(known).fetchall())


class TestBatches:
    def test_failed_append_does_not_affect_others_in_batch(self, memory: Memory, storage: PostgresStorage) -> None:
        for owner in ("ann", "bob"):
            memory.chat(owner=owner, session="s", create=True)
        appends = [
            AppendRequest(Scope("bob", "s"), [message("b1")], 5),
            AppendRequest(Scope("ann", "nowhere"), [message("a0")], 5),
            AppendRequest(Scope("ann", "s"), [message("a1"), message("a2")], 5),
            AppendRequest(Scope("ann", "s"), [message("a3")], 5),
        ]
        bob, lost, ann, more = storage.append_each(appends)
        assert isinstance(lost, NotFound)
        kept = [one for some in (ann, more) if not isinstance(some, KeepsaidError) for one in some]
        assert [(one.id, one.seq, one.parent) for one in kept] == [("a1", 1, 0), ("a2", 2, 1), ("a3", 3, 2)]
        again = storage.append_each([appends[0], *appends[2:]])
        assert again == [bob, ann, more]

    def test_append_each_uses_one_transaction(self, memory: Memory, storage: PostgresStorage) -> None:
        for owner in ("ann", "bob"):
            memory.chat(owner=owner, session="s", create=True)
        storage.append_each([AppendRequest(Scope(owner, "s"), [message(f"{owner}1")], 5) for owner in ("bob", "ann")])
        xmins = storage.store.read_all_partitions(lambda db: db.last("SELECT DISTINCT xmin::text FROM messages").fetchall())
        assert len(xmins) == 1


MARK, NOW = ChangePosition(), 5
QUICK: dict[str, Callable[[PostgresStorage, Scope, str], object]] = {
    "append": lambda storage, scope, _: storage.append(scope, [message("new")], NOW),
    "append beside": lambda storage, scope, said: storage.append(
        scope, [message("new")], NOW, AppendPosition("sibling", said)
    ),
    "append_each": lambda storage, scope, _: storage.append_each(
        [AppendRequest(scope, [message(id)], NOW) for id in ("new", "newer")]
    ),
    "get_session": lambda storage, scope, _: storage.get_session(scope),
    "list_sessions": lambda storage, scope, _: storage.list_sessions(scope, SessionQuery()),
    "read": lambda storage, scope, _: storage.read(scope, ReadWindow(last=20)),
    "read what fits": lambda storage, scope, _: storage.read(scope, ReadWindow(max_tokens=20)),
    "get_message": lambda storage, scope, said: storage.get_message(scope, said),
    "fetch": lambda storage, scope, _: storage.fetch(scope, [1]),
    "branches": lambda storage, scope, _: storage.branches(scope),
    "tree": lambda storage, scope, _: storage.tree(scope),
    "known": lambda storage, scope, _: storage.known(scope, ["m"]),
    "find": lambda storage, scope, _: storage.find(scope, ["hello"], SearchFilters(roles=(Role.USER,)), 5),
    "look": lambda storage, scope, _: storage.look(scope, [1], 1),
    "numbers": lambda storage, scope, _: storage.numbers(scope, SearchFilters(tags=("a",))),
    "snapshot": lambda storage, scope, _: storage.snapshot(scope, ReadWindow(last=20)),
    "artifacts": lambda storage, scope, _: storage.artifacts(scope, ArtifactQuery("fact", terms=("hello",))),
    "receipts": lambda storage, scope, _: storage.receipts(scope),
    "waiting": lambda storage, scope, _: storage.waiting(scope, "any"),
    "vectors": lambda storage, scope, _: storage.vectors(scope, "any", VectorMark()),
    "last_mark": lambda storage, scope, _: storage.last_position(scope),
    "changes": lambda storage, scope, _: storage.changes(scope, MARK, 10),
    "last_marks": lambda storage, scope, _: storage.last_positions([scope, Scope("other")]),
    "grants": lambda storage, scope, _: storage.grants(scope.owner),
    "usage": lambda storage, scope, _: storage.usage(scope),
    "key": lambda storage, *_: storage.key("k"),
}


class TestRoundTrips:
    """How many round trips to the server an operation takes."""

    @pytest.mark.parametrize("verb", QUICK)
    def test_operation_takes_one_round_trip(
        self, memory: Memory, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch, verb: str
    ) -> None:
        pool = memory.create_pool("Family", owner="u1")
        for scope in (Scope("u1", "s1"), Scope("u1", "s1", pool)):
            chat = memory.chat(owner="u1", session="s1", pool=scope.pool, create=True)
            said = chat.add("user", "Hello")
            assert _exchanges(monkeypatch, lambda scope=scope, said=said: QUICK[verb](storage, scope, said.id)) == 1

    def test_session_change_takes_two_round_trips(
        self, memory: Memory, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chat = memory.chat(owner="u1", session="s1", create=True)
        said = chat.add("user", "Hello")
        session, scope = chat.info(), Scope("u1", "s1")
        made = session._replace(id="s2", message_count=0, token_count=0)
        assert _exchanges(monkeypatch, lambda: storage.create_session(scope, made)) == 2
        assert _exchanges(monkeypatch, lambda: storage.update_session(scope, {"title": "New"}, NOW)) == 2
        assert _exchanges(monkeypatch, lambda: storage.mark(scope, said.id, NOW, pinned=True)) == 2


def _exchanges(monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]) -> int:
    """How often a call has the server answer. What other threads have to tell it does not count."""
    sent: list[int] = []
    here = threading.get_ident()
    run_one, pipeline = psycopg.Connection.execute, psycopg.Connection.pipeline

    def executed(self: Any, *values: Any, **options: Any) -> Any:
        if self.pgconn.pipeline_status == PipelineStatus.OFF and threading.get_ident() == here:
            sent.append(1)
        return run_one(self, *values, **options)

    def piped(self: Any) -> Any:
        sent.append(1)
        return pipeline(self)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "execute", executed)
        patched.setattr(psycopg.Connection, "pipeline", piped)
        call()
    return len(sent)


def test_closed_store_raises_storage_error(storage: PostgresStorage) -> None:
    storage.close()
    storage.close()
    with pytest.raises(StorageError, match="closed"):
        storage.settle("a", "b")


def test_pool_message_added_during_owner_erase_is_refused(storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(storage, MemoryStorage(), COUNTER) as memory:
        pools = [memory.create_pool(name, owner="boss") for name in ("one", "two")]
        chats = [memory.chat(owner="boss", pool=pool) for pool in pools]
        for pool in pools:
            memory.grant(pool, to="ann", by="boss", access="write")
        his = [memory.chat(owner="ann", pool=pool, session=chat.id) for pool, chat in zip(pools, chats, strict=True)]
        his[0].add("user", "Early words.")
        leave, refused = erasure._leave_pools, []  # pyright: ignore[reportPrivateUsage]

        def speak(chat: Any) -> None:
            try:
                chat.add("user", "Late words.")
            except NotFound as error:
                refused.append(error)

        threads = [threading.Thread(target=speak, args=(chat,)) for chat in his]

        def leave_late(*values: Any) -> None:
            for thread in threads:
                thread.start()
            time.sleep(0.3)
            leave(*values)

        monkeypatch.setattr(erasure, "_leave_pools", leave_late)
        memory.erase(owner="ann")
        for thread in threads:
            thread.join()
        assert len(refused) == 2
        assert [chat.messages() for chat in chats] == [[], []]


@pytest.mark.parametrize("planner", ["enable_nestloop=off", "enable_hashjoin=off"])
def test_missing_message_is_not_found_with_every_join(url, planner):
    """The planner chooses by its statistics, and a hash join reads nothing of one side if the other is empty."""
    source = parse_source_url(f"{url}&options=-c%20{planner}%20-c%20enable_mergejoin=off")
    with closing(PostgresStorage(source)) as storage:
        memory = Memory(storage, MemoryStorage(), COUNTER)
        memory.chat(owner="u1", session="s1", create=True).add("user", "secret", id="m1")
        theirs = memory.chat(owner="u2", session="s1", create=True)
        for use in (lambda: theirs.message("m1"), lambda: theirs.pin("m1"), lambda: theirs.erase(message="m1")):
            with pytest.raises(NotFound):
                use()
