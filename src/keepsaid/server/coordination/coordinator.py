"""The coordinator: the state that a server must hold in one place, even with several processes.

It lives in the only process, or in the parent of several. Requests to it are commands, small values that are sent to it and
executed there, so that the rules are the same for one process and for several.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from keepsaid.server.access.rates import OwnerRateLimiter
from keepsaid.server.coordination.idempotent_answers import IdempotentAnswers
from keepsaid.server.coordination.jobs import JobRegistry
from keepsaid.server.coordination.turns import TurnRegistry

Result_co = TypeVar("Result_co", covariant=True)


class ServerCoordinator:
    """Rate limits, answers to idempotent requests, running turns, and the progress of jobs."""

    def __init__(self, per_minute: int | None) -> None:
        self.rates = OwnerRateLimiter(per_minute)
        self.answers = IdempotentAnswers()
        self.turns = TurnRegistry()
        self.jobs = JobRegistry()

    def remove_worker(self, worker: int) -> None:
        """Remove what an ended process was working on."""
        self.answers.remove_worker(worker)
        self.turns.remove_worker(worker)
        self.jobs.remove_worker(worker)


class CoordinatorCommand(Protocol[Result_co]):
    """A command that the coordinator executes."""

    def execute(self, coordinator: ServerCoordinator, worker: int) -> Result_co:
        """Execute it for one of the processes, without blocking."""
        ...
