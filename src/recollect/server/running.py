"""The turns that this process is answering, and how all are stopped."""

from __future__ import annotations

import secrets
from weakref import WeakKeyDictionary, finalize

from recollect.agent.stream import Stream
from recollect.server.lobby.lines import Line
from recollect.server.lobby.orders import EnterTurn, LeaveTurn


class Running:
    """Knows the turns of this process, and enters them in the lobby. One that nobody holds any more is over."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._turns: WeakKeyDictionary[Stream, str] = WeakKeyDictionary()

    async def enter(self, owner: str, session: str | None, stream: Stream) -> None:
        """Begins a turn, or refuses it: see `lobby.turns`."""
        token = secrets.token_hex(8)
        over = finalize(stream, self._line.tell, LeaveTurn(token))
        over.atexit = False
        await self._line.ask(EnterTurn(token, owner, session))
        self._turns[stream] = token

    def leave(self, stream: Stream) -> None:
        """The turn is over, or nobody waits for it."""
        token = self._turns.pop(stream, None)
        if token is not None:
            self._line.tell(LeaveTurn(token))

    async def left(self, stream: Stream) -> None:
        """The turn is over, and the next may begin wherever it arrives."""
        token = self._turns.pop(stream, None)
        if token is not None:
            await self._line.ask(LeaveTurn(token))

    def stop_all(self) -> None:
        """Stops the models; what they have said so far is kept."""
        for stream in list(self._turns):
            stream.stop()
