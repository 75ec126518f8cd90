"""Transactions: each runs a job, on a connection that is lent from the pool, and is tried again where that is safe.

A job may run twice, so it must do nothing but talk to its database. A change whose end was sent, but not answered, may have
been kept: only a job that can be repeated without harm is tried again then.
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

from recollect.errors import StoreBusy, StoreClosed, StoreUnavailable
from recollect.storage.audience import Audience
from recollect.storage.postgres.connection import Connection, Source, arguments, connect, is_forsaken, run
from recollect.storage.postgres.database import EVERYONE, Database, Row, Rows, Values
from recollect.storage.postgres.faults import TRY_AGAIN, Uncertain, is_cut, speaking_plainly, translate
from recollect.storage.postgres.spaces import SEE, Space

Result = TypeVar("Result")
Job = Callable[[Database], Result]
Statement = tuple[str, Values]

READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
CHANGING = "BEGIN"
AS = "SELECT set_config('role', %s, true)"
"""What SET LOCAL ROLE does, without a warning in the server's log where a transaction goes without saying."""
CLOSED = "the store is closed"


class Transaction:
    """A transaction on one connection; see `database.Database`."""

    def __init__(self, connection: Connection, begin: str, opening: Sequence[Statement], store: Store, unit: str) -> None:
        self._connection = connection
        self._begin = begin
        self._opening = list(opening)
        self._store = store
        self._open = False
        self.ended = False
        """Whether its end was sent."""
        self.unit = unit

    @property
    def secret(self) -> bytes:
        return self._store.secret

    def execute(self, statement: str, values: Values = ()) -> Rows:
        return self.together((statement, values))[0]

    def last(self, statement: str, values: Values = ()) -> Rows:
        return self.together((statement, values), last=True)[0]

    def together(self, *statements: Statement, last: bool = False) -> list[Rows]:
        before = [] if self._open else self._opening
        # What is sent in one go is a transaction by itself; but a reader of two statements must ask for one moment.
        alone = last and not self._open and (len(statements) == 1 or self._begin == CHANGING)
        sent: list[Statement] = [*before, *statements]
        if not self._open and not alone:
            sent.insert(0, (self._begin, ()))
        if last and not alone:
            sent.append(("COMMIT", ()))
        self._open, self.ended = True, last
        rows = self._send(sent)
        return rows[-1 - len(statements) : -1] if last and not alone else rows[-len(statements) :]

    def _send(self, statements: Sequence[Statement]) -> list[Rows]:
        if len(statements) == 1:
            return [self._run(*statements[0])]
        with self._connection.pipeline():
            return [self._run(*statement) for statement in statements]

    def _run(self, statement: str, values: Values) -> Rows:
        # psycopg types its statements as literals, so that nobody writes values into them; ours have placeholders, too.
        return cast(Rows, self._connection.execute(cast(Any, statement), values or None, binary=True))

    def executemany(self, statement: str, many: Iterable[Sequence[Any]]) -> None:
        values = list(many)
        if values:
            self.together(*((statement, some) for some in values))

    def enter(self, unit: str) -> None:
        role = (AS, (self._store.role if unit == EVERYONE else "none",))
        switch = [role] if self._store.role and EVERYONE in (unit, self.unit) else []
        self.together(*switch, (SEE, (unit,)))
        self.unit = unit

    def commit(self) -> None:
        """Ends it, unless its last statement did."""
        if self._open and not self.ended:
            self.ended = True
            self._run("COMMIT", ())


class Store:
    """The pool of connections to one store."""

    def __init__(self, source: Source, extensions: str, secret: bytes, role: str | None) -> None:
        self.source = source
        self.extensions = extensions
        """The schema in which pgvector is."""
        self.secret = secret
        self.role = role
        """As whom work across owners is done; None where there is no such role."""
        self._closed = False
        self._audience = Audience()
        self._pool: psycopg_pool.ConnectionPool[Connection] = psycopg_pool.ConnectionPool(
            source.url,
            kwargs=arguments(source, extensions),
            min_size=0,
            max_size=source.connections,
            timeout=source.busy_timeout,
            reconnect_timeout=source.busy_timeout,
            max_idle=300,
            open=True,
            name=f"recollect-{source.schema}",
        )

    # -- what jobs are run in

    def read(self, space: Space, member: str | None, job: Job[Result], need: int = 0) -> Result:
        """Runs a job that changes nothing, in one moment of the unit."""
        opening = [("SELECT recollect_enter(%s, %s, %s)", (space.unit, member, need))]
        return self._again(READING, opening, space.unit, job, harmless=True)

    def change(self, space: Space, member: str | None, need: int, job: Job[Result], *, harmless: bool = False) -> Result:
        """Runs a job that changes a space, alone in it. `harmless` says that to do it twice does no harm."""
        opening = [("SELECT recollect_change(%s, %s, %s, %s)", (*space, member, need))]
        result = self._again(CHANGING, opening, space.unit, job, harmless=harmless)
        self._audience.tell()
        return result

    def ask(self, job: Job[Result]) -> Result:
        """Runs a job that reads what is the store's own, and no owner's."""
        return self._again(READING, (), "", job, harmless=True)

    def keep(self, job: Job[Result]) -> Result:
        """Runs a job that changes what is the store's own."""
        result = self._again(CHANGING, (), "", job, harmless=False)
        self._audience.tell()
        return result

    def ask_all(self, job: Job[Result]) -> Result:
        """Runs a job that reads across owners."""
        return self._again(READING, self._everyone(), EVERYONE, job, harmless=True)

    def change_all(self, job: Job[Result], *, harmless: bool = False) -> Result:
        """Runs a job that changes things across owners, or those of the store itself."""
        result = self._again(CHANGING, self._everyone(), EVERYONE, job, harmless=harmless)
        self._audience.tell()
        return result

    def call(self, *statements: Statement, changes: bool) -> list[list[Row]]:
        """Runs statements that enter their units by themselves: functions for verbs that must be quick. They are one
        transaction, in one exchange."""

        def job(db: Database) -> list[list[Row]]:
            return [rows.fetchall() for rows in db.together(*statements, last=True)]

        found = self._again(CHANGING if changes else READING, (), "", job, harmless=not changes)
        if changes:
            self._audience.tell()
        return found

    def outside(self, statement: str) -> None:
        """Runs a statement that can be in no transaction, such as VACUUM."""
        connection = self._lend(time.monotonic() + self.source.busy_timeout)
        try:
            with speaking_plainly():
                run(connection, statement)
        finally:
            self._pool.putconn(connection)

    def _everyone(self) -> list[Statement]:
        role: list[Statement] = [(AS, (self.role,))] if self.role else []
        return [*role, (SEE, (EVERYONE,))]

    # -- commits of this process

    def listen(self, call: Callable[[], None]) -> None:
        """Asks to be called after every commit."""
        self._audience.add(call)

    # -- trying

    def _again(self, begin: str, opening: Sequence[Statement], unit: str, job: Job[Result], *, harmless: bool) -> Result:
        """Runs a job until it succeeds, or fails for good."""
        deadline = time.monotonic() + self.source.busy_timeout
        tries = 0
        while True:
            connection = self._lend(deadline)
            transaction = Transaction(connection, begin, opening, self, unit)
            try:
                return self._once(connection, transaction, job)
            except psycopg.Error as error:
                safe = error.sqlstate in TRY_AGAIN or (is_cut(error) and (harmless or not transaction.ended))
                if not safe or time.monotonic() >= deadline or self._closed:
                    raise _last_words(error, transaction) from error
            tries += 1
            time.sleep(random.uniform(0.3, 1.0) * min(0.5, 0.005 * 2 ** min(tries, 10)))

    def _once(self, connection: Connection, transaction: Transaction, job: Job[Result]) -> Result:
        try:
            result = job(transaction)
            transaction.commit()
        finally:
            if connection.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
            self._pool.putconn(connection)
        return result

    def _lend(self, deadline: float) -> Connection:
        """A connection that works, as far as can be told without asking the server. Of a change that is sent on a dead one
        nobody knows whether it was kept."""
        while not self._closed:
            try:
                connection = self._pool.getconn(max(0.01, deadline - time.monotonic()))
            except psycopg_pool.PoolClosed:
                break
            except psycopg_pool.PoolTimeout:
                raise self._why_none() from None
            if not is_forsaken(connection) or time.monotonic() >= deadline:
                return connection
            connection.close()
            self._pool.putconn(connection)
        raise StoreClosed(CLOSED)

    def _why_none(self) -> Exception:
        """All connections are in use, or none could be made: one try tells which."""
        try:
            connect(self.source, connect_timeout=2).close()
        except StoreUnavailable as error:
            return error
        return StoreBusy(
            f"all {self.source.connections} connections of this process were in use for {self.source.busy_timeout:g} seconds"
        )

    def close(self) -> None:
        """Waits for nobody: whoever still holds a connection may end what he does."""
        self._closed = True
        self._pool.close()


def _last_words(error: psycopg.Error, transaction: Transaction) -> Exception:
    ours = translate(error)
    return Uncertain(str(ours)) if is_cut(error) and transaction.ended else ours
