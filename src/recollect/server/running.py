"""The turns that are being answered: so many an owner, one at a time in a conversation; and how all are stopped."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from recollect.agent.stream import Stream
from recollect.server.problems import TOO_OFTEN, TURN_RUNNING, Refusal

MOST = 16
"""Turns that one owner may have at a time: a slow model must not take everybody's threads."""


class Running:
    """Knows the turns of this process. One that nobody holds any more is over."""

    def __init__(self) -> None:
        self._turns: WeakKeyDictionary[Stream, tuple[str, str | None]] = WeakKeyDictionary()

    def enter(self, owner: str, session: str | None, stream: Stream) -> None:
        """Begins a turn. A second one in the same conversation would be told to the model in the middle of the first."""
        others = [turn for turn in self._turns.values() if turn[0] == owner]
        if session is not None and (owner, session) in others:
            raise Refusal(TURN_RUNNING, "wait for the answer, or stop it first", {"Retry-After": "1"})
        if len(others) >= MOST:
            raise Refusal(TOO_OFTEN, f"{MOST} answers are being given already", {"Retry-After": "1"})
        self._turns[stream] = owner, session

    def leave(self, stream: Stream) -> None:
        """The turn is over, or nobody waits for it."""
        self._turns.pop(stream, None)

    def stop_all(self) -> None:
        """Stops the models; what they have said so far is kept."""
        for stream in list(self._turns):
            stream.stop()
