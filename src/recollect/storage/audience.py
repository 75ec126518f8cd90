"""Those who want to be told that something happened."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Audience:
    """Calls whoever asked for it. One who fails keeps no other from hearing, and whoever tells goes on.

    >>> audience, heard = Audience(), []
    >>> audience.add(lambda: heard.append("news"))
    >>> audience.tell()
    >>> heard
    ['news']
    """

    def __init__(self, *calls: Callable[[], None]) -> None:
        self._calls = list(calls)
        self._failed: set[tuple[int, type[Exception]]] = set()

    def add(self, call: Callable[[], None]) -> None:
        """From now on it is called, too."""
        self._calls.append(call)

    def tell(self) -> None:
        """Calls everybody. A failure is logged once for each cause: what fails may do so at every commit."""
        for place, call in enumerate(list(self._calls)):
            try:
                call()
            except Exception as error:
                if (place, type(error)) not in self._failed:
                    self._failed.add((place, type(error)))
                    _log.exception("a listener to changes failed")
