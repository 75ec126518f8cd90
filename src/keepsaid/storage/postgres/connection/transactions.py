"""Transactions: each runs a job on a connection borrowed from the pool, and is retried where that is safe.

A job may run twice, so it must do nothing except use its database. If a commit was sent but not answered, the change may
have been stored: then only idempotent jobs are retried.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast

import psycopg
import psycopg_pool
from psycopg.pq import TransactionStatus

from keepsaid.errors import StoreBusy, StoreClosed, StoreUnavailable
from keepsaid.storage.listeners import ListenerGroup
from keepsaid.storage.postgres.connection.database import ALL_PARTITIONS, PostgresConnection, PostgresResult, Row, Values
from keepsaid.storage.postgres.connection.errors import (
    RETRYABLE_CODES,
    UncertainCommitError,
    is_connection_failure,
    translate_error,
    translated_errors,
)
from keepsaid.storage.postgres.connection.source import (
    Connection,
    PostgresSource,
    connect,
    connection_arguments,
    is_closed_by_server,
    run_statements,
)
from keepsaid.storage.postgres.partitions import SET_UNIT, PartitionKey

Result = TypeVar("Result")
Job = Callable[[PostgresConnection], Result]
Statement = tuple[str, Values]

BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN_CHANGE = "BEGIN"
SET_ROLE = "SELECT set_config('role', %s, true)"
"""Has the effect of SET LOCAL ROLE, without the warning in the server's log if there is no explicit transaction."""
CLOSED_TEXT = "the store is closed"


class PostgresTransaction:
    """A transaction on one connection; implements `database.PostgresConnection`."""

    def __init__(
        self, connection: Connection, begin: str, opening: Sequence[Statement], store: PostgresConnectionPool, unit: str
    ) -> None:
        self._connection = connection
        self._begin = begin
        self._opening = list(opening)
        self._store = store
        self._open = False
        self.ended = False
        """Whether the end of the transaction was sent."""
        self.unit = unit

    @property
    def secret(self) -> bytes:
        return self._store.secret

    def execute(self, statement: str, values: Values = ()) -> PostgresResult:
        return self.together((statement, values))[0]

    def last(self, statement: str, values: Values = ()) -> PostgresResult:
        return self.together((statement, values), last=True)[0]

    def together(self, *statements: Statement, last: bool = False) -> list[PostgresResult]:
        before = [] if self._open else self._opening
        # One batch is a transaction by itself; but a read of several statements needs BEGIN to see one snapshot.
        alone = last and not self._open and (len(statements) == 1 or self._begin == BEGIN_CHANGE)
        sent: list[Statement] = [*before, *statements]
        if not self._open and not alone:
            sent.insert(0, (self._begin, ()))
        if last and not alone:
            sent.append(("COMMIT", ()))
        self._open, self.ended = True, last
        rows = self._send(sent)
        return rows[-1 - len(statements) : -1] if last and not alone else rows[-len(statements) :]

    def _send(self, statements: Sequence[Statement]) -> list[PostgresResult]:
        if len(statements) == 1:
            return [self._run(*statements[0])]
        with self._connection.pipeline():
            return [self._run(*statement) for statement in statements]

    def _run(self, statement: str, values: Values) -> PostgresResult:
        # psycopg types statements as literals, to prevent SQL injection; ours use placeholders as well.
        return cast(PostgresResult, self._connection.execute(cast(Any, statement), values or None, binary=True))

    def executemany(self, statement: str, many: Iterable[Sequence[Any]]) -> None:
        values = list(many)
        if values:
            self.together(*((statement, some) for some in values))

    def enter(self, unit: str) -> None:
        role = (SET_ROLE, (self._store.role if unit == ALL_PARTITIONS else "none",))
        switch = [role] if self._store.role and ALL_PARTITIONS in (unit, self.unit) else []
        self.together(*switch, (SET_UNIT, (unit,)))
        self.unit = unit

    def commit(self) -> None:
        """Commit, unless the last statement did."""
        if self._open and not self.ended:
            self.ended = True
            self._run("COMMIT", ())


class PostgresConnectionPool:
    """The connection pool of one store."""

    def __init__(self, source: PostgresSource, extensions: str, secret: bytes, role: str | None) -> None:
        self.source = source
        self.extensions = extensions
        """The schema that contains pgvector."""
        self.secret = secret
        self.role = role
        """The role for work across owners; None if there is no such role."""
        self._closed = False
        self._audience = ListenerGroup()
        self._pool: psycopg_pool.ConnectionPool[Connection] = psycopg_pool.ConnectionPool(
            source.url,
            kwargs=connection_arguments(source, extensions),
            min_size=0,
            max_size=source.connections,
            timeout=source.busy_timeout,
            reconnect_timeout=source.busy_timeout,
            max_idle=300,
            open=True,
            name=f"keepsaid-{source.schema}",
        )

    # -- running jobs

    def read(self, space: PartitionKey, member: str | None, job: Job[Result], need: int = 0) -> Result:
        """Run a read-only job in one snapshot of the partition."""
        opening = [("SELECT keepsaid_enter(%s, %s, %s)", (space.unit, member, need))]
        return self._run_with_retries(BEGIN_READ, opening, space.unit, job, harmless=True)

    def change(
        self, space: PartitionKey, member: str | None, need: int, job: Job[Result], *, harmless: bool = False
    ) -> Result:
        """Run a job that changes a partition, while holding its lock. Set `harmless` if the job is idempotent."""
        opening = [("SELECT keepsaid_change(%s, %s, %s, %s)", (*space, member, need))]
        result = self._run_with_retries(BEGIN_CHANGE, opening, space.unit, job, harmless=harmless)
        self._audience.notify()
        return result

    def ask(self, job: Job[Result]) -> Result:
        """Run a job that reads rows of the store itself, not of an owner."""
        return self._run_with_retries(BEGIN_READ, (), "", job, harmless=True)

    def keep(self, job: Job[Result]) -> Result:
        """Run a job that changes rows of the store itself."""
        result = self._run_with_retries(BEGIN_CHANGE, (), "", job, harmless=False)
        self._audience.notify()
        return result

    def read_all_partitions(self, job: Job[Result]) -> Result:
        """Run a job that reads across owners."""
        return self._run_with_retries(BEGIN_READ, self._see_all(), ALL_PARTITIONS, job, harmless=True)

    def change_all_partitions(self, job: Job[Result], *, harmless: bool = False) -> Result:
        """Run a job that changes rows across owners, or of the store itself."""
        result = self._run_with_retries(BEGIN_CHANGE, self._see_all(), ALL_PARTITIONS, job, harmless=harmless)
        self._audience.notify()
        return result

    def call(self, *statements: Statement, changes: bool) -> list[list[Row]]:
        """Run statements that set their partitions by themselves: SQL functions of the most frequent verbs. They are one
        transaction in one round trip."""

        def job(db: PostgresConnection) -> list[list[Row]]:
            return [rows.fetchall() for rows in db.together(*statements, last=True)]

        found = self._run_with_retries(BEGIN_CHANGE if changes else BEGIN_READ, (), "", job, harmless=not changes)
        if changes:
            self._audience.notify()
        return found

    def run_outside_transaction(self, statement: str) -> None:
        """Run a statement that cannot be in a transaction, such as VACUUM."""
        connection = self._borrow(time.monotonic() + self.source.busy_timeout)
        try:
            with translated_errors():
                run_statements(connection, statement)
        finally:
            self._pool.putconn(connection)

    def _see_all(self) -> list[Statement]:
        role: list[Statement] = [(SET_ROLE, (self.role,))] if self.role else []
        return [*role, (SET_UNIT, (ALL_PARTITIONS,))]

    # -- commits of this process

    def on_commit(self, call: Callable[[], None]) -> None:
        """Register a function to call after every commit."""
        self._audience.add(call)

    # -- retries

    def _run_with_retries(
        self, begin: str, opening: Sequence[Statement], unit: str, job: Job[Result], *, harmless: bool
    ) -> Result:
        """Run a job until it succeeds or cannot be retried."""
        deadline = time.monotonic() + self.source.busy_timeout
        tries = 0
        while True:
            connection = self._borrow(deadline)
            transaction = PostgresTransaction(connection, begin, opening, self, unit)
            try:
                return self._run_once(connection, transaction, job)
            except psycopg.Error as error:
                safe = error.sqlstate in RETRYABLE_CODES or (
                    is_connection_failure(error) and (harmless or not transaction.ended)
                )
                if not safe or time.monotonic() >= deadline or self._closed:
                    raise _final_error(error, transaction) from error
            tries += 1
            time.sleep(random.uniform(0.3, 1.0) * min(0.5, 0.005 * 2 ** min(tries, 10)))

    def _run_once(self, connection: Connection, transaction: PostgresTransaction, job: Job[Result]) -> Result:
        try:
            result = job(transaction)
            transaction.commit()
        finally:
            if connection.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
            self._pool.putconn(connection)
        return result

    def _borrow(self, deadline: float) -> Connection:
        """Borrow a connection that works, as far as can be told without a round trip. If a change is sent on a dead
        connection, it is unknown whether it was stored."""
        while not self._closed:
            try:
                connection = self._pool.getconn(max(0.01, deadline - time.monotonic()))
            except psycopg_pool.PoolClosed:
                break
            except psycopg_pool.PoolTimeout:
                raise self._pool_error() from None
            if not is_closed_by_server(connection) or time.monotonic() >= deadline:
                return connection
            connection.close()
            self._pool.putconn(connection)
        raise StoreClosed(CLOSED_TEXT)

    def _pool_error(self) -> Exception:
        """The error for an exhausted pool: one connection attempt shows whether the server is down or the pool is in use."""
        try:
            connect(self.source, connect_timeout=2).close()
        except StoreUnavailable as error:
            return error
        return StoreBusy(
            f"all {self.source.connections} connections of this process were in use for {self.source.busy_timeout:g} seconds"
        )

    def close(self) -> None:
        """Close the pool without waiting; jobs that still hold a connection may finish."""
        self._closed = True
        self._pool.close()


def _final_error(error: psycopg.Error, transaction: PostgresTransaction) -> Exception:
    ours = translate_error(error)
    return UncertainCommitError(str(ours)) if is_connection_failure(error) and transaction.ended else ours
