"""Prefetch: reads that will be needed soon share the next read's round trip. Building a prompt takes some twenty reads, and
each round trip costs network latency."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from keepsaid.errors import KeepsaidError, StoreBusy, StoreClosed, StoreUnavailable
from keepsaid.ports import ReadCall
from keepsaid.storage.postgres import partitions
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation
from keepsaid.storage.postgres.connection.transactions import PostgresConnectionPool
from keepsaid.types import Scope

Result = TypeVar("Result")


class ReadRequest(NamedTuple):
    """A read operation and its scope; the scope is None for reads of the store itself."""

    scope: Scope | None
    reading: PostgresReadOperation[Any]

    def can_run_in(self, scope: Scope) -> bool:
        """Whether it can share a round trip in this scope."""
        return self.scope is None or _place(self.scope) == _place(scope)


def _place(scope: Scope) -> tuple[str, str | None]:
    return partitions.partition_key(scope).unit, partitions.acting_member(scope)


class _PrefetchState:
    def __init__(self) -> None:
        self.wanted: dict[ReadCall, ReadRequest] = {}
        self.answers: dict[ReadCall, Any] = {}

    def scope_for(self, question: ReadRequest) -> Scope | None:
        """The scope to read in: the request's own, or that of the first waiting request with a scope."""
        return next((one.scope for one in (question, *self.wanted.values()) if one.scope is not None), None)

    def companions(self, scope: Scope) -> dict[ReadCall, ReadRequest]:
        """Remove and return the waiting requests that can share a round trip in this scope."""
        going = {call: one for call, one in self.wanted.items() if one.can_run_in(scope)}
        self.wanted = {call: one for call, one in self.wanted.items() if call not in going}
        return going


class ReadPrefetcher:
    """The read sessions of all threads, each with waiting requests and prefetched answers."""

    def __init__(self, store: PostgresConnectionPool) -> None:
        self._store = store
        self._local = threading.local()

    @property
    def _moment(self) -> _PrefetchState | None:
        return getattr(self._local, "moment", None)

    @contextmanager
    def read_session(self) -> Generator[None]:
        """A context in which this thread may use prefetched answers; a nested one joins the outer one."""
        if self._moment is not None:
            yield
            return
        self._local.moment = _PrefetchState()
        try:
            yield
        finally:
            self._local.moment = None

    def prefetch(self, call: ReadCall, question: ReadRequest) -> None:
        """Register a read that will be needed in this read session."""
        if self._moment is not None and call not in self._moment.answers:
            self._moment.wanted[call] = question

    def discard_answers(self) -> None:
        """Discard prefetched answers after this thread changed something."""
        if self._moment is not None:
            self._moment.answers.clear()

    def ask(self, call: ReadCall, question: ReadRequest, alone: Callable[[], Result]) -> Result:
        """Return the prefetched answer, or run the read together with the waiting ones."""
        moment = self._moment
        if moment is None:
            return alone()
        if call in moment.answers:
            return _answer_or_raise(moment.answers.pop(call))
        moment.wanted.pop(call, None)
        scope = moment.scope_for(question)
        along = {} if scope is None else moment.companions(scope)
        if not along or scope is None:
            return alone()
        try:
            answer, *others = self._together(scope, [question.reading, *(one.reading for one in along.values())])
        except (StoreUnavailable, StoreBusy, StoreClosed):
            raise  # the timeout has already passed
        except KeepsaidError:
            return alone()  # running each read alone shows which one fails
        moment.answers |= dict(zip(along, others, strict=True))
        return _answer_or_raise(answer)

    def _together(self, scope: Scope, readings: Sequence[PostgresReadOperation[Any]]) -> list[Any]:
        statements = [statement for reading in readings for statement in reading.statements]

        def job(db: PostgresConnection) -> list[Any]:
            rows = iter([found.fetchall() for found in db.together(*statements, last=True)])
            return [_build_or_error(reading, [next(rows) for _ in reading.statements]) for reading in readings]

        return self._store.read(partitions.partition_key(scope), partitions.acting_member(scope), job)


def _build_or_error(reading: PostgresReadOperation[Any], rows: list[Any]) -> Any:
    try:
        return reading.parse_rows(rows)
    except KeepsaidError as error:
        return error


def _answer_or_raise(answer: Any) -> Any:
    if isinstance(answer, KeepsaidError):
        raise answer
    return answer
