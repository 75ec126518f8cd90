"""Callbacks for changes of a store."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)


class ListenerGroup:
    """Calls every registered listener. If one fails, the others are still called and the caller continues.

    >>> listeners, calls = ListenerGroup(), []
    >>> listeners.add(lambda: calls.append("changed"))
    >>> listeners.notify()
    >>> calls
    ['changed']
    """

    def __init__(self, *calls: Callable[[], None]) -> None:
        self._calls = list(calls)
        self._failed: set[tuple[int, type[Exception]]] = set()

    def add(self, call: Callable[[], None]) -> None:
        """Register another listener."""
        self._calls.append(call)

    def notify(self) -> None:
        """Call all listeners. A failure is logged once for each listener and error class: it may recur at every commit."""
        for index, call in enumerate(list(self._calls)):
            try:
                call()
            except Exception as error:
                if (index, type(error)) not in self._failed:
                    self._failed.add((index, type(error)))
                    _log.exception("a change listener failed")
