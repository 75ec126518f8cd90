"""Failures of the PostgreSQL server or the network: no message is lost or stored twice, and callers get a typed error."""

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

from keepsaid.errors import Conflict, StoreBusy, StoreFull, StoreReadOnly, StoreUnavailable
from keepsaid.memory import Memory
from keepsaid.ports import ExpectedRevision
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.postgres import PostgresStorage, parse_source_url
from keepsaid.storage.postgres.connection.database import PostgresConnection, PostgresResult
from keepsaid.storage.postgres.connection.transactions import PostgresTransaction, Statement
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Message, ReadWindow, Role, Scope

HERE = Scope("u1", "s1")


@pytest.fixture
def url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def storage(url: str) -> Iterator[PostgresStorage]:
    with closing(PostgresStorage(parse_source_url(url, busy_timeout=10))) as storage:
        Memory(storage, MemoryStorage(), COUNTER).chat(owner="u1", session="s1", create=True)
        yield storage


@pytest.fixture
def admin(url: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
        db.execute(f"SET search_path = {parse_source_url(url).schema}")
        yield db


def message(id: str, text: str = "Hello") -> Message:
    return Message(id, "s1", 0, 0, Role.USER, text, 3, 1, 0.5, False, {})


def list_message_ids(storage: PostgresStorage) -> list[str]:
    return [message.id for message in storage.read(HERE, ReadWindow())]


def cut_all(db: psycopg.Connection[tuple[Any, ...]]) -> int:
    """Ends every connection of the stores' users."""
    return len(db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'maker'").fetchall())


class TestLostConnection:
    def test_next_call_reconnects(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        storage.append(HERE, [message("m1")], 1)
        assert cut_all(admin)
        assert list_message_ids(storage) == ["m1"]
        assert cut_all(admin)
        storage.append(HERE, [message("m2")], 1)
        assert list_message_ids(storage) == ["m1", "m2"]
        assert storage.check().findings == ()

    def test_append_disconnected_while_waiting_is_applied_once(
        self, storage: PostgresStorage, admin: psycopg.Connection[Any]
    ) -> None:
        with ThreadPoolExecutor(1) as pool, admin.transaction():
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            waiting = pool.submit(storage.append, HERE, [message("m1")], 1, expected=ExpectedRevision(head=0))
            _until_waiting()
            with psycopg.connect(servers.postgres_admin(), autocommit=True) as other:
                cut_all(other)
        assert [one.seq for one in waiting.result(10)] == [1]
        assert list_message_ids(storage) == ["m1"]

    def test_append_with_lost_answer_is_applied_once(
        self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage.append(HERE, [message("m0")], 1)
        lose_answers(monkeypatch, 1)
        appended = storage.append(HERE, [message("m1"), message("m2")], 1, expected=ExpectedRevision(head=1))
        assert [(one.id, one.seq, one.parent) for one in appended] == [("m1", 2, 1), ("m2", 3, 2)]
        assert list_message_ids(storage) == ["m0", "m1", "m2"]
        assert storage.check().findings == ()

    def test_session_creation_with_lost_answer_is_not_retried(
        self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory = Memory(storage, MemoryStorage(), COUNTER)
        lose_answers(monkeypatch, 1, "INSERT INTO sessions")
        with pytest.raises(StoreUnavailable):
            memory.chat(owner="u1", session="s2", create=True)
        monkeypatch.undo()
        assert {session.id for session in memory.sessions(owner="u1")} == {"s1", "s2"}

    def test_read_is_retried(self, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch) -> None:
        storage.append(HERE, [message("m1")], 1)
        lose_answers(monkeypatch, 3)
        assert list_message_ids(storage) == ["m1"]


def lose_answers(monkeypatch: pytest.MonkeyPatch, times: int, of: str = "") -> None:
    """Lets the server execute statements, but drops the answer, a number of times."""
    send = PostgresTransaction._send  # pyright: ignore[reportPrivateUsage]
    left = [times]

    def cut(self: PostgresTransaction, statements: list[Statement]) -> list[PostgresResult]:
        rows = send(self, statements)
        if left[0] and any(of in statement for statement, _ in statements):
            left[0] -= 1
            self._connection.close()  # pyright: ignore[reportPrivateUsage]
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return rows

    monkeypatch.setattr(PostgresTransaction, "_send", cut)


def _until_waiting() -> None:
    """Until a statement of a store waits for a lock."""
    with psycopg.connect(servers.postgres_admin(), autocommit=True) as db:
        for _ in range(1000):
            if db.execute("SELECT 1 FROM pg_stat_activity WHERE usename = 'maker' AND wait_event_type = 'Lock'").fetchall():
                return
            time.sleep(0.01)
    raise AssertionError("nothing waits")


class TestConcurrentChanges:
    def test_aborted_transactions_are_retried(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        for code in ("40001", "40P01"):
            with failing_inserts(admin, code, times=2):
                storage.append(HERE, [message(f"m{code}")], 1)
        assert list_message_ids(storage) == ["m40001", "m40P01"]

    def test_retries_end_with_store_busy(self, url: str, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        impatient = replace(parse_source_url(url), busy_timeout=0.3)
        with closing(PostgresStorage(impatient)) as other, failing_inserts(admin, "40001"), pytest.raises(StoreBusy):
            other.append(HERE, [message("m1")], 1)
        assert list_message_ids(storage) == []

    def test_concurrent_appends_to_session_lose_no_messages(self, storage: PostgresStorage) -> None:
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda n: storage.append(HERE, [message(f"m{n}")], 1), range(120)))
        found = storage.read(HERE, ReadWindow())
        assert {one.id for one in found} == {f"m{n}" for n in range(120)}
        assert [(one.seq, one.parent) for one in found] == [(n, n - 1) for n in range(1, 121)]
        assert storage.check().findings == ()

    def test_concurrent_session_creations_make_one_owner(self, storage: PostgresStorage) -> None:
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
    """Makes the server fail to insert messages with an error code, a number of times."""
    db.execute("CREATE SEQUENCE failures")
    db.execute("GRANT USAGE ON failures TO maker")
    db.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF nextval('failures') <= {times} THEN RAISE EXCEPTION USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$"
    )
    db.execute("CREATE TRIGGER fail BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION fail()")
    yield
    db.execute("DROP TRIGGER fail ON messages; DROP FUNCTION fail; DROP SEQUENCE failures")


class TestErrors:
    def test_full_disk_raises_store_full(self, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        storage.append(HERE, [message("m1")], 1)
        with failing_inserts(admin, "53100"), pytest.raises(StoreFull):
            storage.append(HERE, [message("m2"), message("m3")], 1)
        assert list_message_ids(storage) == ["m1"]
        storage.append(HERE, [message("m2")], 1)
        assert storage.check().findings == ()

    def test_read_only_server_raises_store_read_only(self, url: str, storage: PostgresStorage) -> None:
        storage.append(HERE, [message("m1")], 1)
        with closing(PostgresStorage(parse_source_url(f"{url}&options=-c%20default_transaction_read_only%3Don"))) as standby:
            assert list_message_ids(standby) == ["m1"]
            with pytest.raises(StoreReadOnly):
                standby.append(HERE, [message("m2")], 1)

    def test_timeout_raises_unavailable(self, url: str, admin: psycopg.Connection[Any], storage: PostgresStorage) -> None:
        with (
            closing(PostgresStorage(parse_source_url(f"{url}&options=-c%20statement_timeout%3D100"))) as hasty,
            admin.transaction(),
        ):
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            with pytest.raises(StoreUnavailable, match="in time"):
                hasty.append(HERE, [message("m1")], 1)
        assert list_message_ids(storage) == []

    def test_connection_limit_raises_busy(self, url: str, storage: PostgresStorage, admin: psycopg.Connection[Any]) -> None:
        small = replace(parse_source_url(url), connections=2, busy_timeout=1)
        with closing(PostgresStorage(small)) as crowded, ThreadPoolExecutor(3) as pool, admin.transaction():
            admin.execute("SELECT 1 FROM spaces FOR UPDATE")
            waiting = [pool.submit(crowded.append, HERE, [message(f"m{n}")], 1) for n in range(2)]
            _until_waiting()
            time.sleep(0.2)
            with pytest.raises(StoreBusy, match="connections"):
                crowded.read(HERE, ReadWindow(last=1))
            admin.execute("SELECT 1")
        for one in waiting:
            one.result(10)
        assert sorted(list_message_ids(storage)) == ["m0", "m1"]

    def test_unreachable_server_raises_store_unavailable(self) -> None:
        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            PostgresStorage(parse_source_url("postgresql://localhost:1/nothing", busy_timeout=1))
        assert time.monotonic() - began < 5


def test_change_after_restart_does_not_use_dead_connection() -> None:
    """The outcome of a change sent on a dead connection is unknown, so that change would have to fail."""
    many = 8
    with ExitStack() as stack:
        server = stack.enter_context(servers.own_postgres())
        storage = stack.enter_context(closing(PostgresStorage(parse_source_url(server.url, busy_timeout=30))))
        pool = stack.enter_context(ThreadPoolExecutor(many))
        together = threading.Barrier(many)

        def hold(db: PostgresConnection) -> int:
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


def test_restart_under_load_keeps_each_message_once() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(servers.own_postgres())
        storage = stack.enter_context(closing(PostgresStorage(parse_source_url(server.url, busy_timeout=30))))
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
            kept = [one.id for one in storage.read(Scope(f"u{writer}", "s1"), ReadWindow())]
            assert len(acknowledged[writer]) > 20
            assert kept == acknowledged[writer]
        assert storage.check().findings == ()
