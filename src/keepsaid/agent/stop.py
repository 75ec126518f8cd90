"""Stop a turn from any thread, even while it waits for a model that sends nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress


class StopSignal(threading.Event):
    """An event that requests the end of a turn and calls registered callbacks to interrupt what the turn waits for.

    >>> stop, woken = StopSignal(), []
    >>> with stop.call_on_stop(lambda: woken.append("woken")):
    ...     stop.set()
    >>> stop.is_set(), woken
    (True, ['woken'])
    """

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: list[Callable[[], object]] = []

    def set(self) -> None:
        """Request the end. Safe to call from any thread and from a signal handler."""
        super().set()
        for wake in tuple(self._callbacks):
            with suppress(Exception):  # it may have just ended on its own
                wake()

    @contextmanager
    def call_on_stop(self, wake: Callable[[], object] | None) -> Generator[None]:
        """Within this context, `wake` is called when the end is requested."""
        if wake is None:
            yield
            return
        self._callbacks.append(wake)
        try:
            if self.is_set():
                wake()
            yield
        finally:
            self._callbacks.remove(wake)
