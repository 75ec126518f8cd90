"""The turns that are being answered: so many an owner, one at a time in a conversation."""

from __future__ import annotations

from typing import NamedTuple

from recollect.server.problems import TOO_OFTEN, TURN_RUNNING, Refusal

MOST = 16
"""Turns that one owner may have at a time: a slow model must not take everybody's threads."""


class _Turn(NamedTuple):
    worker: int
    owner: str
    session: str | None


class Turns:
    """Knows the turns of all processes."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    def enter(self, token: str, worker: int, owner: str, session: str | None) -> None:
        """Begins a turn. A second one in the same conversation would be told to the model in the middle of the first."""
        others = [turn for turn in self._turns.values() if turn.owner == owner]
        if session is not None and any(turn.session == session for turn in others):
            raise Refusal(TURN_RUNNING, "wait for the answer, or stop it first", {"Retry-After": "1"})
        if len(others) >= MOST:
            raise Refusal(TOO_OFTEN, f"{MOST} answers are being given already", {"Retry-After": "1"})
        self._turns[token] = _Turn(worker, owner, session)

    def leave(self, token: str) -> None:
        """The turn is over, or nobody waits for it."""
        self._turns.pop(token, None)

    def gone(self, worker: int) -> None:
        """Ends the turns of a process that is no more."""
        self._turns = {token: turn for token, turn in self._turns.items() if turn.worker != worker}
