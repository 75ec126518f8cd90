"""The commands of the coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from keepsaid.server.coordination.idempotent_answers import AnswerClaim, PendingAnswer, RequestName, StoredAnswer
from keepsaid.server.coordination.jobs import ImportJob

if TYPE_CHECKING:
    from keepsaid.server.coordination.coordinator import ServerCoordinator


class CountRequest(NamedTuple):
    """Count a request of an owner, or refuse it if they send too many."""

    owner: str

    def execute(self, coordinator: ServerCoordinator, worker: int) -> tuple[tuple[bytes, bytes], ...]:
        """Return headers that say how many are left."""
        return coordinator.rates.take_request(self.owner)


class ClaimAnswer(NamedTuple):
    """Claim the answer to a request with an Idempotency-Key."""

    name: RequestName
    fingerprint: str

    def execute(self, coordinator: ServerCoordinator, worker: int) -> AnswerClaim | PendingAnswer | StoredAnswer:
        """Return the earlier answer, or the claim to give one."""
        return coordinator.answers.claim(self.name, self.fingerprint, worker)


class KeepAnswer(NamedTuple):
    """Keep the answer to a request."""

    name: RequestName
    claim: int
    answer: StoredAnswer

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Keep it."""
        coordinator.answers.keep(self.name, self.claim, self.answer)


class DropAnswer(NamedTuple):
    """Drop the claim to a request without a repeatable answer."""

    name: RequestName
    claim: int

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Drop the claim."""
        coordinator.answers.drop(self.name, self.claim)


class ForgetAnswers(NamedTuple):
    """Forget the answers given to an owner, because some of their data was erased."""

    owner: str

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Forget them."""
        coordinator.answers.forget_owner(self.owner)


class ForgetAnswer(NamedTuple):
    """Forget an answer with data that another program has erased."""

    name: RequestName

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Forget it."""
        coordinator.answers.forget_answer(self.name)


class EnterTurn(NamedTuple):
    """Begin a turn, under a token of its own."""

    token: str
    owner: str
    session: str | None

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Begin it, or refuse it."""
        coordinator.turns.enter(self.token, worker, self.owner, self.session)


class LeaveTurn(NamedTuple):
    """End a turn."""

    token: str

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """End it."""
        coordinator.turns.leave(self.token)


class RecordJob(NamedTuple):
    """Record a new job, or the progress of one."""

    job: ImportJob

    def execute(self, coordinator: ServerCoordinator, worker: int) -> None:
        """Record it."""
        coordinator.jobs.record(worker, self.job)


class FindJob(NamedTuple):
    """Look up a job and its progress."""

    id: str

    def execute(self, coordinator: ServerCoordinator, worker: int) -> ImportJob | None:
        """Return it, if it is known."""
        return coordinator.jobs.find(self.id)
