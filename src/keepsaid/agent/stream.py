"""The event stream of a turn, which can be stopped from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from keepsaid.agent.answer import Answer, TurnEvent, TurnFinished
from keepsaid.agent.stop import StopSignal


class TurnStream(Iterator[TurnEvent]):
    """The events of a turn, as they happen. The turn starts when the first event is requested.

    `close` stops the turn and saves the partial answer. From the reading thread, it takes effect immediately. From another
    thread, the reader gets a `TurnFinished` with the partial answer, and then the end: immediately if the model's connection
    can be closed from another thread, otherwise when its next piece arrives.
    """

    def __init__(self, begin: Callable[[StopSignal], Iterator[TurnEvent]]) -> None:
        self._stop = StopSignal()
        self._events = begin(self._stop)
        self._reading = threading.Lock()
        self._is_draining = False

    def __iter__(self) -> TurnStream:
        return self

    def __next__(self) -> TurnEvent:
        with self._reading:
            return next(self._events)

    def stop(self) -> None:
        """Request the end without waiting for it: the reading thread ends the turn."""
        self._stop.set()

    def close(self) -> None:
        """Stop the turn. Safe to call twice, from any thread and from a signal handler."""
        self._stop.set()
        # A generator cannot be closed while it runs: a thread that is reading now checks the flag itself.
        if not self._is_draining and self._reading.acquire(blocking=False):
            try:
                close = getattr(self._events, "close", None)
                if close is not None:
                    close()
            finally:
                self._reading.release()

    def answer(self) -> Answer:
        """Read to the end and return the answer."""
        self._is_draining = True
        try:
            for event in self:
                if isinstance(event, TurnFinished):
                    return event.answer
        finally:
            self._is_draining = False
            self.close()
        raise AssertionError("a turn ends with its answer")
