"""Two storages of one place that take turns: whatever one is told, the next asks the other."""

from itertools import cycle
from typing import Any

from keepsaid.ports import Storage


class Turns:
    """Looks like one storage. Each call goes to the next of several, as if a load balancer stood before them."""

    def __init__(self, *storages: Storage) -> None:
        self._all = storages
        self._next = cycle(storages)

    def __getattr__(self, name: str) -> Any:
        if name in ("close", "on_commit"):
            return lambda *values: [getattr(storage, name)(*values) for storage in self._all]
        return getattr(next(self._next), name)
