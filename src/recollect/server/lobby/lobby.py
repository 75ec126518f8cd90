"""The lobby: what a server must know in one place, though several processes serve.

It is in the only process there is, or in the parent of many. What is asked of it is an order, a small value that travels
there and is done: so one process and many have the same rules, and only the way is another.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from recollect.server.access.rates import Rates
from recollect.server.lobby.answers import Answers
from recollect.server.lobby.jobs import JobBook
from recollect.server.lobby.turns import Turns

Result_co = TypeVar("Result_co", covariant=True)


class Lobby:
    """Who asks how often, which requests were answered, which turns go on, and how far jobs are."""

    def __init__(self, per_minute: int | None) -> None:
        self.rates = Rates(per_minute)
        self.answers = Answers()
        self.turns = Turns()
        self.jobs = JobBook()

    def gone(self, worker: int) -> None:
        """A process has come to its end: what it was doing is done by nobody."""
        self.answers.gone(worker)
        self.turns.gone(worker)
        self.jobs.gone(worker)


class Order(Protocol[Result_co]):
    """Something to be done in the lobby."""

    def done(self, lobby: Lobby, worker: int) -> Result_co:
        """Does it for one of the processes, at once."""
        ...
