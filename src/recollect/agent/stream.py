"""Events of a turn for whoever reads them, and a way to stop it from anywhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from recollect.agent.answer import Answer, Event, Finished
from recollect.agent.stop import Stop


class Stream(Iterator[Event]):
    """The events of a turn, as they happen. Nothing is done before the first is asked for.

    `close` stops the turn and keeps what came of the answer. From the thread that reads, at once; from another, the reader
    gets a `Finished` with the part, and then the end: at once where the model's connection can be closed from outside, else
    as soon as its next words come.
    """

    def __init__(self, begin: Callable[[Stop], Iterator[Event]]) -> None:
        self._stop = Stop()
        self._events = begin(self._stop)
        self._reading = threading.Lock()
        self._to_the_end = False

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Event:
        with self._reading:
            return next(self._events)

    def stop(self) -> None:
        """Asks for an end, and does not wait for it: whoever reads gets to it."""
        self._stop.set()

    def close(self) -> None:
        """Stops the turn; safe to call twice, from any thread and from a signal handler."""
        self._stop.set()
        # Whoever is reading now sees the flag himself: a generator cannot be closed while it runs.
        if not self._to_the_end and self._reading.acquire(blocking=False):
            try:
                close = getattr(self._events, "close", None)
                if close is not None:
                    close()
            finally:
                self._reading.release()

    def answer(self) -> Answer:
        """Reads to the end, and returns the answer."""
        self._to_the_end = True
        try:
            for event in self:
                if isinstance(event, Finished):
                    return event.answer
        finally:
            self._to_the_end = False
            self.close()
        raise AssertionError("a turn ends with its answer")
