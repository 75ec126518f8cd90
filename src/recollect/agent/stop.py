"""A way to stop a turn from anywhere, also one that waits for a model which says nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress


class Stop(threading.Event):
    """Whether somebody has asked for an end. Who waits for something says how to be woken then.

    >>> stop, woken = Stop(), []
    >>> with stop.waking(lambda: woken.append("woken")):
    ...     stop.set()
    >>> stop.is_set(), woken
    (True, ['woken'])
    """

    def __init__(self) -> None:
        super().__init__()
        self._wakes: list[Callable[[], object]] = []

    def set(self) -> None:
        """Asks for an end; safe from any thread and from a signal handler."""
        super().set()
        for wake in tuple(self._wakes):
            with suppress(Exception):  # it may have ended by itself just now
                wake()

    @contextmanager
    def waking(self, wake: Callable[[], object] | None) -> Generator[None]:
        """While this lasts, `wake` is called when somebody asks for an end."""
        if wake is None:
            yield
            return
        self._wakes.append(wake)
        try:
            if self.is_set():
                wake()
            yield
        finally:
            self._wakes.remove(wake)
