"""What can be asked of the lobby."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.server.lobby.answers import Answer, Claim, Making, Name
from recollect.server.lobby.jobs import Job

if TYPE_CHECKING:
    from recollect.server.lobby.lobby import Lobby


class TakeRate(NamedTuple):
    """One more request of an owner; refused if he asks too often."""

    owner: str

    def done(self, lobby: Lobby, worker: int) -> tuple[tuple[bytes, bytes], ...]:
        """Returns headers that tell how many are left."""
        return lobby.rates.take(self.owner)


class ClaimAnswer(NamedTuple):
    """A request with an Idempotency-Key has come."""

    name: Name
    fingerprint: str

    def done(self, lobby: Lobby, worker: int) -> Claim | Making | Answer:
        """Returns the answer that there is, or the claim to make one."""
        return lobby.answers.claim(self.name, self.fingerprint, worker)


class KeepAnswer(NamedTuple):
    """A request was answered."""

    name: Name
    claim: int
    answer: Answer

    def done(self, lobby: Lobby, worker: int) -> None:
        """Keeps the answer."""
        lobby.answers.keep(self.name, self.claim, self.answer)


class DropAnswer(NamedTuple):
    """A request came to no answer that can be given again."""

    name: Name
    claim: int

    def done(self, lobby: Lobby, worker: int) -> None:
        """Gives the claim back."""
        lobby.answers.drop(self.name, self.claim)


class ForgetAnswers(NamedTuple):
    """Something of an owner was erased."""

    owner: str

    def done(self, lobby: Lobby, worker: int) -> None:
        """Forgets the answers that he was given."""
        lobby.answers.forget(self.owner)


class EnterTurn(NamedTuple):
    """A turn is about to begin, under a token of its own."""

    token: str
    owner: str
    session: str | None

    def done(self, lobby: Lobby, worker: int) -> None:
        """Begins it, or refuses it."""
        lobby.turns.enter(self.token, worker, self.owner, self.session)


class LeaveTurn(NamedTuple):
    """A turn is over."""

    token: str

    def done(self, lobby: Lobby, worker: int) -> None:
        """Ends it."""
        lobby.turns.leave(self.token)


class NoteJob(NamedTuple):
    """A job was begun, or has come further."""

    job: Job

    def done(self, lobby: Lobby, worker: int) -> None:
        """Notes how far it is."""
        lobby.jobs.note(worker, self.job)


class LookAtJob(NamedTuple):
    """Somebody asks how far a job is."""

    id: str

    def done(self, lobby: Lobby, worker: int) -> Job | None:
        """Returns it, if it is known."""
        return lobby.jobs.look(self.id)
