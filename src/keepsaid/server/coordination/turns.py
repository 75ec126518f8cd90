"""The turns being answered: a limited number per owner, and one at a time in a conversation."""

from __future__ import annotations

from typing import NamedTuple

from keepsaid.server.problems import TOO_OFTEN, TURN_RUNNING, RequestRefusal

MAX_TURNS = 16
"""Turns that one owner may have at a time: a slow model must not take the threads of other owners."""


class _RunningTurn(NamedTuple):
    worker: int
    owner: str
    session: str | None


class TurnRegistry:
    """Registers the turns of all processes."""

    def __init__(self) -> None:
        self._turns: dict[str, _RunningTurn] = {}

    def enter(self, token: str, worker: int, owner: str, session: str | None) -> None:
        """Register a turn. Refuse a second one in a conversation: the model would see it in the middle of the first."""
        others = [turn for turn in self._turns.values() if turn.owner == owner]
        if session is not None and any(turn.session == session for turn in others):
            raise RequestRefusal(TURN_RUNNING, "wait for the answer, or stop it first", {"Retry-After": "1"})
        if len(others) >= MAX_TURNS:
            raise RequestRefusal(TOO_OFTEN, f"{MAX_TURNS} answers are already running", {"Retry-After": "1"})
        self._turns[token] = _RunningTurn(worker, owner, session)

    def leave(self, token: str) -> None:
        """End a turn that is over or abandoned."""
        self._turns.pop(token, None)

    def remove_worker(self, worker: int) -> None:
        """End the turns of an ended process."""
        self._turns = {token: turn for token, turn in self._turns.items() if turn.worker != worker}
