"""The turns that this process is answering, and how to stop them all."""

from __future__ import annotations

import secrets
from weakref import WeakKeyDictionary, finalize

from keepsaid.agent.stream import TurnStream
from keepsaid.server.coordination.clients import CoordinatorClient
from keepsaid.server.coordination.commands import EnterTurn, LeaveTurn


class RunningTurns:
    """Registers the turns of this process with the coordinator. A stream that is garbage-collected has ended."""

    def __init__(self, line: CoordinatorClient) -> None:
        self._line = line
        self._turns: WeakKeyDictionary[TurnStream, str] = WeakKeyDictionary()

    async def enter(self, owner: str, session: str | None, stream: TurnStream) -> None:
        """Register a turn, or raise if it may not start: see `coordination.turns`."""
        token = secrets.token_hex(8)
        on_collect = finalize(stream, self._line.send, LeaveTurn(token))
        on_collect.atexit = False
        await self._line.execute(EnterTurn(token, owner, session))
        self._turns[stream] = token

    def leave(self, stream: TurnStream) -> None:
        """End a turn that is over or abandoned, without waiting for the coordinator."""
        token = self._turns.pop(stream, None)
        if token is not None:
            self._line.send(LeaveTurn(token))

    async def leave_and_wait(self, stream: TurnStream) -> None:
        """End a turn and wait until the next may begin in any process."""
        token = self._turns.pop(stream, None)
        if token is not None:
            await self._line.execute(LeaveTurn(token))

    def stop_all(self) -> None:
        """Stop the models; the partial answers are saved."""
        for stream in list(self._turns):
            stream.stop()
