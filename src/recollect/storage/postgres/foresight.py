"""What will be wanted soon goes along with the next question: a prompt asks for some twenty things, and every exchange with
the server is a journey."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from recollect.errors import RecollectError, StoreBusy, StoreClosed, StoreUnavailable
from recollect.ports import Call
from recollect.storage.postgres import spaces
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.reading import Reading
from recollect.storage.postgres.transactions import Store
from recollect.types import Scope

Result = TypeVar("Result")


class Question(NamedTuple):
    """A reading, and in whose memory; None where it is the store's own."""

    scope: Scope | None
    reading: Reading[Any]

    def can_be_asked_in(self, scope: Scope) -> bool:
        """Whether it can be asked in an exchange that is in this one's memory."""
        return self.scope is None or _place(self.scope) == _place(scope)


def _place(scope: Scope) -> tuple[str, str | None]:
    return spaces.whose(scope).unit, spaces.member(scope)


class _Moment:
    def __init__(self) -> None:
        self.wanted: dict[Call, Question] = {}
        self.answers: dict[Call, Any] = {}

    def scope_for(self, question: Question) -> Scope | None:
        """In whose memory to ask: the question's, or if that is the store's own, that of the first who could go along."""
        return next((one.scope for one in (question, *self.wanted.values()) if one.scope is not None), None)

    def companions(self, scope: Scope) -> dict[Call, Question]:
        """What can go along in somebody's memory; it is wanted no longer, but on its way."""
        going = {call: one for call, one in self.wanted.items() if one.can_be_asked_in(scope)}
        self.wanted = {call: one for call, one in self.wanted.items() if call not in going}
        return going


class Foresight:
    """The moments of all threads, each with what it wants and what has come for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._local = threading.local()

    @property
    def _moment(self) -> _Moment | None:
        return getattr(self._local, "moment", None)

    @contextmanager
    def moment(self) -> Generator[None]:
        """A time in which this thread may be answered from what came before; one inside another is part of it."""
        if self._moment is not None:
            yield
            return
        self._local.moment = _Moment()
        try:
            yield
        finally:
            self._local.moment = None

    def want(self, call: Call, question: Question) -> None:
        """Something will be asked in this moment."""
        if self._moment is not None and call not in self._moment.answers:
            self._moment.wanted[call] = question

    def forget(self) -> None:
        """This thread has changed something: what came before may not be so any more."""
        if self._moment is not None:
            self._moment.answers.clear()

    def ask(self, call: Call, question: Question, alone: Callable[[], Result]) -> Result:
        """The answer to a question: one that has come already, or with it those that are wanted."""
        moment = self._moment
        if moment is None:
            return alone()
        if call in moment.answers:
            return _given(moment.answers.pop(call))
        moment.wanted.pop(call, None)
        scope = moment.scope_for(question)
        along = {} if scope is None else moment.companions(scope)
        if not along or scope is None:
            return alone()
        try:
            answer, *others = self._together(scope, [question.reading, *(one.reading for one in along.values())])
        except (StoreUnavailable, StoreBusy, StoreClosed):
            raise  # it was waited for long enough
        except RecollectError:
            return alone()  # whose fault it is shows when each is asked by itself
        moment.answers |= dict(zip(along, others, strict=True))
        return _given(answer)

    def _together(self, scope: Scope, readings: Sequence[Reading[Any]]) -> list[Any]:
        statements = [statement for reading in readings for statement in reading.statements]

        def job(db: Database) -> list[Any]:
            rows = iter([found.fetchall() for found in db.together(*statements, last=True)])
            return [_made(reading, [next(rows) for _ in reading.statements]) for reading in readings]

        return self._store.read(spaces.whose(scope), spaces.member(scope), job)


def _made(reading: Reading[Any], rows: list[Any]) -> Any:
    try:
        return reading.made(rows)
    except RecollectError as error:
        return error


def _given(answer: Any) -> Any:
    if isinstance(answer, RecollectError):
        raise answer
    return answer
