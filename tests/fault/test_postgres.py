"""What happens to PostgreSQL's store when the server or the network fails: nothing is lost, nothing doubled, and whoever
cannot be served is told why."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import servers

from recollect.errors import Conflict, StoreBusy, StoreFull, StoreReadOnly, StoreUnavailable
from recollect.memory import Memory
from recollect.ports import Expected
from recollect.storage.memory import MemoryStorage
from recollect.storage.postgres import PostgresStorage, source_of
from recollect.storage.postgres.database import Database, Rows
from recollect.storage.postgres.transactions import Statement, Transaction
from recollect.testing.conformance import COUNTER
from recollect.types import Message, Role, Scope, Window

HERE = Scope("u1", "s1")


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PostgresStorage]:
    with closing(PostgresStorage(source_of(url, busy_timeout=10))) as storage:
        Memory(storage, MemoryStorage(), COUNTER).chat(owner="u1", session="s1", create=True)
        yield storage


@pytest.fixture
def admin(url: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
        db.execute(f"SET search_path = {source_of(url).schema}")
        yield db


def message(id: str, text: str = "Hello") -> Message:
    return Message(id, "s1", 0, 0, Role.USER, text, 3, 1, 0.5, False, {})


def said(storage: PostgresStorage) -> list[str]:
    return [message.id for message in storage.read(HERE, Window())]


def cut_all(db: psycopg.Connection[tuple[Any, ...]]) -> int:
    """Ends every connection of the stores' users."""
    return len(db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'maker'").fetchall())


class TestACutConnection:
    def test_the_next_call_notices_and_goes_on(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        storage.append(HERE, [message("m1")], 1)
        assert cut_all(admin)
        assert said(storage) == ["m1"]
        assert cut_all(admin)
        storage.append(HERE, [message("m2")], 1)
        assert said(storage) == ["m1", "m2"]
        assert storage.check().findings == ()

    def test_an_append_that_was_cut_while_it_waited_is_done_once(
        self, storage: PostgresStorage, admin: psycopg.Connection[Any]
    ) -> None:
        with ThreadPoolExecutor(1) as pool, admin.transaction():
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            waiting = pool.submit(storage.append, HERE, [message("m1")], 1, expected=Expected(head=0))
            _until_waiting()
            with psycopg.connect(servers.postgres_admin(), autocommit=True) as other:
                cut_all(other)
        assert [one.seq for one in waiting.result(10)] == [1]
        assert said(storage) == ["m1"]

    def test_an_append_whose_answer_was_lost_is_not_done_twice(
        self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage.append(HERE, [message("m0")], 1)
        lose_answers(monkeypatch, 1)
        appended = storage.append(HERE, [message("m1"), message("m2")], 1, expected=Expected(head=1))
        assert [(one.id, one.seq, one.parent) for one in appended] == [("m1", 2, 1), ("m2", 3, 2)]
        assert said(storage) == ["m0", "m1", "m2"]
        assert storage.check().findings == ()

    def test_what_cannot_be_done_twice_is_not_tried_twice(
        self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory = Memory(storage, MemoryStorage(), COUNTER)
        lose_answers(monkeypatch, 1, "INSERT INTO sessions")
        with pytest.raises(StoreUnavailable):
            memory.chat(owner="u1", session="s2", create=True)
        monkeypatch.undo()
        assert {session.id for session in memory.sessions(owner="u1")} == {"s1", "s2"}

    def test_a_read_is_tried_again(self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch) -> None:
        storage.append(HERE, [message("m1")], 1)
        lose_answers(monkeypatch, 3)
        assert said(storage) == ["m1"]


def lose_answers(monkeypatch: pytest.MonkeyPatch, times: int, of: str = "") -> None:
    """The server does what it is told, but its answer never comes, so many times."""
    send = Transaction._send  # pyright: ignore[reportPrivateUsage]
    left = [times]

    def cut(self: Transaction, statements: list[Statement]) -> list[Rows]:
        rows = send(self, statements)
        if left[0] and any(of in statement for statement, _ in statements):
            left[0] -= 1
            self._connection.close()  # pyright: ignore[reportPrivateUsage]
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return rows

    monkeypatch.setattr(Transaction, "_send", cut)


def _until_waiting() -> None:
    """Until a statement of a store waits for a lock."""
    with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
        for _ in range(1000):
            if db.execute("SELECT 1 FROM pg_stat_activity WHERE usename = 'maker' AND wait_event_type = 'Lock'").fetchall():
                return
            time.sleep(0.01)
    raise AssertionError("nothing waits")


class TestInEachOthersWay:
    def test_what_the_server_undid_is_tried_again(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        for code in ("40001", "40P01"):
            with failing_inserts(admin, code, times=2):
                storage.append(HERE, [message(f"m{code}")], 1)
        assert said(storage) == ["m40001", "m40P01"]

    def test_it_is_not_tried_for_ever(self, url: str, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        impatient = replace(source_of(url), busy_timeout=0.3)
        with closing(PostgresStorage(impatient)) as other, failing_inserts(admin, "40001"), pytest.raises(StoreBusy):
            other.append(HERE, [message("m1")], 1)
        assert said(storage) == []

    def test_many_writers_of_one_session_lose_nothing(self, storage: PostgresStorage) -> None:
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda n: storage.append(HERE, [message(f"m{n}")], 1), range(120)))
        found = storage.read(HERE, Window())
        assert {one.id for one in found} == {f"m{n}" for n in range(120)}
        assert [(one.seq, one.parent) for one in found] == [(n, n - 1) for n in range(1, 121)]
        assert storage.check().findings == ()

    def test_many_make_the_same_new_owner_at_once(self, storage: PostgresStorage) -> None:
        memory = Memory(storage, MemoryStorage(), COUNTER)

        def begin(number: int) -> bool:
            try:
                return memory.chat(owner="new", session=f"s{number % 4}", create=True).id != ""
            except Conflict:
                return False

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(begin, range(24)))
        assert {session.id for session in memory.sessions(owner="new")} == {"s0", "s1", "s2", "s3"}
        assert storage.check().findings == ()


@contextmanager
def failing_inserts(db: psycopg.Connection[Any], code: str, times: int = 1_000_000) -> Iterator[None]:
    """While it is on, the server fails to insert messages with a code, so many times."""
    db.execute("CREATE SEQUENCE failures")
    db.execute("GRANT USAGE ON failures TO maker")
    db.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF nextval('failures') <= {times} THEN RAISE EXCEPTION USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$"
    )
    db.execute("CREATE TRIGGER fail BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION fail()")
    yield
    db.execute("DROP TRIGGER fail ON messages; DROP FUNCTION fail; DROP SEQUENCE failures")


class TestWhatTheCallerIsTold:
    def test_a_full_disk(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        storage.append(HERE, [message("m1")], 1)
        with failing_inserts(admin, "53100"), pytest.raises(StoreFull):
            storage.append(HERE, [message("m2"), message("m3")], 1)
        assert said(storage) == ["m1"]
        storage.append(HERE, [message("m2")], 1)
        assert storage.check().findings == ()

    def test_a_server_that_takes_no_changes(self, url: str, storage: PostgresStorage) -> None:
        storage.append(HERE, [message("m1")], 1)
        with closing(PostgresStorage(source_of(f"{url}&options=-c%20default_transaction_read_only%3Don"))) as standby:
            assert said(standby) == ["m1"]
            with pytest.raises(StoreReadOnly):
                standby.append(HERE, [message("m2")], 1)

    def test_a_server_that_is_too_slow(self, url: str, admin: psycopg.Connection[Any], storage: PostgresStorage) -> None:
        with (
            closing(PostgresStorage(source_of(f"{url}&options=-c%20statement_timeout%3D100"))) as hasty,
            admin.transaction(),
        ):
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            with pytest.raises(StoreUnavailable, match="in time"):
                hasty.append(HERE, [message("m1")], 1)
        assert said(storage) == []

    def test_no_connection_is_free(self, url: str, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        small = replace(source_of(url), connections=2, busy_timeout=1)
        with closing(PostgresStorage(small)) as crowded, ThreadPoolExecutor(3) as pool, admin.transaction():
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            waiting = [pool.submit(crowded.append, HERE, [message(f"m{n}")], 1) for n in range(2)]
            _until_waiting()
            time.sleep(0.2)
            with pytest.raises(StoreBusy, match="connections"):
                crowded.read(HERE, Window(last=1))
            admin.execute("SELECT 1")
        for one in waiting:
            one.result(10)
        assert sorted(said(storage)) == ["m0", "m1"]

    def test_no_server(self) -> None:
        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            PostgresStorage(source_of("postgresql://localhost:1/nothing", busy_timeout=1))
        assert time.monotonic() - began < 5


def test_after_a_restart_no_change_is_sent_on_a_dead_connection() -> None:
    """Of one that is, nobody could say whether it was kept: it would have to fail."""
    many = 8
    with ExitStack() as stack:
        server = stack.enter_context(servers.own_postgres())
        storage = stack.enter_context(closing(PostgresStorage(source_of(server.url, busy_timeout=30))))
        pool = stack.enter_context(ThreadPoolExecutor(many))
        together = threading.Barrier(many)

        def hold(db: Database) -> int:
            ((process,),) = db.execute("SELECT pg_backend_pid()").fetchall()
            together.wait(30)
            return process

        for how in ("fast", "immediate"):
            idle = set(pool.map(lambda _: storage.store.ask(hold), range(many)))
            assert len(idle) == many
            server.restart(how)
            pools = [f"{how}-{number}" for number in range(many)]
            list(pool.map(lambda name: storage.create_pool(name, "Team", "u1", 1), pools))
            assert {grant.pool for grant in storage.grants("u1")} >= {*pools}


def test_a_server_that_is_restarted_under_load_loses_and_doubles_nothing() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(servers.own_postgres())
        storage = stack.enter_context(closing(PostgresStorage(source_of(server.url, busy_timeout=30))))
        memory = Memory(storage, MemoryStorage(), COUNTER)
        for writer in range(4):
            memory.chat(owner=f"u{writer}", session="s1", create=True)
        stop, acknowledged = threading.Event(), [list[str]() for _ in range(4)]

        def write(writer: int) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                id = f"w{writer}-{number}"
                storage.append(Scope(f"u{writer}", "s1"), [message(id)], number)
                acknowledged[writer].append(id)

        with ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write, writer) for writer in range(4)]
            for how in ("fast", "immediate"):
                time.sleep(0.5)
                server.restart(how)
            time.sleep(0.5)
            stop.set()
            for writer in writers:
                writer.result(60)
        for writer in range(4):
            kept = [one.id for one in storage.read(Scope(f"u{writer}", "s1"), Window())]
            assert len(acknowledged[writer]) > 20
            assert kept == acknowledged[writer]
        assert storage.check().findings == ()
